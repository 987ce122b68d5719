/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of users that Slurm tells only as numbers, each looked up once. One
 * thread at a time; all zero at first.
 */
#ifndef SLURMK8S_RUNTIME_USER_NAMES_H
#define SLURMK8S_RUNTIME_USER_NAMES_H

#include <stdint.h>

#define USER_NAME_MAX 33

struct user;
struct user_names {
	struct user *users;
	int64_t ask_at; /* monotonic: no name service is asked before */
	char last[USER_NAME_MAX]; /* the name that was returned last */
};

/*
 * The user's name, or the number as a text where the name is not known now.
 * Borrowed until the next call. May ask a name service: if that takes over 200
 * ms, or fails, none is asked for a minute.
 */
const char *user_name_of(struct user_names *n, uint32_t uid);

/* Free all names; each is looked up anew. */
void user_names_forget(struct user_names *n);

#endif
