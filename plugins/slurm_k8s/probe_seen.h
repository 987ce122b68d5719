/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is seen of a probe's pod, look by look: how far it has come and when,
 * or why it does not start. Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_PROBE_SEEN_H
#define SLURMK8S_TOOL_PROBE_SEEN_H

#include "config/config.h"
#include "objects/worker_pod.h"

#define PROBE_MESSAGE_MAX 4097 /* with NUL: kubelet takes 4096 bytes */

/* Times are clock_ms() of the look that saw it first; -1: not yet. */
struct probe_seen {
	int64_t created_ms;   /* when the API server had taken it */
	int64_t scheduled_ms; /* the pod has a Kubernetes node */
	int64_t started_ms;   /* slurmd's container ran */
	bool ended;	      /* the container, or the pod */
	bool gone;	      /* somebody has deleted it */
	enum pod_trouble trouble;
	char words[PODVIEW_WORDS_MAX]; /* why it does not run; "" */
	char warning[512];	       /* kubelet's last one; "" */
	char kube_node[254];
	char ip[46];	   /* "" */
	bool events_known; /* the pod's Events could be listed */
	/* time of pulling the image, s; -1: it was there, as far as is known */
	int64_t pull_s;
	char message[PROBE_MESSAGE_MAX]; /* the container's own, as it came */
};

/* Forget all; the pod has just been created. */
void probe_seen_begin(struct probe_seen *s, int64_t now_ms);

/*
 * Look at the pod. 0; -EINVAL: this is no pod, and nothing has changed.
 */
int probe_seen_pod(struct probe_seen *s, const json_object *pod,
		   const char *container, int64_t now_ms);

/* Look at the list of its Events. What is none is passed over. */
void probe_seen_events(struct probe_seen *s, const json_object *list);

/*
 * Whether waiting is in vain, as the engine would judge it: the nodeset's
 * failover says how long a pod may be unschedulable, or not started with a
 * warning of kubelet's.
 */
bool probe_seen_hopeless(const struct probe_seen *s, const struct failover *f,
			 int64_t now_ms);

/* Why it does not start, in Kubernetes' words, or ours. Borrowed. */
const char *probe_seen_why(const struct probe_seen *s);

#endif
