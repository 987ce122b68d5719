/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of users that are known by name: jobs are submitted by number. A
 * name service may be slow: only from a thread of ours, never from a plugin
 * callback. One thread at a time for a cache.
 */
#ifndef SLURMK8S_SLURM_CTL_USERS_H
#define SLURMK8S_SLURM_CTL_USERS_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

#define CTL_USERS_MAX 4096	   /* then they are all forgotten */
#define CTL_USERS_NAME_MAX 256	   /* bytes of a name, NUL included */
#define CTL_USERS_KNOWN_MS 600000  /* how long an answer holds */
#define CTL_USERS_UNKNOWN_MS 30000 /* "no such user" */
#define CTL_USERS_FAILED_MS 5000   /* no answer */

struct ctl_users;
struct ctl_users *ctl_users_new(void); /* NULL: out of memory */
void ctl_users_free(struct ctl_users *u);
DEFINE_CLEANUP(struct ctl_users, ctl_users_freep, ctl_users_free)

/*
 * A user's number, and that of his login group. -ENOENT: there is no such user
 * on this host; -EAGAIN: the name service does not answer, try again later;
 * -ENOMEM.
 */
int ctl_users_find(struct ctl_users *u, const char *name, uint32_t *uid,
		   uint32_t *gid, struct err *err);

void ctl_users_forget(struct ctl_users *u);

#endif
