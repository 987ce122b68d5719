/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bridge's pods in one Kubernetes cluster, by the groups that stand in
 * Slurm's queue together; and what is known of their namespaces. Compact: some
 * 600 bytes a pod (2 KB in a group of the built-in API), and what pods of one
 * template have in common only once. The link's thread writes, the bridge's
 * thread reads under the lock.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_POD_GROUPS_H
#define SLURMK8S_BRIDGE_INTAKE_POD_GROUPS_H

#include "base/hash.h"
#include "bridge/intake/bounds.h"
#include "bridge/intake/gone_pods.h"
#include "bridge/intake/pod_class.h"
#include "cluster/freshness.h"
#include "cluster/informer_pair.h"
#include "config/bridge_config.h"
#include "kube/informer.h"
#include "objects/bridged_pod.h"
#include "objects/workload.h"

#define BRIDGE_KEY_MAX 512

/* A pod, as a member of a group. */
struct bridge_member {
	UT_hash_handle hh; /* by uid */
	int failed;
	struct bpod *pod;
	struct bridge_shape *shape;
	struct bridge_group *group;
	struct bridge_member *prev, *next; /* of the group */
	/* Of a group of the built-in API: what it is without it; or NULL. */
	struct workload *besides;
	bool apart; /* it is that: the group has the basic policy */
	unsigned int generation;
	enum bridge_class class;
	int64_t ends_at; /* see bridge_gone_see() */
	bool astray;	 /* the bridge's thread's: not on a node of its job */
	bool moved;	 /* the same: it runs by the job of another group */
	bool ours;	 /* the same: surely bound by this Slurm cluster */
	bool foreign;	 /* the same: somebody else has bound it */
	bool grown;	 /* the same: resized, and its job has less there */
	bool going;	 /* the same: its binding by its job is on its way */
	uint32_t told;	 /* the same: the round of words that it was told; 0 */
};

/* How an object that its pods are not matters to a group. */
enum bridge_tie_as {
	BRIDGE_TIE_ITSELF,   /* it holds the group together */
	BRIDGE_TIE_TOP,	     /* a Job or the like above its pods */
	BRIDGE_TIE_IN,	     /* the PodGroup of the built-in API, besides */
	BRIDGE_TIE_MADE_OF,  /* its PodGroup was made of that Workload, */
	BRIDGE_TIE_MADE_FOR, /* and that for it */
	BRIDGE_TIES
};

struct bridge_tie {
	struct bridge_group *group;
	struct bridge_tied *to; /* NULL: to nothing */
	struct bridge_tie *prev, *next;
};

struct bridge_group {
	UT_hash_handle hh;
	int failed;
	struct workload of; /* as its first pod says; stays so */
	struct bridge_tie ties[BRIDGE_TIES]; /* bridge/intake/group_index.h's */
	struct bridge_member *members;
	size_t n;
	bool partial; /* others of it were left out, in this list: */
	unsigned int partial_of;
	/*
	 * The last of its pods were in a list no more, and nobody saw them
	 * deleted. So it stays, without pods, until one is seen again or
	 * bridge_seen_forget().
	 */
	bool vanished;
	bool dirty;
	struct bridge_group *next_dirty;
	char key[];
};

struct bridge_seen_options {
	const char *cluster;	     /* its name, for the log; borrowed */
	const struct bridge *config; /* borrowed */
	const char *by; /* as pods say it that we bind; borrowed; or NULL */
	void (*ring)(void *arg); /* something has changed; link's thread */
	/* A pod is too big to be read; link's thread. NULL: nobody. */
	void (*oversized)(void *arg, const struct object_id *id);
	/*
	 * A namespace enters that did not, by its labels; link's thread, under
	 * the lock. NULL: nobody.
	 */
	void (*entered)(void *arg);
	void *arg;
	struct informer_handler also; /* sees the same pods; link's thread */
};

struct bridge_seen;
struct bridge_seen *bridge_seen_new(const struct bridge_seen_options *opt);
void bridge_seen_free(struct bridge_seen *v);

/* --- the bridge's thread */

/* All pods have been listed, and the namespaces if they matter. */
bool bridge_seen_ready(struct bridge_seen *v);

/*
 * Keys of groups that have changed since the last call, at most `max`; the
 * caller frees each. They may be gone by now.
 */
