/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a Slurm cluster has to itself in Kubernetes (docs/adr/0010-claims.md): a
 * namespace, by a Lease in it that is created and never replaced; a node, by a
 * label. Pure: no I/O, no clock. Any thread.
 */
#ifndef SLURMK8S_CLUSTER_CLAIM_LEASE_H
#define SLURMK8S_CLUSTER_CLAIM_LEASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "syntax/names.h"
#include "json/json.h"

#define CLAIM_NAME_MAX 253 /* longest name of a Lease */
#define CLAIM_WORDS_MAX 520

/*
 * Write the Lease's name, by the schedulerName of the pods; where that is too
 * long, by a hash of it.
 */
void claim_lease_name(const char *scheduler, char out[CLAIM_NAME_MAX + 1]);

/* The Slurm cluster that claims. Texts are borrowed. */
struct claim_self {
	const char *cluster; /* ClusterName */
	const char *label;   /* name_label_of() of the ClusterName */
	/*
	 * "NAMESPACE/NAME" of the Lease by which our engine acts. Two Slurm
	 * clusters of one name differ by it, so that what both want is that
	 * one's which came first.
	 */
	const char *lease;
};

/*
 * Make a Lease by which `self` claims a namespace at now_ms (epoch). The caller
 * puts it. NULL: out of memory.
 */
json_object *claim_lease(const char *name, const struct claim_self *self,
			 int64_t now_ms);

enum claim_of {
	CLAIM_FREE, /* claimed by nobody */
	CLAIM_OURS,
	CLAIM_OTHERS,
};

/*
 * Tell whose the namespace `ns` is, by its Lease `name`: CLAIM_OURS or
 * CLAIM_OTHERS. A Lease without a holder is another's, as nobody replaces it;
 * one with our ClusterName and without WK_CLAIM_BY is ours. words: for people,
 * who has it since when, and the command that takes it away; "" unless it is
 * another's.
 */
enum claim_of claim_of_lease(const json_object *lease, const char *ns,
			     const char *name, const struct claim_self *self,
			     char words[CLAIM_WORDS_MAX]);

/*
 * Tell whose a node is, by the value of its label and its annotation
 * WK_CLAIM_BY; NULL: it has none. A node that has our label only is ours: an
 * administrator has written that, or an older release. words: for people, who
 * has it, and the command that takes it away; "" unless it is another's.
 */
enum claim_of claim_of_node(const char *value, const char *by, const char *node,
			    const struct claim_self *self,
			    char words[CLAIM_WORDS_MAX]);

/*
 * Make the merge patch that claims a node at now_ms (epoch), or gives it back
 * (now_ms 0), by the node's JSON as it was read: it has that resourceVersion,
 * so the API server refuses it when the node has changed since. The caller puts
 * *out. 0; -EEXIST with words: it is another's; -EALREADY: nothing is to be
 * done, as with a label without WK_CLAIM_BY, which is not ours to take away;
 * -EINVAL: it is no node; -ENOMEM.
 */
int claim_node_patch(const json_object *node, const struct claim_self *self,
		     int64_t now_ms, json_object **out, struct err *err);

#endif
