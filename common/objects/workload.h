/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pods belong together, as the group that one placeholder job stands for.
 * Pure. Any thread.
 *
 * Precedence as slurm-bridge's (internal/utils/slurmjobir): the built-in API of
 * Kubernetes, the PodGroup of scheduler-plugins, that of Volcano (which
 * slurm-bridge does not know), LeaderWorkerSet, JobSet and Job, and each other
 * pod for itself. What a label says is its author's to
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
	WORKLOAD_POD,	   /* the pod alone */
	WORKLOAD_GROUP,	   /* PodGroup of scheduling.k8s.io (1.36 and later) */
	WORKLOAD_WORKLOAD, /* group in a Workload of scheduling.k8s.io (1.35) */
	WORKLOAD_PODGROUP, /* PodGroup of scheduling.x-k8s.io */
	WORKLOAD_LWS,	   /* one group of a LeaderWorkerSet */
	WORKLOAD_JOBSET,   /* a JobSet as a gang, by annotation */
	WORKLOAD_JOB,	   /* a Job as a gang, by annotation */
	WORKLOAD_VOLCANO,  /* PodGroup of scheduling.volcano.sh */
	WORKLOAD_REPLICASET, /* never a group: only its annotations count */
	WORKLOAD_STATEFULSET,
	WORKLOAD_KINDS
};

/* Where objects of a kind are in the API. */
#define WORKLOAD_VERSIONS_MAX 4
struct workload_api {
	const char *kind;   /* for people, and for the job's identity */
	const char *group;  /* "" is the core */
	const char *plural; /* "podgroups" */
	/*
	 * versions that we read, the best first; an API server has one of them
	 */
	const char *versions[WORKLOAD_VERSIONS_MAX + 1];
};
/* Where objects of this kind are. Static, never NULL. */
const struct workload_api *workload_api(enum workload_kind kind);

/* Find a kind by its name for people. False: there is none. */
bool workload_kind_of(const char *name, enum workload_kind *out);

/*
 * The identity of a group. Kind, namespace, name and part are the key, and of a
 * Job its uid, too. For a pod alone name and uid are the pod's own.
 */
struct workload {
	enum workload_kind kind;
	char ns[64];
	/* name of the object that holds the group together */
	char name[WORKLOAD_NAME_MAX];
	/* which group of that object; "": its only one */
	char part[WORKLOAD_PART_MAX];
	/* "": a label names the object; workload_take() has the uid then. */
	char uid[WORKLOAD_UID_MAX];
	/* pods that must be there before it starts; 0: the object says */
	uint32_t members;
	uint32_t all; /* pods of a JobSet; 0: not known, or another kind */
	/*
	 * The object whose annotations and activeDeadlineSeconds count for it,
	 * besides the group's own: a Job, JobSet, ReplicaSet or StatefulSet
	 * above the pod, or WORKLOAD_POD: only the pod's.
	 */
	enum workload_kind top;
	char top_name[WORKLOAD_NAME_MAX];
	/* The PodGroup of the built-in API that it is in, too; "": none. */
	char group[WORKLOAD_NAME_MAX];
};

/*
 * Find the group of a pod. 0; -EINVAL with words: it is no pod, or a label or
 * annotation that decides it is malformed.
 */
int workload_of(const json_object *pod, struct workload *out, struct err *err);

/*
 * Take what a mark names, as pod_groups_mark() has written it on a pod: "Job
 * team-a train 6ba7b810-..."; kind, namespace, name, and a part or uid. False:
 * it is no mark, or none that this pod can have, and *w is as it was.
 */
bool workload_of_mark(const char *mark, const json_object *pod,
		      struct workload *w);

/*
 * True for a group of the built-in API. Its object says whether it is a group:
 * if that has the basic policy, workload_besides() says what each pod is.
 */
bool workload_is_built_in(const struct workload *w);

/*
 * Find the group of a pod of a built-in group, as if it were in none. Results
 * as of workload_of().
 */
int workload_besides(const json_object *pod, struct workload *out,
		     struct err *err);

/*
 * True for a group whose pods start together, or not at all. Its object is to
 * be read before the group can be judged.
 */
bool workload_is_gang(const struct workload *w);

/*
 * Take over what the object itself says: its uid, and how many pods there must
 * be. *alone is set for a group of the built-in API with the basic policy: its
 * pods are to be taken for what they are besides. 0; with words: -EINVAL: it
 * does not say, asks for what cannot be had, or is another object; -ESTALE: its
 * uid is not the one that was known.
 */
int workload_take(struct workload *w, const json_object *object, bool *alone,
		  struct err *err);

/*
 * The number of pods before it may start, when `done` of it have succeeded. A
 * JobSet's Job makes a failed pod anew, but no succeeded one; a Job says in its
 * status how many have succeeded, and a JobSet does not.
 */
uint32_t workload_members(const struct workload *w, uint32_t done);

/*
 * True for a Job or JobSet that has ended: it makes no pods any more, and is
 * kept by Kubernetes until it is deleted. `object`: with its status.
 */
bool workload_has_ended(enum workload_kind kind, const json_object *object);

/*
 * Take the pod for itself, whatever it belongs to. Results as of workload_of().
 */
int workload_alone(const json_object *pod, struct workload *out,
		   struct err *err);

/*
 * Write kind, namespace, name, part and uid, each a key of its own, into an
 * object. 0; -ENOMEM.
 */
int workload_write(const struct workload *w, json_object *o);

/*
 * Read what workload_write() has written; *out is zeroed before. False: a key
 * is missing, or no name, kind or namespace. A part or uid that is too long is
 * cut, and what is not to be shown is replaced: the caller compares.
 */
bool workload_read(const json_object *o, struct workload *out);

/* "PodGroup team-a/train", fit for words and logs; cut where it is long. */
#define WORKLOAD_TEXT_MAX 480
void workload_text(const struct workload *w, char out[WORKLOAD_TEXT_MAX]);

#endif
