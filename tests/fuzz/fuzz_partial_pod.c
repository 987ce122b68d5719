/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of a pod, by each table and of the whole. */
#include <string.h>

#include "fuzz.h"
#include "objects/bridged_pod.h"
#include "objects/held_pod.h"
#include "objects/partial_pod.h"
#include "objects/pod_requests.h"
#include "objects/workload.h"
#include "json/json.h"

#define SAME(a, b, field) PROMISE((a)->field == (b)->field)
#define SAME_TEXT(a, b, field) PROMISE(!strcmp((a)->field, (b)->field))

static void compare_bpod(const struct bridged_pod *a,
			 const struct bridged_pod *b)
{
	SAME_TEXT(a, b, name);
	SAME_TEXT(a, b, ns);
	SAME_TEXT(a, b, uid);
	SAME_TEXT(a, b, node);
	SAME_TEXT(a, b, group);
	SAME_TEXT(a, b, by);
	SAME(a, b, created_ms);
	SAME(a, b, deadline_ms);
	SAME(a, b, own_grace_s);
	SAME(a, b, probe_grace_s);
	SAME(a, b, grace_s);
	SAME(a, b, job_id);
	SAME(a, b, sure);
	SAME(a, b, elsewhere);
	SAME(a, b, disowned);
	SAME(a, b, attempt);
	SAME(a, b, exit_code);
	SAME(a, b, failed_ms);
	SAME(a, b, phase);
	SAME(a, b, deleting);
	SAME(a, b, scale_told);
	SAME(a, b, respecced);
	SAME(a, b, gated);
	SAME(a, b, begun);
	SAME(a, b, ended);
}

static void compare_pods(const json_object *whole, const json_object *part)
{
	_cleanup_(bridged_pod_freep) struct bridged_pod *a =
		bridged_pod_of(whole);
	_cleanup_(bridged_pod_freep) struct bridged_pod *b =
		bridged_pod_of(part);

	PROMISE(!a == !b);
	if (a)
		compare_bpod(a, b);
}

static void compare_workloads(const json_object *whole, const json_object *part)
{
	struct workload a = {0}, b = {0};
	int rc = workload_of(whole, &a, NULL);

	PROMISE(rc == workload_of(part, &b, NULL));
	PROMISE(!memcmp(&a, &b, sizeof(a)));
	if (rc || !workload_is_built_in(&a))
		return;
	rc = workload_besides(whole, &a, NULL);
	PROMISE(rc == workload_besides(part, &b, NULL));
	PROMISE(!memcmp(&a, &b, sizeof(a)));
}

static const char *const kinds[] = {"a.b/c", "hugepages-2Mi"};

static void compare_held(const json_object *whole, const json_object *part)
{
	int64_t counts[2], part_counts[2];
	struct pod_requests need, part_need;
	const int rc =
		pod_requests_held_of(whole, kinds, 2, &need, counts, NULL);

	PROMISE(rc == pod_requests_held_of(part, kinds, 2, &part_need,
					   part_counts, NULL));
	PROMISE(!memcmp(&need, &part_need, sizeof(need)));
	PROMISE(!memcmp(counts, part_counts, sizeof(counts)));
	PROMISE(bridged_pod_bound_by(whole) == bridged_pod_bound_by(part));
}

static void compare(const json_object *whole, const json_object *part)
{
	struct pod_requests need, part_need;

	PROMISE(pod_requests_of(whole, &need, NULL) ==
		pod_requests_of(part, &part_need, NULL));
	PROMISE(!memcmp(&need, &part_need, sizeof(need)));
	compare_pods(whole, part);
	compare_workloads(whole, part);
}

static void compare_all(const char *text, size_t len, const json_object *whole)
{
	_cleanup_json_ json_object *some = NULL, *held = NULL;
	struct held_pod table;

	held_pod_table(&table, kinds, 2);
	if (!held_pod_read(&table, text, len, &held))
		compare_held(whole, held);
	if (jx_parse_only(text, len, bridged_pod_table, JX_PARTS_MAX, &some,
			  NULL))
		return;
	compare(whole, some);
	compare_held(whole, some);
}

/* (else json-c takes a comma behind the last member where we do not) */
static bool is_json(const char *text, size_t len)
{
	struct json_tokener *t = json_tokener_new();
	json_object *o;
	bool is;

	if (!t)
		abort();
	json_tokener_set_flags(t, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(t, text, (int)len);
	is = json_tokener_get_error(t) == json_tokener_success;
	json_object_put(o);
	json_tokener_free(t);
	return is;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data;
	_cleanup_json_ json_object *whole = NULL;
	_cleanup_json_ json_object *part = NULL, *some = NULL;
	_cleanup_json_ json_object *binder = NULL;

	if (partial_pod_read(text, len, &part, NULL)) {
		PROMISE(!is_json(text, len) ||
			jx_parse_only(text, len, bridged_pod_table,
				      JX_PARTS_MAX, &some, NULL));
		return 0;
	}
	/* (json-c takes comments, and keys with escapes or in single quotes) */
	if (!memchr(text, '\\', len) && !memmem(text, len, "/*", 2) &&
	    !memmem(text, len, "//", 2) && !memchr(text, '\'', len) &&
	    !jx_parse(text, len, &whole, NULL)) {
		compare(whole, part);
		compare_all(text, len, whole);
		PROMISE(!partial_pod_read_binder(text, len, &binder, NULL));
		PROMISE(bridged_pod_bound_by(binder) ==
			bridged_pod_bound_by(whole));
	}
	return 0;
}
