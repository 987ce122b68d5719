/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many groups and pods there are in the queue, and since when:
 * common/metrics/. The bridge's thread, where a function is not pure.
 */
#ifndef SLURMK8S_BRIDGE_RECONCILE_TALLY_H
#define SLURMK8S_BRIDGE_RECONCILE_TALLY_H

#include "bridge/placeholder/placeholder.h"

/*
 * The state of a group, by what was seen of it and what was done;
 * METRICS_GROUP_STATES: it has nothing that waits or runs. Pure; any thread.
 */
enum metrics_group tally_state(const struct group_observation *j);

/*
 * Note what was seen of the group, after group_apply(). What was not known
 * leaves it as it was. A plan that has just become one that refuses what its
 * pods ask for is counted.
 */
void tally_note(struct queue_entry *q, const struct group_observation *j);

/*
 * Count all groups, and their pods, as they were noted: each 5 s, and else
 * nothing. Walks the queue.
 */
void tally_publish(struct bridge *b);

/* There are none: the bridge may not act, or ends. */
void tally_clear(void);

#endif
