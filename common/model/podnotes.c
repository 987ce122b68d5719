/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/podnotes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "model/wellknown.h"

#define MESSAGE_MAX 1024
#define REASON_MAX 128
#define AGAIN_MS 10000
#define AGAIN_MAX_MS 600000

/* A member, or JSON null, which in a merge patch takes it away. */
static int set_or_drop(json_object *o, const char *key, const char *value)
{
	if (value && *value)
		return jx_set_str(o, key, value);
	return json_object_object_add(o, key, NULL);
}

static int set_allowed(json_object *o, const struct podask_keys *k,
		       const json_object *asked)
{
	int bad = 0;

	for (size_t i = 0; i < k->n; i++) {
		const char *value = jx_str(asked, k->v[i]);

		/* (a label may be empty) */
		bad |= value ? jx_set_str(o, k->v[i], value)
			     : json_object_object_add(o, k->v[i], NULL);
	}
	return bad;
}

static int set_asked(json_object *labels, json_object *notes,
		     const struct pod_jobs *jobs)
{
	const struct podask_rules *r = jobs->rules;
	char sum[16] = "";

	if (jobs->asked)
		snprintf(sum, sizeof(sum), "%08x", podask_sum(jobs->asked));
	return set_allowed(notes, &r->annotations,
			   jx_get(jobs->asked, "annotations")) |
	       set_allowed(labels, &r->labels, jx_get(jobs->asked, "labels")) |
	       set_or_drop(notes, WK_NOTE_ASKED, sum);
}

/* An idle one says that its machine may go: see scale_of() of podview.c. */
static int set_scale(json_object *notes, bool busy)
{
	return jx_set_str(notes, WK_SCALE_SAFE, busy ? "false" : "true") |
	       set_or_drop(notes, WK_SCALE_KEEP, busy ? "true" : NULL);
}

json_object *podnotes_patch(const char *uid, const struct pod_jobs *jobs)
{
	_cleanup_json_ json_object *patch = json_object_new_object();
	json_object *meta, *labels, *notes;
	int bad;

	if (!patch)
		return NULL;
	meta = jx_need(patch, "metadata", json_type_object);
	labels = meta ? jx_need(meta, "labels", json_type_object) : NULL;
	notes = labels ? jx_need(meta, "annotations", json_type_object) : NULL;
	if (!notes)
		return NULL;
	bad = jx_set_str(meta, "uid", uid);
	bad |= set_or_drop(labels, WK_LABEL_BUSY, jobs->busy ? "true" : NULL);
	bad |= set_scale(notes, jobs->busy);
	if (jobs->ids) {
		bad |= set_or_drop(notes, WK_NOTE_JOBS, jobs->ids);
		bad |= set_or_drop(notes, WK_NOTE_USERS, jobs->users);
		bad |= set_or_drop(notes, WK_NOTE_ACCOUNTS, jobs->accounts);
		if (jobs->rules)
			bad |= set_asked(labels, notes, jobs);
	}
	if (jobs->steps) {
		bad |= set_or_drop(notes, WK_NOTE_STEPS, jobs->steps);
		bad |= set_or_drop(labels, WK_NOTE_STEPS, jobs->steps_label);
	}
	return bad ? NULL : steal_ptr(patch);
}

void podnotes_drop_scale(json_object *patch)
{
	json_object *notes = jx_get(patch, "metadata", "annotations");

	json_object_object_del(notes, WK_SCALE_SAFE);
	json_object_object_del(notes, WK_SCALE_KEEP);
}

bool podnotes_may_send(const struct note_pace *p, uint32_t sum, int64_t now_ms)
{
	return sum != p->sum || now_ms >= p->after;
}

void podnotes_sent(struct note_pace *p, uint32_t sum, int64_t now_ms,
		   bool taken)
{
	if (sum != p->sum)
		p->times = 0;
	p->sum = sum;
	p->after = now_ms +
		   (taken ? backoff_doubled(AGAIN_MS, p->times++, AGAIN_MAX_MS)
			  : AGAIN_MS);
}

int64_t podnotes_turn(struct note_turns *t, int64_t now_ms)
{
	const int64_t least =
		now_ms - (PODNOTES_AT_ONCE - 1) * PODNOTES_TURN_MS;
	const int64_t at = t->next > least ? t->next : least;

	t->next = at + PODNOTES_TURN_MS;
	return at > 0 ? at : 1;
}

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

json_object *podnotes_event(const struct pod_event *e)
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

char *podnotes_warning(const json_object *event, int64_t *first_ms,
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
					      PODNOTES_EVICTED};
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

json_object *podnotes_budget(const char *name, const char *cluster)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	json_object *meta, *spec, *sel, *labels;
	int bad;

	meta = o ? jx_need(o, "metadata", json_type_object) : NULL;
	spec = meta ? jx_need(o, "spec", json_type_object) : NULL;
	sel = spec ? jx_need(spec, "selector", json_type_object) : NULL;
	labels = sel ? jx_need(sel, "matchLabels", json_type_object) : NULL;
	if (!labels)
		return NULL;
	bad = jx_set_str(o, "apiVersion", "policy/v1");
	bad |= jx_set_str(o, "kind", "PodDisruptionBudget");
	bad |= jx_set_str(meta, "name", name);
	bad |= jx_set(spec, "minAvailable", json_object_new_int(INT32_MAX));
	bad |= jx_set_str(labels, WK_LABEL_CLUSTER, cluster);
	bad |= jx_set_str(labels, WK_LABEL_BUSY, "true");
	return bad ? NULL : steal_ptr(o);
}
