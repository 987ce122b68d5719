/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/workload.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "objects/foreign_keys.h"
#include "objects/scheduling_group.h"
#include "syntax/names.h"
#include "syntax/sbatch_text.h"
#include "syntax/wellknown.h"

#define TASK_GROUPS_TEXT_MAX (16 * 1024) /* bytes of YuniKorn's annotation */

static const struct workload_api apis[WORKLOAD_KINDS] = {
	[WORKLOAD_POD] = {"Pod", "", "pods", {"v1"}},
	[WORKLOAD_GROUP] = {"SchedulingPodGroup",
			    "scheduling.k8s.io",
			    "podgroups",
			    {"v1beta1", "v1alpha3", "v1alpha2"}},
	[WORKLOAD_WORKLOAD] = {"Workload",
			       "scheduling.k8s.io",
			       "workloads",
			       {"v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"}},
	[WORKLOAD_PODGROUP] = {"PodGroup",
			       "scheduling.x-k8s.io",
			       "podgroups",
			       {"v1alpha1"}},
	[WORKLOAD_VOLCANO] = {"VolcanoPodGroup",
			      "scheduling.volcano.sh",
			      "podgroups",
			      {"v1beta1"}},
	[WORKLOAD_LWS] = {"LeaderWorkerSet",
			  "leaderworkerset.x-k8s.io",
			  "leaderworkersets",
			  {"v1"}},
	[WORKLOAD_JOBSET] = {"JobSet",
			     "jobset.x-k8s.io",
			     "jobsets",
			     {"v1alpha2"}},
	[WORKLOAD_JOB] = {"Job", "batch", "jobs", {"v1"}},
	[WORKLOAD_REPLICASET] = {"ReplicaSet", "apps", "replicasets", {"v1"}},
	[WORKLOAD_STATEFULSET] = {"StatefulSet",
				  "apps",
				  "statefulsets",
				  {"v1"}},
};

const struct workload_api *workload_api(enum workload_kind kind)
{
	return &apis[kind];
}

bool workload_kind_of(const char *name, enum workload_kind *out)
{
	for (int k = 0; k < WORKLOAD_KINDS; k++)
		if (!strcmp(apis[k].kind, name)) {
			*out = (enum workload_kind)k;
			return true;
		}
	return false;
}

static int take(const char *what, const char *text, char *dst, size_t size,
		struct err *err)
{
	if (!text || !name_is_subdomain(text) || strlen(text) >= size)
		return err_set(err, -EINVAL, "%s '%.100s' is no name", what,
			       text ? text : "");
	str_copy(dst, text, size);
	return 0;
}
#define TAKE(what, text, field, err) take(what, text, field, sizeof(field), err)

/* Copy a part of a group, which is a label's value. */
static int take_part(const char *what, const char *text, char *dst, size_t size,
		     struct err *err)
{
	if (!*text || !name_is_label_value(text))
		return err_set(err, -EINVAL, "%s '%.100s' is malformed", what,
			       text);
	str_copy(dst, text, size);
	return 0;
}

/* Read a number of pods. */
static int take_members(const char *what, const char *text, uint32_t *out,
			struct err *err)
{
	int64_t n;

	if (sbatch_number(text, &n) || n < 1 || n > WORKLOAD_MEMBERS_MAX)
		return err_set(err, -EINVAL, "%s '%.20s' is not from 1 to %d",
			       what, text, WORKLOAD_MEMBERS_MAX);
	*out = (uint32_t)n;
	return 0;
}

int workload_alone(const json_object *pod, struct workload *w, struct err *err)
{
	json_object *meta = jx_get(pod, "metadata");
	const char *uid = jx_str(meta, "uid"), *ns = jx_str(meta, "namespace");
	int rc;

	*w = (struct workload){.members = 1};
	if (!uid || !*uid || strlen(uid) >= sizeof(w->uid) ||
	    strspn(uid, "0123456789abcdefABCDEF-") != strlen(uid))
		return err_set(err, -EINVAL, "a pod without a uid");
	if (!ns || !name_is_dns_label(ns))
		return err_set(err, -EINVAL, "a pod without a namespace");
	str_copy(w->uid, uid, sizeof(w->uid));
	str_copy(w->ns, ns, sizeof(w->ns));
	rc = TAKE("a pod's name", jx_str(meta, "name"), w->name, err);
	return rc;
}

