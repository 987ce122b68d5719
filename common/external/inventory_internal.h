/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of inventory.h share. Under the lock. */
#ifndef SLURMK8S_EXTERNAL_INVENTORY_INTERNAL_H
#define SLURMK8S_EXTERNAL_INVENTORY_INTERNAL_H

#include <pthread.h>

#include "base/lately.h"
#include "external/inventory.h"

/* Which informer tells of such pods. */
struct source {
	struct inventory *h;
	bool ours; /* that of pods with our scheduler's name */
	unsigned int generation;
};

/* A bound pod that is not ours. */
struct other_pod {
	UT_hash_handle hh; /* by uid */
	int failed;
	const struct source *from;
	unsigned int generation;
	struct inventory_node *host;
	struct other_pod *prev, *next; /* of the host */
	int64_t cpu_milli, memory_bytes;
	int64_t *counts; /* of each of inventory.kinds; NULL: none */
	uint32_t job_id; /* by which a bridge has bound it; 0: by none */
	char uid[];
};

struct inventory {
	struct inventory_options opt;
	const char *kinds[BRIDGE_RESOURCES_MAX]; /* that are Gres */
	size_t n_kinds;
	struct informer *others_in; /* these two: the link's thread only */
	struct lately whole; /* nodes that were named, as a pod may hold all */
	char *selector;
	pthread_mutex_t lock; /* of what follows */
	struct inventory_node *hosts, *by_slurm;
	struct other_pod *others;
	struct source theirs, ours;
	unsigned int generation;
	bool hosts_known, others_known;
	bool full; /* told */
	uint64_t version, views;
};

#endif