size_t bridge_seen_take_dirty(struct bridge_seen *v, char **keys, size_t max);

/* Look at this group again. */
void bridge_seen_touch(struct bridge_seen *v, const char *key);

void bridge_seen_lock(struct bridge_seen *v);
void bridge_seen_unlock(struct bridge_seen *v);

/* Under the lock; what they return is valid until the unlock. */
struct bridge_group *bridge_seen_find(struct bridge_seen *v, const char *key);
struct bridge_group *bridge_seen_first(struct bridge_seen *v); /* hh.next */
/* NULL: it is not in view. */
struct bridge_member *bridge_seen_pod(struct bridge_seen *v, const char *uid);
/* Its pods have ended, and nobody waits for them: drop them. `g` may go. */
void bridge_seen_forget(struct bridge_seen *v, struct bridge_group *g);
/* How many lists of all pods were complete: another number, another list. */
unsigned int bridge_seen_lists(const struct bridge_seen *v);
/*
 * A pod of a group of the built-in API leaves it, for good: it is what it is
 * without it, and that group is looked at. Without memory it stays.
 */
void bridge_seen_apart(struct bridge_seen *v, struct bridge_member *m);
/*
 * An object that no pod names speaks for the group, too: when it changes the
 * group is looked at. "": none does (any more). To be called before it is read,
 * so that no change is missed. Without memory none does.
 */
void bridge_seen_tie(struct bridge_seen *v, struct bridge_group *g,
		     enum bridge_tie_as as, enum workload_kind kind,
		     const char *name);
/* Nodes where pods may run that are not in view any more. */
struct bridge_gone **bridge_seen_gone(struct bridge_seen *v);
/*
 * Pods that may enter are not in view, for there were too many at the last
 * list, or since, or those of its namespace cannot be read: a group of this
 * key that was never seen may have some.
 */
bool bridge_seen_left_out(const struct bridge_seen *v, const char *key);
/*
 * The node of each bridged pod that may run and of which no more than that can
 * be read (see bridge/intake/unread_pods.h): nobody knows whose it is.
 */
void bridge_seen_each_unread_node(const struct bridge_seen *v,
				  void (*on)(void *arg, const char *node),
				  void *arg);
/* The labels of a namespace; NULL: none, or not known. The caller puts. */
json_object *bridge_seen_labels(struct bridge_seen *v, const char *ns);
/*
 * Is it known which labels a namespace has? False: it is not in view. (Where no
 * labels matter it is true of each.) Under the lock.
 */
bool bridge_seen_has_space(struct bridge_seen *v, const char *ns);

/*
 * The key of a workload. Of a pod for itself its uid is part, and of a Job
 * that of the Job, as its pods say it: one that names another Job of that name
 * is in a group of its own, which the Job's object disowns. Of others the
 * object alone has a uid.
 */
void bridge_seen_key(const struct workload *of, char out[BRIDGE_KEY_MAX]);

/*
 * As which group a pod is bound by a job, as text for its conditions: "Job
 * team-a train 6ba7b810-...". It is read again by later builds, so it stays as
 * it is.
 */
void bridge_seen_mark(const char *key, char out[BRIDGE_KEY_MAX]);

/* Is it the key of a gang? (See workload_is_gang().) */
bool bridge_seen_key_is_gang(const char *key);

#define BRIDGE_NS_MAX 64 /* a namespace's name */

/* The namespace of a key. */
void bridge_seen_key_ns(const char *key, size_t size, char *out);

/* --- the link's thread */

int bridge_seen_start(struct bridge_seen *v, struct kube_client *client);
void bridge_seen_step(struct bridge_seen *v);
void bridge_seen_stop(struct bridge_seen *v); /* before the client is freed */

/* How new its pods and namespaces are; and are pods to be listed anew? */
void bridge_seen_fresh(struct bridge_seen *v, struct bridge_fresh *out);

/*
 * The object of that name has changed: its groups are looked at again. It takes
 * no longer for there being others.
 */
void bridge_seen_object_changed(struct bridge_seen *v, enum workload_kind kind,
				const char *ns, const char *name);
/* May a namespace's pods enter, as far as is known? Takes the lock. */
bool bridge_seen_enters(struct bridge_seen *v, const char *ns);
/* All groups are looked at again. */
void bridge_seen_touch_all(struct bridge_seen *v);

#endif
