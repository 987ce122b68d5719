/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we keep of a bridged pod: some 200 bytes, made from the API's JSON at
 * once; the JSON is not kept. Pure. Any thread; a pod once made does not change
 * but by bridged_pod_end_unread().
 */
#ifndef SLURMK8S_OBJECTS_BRIDGED_POD_H
#define SLURMK8S_OBJECTS_BRIDGED_POD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "objects/worker_pod.h"
#include "json/json.h"

#define BPOD_GROUP_MAX 512

struct bridged_pod {
	/* In `text`; never NULL, cleaned of control characters. */
	const char *name, *ns, *uid;
	const char *node; /* spec.nodeName; "": it is not bound */
	/*
	 * If we have bound it: the group whose job that was, as the condition
	 * WK_BRIDGE_CONDITION_GROUP says; "": a build that bound it did not say
	 * so.
	 */
	const char *group;
	/*
	 * If we have bound it: the engine that did so, as
	 * WK_BRIDGE_CONDITION_BY says; "": a build that bound it did not say
	 * so.
	 */
	const char *by;

	int64_t created_ms; /* epoch; -1: unknown */
	/* epoch: when Kubernetes means to kill it; -1: it is not being deleted
	 */
	int64_t deadline_ms;
	uint32_t own_grace_s; /* time to end that its spec gives it */
	/*
	 * The most that a container gets to end whose liveness or startup probe
	 * fails, where that has its own time: it may be longer than the pod's,
	 * and no deletion makes it shorter. 0: none has. Never more than a day.
	 */
	uint32_t probe_grace_s;
	/* time to end that its deletion, or else its spec, gives it */
	uint32_t grace_s;
	/*
	 * If it is bound: the job by which we bound it, as its condition
	 * WK_BRIDGE_CONDITION says, which its author cannot write; 0: somebody
	 * else bound it. If it waits: the job of its label, which its author
	 * can forge; 0: none.
	 */
	uint32_t job_id;
	/*
	 * sure: it is bound, and the condition WK_BRIDGE_CONDITION_NODE says to
	 * which node, so that it is certain that we did it. elsewhere: it is on
	 * another node than that, by an earlier binding of ours, to which there
	 * was no answer when the last one was sent.
	 */
	bool sure, elsewhere;
	/*
	 * The condition says that we bound it, but somebody else did, to
	 * another node and in the very moment: job_id is 0.
	 */
	bool disowned;
	/* restart attempt of its JobSet, by the JobSet's label */
	uint32_t attempt;
	/* exit code of the first container that failed, 1 to 255; 0: none */
	int exit_code;
	/* epoch: when that container failed; INT64_MAX: not told */
	int64_t failed_ms;
	enum pod_phase phase;
	bool deleting;
	bool scale_told; /* annotations tell autoscalers what may be done */
	/*
	 * The spec has changed since the pod was made, as metadata.generation,
	 * which the API server counts, tells: it may have been resized.
	 */
	bool respecced;
	bool gated; /* has schedulingGates: it may not be placed yet */
	bool begun; /* the kubelet has told a container's state */
	/*
	 * Nothing of it runs, or ever will: each container has ended or never
	 * began and none is started anew, or the kubelet refused it, or it is
	 * not bound. A phase alone is no proof: Kubernetes sets it for nodes
	 * that are lost, too.
	 */
	bool ended;
	/*
	 * The pod is being deleted, and ran until then: whatever it ended with,
	 * it did not end by itself. A container that ends with 0 when it is
	 * told to (SIGTERM) makes it Succeeded.
	 */
	bool cut_short;
	char text[];
};

/*
 * Read a pod. The caller frees. NULL: it has no name, namespace or uid, or out
 * of memory.
 */
struct bridged_pod *bridged_pod_of(const json_object *pod);
/* Free it. NULL: nothing. */
void bridged_pod_free(struct bridged_pod *p);
DEFINE_CLEANUP(struct bridged_pod, bridged_pod_freep, bridged_pod_free)

/*
 * To be called for a pod that cannot be read as it is now, but has this phase:
 * if that is an end, the pod has ended, with an exit code that is not known.
 * True: it had not ended before. Here the phase has to do, though it is no
 * proof elsewhere: else an author who makes his pods unreadable, and keeps them
 * by a finalizer, would keep their nodes.
 */
bool bridged_pod_end_unread(struct bridged_pod *p, enum pod_phase phase);

/*
 * The job by which we bound this pod, or were about to, as its conditions say.
 * 0: we did not, or somebody else was quicker, and bound it to another node.
 */
uint32_t bridged_pod_bound_by(const json_object *pod);

/* No probe may give more, in s: etc/kubernetes/admission/pods.yaml */
#define BRIDGED_POD_PROBE_GRACE_MAX_S 3600

/*
 * The longest time that a liveness or startup probe of a container gives it to
 * end, in s, whatever it is; *kind: of which probe that is. A kubelet that
 * stops a container for its probe goes by this alone. 0, and *kind stays: none
 * says.
 */
int64_t bridged_pod_probe_grace(const json_object *pod, const char **kind);

/*
 * True if it is to be placed, or could be. `ended` tells nothing here: a pod
 * that is not bound has "ended".
 */
static inline bool pod_waits(const struct bridged_pod *p)
{
	return !*p->node && !p->deleting && !phase_is_end(p->phase);
}

/* True if we have bound it, and it may run. */
static inline bool pod_runs(const struct bridged_pod *p)
{
	return *p->node && p->job_id && !p->ended && !p->deleting;
}

#endif