/*
 * The pod's controller, by its owner references, if it is of this kind; or
 * NULL.
 */
static json_object *owner_of(const json_object *pod, enum workload_kind kind)
{
	const char *group = apis[kind].group;
	json_object *owners = jx_get(pod, "metadata", "ownerReferences");

	if (!jx_is(owners, json_type_array))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(owners); i++) {
		json_object *o = json_object_array_get_idx(owners, i);
		const char *version = jx_str(o, "apiVersion");

		if (json_object_get_boolean(jx_get(o, "controller")) &&
		    str_eq(jx_str(o, "kind"), apis[kind].kind) && version &&
		    str_starts(version, group) && version[strlen(group)] == '/')
			return o;
	}
	return NULL;
}

/*
 * The object above a pod whose annotations count, too. (A Deployment's are
 * copied to its ReplicaSets by Kubernetes.)
 */
static int find_top(const json_object *pod, struct workload *w, struct err *err)
{
	static const enum workload_kind sets[] = {WORKLOAD_REPLICASET,
						  WORKLOAD_STATEFULSET};
	json_object *owner = owner_of(pod, WORKLOAD_JOB);
	const char *set = jx_str(pod, "metadata", "labels", LABEL_JOBSET);

	if (owner) {
		w->top = set && *set ? WORKLOAD_JOBSET : WORKLOAD_JOB;
		return w->top == WORKLOAD_JOBSET
			       ? TAKE("label " LABEL_JOBSET, set, w->top_name,
				      err)
			       : TAKE("the owning Job", jx_str(owner, "name"),
				      w->top_name, err);
	}
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		owner = owner_of(pod, sets[i]);
		if (!owner)
			continue;
		w->top = sets[i];
		return TAKE("the owner", jx_str(owner, "name"), w->top_name,
			    err);
	}
	return 0;
}

/* Make it the group of an object with this name, and not the pod's own. */
static int named(struct workload *w, enum workload_kind kind, const char *what,
		 const char *name, struct err *err)
{
	w->kind = kind;
	w->members = 0;
	*w->uid = '\0';
	return TAKE(what, name, w->name, err);
}

static int of_workload(const json_object *ref, struct workload *w,
		       struct err *err)
{
	const char *group = jx_str(ref, "podGroup");
	const char *replica = jx_str(ref, "podGroupReplicaKey");
	int rc = named(w, WORKLOAD_WORKLOAD, "workloadRef", jx_str(ref, "name"),
		       err);

	if (rc)
		return rc;
	if (!group || !name_is_dns_label(group) ||
	    (replica && !name_is_dns_label(replica)))
		return err_set(err, -EINVAL,
			       "workloadRef names no podGroup or replica");
	snprintf(w->part, sizeof(w->part), "%s%s%s", group, replica ? "/" : "",
		 replica ? replica : "");
	return 0;
}

static int of_lws(const json_object *meta, const char *name, struct workload *w,
		  struct err *err)
{
	const char *part = jx_str(meta, "labels", LABEL_LWS_GROUP);
	const char *size = jx_str(meta, "annotations", NOTE_LWS_SIZE);
	int rc = named(w, WORKLOAD_LWS, "label " LABEL_LWS, name, err);

	if (!rc)
		rc = take_part("label " LABEL_LWS_GROUP, part ? part : "",
			       w->part, sizeof(w->part), err);
	if (!rc && size)
		rc = take_members("annotation " NOTE_LWS_SIZE, size,
				  &w->members, err);
	return rc;
}

/*
 * Read whether a gang is asked for. -EINVAL: the text is neither "true" nor
 * "false".
 */
