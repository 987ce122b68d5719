/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pod that k8s_resume would create for one node now, with what the engine
 * writes on it while a job runs there. Reads snapshots. Main thread, as
 * render_job.h says.
 */
#ifndef SLURMK8S_TOOL_RENDER_NODE_H
#define SLURMK8S_TOOL_RENDER_NODE_H

#include "render_job.h"
#include "slurm/ctl.h"

/* Texts are borrowed. */
struct render {
	const struct config *config;
	const char *cluster;	       /* ClusterName; NULL: not known */
	const struct ctl_nodes *nodes; /* NULL: slurmctld does not answer */
	const char *silent;	       /* why it does not */
	const char *node;
	/* changeable features, "a,b"; NULL: those that the node has */
	const char *features;
	/* job that runs there; NULL: none. `features` counts for more. */
	const struct ctl_job *job;
};

/*
 * Make that pod; of a job without a name of its user the name service is asked
 * (user_name.h). The caller clears *out, which is written on success only. 0;
 * with words: -EINVAL: there can be no such pod, for the node is in no nodeset,
 * or Slurm does not have it, or for its features, or as of manifest_make();
 * -EIO: slurmctld does not say what has to be known; -ENOMEM.
 */
int render_node(const struct render *r, struct manifest *out, struct err *err);

/*
 * Say that `name` is no node of k8s.yaml, and which nodesets there are. Returns
 * -EINVAL.
 */
int render_no_nodeset(const struct config *c, const char *name,
		      struct err *err);

#endif
