/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_seen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"

void probe_seen_begin(struct probe_seen *s, int64_t now_ms)
{
	*s = (struct probe_seen){.created_ms = now_ms,
				 .scheduled_ms = -1,
				 .started_ms = -1,
				 .pull_s = -1};
}

static void take_warning(struct probe_seen *s, const char *reason,
			 const char *message)
{
	snprintf(s->warning, sizeof(s->warning),
		 "%s: ", reason ? reason : "Warning");
	str_shorten(s->warning + strlen(s->warning), message,
		    sizeof(s->warning) - strlen(s->warning));
	str_sanitize(s->warning);
}

static void take_text(char *dst, size_t size, const char *src)
{
	str_copy(dst, src ? src : "", size);
	str_sanitize(dst);
}

static void look_at_container(struct probe_seen *s, const json_object *status,
			      int64_t now_ms)
{
	const json_object *ended = jx_get(status, "state", "terminated");
	const char *message = jx_str(ended, "message");

	/* a container that could not even start has startedAt, of 1970 */
	if (s->started_ms < 0 &&
	    (jx_get(status, "state", "running") ||
	     clock_parse_rfc3339(jx_str(ended, "startedAt")) > 0))
		s->started_ms = now_ms;
	if (!ended)
		return;
	s->ended = true;
	str_copy(s->message, message ? message : "", sizeof(s->message));
}

int probe_seen_pod(struct probe_seen *s, const json_object *pod,
		   const char *container, int64_t now_ms)
{
	const json_object *status = jx_get(pod, "status");
	struct worker_pod v;

	if (worker_pod_of(pod, container, &v))
		return -EINVAL;
	s->trouble = v.trouble;
	str_copy(s->words, v.words, sizeof(s->words));
	str_copy(s->kube_node, v.kube_node, sizeof(s->kube_node));
	take_text(s->ip, sizeof(s->ip), jx_str(status, "podIP"));
	if (s->scheduled_ms < 0 && *v.kube_node)
		s->scheduled_ms = now_ms;
	look_at_container(
		s, jx_by_name(jx_get(status, "containerStatuses"), container),
		now_ms);
	s->ended = s->ended || phase_is_end(v.phase);
	return 0;
}

/* Seconds between two Events, whose times have whole ones; -1: not known. */
static int64_t seconds_between(const json_object *from, const json_object *to)
{
	int64_t a = clock_parse_rfc3339(jx_str(from, "firstTimestamp"));
	int64_t b = clock_parse_rfc3339(jx_str(to, "firstTimestamp"));

	return a > 0 && b >= a ? (b - a) / 1000 : -1;
}

void probe_seen_events(struct probe_seen *s, const json_object *list)
{
	const json_object *items = jx_get(list, "items");
	const json_object *pulling = NULL, *pulled = NULL;

	if (!jx_is(items, json_type_array))
		return;
	s->events_known = true;
	for (size_t i = 0; i < json_object_array_length(items); i++) {
		const json_object *e = json_object_array_get_idx(items, i);
		const char *reason = jx_str(e, "reason");
		const char *message = jx_str(e, "message");

		if (str_eq(reason, "Pulling") && !pulling)
			pulling = e;
		else if (str_eq(reason, "Pulled") && pulling && !pulled)
			pulled = e;
		/* the scheduler's stand in the pod's condition, up to date */
		else if (message && str_eq(jx_str(e, "type"), "Warning") &&
			 !str_eq(reason, "FailedScheduling"))
			take_warning(s, reason, message);
	}
	if (pulled)
		s->pull_s = seconds_between(pulling, pulled);
}

bool probe_seen_hopeless(const struct probe_seen *s, const struct failover *f,
			 int64_t now_ms)
{
	if (s->started_ms >= 0)
		return false;
	if (s->trouble == POD_CANNOT_START)
		return true;
	if (s->scheduled_ms < 0)
		return s->trouble == POD_UNSCHEDULABLE &&
		       now_ms - s->created_ms >= f->unschedulable_after_ms;
	return *s->warning &&
	       now_ms - s->scheduled_ms >= f->not_started_after_ms;
}

const char *probe_seen_why(const struct probe_seen *s)
{
	if (*s->words)
		return s->words;
	if (*s->warning)
		return s->warning;
	return s->scheduled_ms < 0 ? "no scheduler has looked at it"
				   : "kubelet does not say why";
}
