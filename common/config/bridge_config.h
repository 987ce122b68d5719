/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `bridge:` of k8s.yaml(5): which Kubernetes pods may enter Slurm's queue, as
 * whom, and what their annotations may choose. Pure: no I/O, no clock. It does
 * not change once it is read; any thread may read it.
 */
#ifndef SLURMK8S_CONFIG_BRIDGE_CONFIG_H
#define SLURMK8S_CONFIG_BRIDGE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/job_option.h"
#include "json/json.h"
#include "json/yaml.h"

#define BRIDGE_NAMESPACES_MAX 4096
#define BRIDGE_SELECTORS_MAX 64
#define BRIDGE_LABELS_MAX 16	/* labels, or expressions, of one selector */
#define BRIDGE_VALUES_MAX 64	/* values of one expression */
#define BRIDGE_RESOURCES_MAX 32 /* kinds of devices */
#define BRIDGE_FEATURES_MAX 32	/* labels that become features */
/*
 * How old a view may be, in ms: by default, and the bounds of what k8s.yaml may
 * say.
 */
#define BRIDGE_STALE_MS 120000
#define BRIDGE_STALE_MIN_MS 30000
#define BRIDGE_STALE_MAX_MS 3600000
#define BRIDGE_RESIZE_MS 300000	 /* resizeAfter, by default, in ms */
#define BRIDGE_QUEUE_MAX 20000	 /* most jobs, or pods, that a cap may allow */
#define BRIDGE_JOBS_DEFAULT 5000 /* half of MaxJobCount's default */
#define BRIDGE_PODS_DEFAULT 10000
#define BRIDGE_SUBMITS_MAX 1000 /* most submissions a second */
#define BRIDGE_SUBMITS_DEFAULT 200
#define BRIDGE_NAMES_MAX 1024 /* users, or groups, of one namespace */

/* Two owned texts: a label, or a resource of Kubernetes and its Gres. */
struct label_pair {
	char *key;
	char *value;
};
struct label_pairs {
	struct label_pair *v;
	size_t n;
};
struct config_names {
	char **v;
	size_t n;
};

/* A requirement of a label selector (API: LabelSelectorRequirement). */
enum label_operator {
	LABEL_IN,
	LABEL_NOT_IN, /* true without the label, too */
	LABEL_EXISTS,
	LABEL_DOES_NOT_EXIST,
};
struct label_expression {
	char *key; /* owned */
	enum label_operator op;
	struct config_names values; /* for LABEL_IN and LABEL_NOT_IN */
};
struct label_expressions {
	struct label_expression *v;
	size_t n;
};

/*
 * The Slurm user and the rest that pods of a namespace enter with. Texts are
 * owned; NULL where not given.
 */
struct namespace_config {
	char *name; /* NULL: a selector's, which the next two are */
	struct label_pairs labels; /* a namespace must have all of them */
	struct label_expressions expressions; /* all must be true */
	char *user;			      /* a Slurm user */
	char *account, *partition, *qos, *reservation, *mcs_label;
	struct config_names users;  /* whom an annotation may name instead */
	struct config_names groups; /* whom an annotation may name */
	/*
	 * What pods may choose: harmless things and `allow`, by annotations and
	 * options, without those of `deny`; `options`, by options of sbatch
	 * only.
	 */
	job_option_set allow, deny, options;
	/*
	 * The namespace's caps: jobs and pods in the queue, and submissions a
	 * second.
	 */
	uint32_t max_jobs, max_pods, submits_per_s;
};

struct bridge_config {
	/* false: k8s.yaml has no `bridge`, and the rest is 0 */
	bool wanted;
	char *cluster;	 /* name of one of `clusters` */
	char *scheduler; /* spec.schedulerName of its pods */
	/* age of a view, in ms, above which nothing is decided */
	int64_t stale_after_ms;
	bool exclusive; /* whole nodes, unless a pod asks for less */
	/* partition of namespaces that name none; or NULL */
	char *partition;
	struct label_pairs resources; /* "nvidia.com/gpu" -> "gpu" */
	/* label of Kubernetes nodes that become external nodes */
	char *node_label;
	struct config_names features; /* labels whose values are features */
	int64_t resize_after_ms; /* how long another size of a node must last */
	struct namespace_config *ns; /* named ones first, sorted */
	size_t n_ns, n_named;
};

/*
 * Read the mapping `map`; NULL: nothing is wanted. 0; -EINVAL with
 * file:line:column; -ENOMEM. The caller clears *out in any case, and checks
 * that `cluster` exists.
 */
int bridge_config_read(const struct yaml *y, ynode map,
		       struct bridge_config *out, struct err *err);
/* Free what it owns; all is zero then. */
void bridge_config_clear(struct bridge_config *b);

/*
 * The entry by which a namespace's pods enter: by its name, else the first
 * selector that its labels (an object of texts) match. `labels` NULL: they are
 * not known, and no selector fits. Borrowed. NULL: its pods do not enter.
 */
const struct namespace_config *
namespace_config_find(const struct bridge_config *b, const char *name,
		      const json_object *labels);

/* True if `name` is one of the names. */
bool config_names_has(const struct config_names *names, const char *name);

#endif
