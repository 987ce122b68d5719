/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/worker_pod.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "syntax/wellknown.h"

static void take(char *dst, size_t size, const char *src)
{
	str_copy(dst, src ? src : "", size);
	str_sanitize(dst);
}
#define TAKE(field, src) take(field, sizeof(field), src)

enum pod_phase worker_pod_phase(const char *s)
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

static void add_words(struct worker_pod *v, const char *who, const char *reason,
		      const char *message)
{
	const size_t size = sizeof(v->words);
	size_t n = strlen(v->words);

	if (n + 8 >= size || (!reason && !message))
		return;
	n += (size_t)snprintf(v->words + n, size - n, "%s%s%s%s%s",
			      n ? "; " : "", who ? who : "", who ? ": " : "",
			      reason ? reason : "",
			      reason && message ? ": " : "");
	if (message && n < size)
		str_shorten(v->words + n, message, size - n);
}

/* Reasons that only say that all is on its way. */
static bool is_news(const char *reason)
{
	return reason && strcmp(reason, "ContainerCreating") &&
	       strcmp(reason, "PodInitializing");
}

struct line {
	const char *at;
	int len;
};

/* The last one before `end` that is not blank. */
static struct line line_before(const char *text, const char *end)
{
	const char *begin;

	while (end > text && strchr("\r\n ", end[-1]))
		end--;
	for (begin = end; begin > text && begin[-1] != '\n'; begin--)
		;
	return (struct line){begin, (int)(end - begin)};
}

/* slurmd puts "[2026-01-02T03:04:05.678] " in front. */
static struct line undated(struct line l)
{
	const char *end = l.len ? memchr(l.at, ']', (size_t)l.len - 1) : NULL;
	int n = 0;

	if (*l.at == '[' && end && isdigit((unsigned char)l.at[1]))
		n = (int)(end - l.at) + 1 + (end[1] == ' ');
	return (struct line){l.at + n, l.len - n};
}

/*
 * The last two lines of a text that may be a log: slurmd says why, and then
 * that it ends.
 */
static void last_lines(const char *text, char *out, size_t size)
{
	struct line last = line_before(text, text + strlen(text));
	struct line before = line_before(text, last.at);

	last = undated(last);
	before = undated(before);
	snprintf(out, size, "%.*s%s%.*s", before.len, before.at,
		 before.len ? "; " : "", last.len, last.at);
}

static int exit_code(const json_object *ended)
{
	return (int)jx_int(jx_get(ended, "exitCode"), -1);
}

/* How a container has ended: its reason, its exit code, its last words. */
static void end_words(const json_object *ended, char *out, size_t size)
{
	const char *reason = jx_str(ended, "reason");
	const char *message = jx_str(ended, "message");
	char lines[300] = "";

	if (message)
		last_lines(message, lines, sizeof(lines));
	snprintf(out, size, "%s, exit code %d%s%s", reason ? reason : "Error",
		 exit_code(ended), *lines ? ": " : "", lines);
}

static uint32_t restart_count(const json_object *st)
{
	int64_t n = jx_int(jx_get(st, "restartCount"), 0);

	return n > 0 && n < UINT32_MAX ? (uint32_t)n : 0;
}

/*
 * True for the first failure of a pull, which the kubelet tries again, and only
 * then calls ImagePullBackOff.
 */
static bool is_first_try(const char *reason)
{
	return !strcmp(reason, "ErrImagePull");
}

static void read_container(struct worker_pod *v, const json_object *st,
			   const char *container)
{
	const char *name = jx_str(st, "name");
	json_object *waiting = jx_get(st, "state", "waiting");
	json_object *ended = jx_get(st, "state", "terminated");
	json_object *running = jx_get(st, "state", "running");
	json_object *last = jx_get(st, "lastState", "terminated");
	const char *reason = jx_str(waiting, "reason");
	const char *message = jx_str(waiting, "message");
	char end[400];

	if (ended || last)
		end_words(ended ? ended : last, end, sizeof(end));
	if (!ended)
		v->terminated = false;
	if (is_news(reason)) {
		/* the kubelet's message only says how long it waits */
		if (last && str_eq(reason, "CrashLoopBackOff"))
			message = end;
		add_words(v, name, reason, message);
		if (!is_first_try(reason))
			v->trouble = POD_CANNOT_START;
	}
	if (ended && v->phase == POD_FAILED && exit_code(ended) != 0)
		add_words(v, name, NULL, end);
	if (!str_eq(name, container) || !running)
		return;
	v->slurmd_running = true;
	v->running_ms = clock_parse_rfc3339(jx_str(running, "startedAt"));
	v->restarts = restart_count(st);
	if (last)
		add_words(v, name, NULL, end);
}

