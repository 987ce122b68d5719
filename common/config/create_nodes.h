/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that are in no slurm.conf: `create:` of a nodeset. Pure: no I/O, no
 * clock. Any thread.
 */
#ifndef SLURMK8S_CONFIG_CREATE_NODES_H
#define SLURMK8S_CONFIG_CREATE_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "json/yaml.h"

/* What Slurm is to be told of the nodes. Texts are owned, or NULL. */
struct create_nodes {
	bool wanted; /* false: slurm.conf names the nodes, and the rest is 0 */
	uint32_t cpus;
	uint64_t memory_mib;
	char *gres;	/* "gpu:a100:2,shard:8" */
	char *features; /* "rack1,fast" */
	char *where;	/* for errors: "k8s.yaml:8:5: nodeset 'cpu': create" */
};

/*
 * Read the mapping `map` of the nodeset `nodeset`; NULL: nothing is wanted. 0;
 * -EINVAL with file:line:column; -ENOMEM. The caller clears *out in any case.
 */
int create_nodes_read(const struct yaml *y, ynode map, const char *nodeset,
		      struct create_nodes *out, struct err *err);
/* Free what it owns. */
void create_nodes_clear(struct create_nodes *c);

/*
 * The line of slurm.conf that creates a hostlist of such nodes. The caller
 * frees; NULL: out of memory. Its Feature has WK_FEATURE_CREATED, by which we
 * know our own.
 */
char *create_nodes_line(const struct create_nodes *c, const char *nodes);

/*
 * The text for slurmd -Z --conf in the pod of such a node, for slurm.conf does
 * not name the node; `cpus` and `memory_mib` are what slurmctld says of it. The
 * caller frees; NULL: out of memory.
 */
char *create_nodes_slurmd_conf(const struct create_nodes *c, uint32_t cpus,
			       uint64_t memory_mib);

#endif
