/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/pod/pod_annotations.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "syntax/wellknown.h"

#define AGAIN_MS 10000
#define AGAIN_MAX_MS 600000

/* Set a member, or JSON null, which takes it away in a merge patch. */
static int set_or_drop(json_object *o, const char *key, const char *value)
{
	if (value && *value)
		return jx_set_str(o, key, value);
	return json_object_object_add(o, key, NULL);
}

static int set_allowed(json_object *o, const struct pod_metadata_keys *k,
		       const json_object *asked)
{
	int bad = 0;

	for (size_t i = 0; i < k->n; i++) {
		const char *value = jx_str(asked, k->v[i]);

		/* "" is a value, as a label may be empty */
		bad |= value ? jx_set_str(o, k->v[i], value)
			     : json_object_object_add(o, k->v[i], NULL);
	}
	return bad;
}

static int set_asked(json_object *labels, json_object *notes,
		     const struct pod_jobs *jobs)
{
	const struct pod_metadata_rules *r = jobs->rules;
	char sum[16] = "";

	if (jobs->asked)
		snprintf(sum, sizeof(sum), "%08x",
			 pod_metadata_sum(jobs->asked));
	return set_allowed(notes, &r->annotations,
			   jx_get(jobs->asked, "annotations")) |
	       set_allowed(labels, &r->labels, jx_get(jobs->asked, "labels")) |
	       set_or_drop(notes, WK_NOTE_ASKED, sum);
}

/* An idle pod says that its machine may go: see scale_of() of worker_pod.c. */
static int set_scale(json_object *notes, bool busy)
{
	return jx_set_str(notes, WK_SCALE_SAFE, busy ? "false" : "true") |
	       set_or_drop(notes, WK_SCALE_KEEP, busy ? "true" : NULL);
}

json_object *pod_annotations_patch(const char *uid, const struct pod_jobs *jobs)
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

void pod_annotations_drop_scale(json_object *patch)
{
	json_object *notes = jx_get(patch, "metadata", "annotations");

	json_object_object_del(notes, WK_SCALE_SAFE);
	json_object_object_del(notes, WK_SCALE_KEEP);
}

bool pod_annotations_may_send(const struct note_pace *p, uint32_t sum,
			      int64_t now_ms)
{
	return sum != p->sum || now_ms >= p->after;
}

void pod_annotations_sent(struct note_pace *p, uint32_t sum, int64_t now_ms,
			  bool taken)
{
	if (sum != p->sum)
		p->times = 0;
	p->sum = sum;
	p->after = now_ms +
		   (taken ? backoff_doubled(AGAIN_MS, p->times++, AGAIN_MAX_MS)
			  : AGAIN_MS);
}

int64_t pod_annotations_turn(struct note_turns *t, int64_t now_ms)
{
	const int64_t least = now_ms - (POD_ANNOTATIONS_AT_ONCE - 1) *
					       POD_ANNOTATIONS_TURN_MS;
	const int64_t at = t->next > least ? t->next : least;

	t->next = at + POD_ANNOTATIONS_TURN_MS;
	return at > 0 ? at : 1;
}
