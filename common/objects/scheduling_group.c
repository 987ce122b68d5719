/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/scheduling_group.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"

/* Names as in k8s.io/api. */
#define MESSAGE_MAX 1024 /* bytes of what a person reads */
#define REASON_SCHEDULED "Scheduled"
#define REASON_UNSCHEDULABLE "Unschedulable"

int64_t scheduling_group_policy(const json_object *policy, bool *basic)
{
	json_object *gang = jx_get(policy, "gang");

	*basic = !gang && jx_is(jx_get(policy, "basic"), json_type_object);
	return jx_int(jx_get(gang, "minCount"), 0);
}

bool scheduling_group_is_enough(const json_object *group, int64_t pods)
{
	bool basic = false;

	return pods > 0 &&
	       pods >= scheduling_group_policy(
			       jx_get(group, "spec", "schedulingPolicy"),
			       &basic);
}

/* --- what cannot be had */

/* True if the member is there, and is not empty. */
static bool is_set(const json_object *o)
{
	if (jx_is(o, json_type_array))
		return json_object_array_length(o) > 0;
	if (jx_is(o, json_type_object))
		return json_object_object_length(o) > 0;
	return o != NULL;
}

/* Constraints of which each says nothing are none. */
static bool is_constrained(const json_object *constraints)
{
	if (!jx_is(constraints, json_type_object))
		return is_set(constraints);
	json_object_object_foreach(constraints, key, val)
	{
		(void)key;
		if (is_set(val))
			return true;
	}
	return false;
}

enum disruption { DISRUPT_SINGLE, DISRUPT_ALL, DISRUPT_UNKNOWN };

/* A string in v1alpha2, an object with one member since. */
static enum disruption disruption_of(const json_object *mode)
{
	const char *text = NULL;

	if (!mode)
		return DISRUPT_SINGLE;
	if (jx_is(mode, json_type_string))
		text = json_object_get_string((json_object *)mode);
	if (str_eq(text, "Pod") || jx_get(mode, "single"))
		return DISRUPT_SINGLE;
	if (str_eq(text, "PodGroup") || jx_get(mode, "all"))
		return DISRUPT_ALL;
	return DISRUPT_UNKNOWN;
}

static int check_disruption(const json_object *spec, struct err *err)
{
	const enum disruption mode =
		disruption_of(jx_get(spec, "disruptionMode"));
	bool basic = false;

	scheduling_group_policy(jx_get(spec, "schedulingPolicy"), &basic);
	if (mode == DISRUPT_UNKNOWN)
		return err_set(err, -EINVAL,
			       "has a disruptionMode that is not known here");
	if (mode == DISRUPT_ALL && basic)
		return err_set(err, -EINVAL,
			       "has the basic policy and disruptionMode all: "
			       "each of its pods has a Slurm job of its own, "
			       "which ends without the others; a gang's pods "
			       "have one job");
	return 0;
}

int scheduling_group_check(const json_object *spec, struct err *err)
{
	if (is_set(jx_get(spec, "resourceClaims")))
		return err_set(err, -EINVAL,
			       "has resourceClaims, which Slurm cannot give: "
			       "ask for devices in the pods' resources");
	if (is_set(jx_get(spec, "parentCompositePodGroupName")))
		return err_set(err, -EINVAL,
			       "is part of a CompositePodGroup: a Slurm job "
			       "stands for one PodGroup only");
	if (is_constrained(jx_get(spec, "schedulingConstraints")))
		return err_set(err, -EINVAL,
			       "has schedulingConstraints: Slurm has a "
			       "topology of its own; ask for --switches or "
			       "--constraint by annotation");
	return check_disruption(spec, err);
}

/* --- what it was made of */

static bool take_name(const char *name, char out[WORKLOAD_NAME_MAX])
{
	*out = '\0';
	if (!name || !name_is_subdomain(name) ||
	    strlen(name) >= WORKLOAD_NAME_MAX)
		return false;
	str_copy(out, name, WORKLOAD_NAME_MAX);
	return true;
}

void scheduling_group_workload(const json_object *group,
			       char out[WORKLOAD_NAME_MAX])
{
	json_object *spec = jx_get(group, "spec");
	const char *name = jx_str(spec, "workloadRef", "workloadName");

	if (!name) /* v1alpha2 */
		name = jx_str(spec, "podGroupTemplateRef", "workload",
			      "workloadName");
	take_name(name, out);
}

bool scheduling_group_controller(const json_object *workload,
				 enum workload_kind *kind,
				 char name[WORKLOAD_NAME_MAX])
{
	json_object *ref = jx_get(workload, "spec", "controllerRef");
	const char *what = jx_str(ref, "kind");

	return what && workload_kind_of(what, kind) &&
	       *kind > WORKLOAD_PODGROUP && *kind != WORKLOAD_VOLCANO &&
	       str_eq(jx_str(ref, "apiGroup"), workload_api(*kind)->group) &&
	       take_name(jx_str(ref, "name"), name);
}

