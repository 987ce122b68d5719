/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What to do when the API server refuses a pod, by its own words (Kubernetes'
 * admission plugins: plugin/pkg/admission, k8s.io/apiserver). Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_POD_REFUSALS_H
#define SLURMK8S_TOOL_POD_REFUSALS_H

#include <stdbool.h>

#define POD_CURE_MAX 8192

struct pod_refusal {
	const char *words;     /* the server's */
	const char *node;      /* the Slurm node that the pod is for */
	const char *ns;	       /* the namespace of the pod */
	int http;	       /* status of the answer */
	const char *manifests; /* the folder that kubectl apply -k is to take */
};

/*
 * Write what helps. True: the pod is refused now, and
 * may be taken another time without a change (a quota that is full).
 */
bool pod_refusal_cure(const struct pod_refusal *r, char fix[POD_CURE_MAX]);

/*
 * True if these words are an admission's own, whatever the status of the
 * answer: one that fails gives 500, which says nothing by itself.
 */
bool pod_refusal_is_admission(const char *words);

#endif
