/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a pod that runs is as its template makes it today. As the engine sees
 * it (nodes/reconcile/node_decide.c, "old template") it is if it has the hash
 * of the manifest, with the features that the pod was made with. Pure: reads
 * snapshots. Any thread.
 */
#ifndef SLURMK8S_TOOL_POD_COMPARE_H
#define SLURMK8S_TOOL_POD_COMPARE_H

#include "config/config.h"
#include "nodes/pod/manifest.h"
#include "pod_diffs.h"
#include "slurm/ctl.h"

/* What pods are compared with. Borrowed. */
struct templates {
	const struct config *config;
	const char *slurm_cluster; /* ClusterName */
	const struct ctl_nodes *nodes;
};

struct comparison {
	enum pod_state state;
	char node[256];		   /* as Slurm names it, or the pod's label */
	const struct nodeset *set; /* the node's nodeset; NULL: none */
	/* what the template makes; pod_json NULL: nothing, or not known */
	struct manifest manifest;
	char words[ERR_MSG_MAX]; /* why there is no manifest, or "" */
};

/*
 * Compare by its metadata the pod of one entry under clusters. The caller
 * clears *out by comparison_clear(). POD_DIFFERS with a manifest: the pod's own
 * fields say in what.
 */
void comparison_make(const struct templates *t,
		     const struct cluster_config *here,
		     const json_object *metadata, struct comparison *out);
void comparison_clear(struct comparison *c);
#define _cleanup_comparison_ __attribute__((cleanup(comparison_clear)))

/*
 * Compare a whole pod, and say of `p` how it is: its state, changes and words.
 */
void pod_compare(const struct templates *t, const struct cluster_config *here,
		 const json_object *live, struct pod_diff *p);

#endif