static int wants_gang(const json_object *notes, bool *out, struct err *err)
{
	const char *text = jx_str(notes, WK_ASK WK_ASK_GANG);

	*out = str_eq(text, "true");
	if (text && !*out && strcmp(text, "false") != 0)
		return err_set(err, -EINVAL,
			       "annotation " WK_ASK WK_ASK_GANG
			       ": '%.20s' is neither true nor false",
			       text);
	return 0;
}

/*
 * Take from YuniKorn's list of task groups how many pods of this pod's one
 * start together: [{"name": "workers", "minMember": 4}].
 */
static int take_task_group(const char *groups, const char *name,
			   uint32_t *members, struct err *err)
{
	_cleanup_json_ json_object *list = NULL;
	json_object *group;
	int64_t n;

	if (strlen(groups) > TASK_GROUPS_TEXT_MAX ||
	    jx_parse(groups, strlen(groups), &list, NULL) ||
	    !jx_is(list, json_type_array))
		return err_set(err, -EINVAL,
			       "annotation " NOTE_YUNIKORN_GROUPS
			       " is no list in JSON of at most %d bytes",
			       TASK_GROUPS_TEXT_MAX);
	group = jx_by_name(list, name);
	n = jx_int(jx_get(group, "minMember"), 0);
	if (n < 1 || n > WORKLOAD_MEMBERS_MAX)
		return err_set(err, -EINVAL,
			       "annotation " NOTE_YUNIKORN_GROUPS
			       ": '%.60s' is not there, or its minMember is "
			       "not from 1 to %d",
			       name, WORKLOAD_MEMBERS_MAX);
	*members = (uint32_t)n;
	return 0;
}

/*
 * True for a pod of a task group of YuniKorn's, which takes a pod without one
 * of the two annotations for a pod by itself. Our own annotation wins.
 */
static bool is_yunikorns(const json_object *notes)
{
	const char *groups = jx_str(notes, NOTE_YUNIKORN_GROUPS);
	const char *group = jx_str(notes, NOTE_YUNIKORN_GROUP);

	return groups && *groups && group && *group;
}

/* Take from a gang's pods how many start together; 0: they do not say. */
static int take_gang_size(const json_object *notes, struct workload *w,
			  struct err *err)
{
	const char *size = jx_str(notes, WK_ASK WK_ASK_GANG_SIZE);

	if (size)
		return take_members("annotation " WK_ASK WK_ASK_GANG_SIZE, size,
				    &w->members, err);
	if (jx_str(notes, WK_ASK WK_ASK_GANG))
		return 0;
	return take_task_group(jx_str(notes, NOTE_YUNIKORN_GROUPS),
			       jx_str(notes, NOTE_YUNIKORN_GROUP), &w->members,
			       err);
}

/* Find the group of a pod of a Job, of a JobSet's Job, or of neither. */
static int of_job(const json_object *pod, struct workload *w, struct err *err)
{
	json_object *meta = jx_get(pod, "metadata");
	json_object *job = owner_of(pod, WORKLOAD_JOB);
	json_object *notes = jx_get(meta, "annotations");
	bool gang;
	int rc = wants_gang(notes, &gang, err);

	if (rc)
		return rc;
	if (!job && gang)
		return err_set(err, -EINVAL,
			       "annotation " WK_ASK WK_ASK_GANG
			       " is for pods of a Job or JobSet");
	rc = find_top(pod, w, err);
	if (!jx_str(notes, WK_ASK WK_ASK_GANG))
		gang = w->top == WORKLOAD_JOB && is_yunikorns(notes);
	if (rc || !gang)
		return rc;
	rc = named(w, w->top, "the owner", w->top_name, err);
	if (w->kind == WORKLOAD_JOB && jx_str(job, "uid"))
		str_copy(w->uid, jx_str(job, "uid"), sizeof(w->uid));
	str_sanitize(w->uid);
	w->top = WORKLOAD_POD;
	*w->top_name = '\0';
	return rc ? rc : take_gang_size(notes, w, err);
}

/*
 * The name of a pod's PodGroup of Volcano, and in *key by which annotation.
 * NULL: it is in none; our own annotation wins.
 */
