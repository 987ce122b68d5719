/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pods belong together: what one placeholder job stands for. Pure. Any
 * thread.
 *
 * Precedence as slurm-bridge's (internal/utils/slurmjobir): the built-in API
 * of Kubernetes, the PodGroup of scheduler-plugins, LeaderWorkerSet, JobSet and
 * Job, and each other pod for itself. What a label says is its author's to
 * write; so nothing but the pods of one namespace is ever put together.
 */
#ifndef SLURMK8S_OBJECTS_WORKLOAD_H
#define SLURMK8S_OBJECTS_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "json/json.h"

#define WORKLOAD_NAME_MAX 254 /* a name of Kubernetes, and NUL */
#define WORKLOAD_UID_MAX 64
#define WORKLOAD_PART_MAX 128
#define WORKLOAD_MEMBERS_MAX 8192 /* pods of one group (PACK_PODS_MAX) */

enum workload_kind {
	WORKLOAD_POD,	   /* it alone */
	WORKLOAD_GROUP,	   /* PodGroup of scheduling.k8s.io (1.36 and later) */
	WORKLOAD_WORKLOAD, /* group in a Workload of scheduling.k8s.io (1.35) */
	WORKLOAD_PODGROUP, /* PodGroup of scheduling.x-k8s.io */
	WORKLOAD_LWS,	   /* one group of a LeaderWorkerSet */
	WORKLOAD_JOBSET,   /* a JobSet as a gang, by annotation */
	WORKLOAD_JOB,	   /* a Job as a gang, by annotation */
	WORKLOAD_REPLICASET, /* never a group: its annotations speak */
	WORKLOAD_STATEFULSET,
	WORKLOAD_KINDS
};

/* Where objects of a kind are in the API. */
#define WORKLOAD_VERSIONS_MAX 4
struct workload_api {
	const char *kind;   /* for people, and for the job's identity */
	const char *group;  /* "" is the core */
	const char *plural; /* "podgroups" */
	/* that can be read, the best first; of those the API server has one */
	const char *versions[WORKLOAD_VERSIONS_MAX + 1];
};
const struct workload_api *workload_api(enum workload_kind kind);

/* By its name for people; false: there is none. */
bool workload_kind_of(const char *name, enum workload_kind *out);

/*
 * Kind, namespace, name and part are the key, and of a Job its uid. For a pod
 * alone name and uid are the pod's own.
 */
struct workload {
	enum workload_kind kind;
	char ns[64];
	char name[WORKLOAD_NAME_MAX]; /* of the object that holds it together */
	char part[WORKLOAD_PART_MAX]; /* which group of it; "": it has one */
	/* "": a label names the object; workload_take() has the uid then. */
	char uid[WORKLOAD_UID_MAX];
	uint32_t members; /* pods before it may start; 0: the object says */
	uint32_t all;	  /* a JobSet's pods; 0: not known, or another kind */
	/*
	 * Whose annotations and activeDeadlineSeconds speak for it, besides
	 * the group's own object: a Job, JobSet, ReplicaSet or StatefulSet
	 * above the pod, or WORKLOAD_POD: none but the pod's.
	 */
	enum workload_kind top;
	char top_name[WORKLOAD_NAME_MAX];
	/* The PodGroup of the built-in API that it is in besides; "": none. */
	char group[WORKLOAD_NAME_MAX];
};

/*
 * The group of a pod. -EINVAL with words when it is no pod, or when a label or
 * annotation that decides it is malformed.
 */
int workload_of(const json_object *pod, struct workload *out, struct err *err);

/*
 * A group of the built-in API. Its object says whether it is one: with the
 * basic policy each of its pods is what it is without it.
 */
bool workload_is_built_in(const struct workload *w);

/* The same for a pod of such a group, as if it were in none. */
int workload_besides(const json_object *pod, struct workload *out,
		     struct err *err);

/*
 * A group whose pods start together, or not at all. Its object is to be looked
 * at before the group can be judged.
 */
bool workload_is_gang(const struct workload *w);

/*
 * What the object itself says: its uid, and how many pods there must be. Of a
 * group of the built-in API with the basic policy *alone is set: its pods are
 * to be taken for what they are besides. -EINVAL with words: it does not say,
 * asks for what cannot be had, or is another object; -ESTALE: the uid that was
 * known is another one.
 */
int workload_take(struct workload *w, const json_object *object, bool *alone,
		  struct err *err);

/*
 * Pods before it may start, when so many of it have succeeded. (A JobSet's Job
 * makes one anew that has failed, and none that has succeeded; how many these
 * are a Job says in its status, and a JobSet does not.)
 */
uint32_t workload_members(const struct workload *w, uint32_t done);

/*
 * A Job or JobSet that has ended: it makes no pods any more, and is kept by
 * Kubernetes for as long as nobody deletes it. `object`: with its status.
 */
bool workload_has_ended(enum workload_kind kind, const json_object *object);

/* The pod for itself, whatever it belongs to. */
int workload_alone(const json_object *pod, struct workload *out,
		   struct err *err);

/* "PodGroup team-a/train", fit for words and logs; cut where it is long. */
#define WORKLOAD_TEXT_MAX 480
void workload_text(const struct workload *w, char out[WORKLOAD_TEXT_MAX]);

#endif
