/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A refused pod says nothing of other jobs when its own job has chosen what was
 * refused: how many nodes at once, or which features. Such a job waits by
 * itself, twice as long each time. For how long is written in front of
 * Kubernetes' words, which become its AdminComment: so who reads the words
 * knows, k8s_resume the next time as well as any engine. Pure. Any thread.
 */
#ifndef SLURMK8S_NODES_POD_REFUSAL_H
#define SLURMK8S_NODES_POD_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

/* What was refused. */
struct refusal {
	const struct failover *rules; /* failover rules of the nodeset */
	size_t nodes;		      /* nodes that were to come up together */
	feature_set active;	      /* features of the refused pod */
	const struct features
		*known; /* names of features; may be NULL if active is 0 */
};

/*
 * How long the job that these words are about waits by itself, in s; 0: it does
 * not, or the words are NULL. They may have "k8s: " in front.
 */
uint32_t refusal_wait_s(const char *words);

/*
 * Write the words, with the wait in front if the job is to wait by itself.
 * `before` is the job's AdminComment until now (or NULL). What does not fit is
 * cut off.
 */
void refusal_note(const struct refusal *r, const char *before,
		  const char *words, char *out, size_t size);

/*
 * True if these words of k8s_resume, about a node that it could not have a pod
 * for, are of a trouble of that node alone. Without "k8s: " in front.
 */
bool refusal_is_of_one_node(const char *words);

#endif