/* --- what is said of it */

static const char *condition_of(const char *version)
{
	return str_eq(version, "v1alpha2") ? GROUP_SCHEDULED
					   : GROUP_INITIALLY_SCHEDULED;
}

/*
 * The manager that wrote the condition: ours only if nobody else has written of
 * it.
 */
static const char *manager_of(const json_object *group, const char *type)
{
	json_object *all = jx_get(group, "metadata", "managedFields");
	const size_t n =
		jx_is(all, json_type_array) ? json_object_array_length(all) : 0;
	const char *found = NULL;
	char key[64];

	snprintf(key, sizeof(key), "k:{\"type\":\"%s\"}", type);
	for (size_t i = 0; i < n; i++) {
		json_object *o = json_object_array_get_idx(all, i);
		const char *name = jx_str(o, "manager");

		if (!name ||
		    !jx_get(o, "fieldsV1", "f:status", "f:conditions", key))
			continue;
		if (!str_eq(name, WK_FIELD_MANAGER))
			return name;
		found = name;
	}
	return found;
}

static json_object *find_condition(const json_object *group, const char *type)
{
	json_object *all = jx_get(group, "status", "conditions");

	if (!jx_is(all, json_type_array))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(all); i++) {
		json_object *c = json_object_array_get_idx(all, i);

		if (str_eq(jx_str(c, "type"), type))
			return c;
	}
	return NULL;
}

json_object *scheduling_group_status(const json_object *group,
				     const char *version)
{
	static const char *const texts[] = {"status", "reason", "message"};
	const char *type = condition_of(version);
	const char *manager = manager_of(group, type);
	json_object *c = find_condition(group, type);
	_cleanup_json_ json_object *out = NULL;
	int bad;

	if (!c || !(out = json_object_new_object()))
		return NULL;
	bad = jx_set_str(out, "manager", manager ? manager : "");
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *text = jx_str(c, texts[i]);

		bad |= text ? jx_set_str(out, texts[i], text) : 0;
	}
	bad |= jx_set(out, "observedGeneration",
		      json_object_new_int64(
			      jx_int(jx_get(c, "observedGeneration"), 0)));
	return bad ? NULL : steal_ptr(out);
}

bool scheduling_group_is_scheduled(const json_object *status)
{
	return str_eq(jx_str(status, "status"), "True");
}

bool scheduling_group_is_foreign(const json_object *status)
{
	return status && !str_eq(jx_str(status, "manager"), WK_FIELD_MANAGER);
}

/* --- what we say */

static bool says_so(const struct scheduling_group_note *note, const char *state,
		    const char *reason, const char *message)
{
	const json_object *s = note->status;

	return str_eq(jx_str(s, "status"), state) &&
	       str_eq(jx_str(s, "reason"), reason) &&
	       str_eq(jx_str(s, "message"), message) &&
	       jx_int(jx_get(s, "observedGeneration"), 0) == note->generation;
}

static int write_condition(json_object *c,
			   const struct scheduling_group_note *note,
			   const char *state, const char *reason,
			   const char *message)
{
	char date[CLOCK_RFC3339_MAX];
	int bad = jx_set_str(c, "type", condition_of(note->version));

	bad |= jx_set_str(c, "status", state);
	bad |= jx_set_str(c, "reason", reason);
	bad |= jx_set_str(c, "message", message);
	bad |= jx_set(c, "observedGeneration",
		      json_object_new_int64(note->generation));
	if (str_eq(jx_str(note->status, "status"), state))
		return bad; /* no transition: the time of the last one stays */
	return clock_write_rfc3339(note->at_ms, date)
		       ? bad | jx_set_str(c, "lastTransitionTime", date)
		       : -EINVAL;
}

json_object *scheduling_group_patch(const struct scheduling_group_note *note)
{
	const char *state = note->scheduled ? "True" : "False";
	const char *reason =
		note->scheduled ? REASON_SCHEDULED : REASON_UNSCHEDULABLE;
	_cleanup_json_ json_object *patch = NULL;
	json_object *meta, *status, *seq, *c;
	char message[MESSAGE_MAX];
	int bad;

	str_copy(message, note->message, sizeof(message));
	str_sanitize(message);
	if (scheduling_group_is_scheduled(note->status) ||
	    says_so(note, state, reason, message))
		return NULL;
	patch = json_object_new_object();
	meta = patch ? jx_need(patch, "metadata", json_type_object) : NULL;
	status = meta ? jx_need(patch, "status", json_type_object) : NULL;
	seq = status ? jx_need(status, "conditions", json_type_array) : NULL;
	c = seq ? json_object_new_object() : NULL;
	if (!c)
		return NULL;
	bad = jx_set_str(meta, "uid", note->uid);
	bad |= jx_set_str(meta, "resourceVersion", note->resource_version);
	bad |= write_condition(c, note, state, reason, message);
	return jx_append(seq, c) | bad ? NULL : steal_ptr(patch);
}
