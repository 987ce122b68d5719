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

struct group_index {
	struct pod_group *all; /* by key */
	struct pod_tied *tied; /* by object */
	struct pod_group *dirty, *last_dirty;
	size_t n_dirty;
};

struct pod_group *group_index_find(struct group_index *s, const char *key);

/* The same, or it is made, without pods. NULL: out of memory. */
struct pod_group *group_index_get(struct group_index *s,
				  const struct workload *of);

/*
 * It goes, if it has no pods and is not marked, for its end has been seen then;
 * and if its pods have not vanished.
 */
void group_index_drop(struct group_index *s, struct pod_group *g);

void group_index_mark(struct group_index *s, struct pod_group *g);
void group_index_mark_all(struct group_index *s);

/*
 * Keys of those that were marked first, and are no longer, at most `max`; the
 * caller frees each. One without pods goes.
 */
size_t group_index_take(struct group_index *s, char **keys, size_t max);

/*
 * An object of the group's namespace matters to it; "": none does in this way
 * (any more). What pods themselves name is known already. -ENOMEM: it is as if
 * there were none.
 */
int group_index_tie(struct group_index *s, struct pod_group *g,
		    enum pod_tie_as as, enum workload_kind kind,
		    const char *name);

/* Marks the groups to which that object matters. False: there is none. */
bool group_index_touch(struct group_index *s, enum workload_kind kind,
		       const char *ns, const char *name);

/* All go; their pods are gone. */
void group_index_clear(struct group_index *s);

#endif
