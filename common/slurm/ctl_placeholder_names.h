/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes jobs name, above all placeholders. As in ctl.h: an RPC that may
 * block; any thread, but never a plugin callback's.
 */
#ifndef SLURMK8S_SLURM_CTL_PLACEHOLDER_NAMES_H
#define SLURMK8S_SLURM_CTL_PLACEHOLDER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct ctl_reader; /* slurm/ctl_reader.h; may be NULL */

/* Which kind of job names a node; the greatest value counts. */
enum ctl_named {
	CTL_NAMED_BY_NONE,
	/* a placeholder that waits (pending or held), in its ExcNodeList or
	   ReqNodeList */
	CTL_NAMED_BY_WAITING,
	/* anybody's job that runs or is suspended, in its ReqNodeList: Slurm
	   ends it when it is started and has no such node
	   (_sync_detail_bitmaps()) */
	CTL_NAMED_BY_RUNNING,
};
/*
 * Write who names nodes[i] into named[i]. One RPC, for which slurmctld sends
 * all its jobs, which are offered to others by `r`.
 * When these have so many different lists that it would take too long to read
 * all (4 MiB of either kind), each named[i] is as if one of these had it. 0;
 * -EIO with words or -ENOMEM: `named` is not written.
 */
int ctl_placeholders_name(struct ctl_reader *r, const char *const *nodes,
			  size_t n, enum ctl_named *named, struct err *err);

#endif
