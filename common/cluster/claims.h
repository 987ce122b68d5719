/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this Slurm cluster claims in a Kubernetes cluster, and what others have
 * (docs/adr/0010-claims.md). The bridge's thread asks; the link's thread makes
 * the claims, a few requests at a time, and reads those of namespaces again.
 * Each function takes the lock that it needs itself, and calls asked() and
 * changed() without it.
 */
#ifndef SLURMK8S_CLUSTER_CLAIMS_H
#define SLURMK8S_CLUSTER_CLAIMS_H

#include "cluster/claim_lease.h"
#include "kube/client.h"

#define CLAIMS_MAX 8192 /* most namespaces, and most nodes */

/*
 * Requests under way. There are several, as one may hang: a webhook of leases
 * in some namespaces, for one.
 */
#define CLAIMS_AT_ONCE 8

struct claims;

struct claims_options {
	const char *cluster; /* Kubernetes cluster, for the log; borrowed */
	const char *slurm_cluster; /* ClusterName; borrowed */
	const char *ns;		   /* namespace of our engine's Lease */
	const char *scheduler;	   /* schedulerName of the pods; borrowed */
	int64_t again_ms;	   /* pause to read our claim again; 0: 5 min */
	int64_t wanted_ms;	   /* how long a question counts; 0: again_ms */
	int64_t others_ms;	   /* pause to read others' claims; 0: 30 s */
	int64_t refused_ms;	   /* pause after a refusal; 0: 10 min */
	int64_t lasts_ms; /* lack of the right until it counts; 0: 1 min */
	int64_t retry_ms; /* first pause after other trouble; 0: 2 s */
	size_t at_once;	  /* requests under way; 0: CLAIMS_AT_ONCE, the most */
	void (*asked)(void *arg); /* wakes the link's thread; any thread */
	void *arg;
	/* a namespace has become another's, or ours; the link's thread */
	void (*changed)(void *told);
	void *told;
};

/*
 * Make one that has claimed nothing yet; `opt` is copied, its texts are not.
 * The caller frees. NULL: out of memory.
 */
struct claims *claims_new(const struct claims_options *opt);

/*
 * Free it; what was claimed stays so. After claims_stop(), or when the client
 * has been freed. NULL: nothing.
 */
void claims_free(struct claims *c);

/*
 * "NAMESPACE/NAME" of the Lease by which our engine acts, as claims name it.
 * Borrowed from `c`. Any thread.
 */
const char *claims_by(const struct claims *c);

/*
 * --- any thread. No request is sent here. `c` may be NULL: then all is ours.
 */

enum claims_is {
	/*
	 * claimed by us; or we lack the right to, and nobody is known to have
	 * it
	 */
	CLAIMS_OURS,
	/*
	 * not known yet: this call has the link's thread ask; or the claim was
	 * refused by an admission webhook, a policy or a quota, as the words
	 * say, and is tried again
	 */
	CLAIMS_UNKNOWN,
	/*
	 * claimed by others; the words say whose it is, and who can change that
	 */
	CLAIMS_OTHERS,
};
/*
 * Tell whose a namespace is. The first call for it has the link's thread claim
 * it, by one request, or two where a Lease is there; each `again_ms` or
 * `others_ms` it is looked at again, and claimed again if the Lease is gone.
 * Where the right is missing, what is unknown is ours when refusals have lasted
 * for `lasts_ms`; what was seen to be another's stays his until it is seen not
 * to be. If nobody has asked whose it is in the last `wanted_ms`, it may not
 * enter any more: then it is not claimed again, and `changed` is called. words:
 * may be NULL; "" unless it is another's, or its claim is refused. Namespaces
 * over CLAIMS_MAX count as ours.
 */
enum claims_is claims_namespace(struct claims *c, const char *ns,
				char words[CLAIM_WORDS_MAX]);

/*
 * Tell whose a node is, by the value of its label and its annotation
 * WK_CLAIM_BY (NULL: it has none), which the caller has read. Unless these say
 * so already the link's thread claims it, by two requests. words: "" unless it
 * is another's. Nodes over CLAIMS_MAX, and all while we lack the right, count
 * as ours, but for another's.
 */
enum claims_is claims_node(struct claims *c, const char *node,
			   const char *value, const char *by,
			   char words[CLAIM_WORDS_MAX]);

/*
 * Have the link's thread give a node back, by two requests, if it is ours by
 * its label and its annotation WK_CLAIM_BY; else nothing happens.
 */
void claims_give_back(struct claims *c, const char *node, const char *value,
		      const char *by);

/* --- the link's thread; `c` may be NULL: nothing */

/*
 * Start the requests that are due, at_once under way at most. `client` is
 * borrowed until claims_stop(). Without the lease (`held`) none is started.
 */
void claims_step(struct claims *c, struct kube_client *client, bool held);

/* Cancel the requests that are under way; they are due again at once. */
void claims_stop(struct claims *c, struct kube_client *client);

#endif