static void read_unscheduled(struct worker_pod *v, const json_object *c)
{
	const char *reason = jx_str(c, "reason");

	add_words(v, NULL, reason, jx_str(c, "message"));
	if (!str_eq(reason, "Unschedulable"))
		return;
	v->trouble = POD_UNSCHEDULABLE;
	v->unschedulable_ms =
		clock_parse_rfc3339(jx_str(c, "lastTransitionTime"));
}

static void read_conditions(struct worker_pod *v, const json_object *status)
{
	json_object *seq = jx_get(status, "conditions");

	if (!jx_is(seq, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(seq); i++) {
		json_object *c = json_object_array_get_idx(seq, i);

		if (!str_eq(jx_str(c, "type"), "PodScheduled"))
			continue;
		if (str_eq(jx_str(c, "status"), "False"))
			read_unscheduled(v, c);
		else if (str_eq(jx_str(c, "status"), "True"))
			v->scheduled_ms = clock_parse_rfc3339(
				jx_str(c, "lastTransitionTime"));
	}
}

static void read_containers(struct worker_pod *v, const json_object *status,
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

static void read_features(struct worker_pod *v, const json_object *annotations)
{
	const char *list = jx_str(annotations, WK_ANNOTATION_FEATURES);

	TAKE(v->features,
	     list && strlen(list) < sizeof(v->features) ? list : "?");
}

/*
 * Read a sum; a text that is no sum of ours gives a number that no job asks
 * for.
 */
static uint32_t read_sum(const char *text)
{
	char *end = NULL;
	unsigned long sum = text ? strtoul(text, &end, 16) : 0;

	if (!text)
		return 0;
	return *text && !*end && sum && sum < UINT32_MAX ? (uint32_t)sum
							 : UINT32_MAX;
}

static enum pod_scale scale_of(const json_object *annotations)
{
	const char *safe = jx_str(annotations, WK_SCALE_SAFE);
	const json_object *keep = jx_get(annotations, WK_SCALE_KEEP);

	if (str_eq(safe, "false") &&
	    str_eq(jx_str(annotations, WK_SCALE_KEEP), "true"))
		return POD_SCALE_KEEP;
	return str_eq(safe, "true") && !keep ? POD_SCALE_DOWN : POD_SCALE_OTHER;
}

/*
 * True if Kubernetes has ended the pod for another reason than what it used.
 * Evicted is none: the pod used more than it may, or more than others on its
 * machine.
 */
static bool is_displaced(const json_object *status)
{
	const char *reason = jx_str(status, "reason");

	return reason && *reason && strcmp(reason, "Evicted") != 0;
}

int worker_pod_of(const json_object *pod, const char *container,
		  struct worker_pod *v)
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
	v->steps = str_sum(jx_str(meta, "annotations", WK_NOTE_STEPS));
	v->asked = read_sum(jx_str(meta, "annotations", WK_NOTE_ASKED));
	v->busy = str_eq(jx_str(labels, WK_LABEL_BUSY), "true");
	v->scale = scale_of(jx_get(meta, "annotations"));
	v->phase = worker_pod_phase(jx_str(status, "phase"));
	v->running_ms = v->unschedulable_ms = v->scheduled_ms = -1;
	v->deleting = jx_get(meta, "deletionTimestamp") != NULL;
	v->created_ms = clock_parse_rfc3339(jx_str(meta, "creationTimestamp"));
	add_words(v, NULL, jx_str(status, "reason"), jx_str(status, "message"));
	v->displaced = v->phase == POD_FAILED && is_displaced(status);
	read_conditions(v, status);
	read_containers(v, status, container);
	str_sanitize(v->words);
	return 0;
}
