/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we write beside a pod for those who look at it with kubectl: who runs
 * there, what was done to it and why, and that it is not to be evicted while
 * it is busy. JSON bodies of requests; NULL: out of memory. The caller puts
 * them. Pure. Any thread.
 */
#ifndef SLURMK8S_MODEL_PODNOTES_H
#define SLURMK8S_MODEL_PODNOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/podask.h"
#include "json/json.h"

/* Comma-separated lists; NULL or "": none. */
struct pod_jobs {
	bool busy;
	const char *ids, *users, *accounts;
	/* model/stepnotes.h; NULL: these stay as they are; "": none */
	const char *steps, *steps_label;
	/*
	 * model/podask.h: of what the rules allow these are set, and the others
	 * taken away. Counts if ids are given; rules NULL: stays as it is.
	 */
	const struct podask_rules *rules;
	const json_object *asked; /* NULL: nothing */
};

/*
 * A merge patch (RFC 7396) for the pod with this uid: the label by which busy
 * pods are told, what autoscalers go by, and annotations. The API server
 * answers 409 when the pod of this name is another one by now. ids NULL: who
 * runs there stays.
 */
json_object *podnotes_patch(const char *uid, const struct pod_jobs *jobs);

/*
 * Takes what autoscalers go by out of such a patch: admission may forbid these
 * annotations, and the label must not depend on them.
 */
void podnotes_drop_scale(json_object *patch);

/*
 * When the same note on the same pod may be sent again: the pause doubles from
 * 10 s to 10 min, for admission may refuse the note, or take a part of it away,
 * for ever. Another note may be sent at once. Zeroed: nothing was sent yet.
 */
struct note_pace {
	uint32_t sum; /* a checksum of the last one */
	unsigned int times;
	int64_t after; /* monotonic ms */
};
bool podnotes_may_send(const struct note_pace *p, uint32_t sum, int64_t now_ms);

/* Not taken: it was dropped before it was sent, and the pause is the first. */
void podnotes_sent(struct note_pace *p, uint32_t sum, int64_t now_ms,
		   bool taken);

/*
 * When each of many pods may be noted, if that is not urgent: 20 a second in
 * all, and 40 at once after a pause, who asks first first. Zeroed: nobody has
 * asked yet. One for all pods of a Kubernetes cluster.
 */
#define PODNOTES_TURN_MS 50
#define PODNOTES_AT_ONCE 40
struct note_turns {
	int64_t next; /* monotonic ms; not given away yet */
};
/* The turn of who asks now, once: not before (monotonic ms, more than 0). */
int64_t podnotes_turn(struct note_turns *t, int64_t now_ms);

/* An Event on a pod (Kubernetes API reference, core/v1 Event). */
struct pod_event {
	const char *ns, *pod, *uid;
	bool warning;
	const char *reason;  /* in any words: "host lost" is HostLost there */
	const char *message; /* cut to 1 KiB */
	const char *host;    /* who says so: this machine; may be NULL */
	int64_t at_ms;	     /* epoch */
};
json_object *podnotes_event(const struct pod_event *e);

/*
 * kubelet's words when it cannot start a pod for a reason that the pod's
 * status does not tell: a volume that cannot be mounted, a network that is not
 * there. And when it evicts one: the status loses its reason if all containers
 * end with exit code 0 (generateAPIPodStatus() in pkg/kubelet/kubelet_pods.go
 * keeps the reason of the phase Failed only). NULL: this Event is none of
 * those, or out of memory. The caller frees. *first_ms and *last_ms (epoch):
 * when it was said; -1 where the Event does not tell. The field selector has
 * the API server leave out most others.
 */
#define PODNOTES_EVICTED "Evicted"
#define PODNOTES_WARNINGS                                                      \
	"involvedObject.kind=Pod,type=Warning,reason!=FailedScheduling,"       \
	"reason!=BackOff,reason!=Failed,reason!=Unhealthy"
char *podnotes_warning(const json_object *event, int64_t *first_ms,
		       int64_t *last_ms);

/*
 * A PodDisruptionBudget (policy/v1) of the busy pods of a Slurm cluster: no
 * voluntary eviction at all. Pods without a controller need an integer
 * minAvailable (kubernetes.io, "Specifying a Disruption Budget"); the largest
 * there is spares us to follow their number. `cluster` is a label's value.
 */
json_object *podnotes_budget(const char *name, const char *cluster);

#endif
