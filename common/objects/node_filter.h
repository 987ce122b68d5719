/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May a bridged pod run on a Kubernetes node? By what does not change from
 * one minute to the next: labels and taints. That a node is cordoned, not
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
#define HOST_TEXT_MAX (64 * 1024) /* of all that is kept of a node */
#define WANT_TEXT_MAX (16 * 1024)
#define WANT_RULES_MAX 128

struct hostlabel {
	const char *key, *value;
};

struct hosttaint {
	const char *key, *value, *effect;
};

struct hostext {
	const char *name;
	int64_t count;
};

/*
 * A Kubernetes node. Made of its JSON at once, in one block of memory; texts
 * are never NULL unless said.
 */
struct hostview {
	const char *name;
	const char *uid;
	const char *boot; /* its machine was booted: another text; or "" */
	const struct hostlabel *labels; /* sorted by key */
	const struct hosttaint *taints;
	const struct hostext *ext; /* allocatable extended resources */
	size_t n_labels, n_taints, n_ext;
	int64_t cpu_milli, memory_bytes, pods; /* allocatable */
	bool ready;
	const char *closed; /* to new pods: by which taint; NULL: it is open */
	bool external;	    /* has the label of external nodes, ours or not */
	/* Labels and annotations of ours, or of slurm-bridge; NULL: none */
	const char *slurm_node, *partitions, *topology;
	const char *claimed_by; /* WK_CLAIM_BY */
	void *block;		/* owns it all */
};

/* Does the kubelet say of this node (the object) that it is ready? */
bool hostview_is_ready(const json_object *node);

/*
 * Read a node's JSON. -EINVAL: it is no node with a name and a uid; -E2BIG
 * with words; -ENOMEM. Then *out is 0. The caller clears it.
 */
int hostview_of(const json_object *node, struct hostview *out, struct err *err);
void hostview_clear(struct hostview *h);
#define _cleanup_hostview_ __attribute__((cleanup(hostview_clear)))

/* A label's value; NULL: it has no such label. */
const char *hostview_label(const struct hostview *h, const char *key);

/* How many of an extended resource are allocatable. */
int64_t hostview_count(const struct hostview *h, const char *resource);

/*
 * What a pod asks of its node, as a text that is the same for pods of one
 * template: nodeSelector, required node affinity, tolerations, nodeName. Pods
 * with the same text fit the same nodes.
 */
#define PODWANT_SHA_MAX 65
struct podwant {
	char *text; /* NULL: nothing, as of most pods */
	uint32_t len;
	uint32_t hash;
	char sha[PODWANT_SHA_MAX]; /* SHA-256 of the text, in hex; "": none */
};

/*
 * Read a pod's JSON. -EINVAL, -E2BIG or -ENOMEM with words; then *out is 0.
 * The caller clears it. Tolerations of Kubernetes' own taints
 * (node.kubernetes.io/...), which each pod gets, are left out.
 */
int podwant_of(const json_object *pod, struct podwant *out, struct err *err);
void podwant_clear(struct podwant *w);
#define _cleanup_podwant_ __attribute__((cleanup(podwant_clear)))

/*
 * Does it fit? If not, *why (or NULL) is -EHOSTUNREACH with words. Left out
 * are taints of Kubernetes' own. Nobody adds tolerations to a pod: one that
 * does not tolerate slurm-bridge's NoExecute taint would be driven away as
 * soon as it is bound there, again and again.
 */
bool hostfit(const struct podwant *want, const struct hostview *host,
	     struct err *why);

#endif
