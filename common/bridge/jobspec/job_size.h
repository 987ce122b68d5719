/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How large the job of a group of pods is: whatever way Slurm spreads its
 * tasks over nodes, all pods fit on these (docs/bridge.md, "How large the job
 * is"). Pure. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_JOBSPEC_JOB_SIZE_H
#define SLURMK8S_BRIDGE_JOBSPEC_JOB_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "bridge/jobspec/job_options.h"
#include "objects/node_filter.h"
#include "objects/pod_requests.h"

#define JOBSIZE_KINDS_MAX 64	      /* different pods that are told apart */
#define JOBSIZE_ALL_MEMORY UINT64_MAX /* all memory of each node */

struct job_size_pod {
	const struct pod_requests *need;
	bool ports; /* pod_requests_ports() */
};

/* A node that the job may get. */
struct job_size_node {
	uint32_t cpus;
	uint64_t memory_mib;
	int64_t pods; /* pods that its kubelet takes; 0: not known */
	const struct kube_extended *ext; /* borrowed */
	size_t n_ext;
	uint32_t more; /* further nodes that are like it */
};

/* All borrowed. */
struct job_size_ask {
	const struct job_options *options;
	const struct job_size_pod *pods;
	size_t n;
	const struct gresmap *map; /* see pod_requests_gres() */
	size_t n_map;
	const struct job_size_node *nodes; /* see job_size_make() */
	size_t n_nodes;
	bool whole; /* the job gets whole nodes (sbatch --exclusive) */
	/*
	 * Number of nodes where its pods run already, and the most of them on
	 * one node; 0: none runs.
	 */
	uint32_t on_nodes, on_one;
	/* nodes_each and cpus_each of its job that waits; 0: none waits. */
	uint32_t had_nodes, had_cpus;
};

/* Whether a job that waits has the size that it would get now. */
enum job_size_change {
	JOBSIZE_SAME, /* no other size is of more use to it */
	JOBSIZE_LOST, /* Slurm has not so many nodes any more as it asks for */
	JOBSIZE_MORE, /* with another size it could start on more nodes */
};

struct job_size {
	uint32_t tasks;
	uint16_t cpus_per_task, tasks_per_node; /* 0: not asked for */
	uint16_t node_cpus; /* CPUs of each node; 0: not asked for */
	/* MiB; one of both, or none, is not 0 */
	uint64_t memory_per_node, memory_per_task;
	uint32_t min_nodes, max_nodes;
	/* "gres/gpu:2" of each node, of each task; or NULL */
	char *gres_node, *gres_task;
	/*
	 * What of the size depends on which nodes there are. Of a job with
	 * whole nodes: their number, and the CPUs of each; of another one
	 * (nodes_each is 0) a task's CPUs. Both 0: nothing does.
	 */
	uint32_t nodes_each, cpus_each;
	enum job_size_change change;
};

/*
 * Work out the size of a job for the pods of *ask, which are one or more.
 *
 * A task holds a pod, or several if the group's pods differ: then there are as
 * few tasks as hold them all, each as large as the largest pod; or a little
 * larger, where that saves some and each of `nodes` that can have the one can
 * have the other. Where the options say how pods are spread (min-nodes,
 * ntasks-per-node) each pod is a task. Of what the options and the containers
 * say the greater counts.
 *
 * Of whole nodes Slurm counts memory per CPU with all CPUs that a node has (its
 * _can_job_run_on_node()). So nothing is asked per CPU or per task then, but of
 * each node what some tasks need together, and so many nodes that all tasks
 * have room: as many tasks a node as each of `nodes` has room for that has room
 * for one.
 *
 * The caller clears *out in any case. 0; -EINVAL, -EOPNOTSUPP, -ERANGE, -E2BIG
 * with words of refusal; -ENOMEM.
 */
int job_size_make(const struct job_size_ask *ask, struct job_size *out,
		  struct err *err);

/* Free its texts; then it is all zero. */
void job_size_clear(struct job_size *s);
#define _cleanup_jobsize_ __attribute__((cleanup(job_size_clear)))

#endif
