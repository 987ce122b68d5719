/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of bridge_hosts.h share. Under the lock. */
#ifndef SLURMK8S_EXTERNAL_INVENTORY_INTERNAL_H
#define SLURMK8S_EXTERNAL_INVENTORY_INTERNAL_H

#include <pthread.h>

#include "base/lately.h"
#include "external/external_hosts.h"

/* Which informer tells of such pods. */
struct source {
	struct bridge_hosts *h;
	bool ours; /* that of pods with our scheduler's name */
	unsigned int generation;
};

/* A bound pod that is not ours. */
struct bridge_other {
	UT_hash_handle hh; /* by uid */
	int failed;
	const struct source *from;
	unsigned int generation;
	struct bridge_host *host;
	struct bridge_other *prev, *next; /* of the host */
	int64_t cpu_milli, memory_bytes;
	int64_t *counts; /* of each of bridge_hosts.kinds; NULL: none */
	uint32_t job_id; /* by which a bridge has bound it; 0: by none */
	char uid[];
};

struct bridge_hosts {
	struct bridge_hosts_options opt;
	const char *kinds[BRIDGE_RESOURCES_MAX]; /* that are Gres */
	size_t n_kinds;
	struct informer *others_in; /* these two: the link's thread only */
	struct lately whole; /* nodes that were named, as a pod may hold all */
	char *selector;
	pthread_mutex_t lock; /* of what follows */
	struct bridge_host *hosts, *by_slurm;
	struct bridge_other *others;
	struct source theirs, ours;
	unsigned int generation;
	bool hosts_known, others_known;
	bool full; /* told */
	uint64_t version, views;
};

#endif
