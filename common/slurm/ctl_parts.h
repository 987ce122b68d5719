/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job's user may have of partitions, and how much time there. Slurm
 * keeps partitions with RootOnly=YES from users, but not from SlurmUser, who
 * submits placeholder jobs: slurmctld looks there at the sender of the RPC, and
 * at the job's user in all else: AllowGroups, AllowAccounts, AllowQos and their
 * counterparts, reservations, QOS (job_mgr.c, _part_access_check(); 22.05 to
 * 26.05). So these partitions are ours to refuse. With EnforcePartLimits=NO
 * Slurm queues such a job, and then never starts it: job_limits_check() looks
 * at its user. One thread at a time for a snapshot.
 */
#ifndef SLURMK8S_SLURM_CTL_PARTS_H
#define SLURMK8S_SLURM_CTL_PARTS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"

#define CTL_PARTS_MS 1000 /* how long a snapshot is used, in ms */

struct ctl_parts;
/* Free a snapshot. NULL: nothing. */
void ctl_parts_free(struct ctl_parts *p);
DEFINE_CLEANUP(struct ctl_parts, ctl_parts_freep, ctl_parts_free)

/*
 * Make *parts (NULL at first) what slurmctld says, not older than CTL_PARTS_MS.
 * An RPC that may block, as in ctl.h, or none; a short one if nothing has
 * changed. 0; -EAGAIN: slurmctld does not answer; -ENOMEM.
 */
int ctl_parts_refresh(struct ctl_parts **parts, struct err *err);

/*
 * Whether pods may have a job in these partitions. `asked`: names with commas,
 * as sbatch takes them; NULL is the default partition, or, if the job has a
 * reservation (else NULL), the one of that, which is not known: then it is
 * -EPERM where any is closed. For a partition that takes no jobs now its
 * Alternate counts. 0; -EPERM with words for the pods. No RPC.
 */
int ctl_parts_check(const struct ctl_parts *p, const char *asked,
		    const char *reservation, struct err *err);

/*
 * Append the nodes of these partitions (`asked` as in ctl_parts_check()) to
 * *out in Slurm's words, with commas. 0; -ENOENT: one is not known, or there is
 * no default partition; -EMSGSIZE; -ENOMEM. Slurm counts no change of
 * partitions when nodes are created: a caller that wants those drops the
 * snapshot then. No RPC.
 */
int ctl_parts_nodes(const struct ctl_parts *p, const char *asked,
		    struct buf *out);

/*
 * Call `fn` for each partition, in no order, with its nodes in Slurm's words
 * ("" if it has none); both are borrowed during the call. No RPC.
 */
void ctl_parts_each(const struct ctl_parts *p,
		    void (*fn)(void *arg, const char *name, const char *nodes),
		    void *arg);

/*
 * The time limit for a job that is to have no more than its partition's
 * default (DefaultTime, or else MaxTime; of several the least), and no more
 * than `most` minutes: these, or 0, which is the default. No RPC.
 */
uint32_t ctl_parts_shorten(const struct ctl_parts *p, const char *asked,
			   uint32_t most);

#endif
