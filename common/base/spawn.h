/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a program and read what it prints, with bounds on time and size. Made to
 * be safe inside slurmctld: posix_spawn, signals back to their defaults, no
 * descriptor but 0, 1, 2 inherited, and waitpid of that one child only. Any
 * thread; a struct spawn belongs to one at a time.
 */
#ifndef SLURMK8S_BASE_SPAWN_H
#define SLURMK8S_BASE_SPAWN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Run argv (argv[0] is looked up in PATH unless it holds a slash) with exactly
 * the environment envp, standard input from /dev/null. It may take timeout_ms,
 * and print at most max bytes. *out is for spawn_poll() and spawn_kill() only.
 * 0; -ENOMEM; -EAGAIN: too many were killed and do not end, of whatever thread;
 * or an errno of pipe(2) and posix_spawn(3).
 */
struct spawn;
int spawn_begin(char *const argv[], char *const envp[], int64_t timeout_ms,
		size_t max, struct spawn **out, struct err *err);

/*
 * Wait for the end, for `wait_ms` at most (0: not at all). -EINPROGRESS: it
 * runs on; else `s` is freed. 0: *out is its standard output, which ends with
 * NUL; the caller frees. It is killed when its time is over (-ETIMEDOUT; in
 * this call, not before) or when it has printed too much (-EMSGSIZE). -EPROTO:
 * an exit code other than 0, or a signal; its last words on standard error are
 * logged, and are not in `err`. Or an errno of poll(2) and read(2).
 */
int spawn_poll(struct spawn *s, int64_t wait_ms, char **out, size_t *len,
	       struct err *err);

/*
 * Kill it, with all of its process group, wait for its end, but a second at
 * most, and free it. NULL: nothing.
 */
void spawn_kill(struct spawn *s);

#endif
