/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which Secrets, ConfigMaps and claims a pod names: it does not start before
 * they are there, and the API server takes it without them. (What else it
 * names, PriorityClass, ServiceAccount and RuntimeClass, admission looks at.)
 * Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_POD_NEEDS_H
#define SLURMK8S_TOOL_POD_NEEDS_H

#include <stdbool.h>
#include <stddef.h>

#include "json/json.h"

#define POD_NEEDS_MAX 64 /* needs of a cluster's pods; more are left out */

/* Texts are borrowed from the pod, or static. */
struct pod_need {
	const char *kind;     /* "Secret" */
	const char *resource; /* "secrets" */
	const char *name;
	const char *nodeset; /* the first one whose pods need it */
	/* only to pull images: a pod starts without it, if its image can be
	   pulled without it, or is there */
	bool to_pull;
};

struct pod_needs {
	struct pod_need v[POD_NEEDS_MAX];
	size_t n;
};

/*
 * Add, each once, what a pod (or a template) of that nodeset needs. What is
 * optional is not needed.
 */
void pod_needs_add(struct pod_needs *needs, const json_object *pod,
		   const char *nodeset);

#endif
