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
	const struct failover *rules; /* of its nodeset */
	size_t nodes;		      /* that were to come up together */
	feature_set active;	      /* by the refused pod */
	const struct features
		*known; /* their names; may be NULL if worn is 0 */
};

/*
 * How long the job waits that these words are about, in s; 0: not by itself,
 * or there are no words. With "k8s: " in front, or without it.
 */
uint32_t refusal_wait_s(const char *words);

/*
 * The words with that in front, if the job is to wait by itself; else the words
 * alone. `before` is the job's AdminComment until now (or NULL).
 */
void refusal_note(const struct refusal *r, const char *before,
		  const char *words, char *out, size_t size);

/*
 * Words of k8s_resume about a node that it could not have a pod for: is it the
 * trouble of that node alone?
 */
bool refusal_is_of_one_node(const char *words);

#endif
