/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How old what is seen of Kubernetes is. Pure: no clock. Any thread. */
#ifndef SLURMK8S_CLUSTER_VIEW_PARTS_H
#define SLURMK8S_CLUSTER_VIEW_PARTS_H

#include <stdbool.h>
#include <stdint.h>

/* What all decisions read. (Of owners of pods each kind has an age of its own:
 * bridge/intake/owners.h.) */
enum bridge_sight {
	SIGHT_PODS,
	SIGHT_NODES,
	SIGHT_NAMESPACES, /* if there are selectors */
	SIGHT_OTHERS,	  /* pods that are not ours, if nodes are made */
	SIGHTS
};

/* "bridged pods", ...; static. */
const char *bridge_sight_name(enum bridge_sight of);

struct bridge_sights {
	/*
	 * All that had happened by then is in view: ms, by one clock. 0: it is
	 * not looked at, or was never seen: then others know that.
	 */
	int64_t fresh_at[SIGHTS];
};

/* That with the greatest age in ms; 0: nothing was seen yet. */
struct bridge_age {
	enum bridge_sight of;
	int64_t ms;
};
void bridge_age_of(const struct bridge_sights *s, int64_t now,
		   struct bridge_age *out);

/* The view is older than this: 0: it may be of any age. */
static inline bool bridge_is_stale(const struct bridge_age *age,
				   int64_t bound_ms)
{
	return bound_ms && age->ms > bound_ms;
}

#endif
