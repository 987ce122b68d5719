/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pod to create for a node of a nodeset. Pure. Any thread. */
#ifndef SLURMK8S_NODES_POD_MANIFEST_H
#define SLURMK8S_NODES_POD_MANIFEST_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "config/config.h"
#include "syntax/names.h"

/* What Slurm says of a node. Texts may be NULL. Borrowed. */
struct node_facts {
	const char *name;
	uint32_t cpus;
	uint64_t memory_mib;
	const char *gres;     /* "gpu:a100:2(S:0),shard:8" */
	const char *features; /* active ones: "rack1,pytorch" */
};

struct manifest {
	char pod[DNS_LABEL_MAX + 1];
	char hash[17]; /* checksum of pod_json before this was added */
	json_object *pod_json;
};

/*
 * Make the pod of a node for the Slurm cluster `slurm_cluster`, with the
 * patches of its active features. The caller clears *out, which is written on
 * success only. 0; -EINVAL with words when the facts do not suffice, or when
 * such a pod cannot be; -ENOMEM.
 */
int manifest_make(const char *slurm_cluster, const struct nodeset *set,
		  const struct node_facts *node, struct manifest *out,
		  struct err *err);

/*
 * The pod as `kubectl apply -f -` reads it: JSON in lines. Borrowed from `m`
 * until its next use. NULL: out of memory.
 */
const char *manifest_text(const struct manifest *m);

/* Free what is in it; a struct that is all zero may be cleared, too. */
void manifest_clear(struct manifest *m);

#define _cleanup_manifest_ __attribute__((cleanup(manifest_clear)))

#endif