static const char *volcano_group(const json_object *notes, const char **key)
{
	const char *name = jx_str(notes, NOTE_VOLCANO);

	*key = name && *name ? NOTE_VOLCANO : NOTE_VOLCANO_OLD;
	name = jx_str(notes, *key);
	return name && *name && !jx_str(notes, WK_ASK WK_ASK_GANG) ? name
								   : NULL;
}

static int of_volcano(const json_object *pod, const char *key, const char *name,
		      struct workload *w, struct err *err)
{
	char what[96];
	int rc;

	snprintf(what, sizeof(what), "annotation %s", key);
	rc = named(w, WORKLOAD_VOLCANO, what, name, err);
	/* What is above the pod speaks, too, as of a built-in PodGroup. */
	return rc ? rc : find_top(pod, w, err);
}

/* Find the group of a pod besides a group of the built-in API. */
static int of_others(const json_object *pod, struct workload *w,
		     struct err *err)
{
	json_object *meta = jx_get(pod, "metadata");
	json_object *labels = jx_get(meta, "labels");
	const char *podgroup = jx_str(labels, LABEL_PODGROUP);
	const char *lws = jx_str(labels, LABEL_LWS);
	const char *key,
		*volcano = volcano_group(jx_get(meta, "annotations"), &key);

	if (!podgroup || !*podgroup)
		podgroup = jx_str(labels, LABEL_PODGROUP_OLD);
	if (podgroup && *podgroup)
		return named(w, WORKLOAD_PODGROUP, "label " LABEL_PODGROUP,
			     podgroup, err);
	if (volcano)
		return of_volcano(pod, key, volcano, w, err);
	if (lws && *lws)
		return of_lws(meta, lws, w, err);
	return of_job(pod, w, err);
}

int workload_of(const json_object *pod, struct workload *w, struct err *err)
{
	json_object *name =
		jx_get(pod, "spec", "schedulingGroup", "podGroupName");
	json_object *ref = jx_get(pod, "spec", "workloadRef");
	int rc = workload_alone(pod, w, err);

	if (rc)
		return rc;
	if (name)
		rc = named(
			w, WORKLOAD_GROUP, "schedulingGroup",
			jx_str(pod, "spec", "schedulingGroup", "podGroupName"),
			err);
	else if (jx_is(ref, json_type_object))
		rc = of_workload(ref, w, err);
	else
		return of_others(pod, w, err);
	/*
	 * The built-in groups: what is above the pod speaks, too. (With
	 * scheduler-plugins' PodGroup that alone speaks, as in slurm-bridge.)
	 */
	return rc ? rc : find_top(pod, w, err);
}

int workload_besides(const json_object *pod, struct workload *w,
		     struct err *err)
{
	const char *name =
		jx_str(pod, "spec", "schedulingGroup", "podGroupName");
	int rc = workload_alone(pod, w, err);

	if (!rc && name)
		rc = TAKE("schedulingGroup", name, w->group, err);
	return rc ? rc : of_others(pod, w, err);
}

/* Copy the word at *at, up to a blank. False: it is none, or too long. */
static bool take_word(const char **at, char *out, size_t size)
{
	const size_t len = strcspn(*at, " ");

	if (!len || len >= size)
		return false;
	snprintf(out, size, "%.*s", (int)len, *at);
	*at += len + ((*at)[len] == ' ');
	return true;
}
#define TAKE_WORD(at, field) take_word(at, field, sizeof(field))

/*
 * Take the words of a mark behind kind and namespace. False: they are
 * malformed.
 */
static bool take_marked(const char **at, struct workload *w)
{
	if (w->kind == WORKLOAD_POD)
		return TAKE_WORD(at, w->uid);
	if (!TAKE_WORD(at, w->name))
		return false;
	if (w->kind == WORKLOAD_JOB)
		return TAKE_WORD(at, w->uid);
	return !**at || TAKE_WORD(at, w->part);
}

bool workload_of_mark(const char *mark, const json_object *pod,
		      struct workload *w)
{
	struct workload alone, is = {.members = 0};
	char kind[64];
	const char *at = mark;
	const size_t len = strlen(mark);

