/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is read of a pod to know what it holds of its node, of kinds of devices
 * that are known beforehand, and who has bound it. Pure. Any thread; a table
 * once made does not change.
 */
#ifndef SLURMK8S_OBJECTS_HELD_POD_H
#define SLURMK8S_OBJECTS_HELD_POD_H

#include <stddef.h>

#include "json/json_only.h"

#define HELD_KINDS_MAX 32
/*
 * Objects and commas of a container's status: 5 objects, 8 members, and three
 * lists of kinds.
 */
#define HELD_STATE_VALUES (5 + 8 + 3 * (HELD_KINDS_MAX + 2))

/* Tables that point to each other: the struct stays where it was made. */
struct held_pod {
	struct jx_only pod[4]; /* the table of a pod */
	struct jx_only spec[7], status[7];
	struct jx_only container[4], container_status[4];
	struct jx_only resources[3], own_resources[3];
	struct jx_only kinds[HELD_KINDS_MAX + 3];
	struct jx_only own_kinds[HELD_KINDS_MAX + 4];
};

/*
 * Make the table for pod_requests_held_of() with these kinds (n: at most
 * HELD_KINDS_MAX; borrowed) and bridged_pod_bound_by(). Names, uid and phase
 * are read, too.
 */
void held_pod_table(struct held_pod *t, const char *const *kinds, size_t n);

/*
 * Read by this table a pod with more than is read of any other: its author
 * decides how many containers it has, and all of them count. The caller puts
 * *out. 0; -EBADMSG; -ENOMEM.
 */
int held_pod_read(const struct held_pod *t, const char *text, size_t len,
		  json_object **out);

#endif
