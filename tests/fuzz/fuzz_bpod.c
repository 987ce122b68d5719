/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON as the API server might send it: a bridged pod, and what it belongs to,
 * and an object that it belongs to. */
#include <string.h>

#include "fuzz.h"
#include "model/bpod.h"
#include "model/podgroup.h"
#include "model/workload.h"

static void check_pod(const json_object *o)
{
	_cleanup_(bpod_freep) struct bpod *p = bpod_of(o);

	if (!p)
		return;
	PROMISE(*p->name && *p->ns && *p->uid);
	promise_clean(p->name);
	promise_clean(p->ns);
	promise_clean(p->uid);
	promise_clean(p->node);
	promise_clean(p->words);
	promise_clean(p->told);
	PROMISE(p->exit_code >= 0 && p->exit_code <= 255);
	PROMISE(p->grace_s <= 86400);
	PROMISE(*p->node || p->ended);
}

static void check_workload(const struct workload *w)
{
	char text[WORKLOAD_TEXT_MAX];

	PROMISE(*w->ns && *w->name && w->members <= WORKLOAD_MEMBERS_MAX);
	PROMISE(w->kind != WORKLOAD_POD || (*w->uid && w->members == 1));
	PROMISE(workload_same(w, w));
	workload_text(w, text);
	promise_clean(text);
	promise_clean(w->uid);
	promise_clean(w->top_name);
	promise_clean(w->group);
}

/* A PodGroup, or Workload, of each version; and what would be said of it. */
static void check_podgroup(const json_object *o)
{
	static const char *const versions[] = {"v1beta1", "v1alpha2"};
	char name[WORKLOAD_NAME_MAX] = "";
	enum workload_kind kind;
	struct err err = {0};

	promise_err(podgroup_check(jx_get(o, "spec"), &err), &err);
	podgroup_workload(o, name);
	promise_clean(name);
	if (podgroup_controller(o, &kind, name))
		PROMISE(*name && kind > WORKLOAD_PODGROUP &&
			kind < WORKLOAD_KINDS);
	promise_clean(name);
	for (int i = 0; i < 4; i++) {
		_cleanup_json_ json_object *status =
			podgroup_status(o, versions[i / 2]);
		const struct podgroup_note note = {.version = versions[i / 2],
						   .uid = "u",
						   .resource_version = "1",
						   .status = status,
						   .scheduled = i % 2,
						   .message = "words"};
		_cleanup_json_ json_object *patch = podgroup_patch(&note);

		PROMISE(!podgroup_is_scheduled(status) || !patch);
		PROMISE(status || (patch && !podgroup_is_foreign(status)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_json_ json_object *o = NULL;
	struct workload w;
	struct err err = {0};
	bool alone;
	int rc = jx_parse((const char *)data, len, &o, &err);

	promise_err(rc, &err);
	if (rc)
		return 0;
	check_pod(o);
	rc = workload_of(o, &w, &err);
	promise_err(rc, &err);
	if (!rc)
		check_workload(&w);
	rc = workload_besides(o, &w, NULL);
	if (!rc)
		check_workload(&w);
	check_podgroup(o);
	/* the same text as each kind's object */
	for (int k = 0; k < WORKLOAD_KINDS; k++) {
		w = (struct workload){.kind = (enum workload_kind)k,
				      .ns = "team-a",
				      .name = "g",
				      .part = "a"};
		if (!workload_take(&w, o, &alone, NULL))
			PROMISE(alone || (w.members &&
					  w.members <= WORKLOAD_MEMBERS_MAX));
	}
	return 0;
}
