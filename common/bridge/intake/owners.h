/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds bridged pods together or speaks for them: PodGroups, Jobs and the
 * like (objects/workload.h). A kind is watched, in all namespaces, from the
 * moment on that a pod needs one of it; so a cluster without it costs nothing.
 * Kept are name, uid, annotations for us, and spec without pod templates, as
 * text: of namespaces that may enter, and of what has not ended. When there are
 * too many the namespace with the most gives way (bridge/intake/owner_store.h).
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_OWNERS_H
#define SLURMK8S_BRIDGE_INTAKE_OWNERS_H

#include "kube/client.h"
#include "objects/workload.h"
#include "json/json.h"

#define BRIDGE_OBJECTS_MAX 50000	   /* of all kinds and namespaces */
#define BRIDGE_OBJECT_TEXT_MAX (64 * 1024) /* larger ones neither */
#define BRIDGE_OBJECTS_BYTES (256 << 20)   /* their texts, together */
#define BRIDGE_PARSED_BYTES (32 << 20)	   /* those that are kept parsed */

struct owners_options {
	const char *cluster;	  /* its name, for the log; borrowed */
	int64_t stale_after_ms;	  /* a kind's view may be so old; 0: any */
	size_t max;		  /* in view; 0: BRIDGE_OBJECTS_MAX */
	void (*asked)(void *arg); /* a kind is to be watched; any thread */
	void *arg;
	/* It came, changed, or went; the link's thread. */
	void (*changed)(void *told, enum workload_kind kind, const char *ns,
			const char *name);
	/* All of a kind have been listed, or it cannot be; the same. */
	void (*known)(void *told);
	/*
	 * Are objects of this namespace asked for? The link's thread, without
	 * a lock. NULL: of each.
	 */
	bool (*enters)(void *told, const char *ns);
	void *told;
};

struct owners;
struct owners *owners_new(const struct owners_options *opt);
void owners_free(struct owners *o);

/*
 * One thread, the bridge's. A text is parsed once, unless many others have been
 * asked for since (bridge/intake/owner_cache.h). 0 and *out, which the caller
 * puts, and which nobody changes, as others have it too; -EAGAIN: not known
 * yet, or not any more, err says why if something is in the way; -EDQUOT: it
 * may be there, but not all of its namespace are in view, for it has the most;
 * -ENOENT: there is none, or it has ended; -EOPNOTSUPP: the API server has said
 * that it has no such kind; -ENOMEM.
 */
int owners_get(struct owners *o, enum workload_kind kind, const char *ns,
	       const char *name, json_object **out, struct err *err);

/*
 * A namespace enters that did not: kinds of which some were left out are listed
 * anew, and what is not in view meanwhile is not known (-EAGAIN). The link's
 * thread; takes no lock but its own.
 */
void owners_entered(struct owners *o);

/* The link's thread: once in a while; and before the client is freed. */
void owners_step(struct owners *o, struct kube_client *client);
void owners_stop(struct owners *o, struct kube_client *client);

#endif
