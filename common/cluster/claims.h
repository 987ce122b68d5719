/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this Slurm cluster claims in a Kubernetes cluster, and what others have
 * (docs/adr/0010-claims.md). The bridge's thread asks; the link's thread makes
 * the claims, a few requests at a time, and reads those of namespaces again.
 */
#ifndef SLURMK8S_CLUSTER_CLAIMS_H
#define SLURMK8S_CLUSTER_CLAIMS_H

#include "cluster/claim_lease.h"
#include "kube/client.h"

#define CLAIMS_MAX 8192 /* namespaces; nodes, too; more are not claimed */

/* Requests under way: a webhook may hang, of leases in some namespaces, say. */
#define CLAIMS_AT_ONCE 8

struct claims;

struct claims_options {
	const char *cluster;	   /* its name, for the log; borrowed */
	const char *slurm_cluster; /* ClusterName; borrowed */
	const char *ns;		   /* of our engine's Lease */
	const char *scheduler;	   /* of the pods; borrowed */
	int64_t again_ms;	   /* a claim of ours is read again; 0: 5 min */
	int64_t others_ms;	   /* another's; 0: 30 s */
	int64_t refused_ms;	   /* without the right; 0: 10 min */
	int64_t retry_ms; /* after any other trouble, at first; 0: 2 s */
	size_t at_once;	  /* requests; 0: CLAIMS_AT_ONCE, which is the most */
	void (*asked)(void *arg); /* wakes the link's thread; any thread */
	void *arg;
	void (*changed)(void *told); /* a namespace is another's, or ours */
	void *told;
};

/* NULL: out of memory. */
struct claims *claims_new(const struct claims_options *opt);
void claims_free(struct claims *c);

/* "NAMESPACE/NAME" of the Lease by which our engine acts, as in claims. */
const char *claims_by(const struct claims *c);

/* --- any thread; `c` may be NULL: then all is ours */

enum claims_is {
	CLAIMS_OURS,	/* or we may not claim it, and nobody could */
	CLAIMS_UNKNOWN, /* it is asked for by this call; or refused, by an
			 * admission webhook, and asked for again */
	CLAIMS_OTHERS,	/* the words say whose, and who can change it */
};
/* words: may be NULL. */
enum claims_is claims_namespace(struct claims *c, const char *ns,
				char words[CLAIM_WORDS_MAX]);

/* The same of a node, by the value of its label, and its annotation WK_CLAIM_BY
 * (NULL: it has none). */
enum claims_is claims_node(struct claims *c, const char *node,
			   const char *value, const char *by,
			   char words[CLAIM_WORDS_MAX]);

/* A node is to be nobody's, if it is ours by both. */
void claims_give_back(struct claims *c, const char *node, const char *value,
		      const char *by);

/* --- the link's thread */

void claims_step(struct claims *c, struct kube_client *client, bool held);
void claims_stop(struct claims *c, struct kube_client *client);

#endif
