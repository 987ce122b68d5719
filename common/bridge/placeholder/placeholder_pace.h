/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When slurmctld is asked for placeholder jobs: for a list of all seldom, for
 * the states of those that are known often. Times are monotonic, in ms. The
 * bridge's thread only, as placeholders.c.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_PLACEHOLDER_PACE_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_PLACEHOLDER_PACE_H

#include "bridge/placeholder/placeholder.h"

/* When the next list is due. */
int64_t placeholders_list_at(const struct bridge *b);

/*
 * When the states of known jobs are due, where Slurm has that RPC: soon after a
 * submission, as the job starts soon if there is room.
 */
int64_t placeholders_states_at(const struct bridge *b);

/*
 * True if a job waits whose reason is not known. Slurm may have a reason by
 * now, and not count that as a change. (In a long queue it has none for jobs at
 * its end.)
 */
bool placeholders_lack_a_reason(const struct bridge *b);

#endif
