/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a program and read what it prints, with bounds on time and size. Made
 * to be safe inside slurmctld: posix_spawn, signals back to their defaults,
 * no descriptor but 0, 1, 2 inherited, and waitpid of that one child only.
 */
#ifndef SLURMK8S_BASE_SPAWN_H
#define SLURMK8S_BASE_SPAWN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Run argv (argv[0] is looked up in PATH unless it holds a slash) with
 * exactly the environment envp, standard input from /dev/null. It may take
 * timeout_ms, and print at most max bytes. *out is for the two below only, and
 * for one thread at a time. Else -ENOMEM, or why it cannot be run.
 */
struct spawn;
int spawn_begin(char *const argv[], char *const envp[], int64_t timeout_ms,
		size_t max, struct spawn **out, struct err *err);

/*
 * Wait so long (0: not at all) for the end. -EINPROGRESS: not yet; else `s` is
 * freed. 0: *out is its standard output (the caller frees). It is killed when
 * its time is over (-ETIMEDOUT; here, not before) or it prints too much
 * (-EMSGSIZE). An exit code other than 0 is -EPROTO; `err` then ends with its
 * last words on standard error.
 */
int spawn_poll(struct spawn *s, int64_t wait_ms, char **out, size_t *len,
	       struct err *err);

/* Kill it, with what it has started itself, and free. NULL: nothing. */
void spawn_kill(struct spawn *s);

#endif