	if (!TAKE_WORD(&at, kind) || !workload_kind_of(kind, &is.kind) ||
	    !TAKE_WORD(&at, is.ns) || !take_marked(&at, &is) || *at ||
	    mark[len - 1] == ' ' || is.kind > WORKLOAD_VOLCANO ||
	    workload_alone(pod, &alone, NULL) || strcmp(alone.ns, is.ns) != 0 ||
	    (is.kind == WORKLOAD_POD && strcmp(alone.uid, is.uid) != 0))
		return false;
	*w = is.kind == WORKLOAD_POD ? alone : is;
	return true;
}

bool workload_is_built_in(const struct workload *w)
{
	return w->kind == WORKLOAD_GROUP || w->kind == WORKLOAD_WORKLOAD;
}

bool workload_is_gang(const struct workload *w)
{
	return w->kind != WORKLOAD_POD;
}

/* Pods of a Job at once: batch/v1, both default to 1 or to each other. */
static int64_t job_pods(const json_object *spec, const json_object *status)
{
	int64_t parallelism = jx_int(jx_get(spec, "parallelism"), 1);
	int64_t completions = jx_int(jx_get(spec, "completions"), -1);
	int64_t done = jx_int(jx_get(status, "succeeded"), 0);

	if (completions < 0 || done < 0)
		return parallelism;
	completions = completions > done ? completions - done : 0;
	return completions < parallelism ? completions : parallelism;
}

/* The pods of a Job in a JobSet: all, or those that run at once. */
static int64_t child_pods(const json_object *spec, bool all)
{
	int64_t completions = jx_int(jx_get(spec, "completions"), -1);

	return all && completions >= 0 ? completions : job_pods(spec, NULL);
}

