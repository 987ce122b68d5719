/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is asked of Slurm for a group of pods. The bridge's thread only.
 */
#ifndef SLURMK8S_BRIDGE_JOBSPEC_JOB_SPEC_H
#define SLURMK8S_BRIDGE_JOBSPEC_JOB_SPEC_H

#include <stdatomic.h>

#include "bridge/intake/group_index.h"
#include "bridge/jobspec/job_identity.h"
#include "bridge/jobspec/job_options.h"
#include "bridge/jobspec/job_size.h"
#include "bridge/jobspec/node_fit.h"
#include "external/external_nodes.h"
#include "slurm/ctl_parts.h"
#include "slurm/ctl_placeholder.h"
#include "slurm/ctl_users.h"

/* Which nodes fit which pods; set by node_fit.c. */
struct node_fits {
	struct node_fit *all;
	struct node_fit_ask *ask; /* what is to be found out; or NULL */
};

/* What jobs are specified by; zeroed at first. */
struct job_specs {
	/* The members up to `stop` are borrowed. */
	const struct bridge_config *bridge;
	const char *slurm_cluster; /* ClusterName */
	struct inventory *inventory;
	struct external_nodes *external;
	const atomic_bool *stop; /* set: the search for nodes that fit ends */
	/* Freed by whoever has set them: `users`, `parts`. */
	struct ctl_users *users;
	struct ctl_parts *parts; /* Slurm's partitions; NULL: not known yet */
	struct node_fits fits;
	/* Sizes of nodes by which gangs are sized; set by node_sizes.c. */
	struct node_sizes *sizes;
	bool sizes_known; /* true: `sizes` is of this pass */
};

/* A job to be made, or made anew. */
struct job_spec {
	/* texts belong to members below, or to the configuration */
	struct placeholder p;
	/* by which it enters; the configuration's */
	const struct namespace_config *ns;
	struct job_identity id;
	char admin_comment[BRIDGE_ID_MAX];
	struct job_options options;
	struct job_size size;
	/*
	 * What the job that waits for the group was made for: pods, nodes, and
	 * CPUs a node; 0: no job waits.
	 */
	uint32_t had_pods, had_nodes, had_cpus;
	char *exclude;
	const struct node_fit *fit; /* set while the spec is made */
	/* Where its pods run already, in Slurm's words; NULL: none runs. */
	char *places;
	char name[WORKLOAD_NAME_MAX + WORKLOAD_PART_MAX];
};

/* Free the texts of *o; the struct stays the caller's. */
void job_spec_clear(struct job_spec *o);

/*
 * Work out what is asked of Slurm for the group, whose namespace enters by
 * `ns`. The caller has set `options`, `id.of`, `id.options_digest`, `places`
 * and had_* of *o, which is else all zero, and clears it in any case. Under the
 * lock of `seen`; takes that of the hosts. No RPC. 0; -EINVAL and others with
 * words that are a refusal; -EHOSTUNREACH and -ETIME as of node_fit_find();
 * -EAGAIN, -ENXIO: nodes are not known yet, or there are none; -ENOMEM.
 */
int job_spec_make(struct job_specs *js, const struct pod_group *g,
		  const struct namespace_config *ns, struct job_spec *o,
		  struct err *err);

/*
 * Set the user and group that its options name. It may ask the name service,
 * which may hang for a while, so without a lock. 0; -ENOENT: there is none on
 * this host, or none is named; -EAGAIN: the name service does not answer;
 * -ENOMEM.
 */
int job_spec_set_user(struct job_specs *js, struct job_spec *o,
		      struct err *err);

/*
 * Write the nodes of bound pods that may run, in Slurm's words, to *out, which
 * the caller frees; if none runs it stays as it is. Under the lock of `seen`;
 * takes that of the hosts. 0; -ENOENT: a node is not known, or none of Slurm's;
 * -EAGAIN: Slurm is to get it; -ENOMEM.
 */
int job_spec_places(struct job_specs *js, const struct pod_group *g, char **out,
		    struct err *err);

#endif
