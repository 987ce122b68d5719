/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/bridged_pod.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "objects/foreign_keys.h"
#include "syntax/names.h"
#include "syntax/sbatch_text.h"
#include "syntax/wellknown.h"

#define NAME_MAX_LEN 254 /* bytes of a name of Kubernetes, with NUL */
#define UID_MAX_LEN 64
#define GRACE_DEFAULT_S 30 /* default of a PodSpec */
#define GRACE_MAX_S 86400
#define EXIT_UNKNOWN 1 /* the pod failed, and no container says how */

/* What the containers' statuses come to. */
struct ends {
	size_t n;	 /* number of statuses */
	size_t running;	 /* running, or in a state that we do not know */
	size_t waiting;	 /* waiting: neither running nor ended */
	size_t debugs;	 /* ephemeral containers that run */
	int code;	 /* exit code of the first that failed; 0: none */
	int64_t at_ms;	 /* epoch: when that one failed */
	int64_t last_ms; /* when the last one ended, but for sidecars; or -1 */
};

static json_object *list_of(const json_object *o, const char *key)
{
	json_object *list = jx_get(o, key);

	return jx_is(list, json_type_array) ? list : NULL;
}

/*
 * The names of sidecars, as keys: one is killed when the pod ends, and its exit
 * code is no failure. A pod may have thousands of containers, so none is looked
 * for in a list. NULL: it has none, or there is no memory.
 */
static json_object *sidecars_of(const json_object *spec)
{
	json_object *list = list_of(spec, "initContainers");
	json_object *out = NULL;

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		json_object *c = json_object_array_get_idx(list, i);
		const char *name = jx_str(c, "name");

		if (!name || !str_eq(jx_str(c, "restartPolicy"), "Always"))
			continue;
		if (!out)
			out = json_object_new_object();
		if (!out || jx_set(out, name, json_object_new_boolean(true)))
			break;
	}
	return out;
}

static void read_status(const json_object *sidecars, const json_object *st,
			struct ends *e)
{
	json_object *ended = jx_get(st, "state", "terminated");
	const char *name = jx_str(st, "name");
	int64_t code = jx_int(jx_get(ended, "exitCode"), 0);
	int64_t at = clock_parse_rfc3339(jx_str(ended, "finishedAt"));

	e->n++;
	if (!ended && jx_get(st, "state", "waiting"))
		e->waiting++;
	else if (!ended)
		e->running++;
	if (!ended || (name && jx_get(sidecars, name)))
		return;
	e->last_ms = at > e->last_ms ? at : e->last_ms;
	if (!code || (e->code && at >= e->at_ms))
		return;
	e->code = code > 0 && code <= 255 ? (int)code : EXIT_UNKNOWN;
	e->at_ms = at;
}

/*
 * What `kubectl debug` has added may run when all else has ended. Whether it
 * fails, or ever begins, is nothing to the pod.
 */
static void read_ephemeral(const json_object *list, struct ends *e)
{
	for (size_t i = 0; list && i < json_object_array_length(list); i++)
		e->debugs += jx_get(json_object_array_get_idx(list, i), "state",
				    "running") != NULL;
}

static void read_ends(const json_object *pod, struct ends *e)
{
	static const char *const lists[] = {"initContainerStatuses",
					    "containerStatuses"};
	json_object *status = jx_get(pod, "status");
	_cleanup_json_ json_object *sidecars =
		status ? sidecars_of(jx_get(pod, "spec")) : NULL;

	for (int l = 0; l < 2; l++) {
		json_object *list = list_of(status, lists[l]);

		for (size_t i = 0; list && i < json_object_array_length(list);
		     i++)
			read_status(sidecars,
				    json_object_array_get_idx(list, i), e);
	}
	read_ephemeral(list_of(status, "ephemeralContainerStatuses"), e);
}

/* The condition of this type, if it is true; or NULL. */
static json_object *condition_of(const json_object *status, const char *type)
{
	json_object *list = list_of(status, "conditions");

	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		json_object *c = json_object_array_get_idx(list, i);

		if (str_eq(jx_str(c, "type"), type) &&
		    str_eq(jx_str(c, "status"), "True"))
			return c;
	}
	return NULL;
}

static bool is_collected(const json_object *pod)
{
	json_object *c =
		condition_of(jx_get(pod, "status"), "DisruptionTarget");

	return str_eq(jx_str(c, "reason"), "DeletionByPodGC");
}

