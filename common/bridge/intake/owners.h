/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds bridged pods together or speaks for them: PodGroups, Jobs and the
 * like (objects/workload.h). A kind is watched, in all namespaces, from the
 * moment on that a pod needs one of it; so a cluster without it costs nothing.
 * Kept are name, uid, annotations for us, and spec without pod templates, as
 * text: of namespaces that may enter, and of what has not ended. When there are
 * too many the namespace with the most gives way (bridge/intake/owner_store.h).
 * The bridge's thread asks, the link's thread does the rest.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_OWNERS_H
#define SLURMK8S_BRIDGE_INTAKE_OWNERS_H

#include "kube/client.h"
#include "objects/workload.h"
#include "json/json.h"

#define BRIDGE_OBJECTS_MAX 50000 /* objects of all kinds and namespaces */
#define BRIDGE_OBJECT_TEXT_MAX (64 * 1024) /* a longer text is not taken */
#define BRIDGE_OBJECTS_BYTES (256 << 20)   /* all texts together */
#define BRIDGE_PARSED_BYTES (32 << 20)	   /* objects that are kept parsed */

struct owners_options {
	const char *cluster;	  /* name in k8s.yaml, for the log; borrowed */
	int64_t stale_after_ms;	  /* most age of a kind's view; 0: any */
	size_t max;		  /* objects in view; 0: BRIDGE_OBJECTS_MAX */
	void (*asked)(void *arg); /* a kind is to be watched; any thread */
	void *arg;
	/* Called when an object came, changed, or went; the link's thread. */
	void (*changed)(void *told, enum workload_kind kind, const char *ns,
			const char *name);
	/*
	 * Called when all of a kind have been listed, or it cannot be; the
	 * link's thread.
	 */
	void (*known)(void *told);
	/*
	 * True if objects of this namespace are asked for; the link's thread,
	 * without a lock. NULL: those of each namespace are.
	 */
	bool (*enters)(void *told, const char *ns);
	void *told;
};

struct owners;

/* Objects of no kind yet. *opt is copied. NULL: out of memory. */
struct owners *owners_new(const struct owners_options *opt);

/*
 * Free it, after owners_stop(), and when no thread uses it any more. NULL:
 * nothing.
 */
void owners_free(struct owners *o);

/*
 * Look an object up, and have its kind watched from now on. One thread, the
 * bridge's; takes its own lock for a moment, and sends nothing. A text is
 * parsed once, unless many others have been asked for since
 * (bridge/intake/owner_cache.h). 0 and *out, which the caller puts, and which
 * nobody changes, as others have it too; -EAGAIN: not known yet, or not any
 * more, err says why if something is in the way; -EDQUOT: it may be there, but
 * not all of its namespace are in view, for it has the most; -ENOENT: there is
 * none, or it has ended; -EOPNOTSUPP: the API server has said that it has no
 * such kind; -ENOMEM.
 */
int owners_get(struct owners *o, enum workload_kind kind, const char *ns,
	       const char *name, json_object **out, struct err *err);

/*
 * Note that a namespace enters that did not: kinds of which some were left out
 * for their namespace are listed anew, and what is not in view meanwhile is not
 * known (-EAGAIN). The link's thread; takes no lock but its own.
 */
void owners_entered(struct owners *o);

/*
 * Find out the versions of kinds that are asked for, by GETs of discovery
 * documents, watch them, and list them anew when what was left out may have
 * room. The link's thread, again and again; does not block. Always with the one
 * client.
 */
void owners_step(struct owners *o, struct kube_client *client);

/*
 * End all requests and watches, before the client is freed. The link's thread.
 */
void owners_stop(struct owners *o, struct kube_client *client);

#endif
