/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kubernetes nodes as Slurm's external nodes (State=EXTERNAL, from 25.05 on):
 * what Slurm is told of one, and what is to be done about it. Pure: no I/O,
 * no clock. Any thread.
 */
#ifndef SLURMK8S_EXTERNAL_EXTERNAL_NODE_H
#define SLURMK8S_EXTERNAL_EXTERNAL_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "objects/node_filter.h"
#include "objects/pod_requests.h"
#include "syntax/wellknown.h"

#define EXTERNAL_NODE_NAME_MAX 253
#define EXTERNAL_NODE_FEATURE_MAX 127 /* letters of one feature */
#define EXTERNAL_NODE_FEATURES_MAX 2047
#define EXTERNAL_NODE_GRES_MAX 511
#define EXTERNAL_NODE_TOPOLOGY_MAX 511

/*
 * Write the name of a Kubernetes node's Slurm node: its label
 * (WK_HOST_SLURM_NODE, or that of slurm-bridge), else its own name. 0; -EINVAL
 * with words if that is no host name, or a word that Slurm takes for something
 * else (ALL, DEFAULT, NONE); then `out` is "".
 */
int external_node_name(const struct kube_node *host,
		       char out[EXTERNAL_NODE_NAME_MAX + 1], struct err *err);

/* What k8s.yaml says of all of them. Borrowed; checked by whoever read it. */
struct external_node_rules {
	const struct gresmap *gres;
	size_t n_gres;
	const char *const *labels; /* keys of labels that become features */
	size_t n_labels;
};

/* What Slurm is to be told of a node. Texts are "" where there is none. */
struct external_node_shape {
	char name[EXTERNAL_NODE_NAME_MAX + 1];
	uint32_t cpus;
	uint64_t memory_mib;
	char gres[EXTERNAL_NODE_GRES_MAX + 1]; /* "gpu:2,fpga:1" */
	char features[EXTERNAL_NODE_FEATURES_MAX + 1];
	char topology[EXTERNAL_NODE_TOPOLOGY_MAX + 1];
};

/*
 * Work out what Slurm is to be told of a node: its allocatable resources minus
 * `used`, what the pods that no job of ours has started use (DaemonSets, static
 * pods), in whole CPUs and MiB. Features: ours (WK_FEATURE_EXTERNAL), the
 * partitions of the annotation, and of each label of the rules the part of its
 * key after the '/', '=' and the value, where what is neither letter, digit nor
 * one of "_.=-" becomes '_'. 0; -EINVAL or -E2BIG with words, -ENOMEM: then
 * *out is 0. -ENOSPC with words: nothing is left; then only CPUs and memory are
 * 0.
 */
int external_node_shape_of(const struct kube_node *host,
			   const struct pod_requests *used,
			   const struct external_node_rules *rules,
			   struct external_node_shape *out, struct err *err);

/*
 * The line of slurm.conf that has this shape, without State, as
 * ctl_external_create() takes it. The caller frees. NULL: out of memory.
 * GresTypes of slurm.conf must name each gres: slurmctld does not check that of
 * GresConf.
 */
char *external_node_line(const struct external_node_shape *shape);

