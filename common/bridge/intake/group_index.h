/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The groups of the bridge's pods: by their key, by the objects (Jobs,
 * PodGroups, ...) that matter to them, and those that have changed. An object
 * may change many times a second, beside thousands of groups: only its own are
 * looked at. The caller locks.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_GROUP_INDEX_H
#define SLURMK8S_BRIDGE_INTAKE_GROUP_INDEX_H

#include "bridge/intake/pod_groups.h"

struct bridge_groups {
	struct bridge_group *all; /* by key */
	struct bridge_tied *tied; /* by object */
	struct bridge_group *dirty, *last_dirty;
};

struct bridge_group *bridge_groups_find(struct bridge_groups *s,
					const char *key);

/* The same, or it is made, without pods. NULL: out of memory. */
struct bridge_group *bridge_groups_get(struct bridge_groups *s,
				       const struct workload *of);

/*
 * It goes, if it has no pods and is not marked, for its end has been seen then;
 * and if its pods have not vanished.
 */
void bridge_groups_drop(struct bridge_groups *s, struct bridge_group *g);

void bridge_groups_mark(struct bridge_groups *s, struct bridge_group *g);

/* The one that was marked first, and is no longer. NULL: there is none. */
struct bridge_group *bridge_groups_take(struct bridge_groups *s);

/*
 * An object of the group's namespace matters to it; "": none does in this way
 * (any more). What pods themselves name is known already. -ENOMEM: it is as if
 * there were none.
 */
int bridge_groups_tie(struct bridge_groups *s, struct bridge_group *g,
		      enum bridge_tie_as as, enum workload_kind kind,
		      const char *name);

/* Marks the groups to which that object matters. False: there is none. */
bool bridge_groups_touch(struct bridge_groups *s, enum workload_kind kind,
			 const char *ns, const char *name);

/* All go; their pods are gone. */
void bridge_groups_clear(struct bridge_groups *s);

#endif
