/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld through its public API (slurm/slurm.h). Every call is an RPC and
 * may block for MessageTimeout and more: never from a plugin callback. Any
 * other thread. This folder is the only one that includes <slurm/...>.
 */
#ifndef SLURMK8S_SLURM_CTL_H
#define SLURMK8S_SLURM_CTL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

/* Once in a program, before the rest. Never inside slurmctld. */
void ctl_init(void);

const char *ctl_version(void); /* of the library, "22.05.8" */

/* ClusterName of slurm.conf; the caller frees. */
int ctl_cluster_name(char **out, struct err *err);

enum ctl_node_power {
	CTL_POWERED_DOWN,
	CTL_POWERING_UP,
	CTL_UP, /* registered, or thought to be */
	CTL_POWERING_DOWN,
};

struct ctl_node {
	const char *name;
	enum ctl_node_power power;
	uint32_t cpus;
	uint64_t memory_mib;
	const char *gres;
	const char *reason;
};

/* A snapshot of all nodes. */
struct ctl_nodes;
int ctl_nodes_load(struct ctl_nodes **out, struct err *err);
void ctl_nodes_free(struct ctl_nodes *n);
DEFINE_CLEANUP(struct ctl_nodes, ctl_nodes_freep, ctl_nodes_free)

/* False: Slurm does not know the node. Texts are borrowed from `n`. */
bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out);

/*
 * May Slurm put this job back in the queue? (A batch job without
 * --no-requeue.) 1, 0, or a negative code; -ENOENT: there is no such job.
 */
int ctl_job_requeueable(uint32_t job_id, struct err *err);

/*
 * Updates, `nodes` a hostlist (scontrol(1) update NodeName). `reason` may be
 * NULL to leave it as it is.
 */
enum ctl_node_update {
	CTL_SET_REASON,
	CTL_DRAIN, /* on a node that is powering up: requeues its jobs */
	CTL_POWER_DOWN_FORCE,
	CTL_RESUME, /* powering down or down -> powered down, idle */
	CTL_UNDRAIN,
};
int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *reason, struct err *err);

/* slurm.conf's directory: from SLURM_CONF or the usual place. Caller frees. */
char *ctl_conf_dir(void);

#endif