/* One node, as Kubernetes and Slurm see it. Texts may be NULL: "". */
struct external_node_view {
	/* NULL: Kubernetes has no such node; all nodes have been listed */
	const struct kube_node *host;
	/*
	 * For how many ms it has been not ready, or gone; 0 if it is ready, and
	 * while so many are not that it means nothing (cluster/disruption.h).
	 * For a node that Slurm is not to have: for how many ms it has been
	 * without the label.
	 */
	int64_t unready_ms;
	/*
	 * What Slurm is to have; the size of a node that Slurm knows by
	 * external_size_look(). NULL: it cannot be a node of Slurm's, and
	 * why_not says why.
	 */
	const struct external_node_shape *shape;
	const char *why_not;
	bool settled; /* the host has not changed for a while */
	/*
	 * A pod there, whose job has ended, that does not end; NULL: none.
	 * overdue: a pod there should have ended, however short ago, as far as
	 * we saw.
	 */
	const char *kept_by;
	bool overdue;
	/* The members below are as Slurm has the node. */
	bool known; /* false: the members below are 0 */
	bool external;
	/*
	 * True for a node with a slurmd of which the site says, or (host is
	 * NULL) said, that it takes pods.
	 */
	bool hybrid;
	bool slurmd; /* with a slurmd, and no pod itself */
	bool idle;   /* nothing runs or ends there */
	/* a reservation that has begun has it: it cannot be deleted */
	bool reserved;
	/*
	 * Name of a reservation that has it, maybe one to come; NULL: none, or
	 * not asked for.
	 */
	const char *promised;
	bool emptied; /* not idle, but no job has anything of it */
	bool drained, down;
	bool failing;  /* drained by FAIL alone */
	bool changing; /* about to reboot, or powering down */
	/* we have given it other features since it was created */
	bool relabelled;
	/* Slurm takes it for lost: it does not respond, or is powered down */
	bool lost;
	const char *reason, *features, *topology, *gres;
	int64_t reason_for_ms; /* how long it has had this Reason */
	uint32_t cpus;
	uint64_t memory_mib;
};

/*
 * How long a node is not ready, or gone, until its jobs are lost. (Pods of a
 * Node that is gone are ended by Kubernetes itself after 40 s:
 * kube-controller-manager's pod garbage collector. Their jobs would have failed
 * by then, and not be lost.)
 */
#define EXTERNAL_NODE_DOWN_MS 60000
#define EXTERNAL_NODE_GONE_MS 30000

/*
 * slurmctld was killed before it had saved a job, and gave its number to
 * another one while slurmd still had the first: Slurm drains the node then, and
 * leaves it so. The first job ends when slurmd has registered.
 */
#define EXTERNAL_NODE_TWICE_MS 60000

/*
 * In how many ms the drain of such a node is to end: 0: now; -1: it is not
 * drained for that.
 */
int64_t external_node_twice_ms(const struct external_node_view *view);

enum external_node_do {
	EXTERNAL_NODE_KEEP,
	EXTERNAL_NODE_CREATE,
	EXTERNAL_NODE_UPDATE,  /* features and topology */
	EXTERNAL_NODE_RENEW,   /* delete and create: nothing else helps */
	EXTERNAL_NODE_DRAIN,   /* hybrid: by FAIL; the words are the Reason */
	EXTERNAL_NODE_UNDRAIN, /* out of DRAIN, FAIL and DOWN */
	EXTERNAL_NODE_DOWN,    /* the words are the Reason; jobs there end */
	/* DOWN, with the Reason that it has; the words are for the log */
	EXTERNAL_NODE_DOWN_ONLY,
	EXTERNAL_NODE_DELETE,
	/* set a drained node that only seems allocated down, and back */
	EXTERNAL_NODE_IDLE,
};

struct external_decision {
	enum external_node_do what;
	/* Reason, or words for the log; of KEEP: what is wrong */
	char words[WK_REASON_MAX];
	/*
	 * True: the decision is for a node that no reservation to come has.
	 * That is to be asked for, and if one has it to be decided anew by
	 * view.promised.
	 */
	bool if_not_promised;
};

/*
 * Decide what is to be done about one node.
 *
 * Only nodes that we created (external, with WK_FEATURE_EXTERNAL) are changed;
 * hybrid ones are drained, by FAIL, and undrained. For Slurm drains them, too
 * (an Epilog fails), and where ours stands already it only adds its DRAIN, not
 * its Reason: DRAIN is not ours there. A Reason that is not ours
 * (WK_REASON_PREFIX) is an administrator's: such a node stays as it is, but for
 * that of external_node_twice_ms().
 */
struct external_decision external_decide(const struct external_node_view *view);

#endif
