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
 * exactly the environment envp, standard input from /dev/null. *out gets its
 * standard output (the caller frees). The child is killed at the deadline
 * (-ETIMEDOUT) or when it prints more than max bytes (-EMSGSIZE). An exit
 * code other than 0 is -EPROTO; `err` then ends with its last words on
 * standard error. Blocks: not for callbacks.
 */
int spawn_read(char *const argv[], char *const envp[], int64_t timeout_ms,
	       size_t max, char **out, size_t *len, struct err *err);

/*
 * The same in steps, for who has other things to do meanwhile. *out is for the
 * two below only, and for one thread at a time.
 */
struct spawn;
int spawn_begin(char *const argv[], char *const envp[], int64_t timeout_ms,
		size_t max, struct spawn **out, struct err *err);

/*
 * Wait so long (0: not at all) for the end. -EINPROGRESS: not yet; else as
 * spawn_read(), and `s` is freed. (A program that is over its time is killed
 * here, not before.)
 */
int spawn_poll(struct spawn *s, int64_t wait_ms, char **out, size_t *len,
	       struct err *err);

/* Kill it, with what it has started itself, and free. NULL: nothing. */
void spawn_kill(struct spawn *s);

#endif
