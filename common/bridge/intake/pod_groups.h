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
#include "bridge/intake/gone_pods.h"
#include "bridge/intake/pod_bounds.h"
#include "bridge/intake/pod_class.h"
#include "cluster/freshness.h"
#include "cluster/informer_pair.h"
#include "config/bridge_config.h"
#include "kube/informer.h"
#include "objects/bridged_pod.h"
#include "objects/workload.h"
#include "runtime/store.h"

#define BRIDGE_KEY_MAX 512

/*
 * What the bridge's thread last found out about a pod, set by moved_pods.c,
 * misplaced_pods.c and observe.c.
 */
struct group_pod_look {
	bool misplaced; /* not on a node of its job */
	bool moved;	/* runs by the job of another group */
	bool ours;	/* surely bound by this Slurm cluster */
	bool grown;	/* resized to more than its job has there */
	bool going;	/* being bound by its job */
};

/*
 * Since when a bound pod should have ended, as its job has; set by node_room.c.
 */
struct group_pod_overdue {
	int64_t since; /* monotonic; 0: it need not end */
	bool outside;  /* for its namespace may not enter: that may change */
};

/*
 * A pod, as a member of a group; set by pod_groups_pods.c, conditions.c and
 * bind_conflict.c.
 */
struct group_pod {
	struct store_item item; /* by uid */
	struct bridged_pod *pod;
	struct pod_class *shape;
	struct pod_group *group;
	struct group_pod *prev, *next; /* in the group's list */
	/*
	 * In a group of the built-in API: what the pod is without that group;
	 * else NULL.
	 */
	struct workload *besides;
	/* now in the group of `besides`, as its own had the basic policy */
	bool apart;
	enum pod_bounds_class class;
	int64_t ends_at; /* see gone_pods_see() */
	struct group_pod_look look;
	struct group_pod_overdue overdue;
	bool counted; /* how it ended was looked at */
	bool deleted; /* deleted, and kept until `counted` is true */
	/* Members of the bridge's thread; pod_groups_leave() clears `told`. */
	bool foreign;  /* somebody else has bound it */
	uint32_t told; /* the round of words that it was told; 0: none */
};

/* The role in which an object that is no pod matters to a group. */
enum pod_tie_as {
	BRIDGE_TIE_ITSELF, /* the object that holds the group together */
	BRIDGE_TIE_TOP,	   /* a Job or the like above its pods */
	/* the PodGroup of the built-in API that its pods are in */
	BRIDGE_TIE_IN,
	BRIDGE_TIE_MADE_OF,  /* the Workload that its PodGroup was made of */
	BRIDGE_TIE_MADE_FOR, /* the object that this Workload was made for */
	BRIDGE_TIES
};

struct pod_tie {
	struct pod_group *group;
	struct pod_tied *to; /* the object; NULL: none has this role */
	struct pod_tie *prev, *next;
};

struct pod_group {
	UT_hash_handle hh;
	int failed;
	struct workload of; /* as its first pod says; does not change */
	struct pod_tie ties[BRIDGE_TIES]; /* bridge/intake/group_index.h's */
	struct group_pod *members;
	size_t n;
	bool partial; /* pods were left out, in list `partial_of` */
	unsigned int partial_of;
	/*
	 * A list did not have the last of its pods, and nobody saw them
	 * deleted. The group stays, without pods, until one is seen again or
	 * pod_groups_forget().
	 */
	bool vanished;
	bool dirty;
	struct pod_group *next_dirty;
	char key[];
};

struct pod_groups_options {
	const char *cluster; /* name in k8s.yaml, for the log; borrowed */
	const struct bridge_config *config; /* borrowed */
	/*
	 * our claims_by(), which is written on pods that we bind; borrowed;
	 * NULL: not known
	 */
	const char *by;
	/*
	 * Called when something has changed; either thread, maybe under the
	 * lock.
	 */
	void (*ring)(void *arg);
	/*
	 * Called for a pod that is too big to be read; link's thread. NULL: not
	 * called.
	 */
	void (*oversized)(void *arg, const struct object_id *id);
	/*
	 * Called when a namespace enters that did not, by its labels; link's
	 * thread, under the lock. NULL: not called.
	 */
	void (*entered)(void *arg);
	void *arg;
	/* is told of each pod, too; link's thread */
	struct informer_handler also;
};

struct pod_groups;

/*
 * A view without pods; *opt is copied, and what it borrows outlives the view.
 * pod_groups_start() begins to watch. NULL: out of memory.
 */
struct pod_groups *pod_groups_new(const struct pod_groups_options *opt);

/* Free it, when no thread uses it any more. NULL: nothing. */
void pod_groups_free(struct pod_groups *v);

/* --- the bridge's thread; without the lock, which they take */

/*
 * True if all pods have been listed once, and the namespaces if their labels
 * matter.
 */
bool pod_groups_ready(struct pod_groups *v);

/*
 * Take the keys of groups that have changed and were not taken since, at most
 * `max`, the first ones first; the caller frees each. The groups may be gone by
 * now. Returns how many; fewer without memory.
 */
size_t pod_groups_take_dirty(struct pod_groups *v, char **keys, size_t max);

/* Note that a group is to be looked at again, as if it had changed. */
void pod_groups_touch(struct pod_groups *v, const char *key);

/*
 * Take the lock, for a moment: the link's thread needs it. Who needs those of
 * inventory.h, owners.h or bridge_requests.h, too, takes this one first.
 */
