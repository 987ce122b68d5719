/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of users and groups that are known by name: jobs are submitted by
 * number. A name service may be slow, or hang: only from a thread of ours,
 * never from a plugin callback. After it was slow it is not asked for a while,
 * for whomever; what it has said of a user or group holds on then.
 * One thread at a time for a cache.
 */
#ifndef SLURMK8S_SLURM_CTL_USERS_H
#define SLURMK8S_SLURM_CTL_USERS_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

#define CTL_USERS_MAX 4096     /* names in the cache; one more empties it */
#define CTL_USERS_NAME_MAX 256 /* bytes of a name, NUL included */
/* how long an answer holds at least, in ms */
#define CTL_USERS_KNOWN_MS 600000
#define CTL_USERS_UNKNOWN_MS 30000 /* how long "no such user" holds, in ms */
#define CTL_USERS_FAILED_MS 5000   /* how long a name without an answer waits */
#define CTL_USERS_SLOW_MS 200	   /* ms above which an answer is a slow one */
/*
 * After a slow answer the name service is not asked for this many times what
 * the answer took; after a slow failure for CTL_USERS_PAUSE_MS.
 */
#define CTL_USERS_PAUSES 10
/* The longest pause, in ms. */
#define CTL_USERS_PAUSE_MS 60000

struct ctl_users;
struct ctl_users *ctl_users_new(void); /* NULL: out of memory */
void ctl_users_free(struct ctl_users *u);
DEFINE_CLEANUP(struct ctl_users, ctl_users_freep, ctl_users_free)

/*
 * A user's number, and that of his login group; `name` may be his number.
 * -ENOENT: there is no such user on this host; -EAGAIN: the name service does
 * not answer, or is not asked now, try again later; -ENOMEM.
 */
int ctl_users_find(struct ctl_users *u, const char *name, uint32_t *uid,
		   uint32_t *gid, struct err *err);

/*
 * A group's number; one that is given as a number is not looked up. Errors as
 * of ctl_users_find().
 */
int ctl_users_group(struct ctl_users *u, const char *name, uint32_t *gid,
		    struct err *err);

/* Forget all names, but not that the name service is left alone. */
void ctl_users_forget(struct ctl_users *u);

#endif
