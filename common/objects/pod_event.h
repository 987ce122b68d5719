/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events on pods: ours, and the kubelet's. Pure. Any thread. */
#ifndef SLURMK8S_OBJECTS_POD_EVENT_H
#define SLURMK8S_OBJECTS_POD_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

/* An Event on a pod (Kubernetes API reference, core/v1 Event). */
struct pod_event {
	const char *ns, *pod, *uid;
	bool warning;
	const char *reason;  /* any words: "host lost" becomes HostLost */
	const char *message; /* cut to 1 KiB */
	const char *host;    /* the machine that says so; may be NULL */
	int64_t at_ms;	     /* epoch */
};
/* Make the object. The caller puts. NULL: out of memory. */
json_object *pod_event_make(const struct pod_event *e);

/*
 * kubelet's words when it cannot start a pod for a reason that the pod's status
 * does not tell: a volume that cannot be mounted, a network that is not there.
 * And when it evicts one: the status loses its reason if all containers end
 * with exit code 0 (generateAPIPodStatus() in pkg/kubelet/kubelet_pods.go keeps
 * the reason of the phase Failed only). The caller frees. NULL: this Event is
 * about nothing of that, or out of memory. *first_ms and *last_ms (epoch): when
 * it was said; -1 where the Event does not tell. The field selector keeps the
 * API server from sending most other Events.
 */
#define POD_ANNOTATIONS_EVICTED "Evicted"
#define POD_EVENT_WARNINGS                                                     \
	"involvedObject.kind=Pod,type=Warning,reason!=FailedScheduling,"       \
	"reason!=BackOff,reason!=Failed,reason!=Unhealthy"
char *pod_event_warning(const json_object *event, int64_t *first_ms,
			int64_t *last_ms);

#endif