void pod_groups_lock(struct pod_groups *v);

/* Give the lock back. */
void pod_groups_unlock(struct pod_groups *v);

/*
 * --- the bridge's thread; under the lock, and what is returned is valid until
 * the unlock
 */

/* The group of this key. NULL: there is none. */
struct pod_group *pod_groups_find(struct pod_groups *v, const char *key);

/* The first group, then by hh.next. NULL: there is none. */
struct pod_group *pod_groups_first(struct pod_groups *v);

/* The pod of this UID. NULL: it is not in view. */
struct group_pod *pod_groups_pod(struct pod_groups *v, const char *uid);

/*
 * Note that how a group's pods ended was looked at. Pods that were deleted
 * right after they had ended are dropped now. job_ends: their job is to end as
 * they did, which may fail: then they stay for the next look.
 */
void pod_groups_counted(struct pod_groups *v, struct pod_group *g,
			bool job_ends);

/*
 * Drop a group's pods, which have ended, and for which nobody waits. `g` is
 * freed with them, unless it has changed and was not taken since.
 */
void pod_groups_forget(struct pod_groups *v, struct pod_group *g);
/* The number of groups that have changed and were not taken since. */
size_t pod_groups_dirty(const struct pod_groups *v);

/*
 * How many lists of all pods were complete: after each this is another number.
 */
unsigned int pod_groups_lists(const struct pod_groups *v);

/*
 * Take a pod out of its group of the built-in API, for good: it joins the group
 * of what it is without that, and both are looked at. A pod that is in no such
 * group stays as it is; without memory it stays, too.
 */
void pod_groups_apart(struct pod_groups *v, struct group_pod *m);

/*
 * Note that an object that no pod names speaks for the group, too: when it
 * changes the group is looked at. "": none does (any more). To be called before
 * the object is read, so that no change is missed. Without memory none does.
 */
void pod_groups_tie(struct pod_groups *v, struct pod_group *g,
		    enum pod_tie_as as, enum workload_kind kind,
		    const char *name);

/*
 * The nodes where pods may run that are not in view any more; the view's own.
 */
struct gone_pods **pod_groups_gone(struct pod_groups *v);

/*
 * True if pods that may enter are not in view, for there were too many at the
 * last list, or since, or as some of this key's namespace cannot be read: a
 * group of this key that was never seen may have such pods.
 */
bool pod_groups_left_out(const struct pod_groups *v, const char *key);

/*
 * Call `on` with the node of each bridged pod that may run and of which no more
 * than that can be read (see bridge/intake/unread_pods.h): nobody knows whose
 * it is.
 */
void pod_groups_each_unread_node(const struct pod_groups *v,
				 void (*on)(void *arg, const char *node),
				 void *arg);
/* The labels of a namespace; NULL: none, or not known. The caller puts. */
json_object *pod_groups_labels(struct pod_groups *v, const char *ns);

/*
 * True if it is known which labels a namespace has. False: it is not in view.
 * Where no labels matter it is true of each.
 */
bool pod_groups_has_space(struct pod_groups *v, const char *ns);

/* --- keys; pure: any thread */

/*
 * Write the key of a workload. Of a pod for itself its uid is part, and of a
 * Job that of the Job, as its pods say it: one that names another Job of that
 * name is in a group of its own, which the Job's object disowns. Of others the
 * object alone has a uid.
 */
void pod_group_key(const struct workload *of, char out[BRIDGE_KEY_MAX]);

/*
 * Write the name of a group, for the conditions of a pod that is bound by the
 * group's job: "Job team-a train 6ba7b810-...". Later builds read it again, so
 * its form stays as it is.
 */
void pod_groups_mark(const char *key, char out[BRIDGE_KEY_MAX]);

/* True for the key of a gang: see workload_is_gang(). */
bool pod_groups_key_is_gang(const char *key);

#define BRIDGE_NS_MAX 64 /* a namespace's name */

/* Write the namespace of a key, in at most `size` bytes with NUL. */
void pod_group_key_ns(const char *key, size_t size, char *out);

/* --- the link's thread */

/*
 * Begin to watch pods, or namespaces first if their labels matter. `client` is
 * borrowed until pod_groups_stop(). 0; -ENOMEM.
 */
int pod_groups_start(struct pod_groups *v, struct kube_client *client);

/*
 * Go on watching, and list all pods anew, each 10 s at most, when those that
 * were left out may have room. Called again and again; sends requests, and does
 * not block.
 */
void pod_groups_step(struct pod_groups *v);

/* End all watches, before the client is freed. What is known stays. */
void pod_groups_stop(struct pod_groups *v);

/*
 * Write into *out how new the view of pods and namespaces is. If out->relist is
 * set it is taken, and pods are listed anew.
 */
void pod_groups_fresh(struct pod_groups *v, struct freshness *out);

/*
 * Note that the object of that name has changed: its groups are looked at
 * again. It takes no longer for there being others. Takes the lock.
 */
void pod_groups_object_changed(struct pod_groups *v, enum workload_kind kind,
			       const char *ns, const char *name);

/* True if a namespace's pods may enter, as far as is known. Takes the lock. */
bool pod_groups_enters(struct pod_groups *v, const char *ns);

/*
 * Note that all groups are to be looked at again. Either thread; takes the
 * lock.
 */
void pod_groups_touch_all(struct pod_groups *v);

#endif
