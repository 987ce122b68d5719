/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/requests/pod_patches.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "syntax/wellknown.h"

static int set_job_id(json_object *o, const char *key, uint32_t job_id)
{
	char text[16];

	if (!job_id)
		return json_object_object_add(o, key, NULL);
	snprintf(text, sizeof(text), "%u", (unsigned)job_id);
	return jx_set_str(o, key, text);
}

/*
 * Have autoscalers keep the pod's machine. A pod without an owner does so
 * anyway; see WK_SCALE_SAFE.
 */
static int set_keeps(json_object *notes)
{
	return jx_set_str(notes, WK_SCALE_SAFE, "false") |
	       jx_set_str(notes, WK_SCALE_KEEP, "true");
}

json_object *pod_patch_binding(const struct pod_ref *pod, const char *node,
			       uint32_t job_id, bool keeps)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	json_object *meta, *notes, *target;
	int bad;

	meta = o ? jx_need(o, "metadata", json_type_object) : NULL;
	notes = meta ? jx_need(meta, "annotations", json_type_object) : NULL;
	target = notes ? jx_need(o, "target", json_type_object) : NULL;
	if (!target)
		return NULL;
	bad = jx_set_str(o, "apiVersion", "v1");
	bad |= jx_set_str(o, "kind", "Binding");
	bad |= jx_set_str(meta, "namespace", pod->ns);
	bad |= jx_set_str(meta, "name", pod->name);
	bad |= jx_set_str(meta, "uid", pod->uid);
	bad |= jx_set_str(notes, WK_BRIDGE_NODE_SLINKY, node);
	bad |= set_job_id(notes, WK_BRIDGE_JOB_ID, job_id);
	if (keeps)
		bad |= set_keeps(notes);
	bad |= jx_set_str(target, "apiVersion", "v1");
	bad |= jx_set_str(target, "kind", "Node");
	bad |= jx_set_str(target, "name", node);
	return bad ? NULL : steal_ptr(o);
}

static int set_date(json_object *o, const char *key, int64_t at_ms)
{
	char text[CLOCK_RFC3339_MAX];

	if (!clock_write_rfc3339(at_ms, text))
		return -EINVAL;
	return jx_set_str(o, key, text);
}

struct condition {
	const char *type, *is, *reason, *message;
	int64_t since_ms; /* epoch; 0: it was so before */
};

/*
 * Add a condition to the patch; the API server merges conditions by their type.
 */
static int set_condition(json_object *patch, const struct condition *to)
{
	json_object *status = jx_need(patch, "status", json_type_object);
	json_object *seq =
		status ? jx_need(status, "conditions", json_type_array) : NULL;
	json_object *c = seq ? json_object_new_object() : NULL;
	int bad;

	if (!c)
		return -ENOMEM;
	bad = jx_set_str(c, "type", to->type);
	bad |= jx_set_str(c, "status", to->is);
	bad |= jx_set_str(c, "reason", to->reason);
	bad |= jx_set_str(c, "message", to->message);
	if (to->since_ms)
		bad |= set_date(c, "lastTransitionTime", to->since_ms);
	return jx_append(seq, c) | bad;
}

/* Add PodScheduled=False: the pod waits. */
static int set_unscheduled(json_object *patch, const struct pod_patch *note)
{
	char message[BRIDGENOTES_MESSAGE_MAX];
	const struct condition to = {"PodScheduled", "False", note->reason,
				     message, note->since_ms};

	str_copy(message, note->message ? note->message : "", sizeof(message));
	str_sanitize(message);
	return set_condition(patch, &to);
}

static int set_queue(json_object *meta, const char *queue)
{
	json_object *notes = jx_need(meta, "annotations", json_type_object);
	char text[BRIDGENOTES_MESSAGE_MAX];

	if (!notes)
		return -ENOMEM;
	if (!*queue)
		return json_object_object_add(notes, WK_BRIDGE_NOTE, NULL);
	str_copy(text, queue, sizeof(text));
	str_sanitize(text);
	return jx_set_str(notes, WK_BRIDGE_NOTE, text);
}

/*
 * Add a condition of the proof. message NULL: none, or with takes_back an empty
 * one, which takes an earlier one back.
 */
static int set_proof(json_object *patch, struct condition to, const char *type,
		     const char *message, bool takes_back)
{
	if (!message && !takes_back)
		return 0;
	to.type = type;
	to.message = message ? message : "";
	return set_condition(patch, &to);
}

/*
 * Add the proof that the pod is ours (see struct bridged_pod), and for people
 * the annotation.
 */
static int set_bound(json_object *patch, json_object *meta,
		     const struct pod_patch *note)
{
	json_object *notes = jx_need(meta, "annotations", json_type_object);
	char id[16];
	const bool none = !note->job_id;
	const struct condition to = {
		WK_BRIDGE_CONDITION, none ? "False" : "True",
		none ? "BoundByOthers" : WK_BRIDGE_CONDITION_REASON, id,
		note->since_ms};
	int bad;

	if (!notes)
		return -ENOMEM;
	snprintf(id, sizeof(id), "%u", (unsigned)note->job_id);
	bad = set_job_id(notes, WK_BRIDGE_JOB_ID, note->job_id);
	bad |= set_condition(patch, &to);
	bad |= set_proof(patch, to, WK_BRIDGE_CONDITION_NODE, note->node, true);
	bad |= set_proof(patch, to, WK_BRIDGE_CONDITION_GROUP, note->group,
			 none);
	bad |= set_proof(patch, to, WK_BRIDGE_CONDITION_BY, note->by, none);
	return bad;
}

json_object *pod_patch_disruption(const char *uid, const char *message,
				  int64_t since_ms)
{
	_cleanup_json_ json_object *patch = json_object_new_object();
	json_object *meta =
		patch ? jx_need(patch, "metadata", json_type_object) : NULL;
	char text[BRIDGENOTES_MESSAGE_MAX];
	const struct condition to = {"DisruptionTarget", "True",
				     "PreemptionByScheduler", text, since_ms};

	if (!meta)
		return NULL;
	snprintf(text, sizeof(text), "Slurm: %s", message);
	str_sanitize(text);
	return jx_set_str(meta, "uid", uid) | set_condition(patch, &to)
		       ? NULL
		       : steal_ptr(patch);
}

json_object *pod_patch_patch(const char *uid, const struct pod_patch *note)
{
	_cleanup_json_ json_object *patch = json_object_new_object();
	json_object *meta, *labels;
	int bad;

	meta = patch ? jx_need(patch, "metadata", json_type_object) : NULL;
	labels = meta ? jx_need(meta, "labels", json_type_object) : NULL;
	if (!labels)
		return NULL;
	bad = jx_set_str(meta, "uid", uid);
	bad |= set_job_id(labels, WK_BRIDGE_JOB_ID, note->job_id);
	bad |= set_job_id(labels, WK_BRIDGE_JOB_ID_SLINKY, note->job_id);
	if (note->bound)
		bad |= set_bound(patch, meta, note);
	if (note->queue)
		bad |= set_queue(meta, note->queue);
	if (note->reason)
		bad |= set_unscheduled(patch, note);
	return bad ? NULL : steal_ptr(patch);
}
