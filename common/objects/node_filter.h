/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a bridged pod may run on a Kubernetes node, by what does not change
 * from one minute to the next: labels and taints. That a node is cordoned, not
 * ready or full is Slurm's to know (external/external_node.h). Pure. Any
 * thread.
 */
#ifndef SLURMK8S_OBJECTS_NODE_FILTER_H
#define SLURMK8S_OBJECTS_NODE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "json/json.h"

#define HOST_NAME_MAX_K8S 253 /* a DNS subdomain */
#define HOST_LABELS_MAX 1024
#define HOST_TAINTS_MAX 64
#define HOST_EXT_MAX 64
#define HOST_TEXT_MAX (64 * 1024) /* bytes of all that is kept of a node */
#define WANT_TEXT_MAX (16 * 1024)
#define WANT_RULES_MAX 128

struct kube_label {
	const char *key, *value;
};

struct kube_taint {
	const char *key, *value, *effect;
};

struct kube_extended {
	const char *name;
	int64_t count;
};

/*
 * A Kubernetes node. Made of its JSON at once, in one block of memory; texts
 * are never NULL unless said.
 */
struct kube_node {
	const char *name;
	const char *uid;
	/* bootID: another text after each boot of its machine; or "" */
	const char *boot;
	const struct kube_label *labels; /* sorted by key */
	const struct kube_taint *taints;
	const struct kube_extended *ext; /* allocatable extended resources */
	size_t n_labels, n_taints, n_ext;
	int64_t cpu_milli, memory_bytes, pods; /* allocatable */
	bool ready;
	/* the taint that closes it to new pods; NULL: it is open */
	const char *closed;
	bool external; /* has the label of external nodes, ours or not */
	/* Labels and annotations of ours, or of slurm-bridge; NULL: none */
	const char *slurm_node, *partitions, *topology;
	const char *claimed_by; /* WK_CLAIM_BY */
	/*
	 * The node has more than is read of one: only name, uid and slurm_node
	 * are known.
	 */
	bool unread;
	void *block; /* owns it all */
};

/* True if the kubelet says of this node (the object) that it is ready. */
bool kube_node_is_ready(const json_object *node);

/*
 * Read a node's JSON. The caller clears *out. 0; -EINVAL: it is no node with a
 * name and a uid; -E2BIG with words: it is over a bound above; -ENOMEM. After
 * an error *out is 0.
 */
int kube_node_of(const json_object *node, struct kube_node *out,
		 struct err *err);
/*
 * Make a node whose JSON cannot be read: `unread`, so that no pod fits. Labels:
 * its metadata.labels, of any number; NULL: they are not known. The caller
 * clears *out. 0; -EINVAL: it has no name, no uid, or one of them is too long;
 * -ENOMEM. After an error *out is 0.
 */
int kube_node_unread(const char *name, const char *uid,
		     const json_object *labels, struct kube_node *out);
/*
 * The metadata.labels of a node whose JSON has more parts than are read (text
 * may be NULL), for kube_node_unread(). The caller puts. NULL: there are none,
 * or they cannot be read either.
 */
json_object *kube_node_labels_of(const char *text, size_t len);
/* Free what the node holds; it is all 0 then. */
void kube_node_clear(struct kube_node *h);
#define _cleanup_hostview_ __attribute__((cleanup(kube_node_clear)))

/* A label's value, borrowed; NULL: it has no such label. */
const char *kube_node_label(const struct kube_node *h, const char *key);

/* How much of an extended resource is allocatable; 0: none. */
int64_t kube_node_count(const struct kube_node *h, const char *resource);

/*
 * What a pod asks of its node, as one text for all pods of a template:
 * nodeSelector, required node affinity, tolerations, nodeName. Pods with equal
 * texts fit the same nodes.
 */
#define PODWANT_SHA_MAX 65
struct node_filter {
	char *text; /* NULL: nothing, as of most pods */
	uint32_t len;
	uint32_t hash;
	char sha[PODWANT_SHA_MAX]; /* SHA-256 of the text, in hex; "": none */
};

/*
 * Read a pod's JSON. Tolerations of Kubernetes' own taints
 * (node.kubernetes.io/...), which each pod gets, are left out. The caller
 * clears *out. 0; with words: -EINVAL, -E2BIG, -ENOMEM; then *out is 0.
 */
int node_filter_of(const json_object *pod, struct node_filter *out,
		   struct err *err);
/* Free the text; the filter is all 0 then. */
void node_filter_clear(struct node_filter *w);
#define _cleanup_podwant_ __attribute__((cleanup(node_filter_clear)))

/*
 * True if the pod fits the node; else *why (or NULL) has -EHOSTUNREACH with
 * words. To a node that is unread no pod fits. Kubernetes' own taints do not
 * count. slurm-bridge's NoExecute taint does: nobody adds tolerations to a pod,
 * and one that does not tolerate it would be driven away as soon as it is bound
 * there, again and again.
 */
bool node_filter_fits(const struct node_filter *want,
		      const struct kube_node *host, struct err *why);

#endif
