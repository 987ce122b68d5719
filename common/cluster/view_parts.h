/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How old what is seen of Kubernetes is. Pure: no clock. Any thread. */
#ifndef SLURMK8S_CLUSTER_VIEW_PARTS_H
#define SLURMK8S_CLUSTER_VIEW_PARTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The parts of what is seen that all decisions read. Owners of pods have an age
 * for each kind: bridge/intake/owners.h.
 */
enum view_part {
	VIEW_PODS,
	VIEW_NODES,
	VIEW_NAMESPACES, /* if there are selectors */
	VIEW_OTHERS,	 /* pods that are not ours, if nodes are made */
	VIEW_PARTS
};

/* The words for a part, as "bridged pods"; static. */
const char *view_part_name(enum view_part of);

struct view_parts {
	/*
	 * All that had happened by then is in view: ms, by one clock. 0: the
	 * part is not looked at, or was never seen, as the caller knows.
	 */
	int64_t fresh_at[VIEW_PARTS];
};

/* The part with the greatest age; ms 0: nothing was seen yet. */
struct view_age {
	enum view_part of;
	int64_t ms;
};

/* Tell which part is oldest at `now`, by the clock of fresh_at. */
void view_age_of(const struct view_parts *s, int64_t now, struct view_age *out);

/* True if the view is older than bound_ms; 0: it may be of any age. */
static inline bool view_is_stale(const struct view_age *age, int64_t bound_ms)
{
	return bound_ms && age->ms > bound_ms;
}

#endif
