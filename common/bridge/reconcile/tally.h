/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many groups and pods there are in the queue, and since when, for
 * common/metrics/. The bridge's thread only, but for tally_state().
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
 * Note what was seen of the group, after group_apply(). Its former state stays
 * if its job or pods were not known. A plan that begins to refuse what the pods
 * ask for is counted as a refusal.
 */
void tally_note(struct queue_entry *q, const struct group_observation *j);

/*
 * Count all groups and their pods, as they were noted, if the last count is 5 s
 * old. Walks the queue.
 */
void tally_publish(struct bridge *b);

/* Set the metrics to no groups and pods: the bridge may not act, or ends. */
void tally_clear(void);

#endif
