/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Reason of a node that is back. Without slurmdbd slurmctld keeps it from
 * 23.11 to 25.11 (clusteracct_storage_g_node_up() returns too early), and does
 * not replace it when it drains the node itself, as a Prolog fails there
 * (_drain_node()): that drain would say that it is ours. Pure. Only for ctl.c.
 */
#ifndef SLURMK8S_SLURM_BACK_REASON_H
#define SLURMK8S_SLURM_BACK_REASON_H

#include <slurm/slurm.h>

#include "slurm/ctl.h"

/* True for an update after which the node is not drained and not down. */
static inline bool back_is(enum ctl_node_update what)
{
	return what == CTL_RESUME || what == CTL_UNDRAIN || what == CTL_IDLE;
}

/*
 * The Reason to be written with such an update, in that release, instead of
 * none: a text that slurmctld replaces when it drains the node. Static. NULL:
 * none is needed.
 */
static inline const char *back_reason(long release, enum ctl_node_update what)
{
	return back_is(what) && release >= SLURM_VERSION_NUM(23, 11, 0) &&
			       release < SLURM_VERSION_NUM(26, 5, 0)
		       ? WK_REASON_SILENT
		       : NULL;
}

#endif
