/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pods as `kubectl get` has them, with what we have written on them. I/O: main
 * thread, as api_server.h says.
 */
#ifndef SLURMK8S_TOOL_PODS_H
#define SLURMK8S_TOOL_PODS_H

#include <stdbool.h>
#include <stdint.h>

#include "api_server.h"

/* Texts are owned, without control characters; "" where there is none. */
struct pod_row {
	char *ns, *name;
	char *node;   /* a worker's Slurm node */
	char *status; /* "Running", "ImagePullBackOff" */
	char *age;    /* "3d1h" */
	char *host;   /* the Kubernetes node */
	char *note;   /* why a bridged pod waits, cut */
	char *uid;
	char *manager; /* app.kubernetes.io/managed-by */
	char *probe;   /* the Slurm cluster that has made a probe */
	bool deleting;
	int64_t created_ms; /* epoch; -1: not known */
	uint32_t job;	    /* a bridged pod's; 0: none */
	int64_t probe_s;    /* how long a probe may be needed; 0: not known */
};

/* A field selector: pods that have not ended. */
#define PODS_NOT_ENDED "status.phase!=Succeeded,status.phase!=Failed"

struct pod_rows {
	struct pod_row *v;
	size_t n;
};

/*
 * The label selector of this Slurm cluster's worker pods. The caller frees.
 * NULL: out of memory.
 */
char *pods_worker_labels(const char *slurm_cluster);

/*
 * Add the worker pods of this Slurm cluster, in the namespace of `s`. 0; errors
 * of api_list(): some may have been added.
 */
int pods_of_workers(struct api_server *s, const char *slurm_cluster,
		    struct pod_rows *out, struct err *err);

/*
 * Add the pods of probes (slurm-k8s check --probe) of this Slurm cluster. They
 * have no Slurm node. 0; errors of api_list(): some may have been added.
 */
int pods_of_probes(struct api_server *s, const char *slurm_cluster,
		   struct pod_rows *out, struct err *err);

/*
 * Add the pods of all namespaces that this scheduler is to place, but for those
 * that have ended. They have no Slurm node. 0; errors of api_list(): some may
 * have been added.
 */
int pods_of_scheduler(struct api_server *s, const char *scheduler,
		      struct pod_rows *out, struct err *err);

/* Sort by Slurm node, job and name. */
void pods_sort(struct pod_rows *p);

/* Free the rows. */
void pods_clear(struct pod_rows *p);

#endif
