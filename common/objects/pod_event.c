/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/pod_event.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "syntax/wellknown.h"

#define MESSAGE_MAX 1024
#define REASON_MAX 128

/* "host lost": HostLost */
static void camel(const char *words, char out[REASON_MAX])
{
	bool upper = true;
	size_t n = 0;

	for (; *words && n + 1 < REASON_MAX; words++) {
		unsigned char c = (unsigned char)*words;

		if (!isalnum(c)) {
			upper = true;
			continue;
		}
		out[n++] = (char)(upper ? toupper(c) : c);
		upper = false;
	}
	out[n] = '\0';
}

static int set_times(json_object *o, int64_t at_ms)
{
	char text[CLOCK_RFC3339_MAX];

	if (!clock_write_rfc3339(at_ms, text))
		return -EINVAL;
	return jx_set_str(o, "firstTimestamp", text) |
	       jx_set_str(o, "lastTimestamp", text) |
	       jx_set(o, "count", json_object_new_int(1));
}

static int set_pod(json_object *o, const struct pod_event *e)
{
	json_object *pod = jx_need(o, "involvedObject", json_type_object);

	if (!pod)
		return -ENOMEM;
	return jx_set_str(pod, "apiVersion", "v1") |
	       jx_set_str(pod, "kind", "Pod") |
	       jx_set_str(pod, "namespace", e->ns) |
	       jx_set_str(pod, "name", e->pod) | jx_set_str(pod, "uid", e->uid);
}

static int set_name(json_object *o, const struct pod_event *e)
{
	json_object *meta = jx_need(o, "metadata", json_type_object);
	_cleanup_free_ char *prefix = str_printf("%s.", e->pod);

	if (!meta || !prefix)
		return -ENOMEM;
	return jx_set_str(meta, "namespace", e->ns) |
	       jx_set_str(meta, "generateName", prefix);
}

json_object *pod_event_make(const struct pod_event *e)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	char reason[REASON_MAX], message[MESSAGE_MAX];
	json_object *source;
	int bad;

	if (!o)
		return NULL;
	camel(e->reason, reason);
	str_copy(message, e->message, sizeof(message));
	source = jx_need(o, "source", json_type_object);
	if (!source)
		return NULL;
	bad = jx_set_str(o, "apiVersion", "v1");
	bad |= jx_set_str(o, "kind", "Event");
	bad |= set_name(o, e);
	bad |= set_pod(o, e);
	bad |= set_times(o, e->at_ms);
	bad |= jx_set_str(o, "type", e->warning ? "Warning" : "Normal");
	bad |= jx_set_str(o, "reason", reason);
	bad |= jx_set_str(o, "message", message);
	bad |= jx_set_str(source, "component", WK_APP_MANAGED_BY);
	if (e->host)
		bad |= jx_set_str(source, "host", e->host);
	return bad ? NULL : steal_ptr(o);
}

char *pod_event_warning(const json_object *event, int64_t *first_ms,
			int64_t *last_ms)
{
	static const char *const reasons[] = {"FailedMount",
					      "FailedAttachVolume",
					      "FailedMapVolume",
					      "FailedCreatePodSandBox",
					      "FailedCreatePodContainer",
					      "FailedPodSandBoxStatus",
					      "FailedPrepareDynamicResources",
					      "NetworkNotReady",
					      POD_ANNOTATIONS_EVICTED};
	const char *reason = jx_str(event, "reason");
	const char *message = jx_str(event, "message");
	char whole[MESSAGE_MAX], *text;

	*first_ms = clock_parse_rfc3339(jx_str(event, "firstTimestamp"));
	*last_ms = clock_parse_rfc3339(jx_str(event, "lastTimestamp"));
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (!str_eq(reason, reasons[i]))
			continue;
		str_shorten(whole, message ? message : "", sizeof(whole));
		text = str_printf("%s: %s", reason, whole);
		if (text)
			str_sanitize(text);
		return text;
	}
	return NULL;
}