static int64_t jobset_pods(const json_object *spec, bool all)
{
	json_object *jobs = jx_get(spec, "replicatedJobs");
	int64_t sum = 0;

	if (!jx_is(jobs, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(jobs); i++) {
		json_object *job = json_object_array_get_idx(jobs, i);
		int64_t replicas = jx_int(jx_get(job, "replicas"), 1);
		int64_t pods = child_pods(jx_get(job, "template", "spec"), all);

		if (replicas < 0 || replicas > WORKLOAD_MEMBERS_MAX ||
		    pods < 0 || pods > WORKLOAD_MEMBERS_MAX)
			return -1;
		sum += replicas * pods;
		if (sum > WORKLOAD_MEMBERS_MAX)
			return -1;
	}
	return sum;
}

/* All pods of a JobSet; 0: not known. */
static uint32_t all_of_jobset(const json_object *spec)
{
	int64_t n = jobset_pods(spec, true);

	return n > 0 ? (uint32_t)n : 0;
}

static int64_t members_of(const struct workload *w, const json_object *object,
			  bool *alone)
{
	json_object *spec = jx_get(object, "spec");
	json_object *groups = jx_get(spec, "podGroups");
	char name[WORKLOAD_PART_MAX];

	switch (w->kind) {
	case WORKLOAD_GROUP:
		return scheduling_group_policy(jx_get(spec, "schedulingPolicy"),
					       alone);
	case WORKLOAD_WORKLOAD:
		str_copy(name, w->part, sizeof(name));
		name[strcspn(name, "/")] = '\0';
		return scheduling_group_policy(
			jx_get(jx_by_name(groups, name), "policy"), alone);
	case WORKLOAD_PODGROUP:
	case WORKLOAD_VOLCANO:
		return jx_int(jx_get(spec, "minMember"), 1);
	case WORKLOAD_LWS:
		return jx_int(jx_get(spec, "leaderWorkerTemplate", "size"), 1);
	case WORKLOAD_JOBSET:
		return jobset_pods(spec, false);
	case WORKLOAD_JOB:
		return job_pods(spec, jx_get(object, "status"));
	case WORKLOAD_POD:
	case WORKLOAD_REPLICASET:
	case WORKLOAD_STATEFULSET:
	case WORKLOAD_KINDS:
	default:
		return 1;
	}
}

int workload_take(struct workload *w, const json_object *object, bool *alone,
		  struct err *err)
{
	json_object *meta = jx_get(object, "metadata");
	const char *uid = jx_str(meta, "uid"), *kind = apis[w->kind].kind;
	int64_t n;
	int rc;

	*alone = false;
	if (!uid || !*uid || strlen(uid) >= sizeof(w->uid) ||
	    !str_eq(jx_str(meta, "name"), w->name) ||
	    !str_eq(jx_str(meta, "namespace"), w->ns))
		return err_set(err, -EINVAL, "it is not %s %s", kind, w->name);
	if (*w->uid && strcmp(w->uid, uid) != 0)
		return err_set(err, -ESTALE, "%s %s is another one now", kind,
			       w->name);
	rc = w->kind == WORKLOAD_GROUP
		     ? scheduling_group_check(jx_get(object, "spec"), err)
		     : 0;
	if (rc)
		return rc;
	n = members_of(w, object, alone);
	if (!*alone && !w->members && (n < 1 || n > WORKLOAD_MEMBERS_MAX))
		return err_set(err, -EINVAL,
			       "%s %s is not of 1 to %d pods that start "
			       "together",
			       kind, w->name, WORKLOAD_MEMBERS_MAX);
	str_copy(w->uid, uid, sizeof(w->uid));
	str_sanitize(w->uid);
	if (*alone)
		return 0;
	if (w->kind == WORKLOAD_JOBSET)
		w->all = all_of_jobset(jx_get(object, "spec"));
	/* The last pods of a Job may be fewer than its gang-size. */
	if (!w->members || (w->kind == WORKLOAD_JOB && n > 0 && n < w->members))
		w->members = (uint32_t)n;
	return 0;
}

uint32_t workload_members(const struct workload *w, uint32_t done)
{
	const uint32_t left = w->all > done ? w->all - done : 1;

	return w->all && left < w->members ? left : w->members;
}

bool workload_has_ended(enum workload_kind kind, const json_object *object)
{
	json_object *all = jx_get(object, "status", "conditions");
	const char *good = kind == WORKLOAD_JOB ? "Complete" : "Completed";

	if ((kind != WORKLOAD_JOB && kind != WORKLOAD_JOBSET) ||
	    !jx_is(all, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(all); i++) {
		const json_object *c = json_object_array_get_idx(all, i);
		const char *type = jx_str(c, "type");

		if ((str_eq(type, good) || str_eq(type, "Failed")) &&
		    str_eq(jx_str(c, "status"), "True"))
			return true;
	}
	return false;
}

int workload_write(const struct workload *w, json_object *o)
{
	return jx_set_str(o, "kind", apis[w->kind].kind) ||
			       jx_set_str(o, "namespace", w->ns) ||
			       jx_set_str(o, "name", w->name) ||
			       (*w->part && jx_set_str(o, "part", w->part)) ||
			       jx_set_str(o, "uid", w->uid)
		       ? -ENOMEM
		       : 0;
}

bool workload_read(const json_object *o, struct workload *w)
{
	const char *kind = jx_str(o, "kind"), *ns = jx_str(o, "namespace"),
		   *name = jx_str(o, "name"), *part = jx_str(o, "part"),
		   *uid = jx_str(o, "uid");

	*w = (struct workload){0};
	if (!kind || !workload_kind_of(kind, &w->kind) || !ns ||
	    !name_is_dns_label(ns) || !name || !name_is_subdomain(name) ||
	    !uid || !*uid)
		return false;
	str_copy(w->ns, ns, sizeof(w->ns));
	str_copy(w->name, name, sizeof(w->name));
	str_copy(w->part, part ? part : "", sizeof(w->part));
	str_copy(w->uid, uid, sizeof(w->uid));
	str_sanitize(w->part);
	str_sanitize(w->uid);
	return true;
}

void workload_text(const struct workload *w, char out[WORKLOAD_TEXT_MAX])
{
	snprintf(out, WORKLOAD_TEXT_MAX, "%s %s/%s%s%s", apis[w->kind].kind,
		 w->ns, w->name, *w->part ? " " : "", w->part);
}