/*
 * A container that has ended is proof only if none is started anew: not after
 * the kubelet's verdict on the pod (then one that waits never begins: an init
 * container has failed, say), and not in a pod that is being deleted and
 * restarts nothing. Besides the kubelet only Kubernetes' collector of pods sets
 * Failed, on pods that it deletes because their node is gone, and says so
 * (pkg/controller/podgc).
 */
static bool has_ended(const json_object *pod, const struct bridged_pod *p,
		      const struct ends *e)
{
	if (!*p->node)
		return true;
	if (e->running || (e->waiting && is_collected(pod)))
		return false;
	if (phase_is_end(p->phase))
		return true;
	return p->deleting && e->n && !e->waiting && !e->debugs &&
	       str_eq(jx_str(pod, "spec", "restartPolicy"), "Never");
}

static uint32_t grace(int64_t s)
{
	return s < 0 ? 0 : s < GRACE_MAX_S ? (uint32_t)s : GRACE_MAX_S;
}

/*
 * True if the pod ran on when it was deleted. (A deletion's time is when the
 * pod is to be killed. Both times are whole seconds, of two machines: within
 * one second it is rather the deletion that ended the pod.)
 */
static bool is_cut_short(const json_object *meta, const struct bridged_pod *p,
			 const struct ends *e)
{
	const int64_t grace_s =
		grace(jx_int(jx_get(meta, "deletionGracePeriodSeconds"), 0));

	return p->deadline_ms >= 0 &&
	       e->last_ms >= p->deadline_ms - grace_s * 1000;
}

static bool is_scale_told(const json_object *notes)
{
	return jx_get(notes, WK_SCALE_SAFE) || jx_get(notes, WK_SCALE_KEEP);
}

/* The message of the condition of this type, if it is true; or NULL. */
static const char *message_of(const json_object *status, const char *type)
{
	return jx_str(condition_of(status, type), "message");
}

int64_t bridged_pod_probe_grace(const json_object *pod, const char **kind)
{
	static const char *const lists[] = {"initContainers", "containers"};
	static const char *const probes[] = {"livenessProbe", "startupProbe"};
	int64_t most = 0;

	for (int l = 0; l < 2; l++) {
		json_object *list = list_of(jx_get(pod, "spec"), lists[l]);
		const size_t n = list ? json_object_array_length(list) : 0;

		for (size_t i = 0; i < 2 * n; i++) {
			json_object *c = json_object_array_get_idx(list, i / 2);
			const int64_t s =
				jx_int(jx_get(c, probes[i % 2],
					      "terminationGracePeriodSeconds"),
				       0);

			if (s <= most)
				continue;
			most = s;
			*kind = probes[i % 2];
		}
	}
	return most;
}

static void read_grace(const json_object *pod, struct bridged_pod *p)
{
	const int64_t own =
		jx_int(jx_get(pod, "spec", "terminationGracePeriodSeconds"),
		       GRACE_DEFAULT_S);
	const char *kind;

	p->own_grace_s = grace(own);
	p->probe_grace_s = grace(bridged_pod_probe_grace(pod, &kind));
	p->grace_s = grace(jx_int(
		jx_get(pod, "metadata", "deletionGracePeriodSeconds"), own));
}

/* Source: slurm.h; NO_VAL and what is above it is no job's id. */
#define JOB_ID_MAX 0xfffffffdll

static uint32_t job_id_of(const char *text)
{
	int64_t id;

	/* Ids of a federation have the cluster's number in their high bits. */
	if (!text || sbatch_number(text, &id) || id < 1 || id > JOB_ID_MAX)
		return 0;
	return (uint32_t)id;
}

/*
 * Find who has bound it. We have marked it with job and node, and then sent a
 * binding; the API server accepts one of a pod only. So it is on that node, or
 * an earlier binding of ours was carried out late (each writes its node on the
 * pod when it is, and its author can harm himself only if he forges that), or
 * another has bound it.
 */
static uint32_t find_binder(const json_object *pod, struct bridged_pod *p)
{
	const json_object *status = jx_get(pod, "status");
	const char *by = message_of(status, WK_BRIDGE_CONDITION);
	const char *to = message_of(status, WK_BRIDGE_CONDITION_NODE);
	const char *node = jx_str(pod, "spec", "nodeName");
	const uint32_t id = job_id_of(by);

	if (!id || !to || !node || !*node)
		return id;
	p->elsewhere = strcmp(to, node) != 0;
	p->disowned =
		p->elsewhere && !str_eq(jx_str(pod, "metadata", "annotations",
					       WK_BRIDGE_NODE_SLINKY),
					node);
	p->elsewhere &= !p->disowned;
	p->sure = !p->disowned;
	return p->disowned ? 0 : id;
}

