/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes jobs require: those of ReqNodeList, which may be more than a job
 * gets. When slurmctld is started, or reads slurm.conf again, and has no such
 * node, it ends the job as NODE_FAIL, also one that runs elsewhere, and does
 * not requeue it (read_config.c, _sync_detail_bitmaps() and
 * _sync_jobs_to_conf(); 22.05 to 26.05). One thread at a time for a snapshot.
 */
#ifndef SLURMK8S_SLURM_CTL_REQUIRED_H
#define SLURMK8S_SLURM_CTL_REQUIRED_H

#include "base/cleanup.h"
#include "base/err.h"

struct ctl_reader; /* slurm/ctl_reader.h; may be NULL */

struct ctl_required;
/* Free a snapshot. NULL: nothing. */
void ctl_required_free(struct ctl_required *r);
DEFINE_CLEANUP(struct ctl_required, ctl_required_freep, ctl_required_free)

/*
 * What slurmctld says now of all jobs that have not ended or are completing.
 * One RPC that may block, as in ctl.h; its answer is offered to others by
 * `reader`. The caller frees *out. -EIO with Slurm's words; -E2BIG over
 * NAMED_NODES_MAX (slurm/named_nodes.h), of different lists; -ENOMEM.
 */
int ctl_required_load(struct ctl_reader *reader, struct ctl_required **out,
		      struct err *err);

/*
 * One job that requires this node, as "job 12". NULL: none does. Borrowed from
 * `r`. No RPC.
 */
const char *ctl_required_by(const struct ctl_required *r, const char *node);

#endif
