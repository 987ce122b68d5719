/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * k8s.yaml(5): which Slurm nodes are backed by pods of which cluster, and what
 * those pods look like. Parsed strictly: every error says file:line:column.
 * A parsed configuration does not change; any thread may read it.
 */
#ifndef SLURMK8S_CONFIG_CONFIG_H
#define SLURMK8S_CONFIG_CONFIG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/fs.h"
#include "config/bridge_config.h"
#include "config/create_nodes.h"
#include "config/features.h"
#include "config/metadata_policy.h"
#include "config/metrics_config.h"
#include "config/min_running.h"
#include "syntax/slurm_abilities.h"
#include "json/json.h"

/* One Kubernetes cluster. Texts are owned; NULL where not given. */
struct cluster_config {
	char *name;
	char *kubeconfig; /* absolute */
	char *context;
	bool in_cluster;
	char *ns;		   /* namespace of the pods */
	unsigned int max_requests; /* requests under way at once */
};

enum resources_mode {
	RESOURCES_TEMPLATE,  /* as the template says */
	RESOURCES_FROM_NODE, /* requests = limits = the Slurm node's */
};

/* When the engine gives a pod up, and how long it then waits. */
struct failover {
	int64_t unschedulable_after_ms;
	int64_t not_started_after_ms; /* from kubelet's first warning on */
	int64_t register_within_ms;   /* for slurmd, once its container runs */
	int64_t cool_down_ms;	      /* doubled with each failure in a row */
	int64_t cool_down_max_ms;
};

/* Slurm nodes that share a pod template. */
struct nodeset {
	char *name;
	const struct cluster_config *cluster;
	char *nodes; /* the hostlist as written */
	enum resources_mode resources;
	char *container;       /* the container that runs slurmd */
	json_object *template; /* a Pod without a name */
	char *template_file;   /* file of `template`; NULL: k8s.yaml itself */
	struct fs_stamp template_stamp;
	json_object *gres; /* {"gpu": "nvidia.com/gpu"} */
	struct failover failover;
	/* how many nodes a rolling upgrade takes at once */
	size_t max_unavailable;
	const struct features *known; /* all features of the configuration */
	feature_set features;	      /* features with which nodes may boot */
	struct create_nodes create;   /* how the nodes are created */
	struct min_running min_running;
};

/* How ResumeProgram and the other programs behave. */
struct power {
	int64_t deadline_ms; /* how long a program tries */
	char *log_file;	     /* absolute; NULL: standard error only */
	int log_level;	     /* enum log_level */
};

struct config {
	char *path;
	struct cluster_config *clusters;
	size_t n_clusters;
	struct nodeset *nodesets;
	size_t n_nodesets;
	struct features features;	/* changeable features */
	struct pod_metadata_rules jobs; /* what jobs may set on their pods */
	struct power power;
	struct bridge_config bridge; /* with `wanted` false: no bridge */
	struct metrics_config metrics;
	char digest[65]; /* SHA-256 of the file's text */
	/* the file when it was read; 0: only parsed */
	struct fs_stamp stamp;
	char *delegate;		  /* the scheduler that sched/bridge wraps */
	struct node_index *index; /* node name -> nodeset */
	atomic_uint shares;	  /* holders besides the first */
};

/*
 * Read the file and the pod templates that it names (relative to it). The
 * caller frees *out by config_free(). Does I/O: never in a callback of
 * slurmctld. 0; -EINVAL with file:line:column; -ENOMEM; or what fs_read_file()
 * gives.
 */
int config_load(const char *path, struct config **out, struct err *err);

/*
 * True if k8s.yaml and this nodeset's template are the files that were read,
 * and nothing was written to them since. One or two stat(2): never in a
 * callback of slurmctld.
 */
bool config_is_current(const struct config *c, const struct nodeset *set);

/*
 * Take over the stamps of `fresh`, an equal configuration (config_same()) that
 * was read from its files now. Only for the one thread that calls
 * config_is_current().
 */
void config_restamp(struct config *c, const struct config *fresh);

/*
 * Read the configuration from text, with results as of config_load(). Template
 * files are read relative to `path`: I/O, too.
 */
int config_parse(const char *path, const char *text, size_t len,
		 struct config **out, struct err *err);

/*
 * Give `c` back; the last of those who share it frees it. NULL: nothing. Any
 * thread.
 */
void config_free(struct config *c);

/*
 * Share `c`, and return it; this caller gives it back, too, by config_free().
 * Any thread.
 */
struct config *config_share(struct config *c);
DEFINE_CLEANUP(struct config, config_freep, config_free)

/* True if both have the same text, and their nodesets equal templates. */
bool config_same(const struct config *a, const struct config *b);

/*
 * Check that this Slurm can do all of the configuration. 0; -EOPNOTSUPP with
 * file:line:column of what it cannot.
 */
int config_check_release(const struct config *c,
			 const struct slurm_abilities *slurm, struct err *err);

/* The nodeset of this name, borrowed; NULL: there is none. */
const struct nodeset *config_nodeset_named(const struct config *c,
					   const char *name);

/* The nodeset of a Slurm node, borrowed; NULL: the node is in none. */
const struct nodeset *config_nodeset_of(const struct config *c,
					const char *node);

#endif
