/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/podview.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "model/wellknown.h"

static void take(char *dst, size_t size, const char *src)
{
	str_copy(dst, src ? src : "", size);
	str_sanitize(dst);
}
#define TAKE(field, src) take(field, sizeof(field), src)

enum pod_phase podview_phase(const char *s)
{
	static const char *const names[] = {
		[POD_UNKNOWN] = "Unknown", [POD_PENDING] = "Pending",
		[POD_RUNNING] = "Running", [POD_SUCCEEDED] = "Succeeded",
		[POD_FAILED] = "Failed",
	};

	for (int i = POD_UNKNOWN; s && i <= POD_FAILED; i++)
		if (!strcmp(s, names[i]))
			return (enum pod_phase)i;
	return POD_UNKNOWN;
}

static void add_words(struct podview *v, const char *who, const char *reason,
		      const char *message)
{
	size_t n = strlen(v->words);

	if (n + 8 >= sizeof(v->words) || (!reason && !message))
		return;
	snprintf(v->words + n, sizeof(v->words) - n, "%s%s%s%s%s%s",
		 n ? "; " : "", who ? who : "", who ? ": " : "",
		 reason ? reason : "", reason && message ? ": " : "",
		 message ? message : "");
}

/* Reasons that only say that all is on its way. */
static bool is_news(const char *reason)
{
	return reason && strcmp(reason, "ContainerCreating") &&
	       strcmp(reason, "PodInitializing");
}

static void read_container(struct podview *v, const json_object *st,
			   const char *container)
{
	const char *name = jx_str(st, "name");
	json_object *waiting = jx_get(st, "state", "waiting");
	json_object *ended = jx_get(st, "state", "terminated");
	json_object *running = jx_get(st, "state", "running");
	const char *reason = jx_str(waiting, "reason");

	if (!ended)
		v->terminated = false;
	if (is_news(reason)) {
		add_words(v, name, reason, jx_str(waiting, "message"));
		v->trouble = POD_CANNOT_START;
	}
	if (ended && v->phase == POD_FAILED)
		add_words(v, name, jx_str(ended, "reason"),
			  jx_str(ended, "message"));
	if (str_eq(name, container) && running) {
		v->slurmd_running = true;
		v->running_ms =
			clock_parse_rfc3339(jx_str(running, "startedAt"));
	}
}

static void read_unscheduled(struct podview *v, const json_object *c)
{
	const char *reason = jx_str(c, "reason");

	add_words(v, NULL, reason, jx_str(c, "message"));
	if (!str_eq(reason, "Unschedulable"))
		return;
	v->trouble = POD_UNSCHEDULABLE;
	v->unschedulable_ms =
		clock_parse_rfc3339(jx_str(c, "lastTransitionTime"));
}

static void read_conditions(struct podview *v, const json_object *status)
{
	json_object *seq = jx_get(status, "conditions");

	if (!jx_is(seq, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(seq); i++) {
		json_object *c = json_object_array_get_idx(seq, i);

		if (str_eq(jx_str(c, "type"), "PodScheduled") &&
		    str_eq(jx_str(c, "status"), "False"))
			read_unscheduled(v, c);
	}
}

static void read_containers(struct podview *v, const json_object *status,
			    const char *container)
{
	static const char *const lists[] = {"initContainerStatuses",
					    "containerStatuses"};
	size_t n = 0;

	v->terminated = true;
	for (int l = 0; l < 2; l++) {
		json_object *seq = jx_get(status, lists[l]);

		if (!jx_is(seq, json_type_array))
			continue;
		n += json_object_array_length(seq);
		for (size_t i = 0; i < json_object_array_length(seq); i++)
			read_container(v, json_object_array_get_idx(seq, i),
				       container);
	}
	v->terminated = v->terminated && n;
}

static void read_features(struct podview *v, const json_object *annotations)
{
	const char *list = jx_str(annotations, WK_ANNOTATION_FEATURES);

	TAKE(v->features,
	     list && strlen(list) < sizeof(v->features) ? list : "?");
}

int podview_of(const json_object *pod, const char *container, struct podview *v)
{
	json_object *meta = jx_get(pod, "metadata");
	json_object *labels = jx_get(meta, "labels");
	json_object *status = jx_get(pod, "status");

	memset(v, 0, sizeof(*v));
	TAKE(v->name, jx_str(meta, "name"));
	TAKE(v->uid, jx_str(meta, "uid"));
	if (!*v->name || !*v->uid)
		return -EINVAL;
	TAKE(v->cluster, jx_str(labels, WK_LABEL_CLUSTER));
	TAKE(v->node, jx_str(labels, WK_LABEL_NODE));
	TAKE(v->nodeset, jx_str(labels, WK_LABEL_NODESET));
	TAKE(v->hash, jx_str(labels, WK_LABEL_HASH));
	read_features(v, jx_get(meta, "annotations"));
	TAKE(v->kube_node, jx_str(pod, "spec", "nodeName"));
	TAKE(v->jobs, jx_str(meta, "annotations", WK_NOTE_JOBS));
	v->busy = str_eq(jx_str(labels, WK_LABEL_BUSY), "true");
	TAKE(v->ip, jx_str(status, "podIP"));
	v->phase = podview_phase(jx_str(status, "phase"));
	v->running_ms = v->unschedulable_ms = -1;
	v->deleting = jx_get(meta, "deletionTimestamp") != NULL;
	v->created_ms = clock_parse_rfc3339(jx_str(meta, "creationTimestamp"));
	add_words(v, NULL, jx_str(status, "reason"), jx_str(status, "message"));
	read_conditions(v, status);
	read_containers(v, status, container);
	str_sanitize(v->words);
	return 0;
}