bool bridged_pod_end_unread(struct bridged_pod *p, enum pod_phase phase)
{
	if (p->ended || !*p->node || !phase_is_end(phase))
		return false;
	p->phase = phase;
	p->exit_code = phase == POD_FAILED ? EXIT_UNKNOWN : 0;
	p->failed_ms = INT64_MAX;
	p->ended = true;
	return true;
}

uint32_t bridged_pod_bound_by(const json_object *pod)
{
	struct bridged_pod p;

	return find_binder(pod, &p);
}

/*
 * The message of the condition of this type, if we have bound the pod. NULL: it
 * has none, or we have not.
 */
static const char *proof_of(const json_object *pod, const char *type)
{
	const char *node = jx_str(pod, "spec", "nodeName");

	return node && *node && bridged_pod_bound_by(pod)
		       ? message_of(jx_get(pod, "status"), type)
		       : NULL;
}

/* The restart attempt of the pod's JobSet, by its label; 0: none. */
static uint32_t attempt_of(const json_object *meta)
{
	const char *text = jx_str(meta, "labels", LABEL_ATTEMPT);
	int64_t n;

	if (!text || sbatch_number(text, &n) || n < 0 || n > INT32_MAX)
		return 0;
	return (uint32_t)n;
}

/* Copy `src` to *at, at most `max` with its NUL, and move *at behind it. */
static const char *keep(char **at, const char *src, size_t max)
{
	char *dst = *at;

	str_copy(dst, src ? src : "", max);
	str_sanitize(dst);
	*at += strlen(dst) + 1;
	return dst;
}

static size_t room(const char *src, size_t max)
{
	return (src ? strnlen(src, max - 1) : 0) + 1;
}

struct bridged_pod *bridged_pod_of(const json_object *pod)
{
	json_object *meta = jx_get(pod, "metadata");
	json_object *status = jx_get(pod, "status");
	json_object *gates = list_of(jx_get(pod, "spec"), "schedulingGates");
	struct ends ends = {.last_ms = -1};
	const struct {
		const char *src;
		size_t max;
	} texts[] = {
		{jx_str(meta, "name"), NAME_MAX_LEN},
		{jx_str(meta, "namespace"), UID_MAX_LEN},
		{jx_str(meta, "uid"), UID_MAX_LEN},
		{jx_str(pod, "spec", "nodeName"), NAME_MAX_LEN},
		{proof_of(pod, WK_BRIDGE_CONDITION_GROUP), BPOD_GROUP_MAX},
		{proof_of(pod, WK_BRIDGE_CONDITION_BY), CLAIM_LEASE_MAX},
	};
	const char *died = jx_str(meta, "deletionTimestamp");
	const char *kept[sizeof(texts) / sizeof(*texts)];
	size_t size = sizeof(struct bridged_pod);
	struct bridged_pod *p;
	char *at;

	for (int i = 0; i < 3; i++)
		if (!texts[i].src || !*texts[i].src)
			return NULL;
	read_ends(pod, &ends);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		size += room(texts[i].src, texts[i].max);
	p = calloc(1, size);
	if (!p)
		return NULL;
	at = p->text;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		kept[i] = keep(&at, texts[i].src, texts[i].max);
	p->name = kept[0];
	p->ns = kept[1];
	p->uid = kept[2];
	p->node = kept[3];
	p->group = kept[4];
	p->by = kept[5];
	p->created_ms = clock_parse_rfc3339(jx_str(meta, "creationTimestamp"));
	p->deleting = died != NULL;
	p->deadline_ms = died ? clock_parse_rfc3339(died) : -1;
	read_grace(pod, p);
	p->job_id =
		*p->node ? find_binder(pod, p)
			 : job_id_of(jx_str(meta, "labels", WK_BRIDGE_JOB_ID));
	p->attempt = attempt_of(meta);
	p->phase = worker_pod_phase(jx_str(status, "phase"));
	p->scale_told = is_scale_told(jx_get(meta, "annotations"));
	p->respecced = jx_int(jx_get(meta, "generation"), 1) > 1;
	p->gated = gates && json_object_array_length(gates);
	p->failed_ms = ends.code && ends.at_ms >= 0 ? ends.at_ms : INT64_MAX;
	if (p->phase == POD_FAILED)
		p->exit_code = ends.code ? ends.code : EXIT_UNKNOWN;
	p->begun = ends.n > 0;
	p->ended = has_ended(pod, p, &ends);
	p->cut_short = is_cut_short(meta, p, &ends);
	return p;
}

void bridged_pod_free(struct bridged_pod *p)
{
	free(p);
}
