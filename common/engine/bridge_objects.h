/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds bridged pods together or speaks for them: PodGroups, Jobs and the
 * like (model/workload.h). A kind is watched, in all namespaces, from the
 * moment on that a pod needs one of it; so a cluster without it costs nothing.
 * Kept are name, uid, annotations and spec without pod templates, as text.
 */
#ifndef SLURMK8S_ENGINE_BRIDGE_OBJECTS_H
#define SLURMK8S_ENGINE_BRIDGE_OBJECTS_H

#include "kube/client.h"
#include "model/workload.h"
#include "json/json.h"

#define BRIDGE_OBJECTS_MAX 50000	   /* of all kinds; more are not seen */
#define BRIDGE_OBJECT_TEXT_MAX (64 * 1024) /* larger ones neither */

struct bridge_objects_options {
	const char *cluster;	  /* its name, for the log; borrowed */
	int64_t stale_after_ms;	  /* a kind's view may be so old; 0: any */
	void (*asked)(void *arg); /* a kind is to be watched; any thread */
	void *arg;
	/* It came, changed, or went; the link's thread. */
	void (*changed)(void *told, enum workload_kind kind, const char *ns,
			const char *name);
	/* All of a kind have been listed, or it cannot be; the same. */
	void (*known)(void *told, enum workload_kind kind);
	void *told;
};

struct bridge_objects;
struct bridge_objects *
bridge_objects_new(const struct bridge_objects_options *opt);
void bridge_objects_free(struct bridge_objects *o);

/*
 * Any thread. 0 and *out, which the caller puts; -EAGAIN: not known yet, or
 * not any more, err says why if something is in the way; -ENOENT: there is
 * none; -EOPNOTSUPP: the API server has said that it has no such kind; -ENOMEM.
 */
int bridge_objects_get(struct bridge_objects *o, enum workload_kind kind,
		       const char *ns, const char *name, json_object **out,
		       struct err *err);

/* The link's thread: once in a while; and before the client is freed. */
void bridge_objects_step(struct bridge_objects *o, struct kube_client *client);
void bridge_objects_stop(struct bridge_objects *o, struct kube_client *client);

#endif
