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

/* The group of this key. NULL: there is none. */
struct pod_group *group_index_find(struct group_index *s, const char *key);

/*
 * The group of this workload, which is copied; it is made, without pods, if
 * there is none, and tied to the objects that its pods name. It belongs to the
 * index. NULL: out of memory.
 */
struct pod_group *group_index_get(struct group_index *s,
				  const struct workload *of);

/*
 * Free a group that has no pods, is not marked (a marked one is still to be
 * looked at) and whose pods have not vanished. Any other stays.
 */
void group_index_drop(struct group_index *s, struct pod_group *g);

/* Mark a group as changed, behind those that are marked already. */
void group_index_mark(struct group_index *s, struct pod_group *g);

/* Mark all groups. Walks them. */
void group_index_mark_all(struct group_index *s);

/*
 * Take the marks of the `max` groups that were marked first, or of fewer
 * without memory, and give their keys, of which the caller frees each. A group
 * without pods goes, as by group_index_drop(). Returns how many.
 */
size_t group_index_take(struct group_index *s, char **keys, size_t max);

/*
 * Note that an object of the group's namespace matters to it in the role `as`,
 * in place of the object that had this role before; "": none does (any more).
 * What the pods themselves name is tied already. 0; -ENOMEM: no object has this
 * role.
 */
int group_index_tie(struct group_index *s, struct pod_group *g,
		    enum pod_tie_as as, enum workload_kind kind,
		    const char *name);

/*
 * Mark the groups to which that object matters; others are not walked. False:
 * there is none.
 */
bool group_index_touch(struct group_index *s, enum workload_kind kind,
		       const char *ns, const char *name);

/*
 * Free all groups, whose pods were freed before. The index is of no use any
 * more.
 */
void group_index_clear(struct group_index *s);

#endif
