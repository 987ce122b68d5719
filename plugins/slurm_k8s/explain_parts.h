/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of slurm-k8s explain share. Main thread of a program. */
#ifndef SLURMK8S_TOOL_EXPLAIN_PARTS_H
#define SLURMK8S_TOOL_EXPLAIN_PARTS_H

#include "account.h"
#include "api_server.h"
#include "job_id.h"
#include "site.h"

/* The API server of one cluster, which is asked about all pods there. */
struct server {
	struct api_server api;
	bool opened;
	bool away; /* no answer came: it is not asked again */
};

struct explain {
	const char *file, *target;
	struct site site;
	const char *cluster;	/* ClusterName; NULL: not known */
	struct server *servers; /* one for each cluster of site.config */
	struct account account;
	bool found, incomplete;
};

/* --- explain_pod.c: up to some requests of API_WAIT_MS each */

/* A pod, and what else is known of it. */
struct pod_place {
	const struct cluster_config *cluster;
	const char *ns, *name;
	const char *container; /* runs slurmd */
	/*
	 * How long Slurm's node, which is not up yet, is waited for once slurmd
	 * runs, in ms; 0: it is up, or no node is meant.
	 */
	int64_t register_within_ms;
};

/*
 * Explain a pod as Kubernetes has it. *job, unless NULL: of which job it says
 * that it is. -ENOENT: there is no such pod, and nothing was said; 0; -EIO: it
 * is not known, which was said.
 */
int explain_pod_at(struct explain *e, const struct pod_place *at,
		   uint32_t *job);

/*
 * Explain the pods that have this job's number, some of them: for when
 * slurmctld does not say where it runs.
 */
void explain_pods_of_job(struct explain *e, uint32_t job);

/* --- explain_slurm.c */

/* Explain a node as Slurm has it, and its pod. */
void explain_node(struct explain *e, const struct ctl_node *node);

/*
 * Explain a node of a nodeset that Slurm does not have, or does not tell of:
 * its pod.
 */
void explain_unknown_node(struct explain *e, const struct nodeset *set,
			  const char *name);

/* Explain the jobs that are meant, as slurmctld has them. */
void explain_jobs(struct explain *e, const struct job_ref *ref);

#endif
