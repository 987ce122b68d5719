/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of slurm-k8s status: what Slurm and Kubernetes say of a node, and
 * of a job that stands for pods, in one row. Main thread: the name service may
 * be asked (user_name.h).
 */
#ifndef SLURMK8S_TOOL_STATUS_ROWS_H
#define SLURMK8S_TOOL_STATUS_ROWS_H

#include "config/config.h"
#include "job_id.h"
#include "pods.h"
#include "sheet.h"
#include "slurm/ctl.h"
#include "syntax/hostlist.h"

struct status_view {
	const struct config *config;   /* NULL: not known */
	const struct ctl_nodes *nodes; /* NULL: slurmctld did not tell */
	const struct ctl_jobs *jobs;
	struct pod_rows workers; /* sorted by pods_sort(), as `queued` */
	struct pod_rows queued;
	bool pods_known;	     /* all clusters have answered */
	const struct hostlist *only; /* nodes that are wanted; NULL: all */
	/* jobs that are wanted; all if `only` is NULL */
	const struct job_ref *only_jobs;
	size_t n_only_jobs;
	bool all; /* true: also nodes that are powered down as they should be */
};

/*
 * Fill the table of nodes: those of k8s.yaml's nodesets, those that stand for
 * Kubernetes nodes, and worker pods of nodes that Slurm does not know. The
 * caller clears it. Returns how many nodes were left out, as nothing is to be
 * said of them: they are powered down, and have no pod.
 */
size_t status_nodes(const struct status_view *v, struct sheet *out);

/*
 * Fill the table of placeholder jobs that have not ended, and of pods that have
 * no job, or one that Slurm does not know; without slurmctld of all pods that
 * it is to place. If only some nodes or jobs are wanted: of these jobs. The
 * caller clears it.
 */
void status_jobs(const struct status_view *v, struct sheet *out);

#endif
