/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON as the API server might send it: a PodGroup, a Workload, or another
 * object that holds pods together. */
#include "fuzz.h"
#include "objects/scheduling_group.h"
#include "objects/workload.h"

/* A PodGroup, or Workload, of each version; and what would be said of it. */
static void check_podgroup(const json_object *o)
{
	static const char *const versions[] = {"v1beta1", "v1alpha2"};
	char name[WORKLOAD_NAME_MAX] = "";
	enum workload_kind kind;
	struct err err = {0};

	promise_err(scheduling_group_check(jx_get(o, "spec"), &err), &err);
	scheduling_group_workload(o, name);
	promise_clean(name);
	if (scheduling_group_controller(o, &kind, name))
		PROMISE(*name && kind > WORKLOAD_PODGROUP &&
			kind != WORKLOAD_VOLCANO && kind < WORKLOAD_KINDS);
	promise_clean(name);
	for (int i = 0; i < 4; i++) {
		_cleanup_json_ json_object *status =
			scheduling_group_status(o, versions[i / 2]);
		const struct scheduling_group_note note = {
			.version = versions[i / 2],
			.uid = "u",
			.resource_version = "1",
			.status = status,
			.scheduled = i % 2,
			.message = "words"};
		_cleanup_json_ json_object *patch =
			scheduling_group_patch(&note);

		PROMISE(!scheduling_group_is_scheduled(status) || !patch);
		PROMISE(status ||
			(patch && !scheduling_group_is_foreign(status)));
	}
}

/* The same text as each kind's object. */
static void check_take(const json_object *o)
{
	struct workload w;
	bool alone;

	for (int k = 0; k < WORKLOAD_KINDS; k++) {
		w = (struct workload){.kind = (enum workload_kind)k,
				      .ns = "team-a",
				      .name = "g",
				      .part = "a"};
		if (!workload_take(&w, o, &alone, NULL))
			PROMISE(alone || (w.members &&
					  w.members <= WORKLOAD_MEMBERS_MAX));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_json_ json_object *o = NULL;

	if (jx_parse((const char *)data, len, &o, NULL))
		return 0;
	check_podgroup(o);
	check_take(o);
	return 0;
}
