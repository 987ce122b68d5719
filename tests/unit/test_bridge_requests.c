/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asked of Kubernetes for bridged pods, before any of it is sent. */
#include <stdio.h>
#include <string.h>

#include "bridge/requests/bridge_requests_internal.h"
#include "t.h"

static bool yes(void *arg)
{
	(void)arg;
	return true;
}

static void nothing(void *arg)
{
	(void)arg;
}

static struct bridge_requests *begin(void)
{
	const struct bridge_requests_options opt = {.cluster = "c",
						    .at_once = 16,
						    .asked = nothing,
						    .may = yes,
						    .failed = nothing};

	return bridge_requests_new(&opt);
}

static const struct pod_ref pod_a = {.ns = "ns", .name = "a", .uid = "a"};

/* Of pods that are refused and deleted in a loop, say. */
static void words_leave_room_for_bindings_and_deletions(void)
{
	struct bridge_requests *w = begin();
	const struct pod_patch note = {.reason = "Refused", .message = "no"};
	size_t notes = 0;
	char uid[16];

	T_NEED(w);
	for (unsigned int i = 0; i < BRIDGE_WORK_MAX; i++) {
		const struct pod_ref pod = {
			.ns = "ns", .name = uid, .uid = uid};

		snprintf(uid, sizeof(uid), "%x", i);
		notes += bridge_requests_note(w, &pod, &note);
	}
	T_OK(notes >= 20000);
	T_OK(notes <= BRIDGE_WORK_MAX - 15000);
	T_OK(bridge_requests_delete(w, &pod_a, 30, NULL, ""));
	T_OK(bridge_requests_bind(w, &pod_a, "n1", 7, false));
	bridge_requests_free(w);
}

static void the_shorter_time_to_end_counts(void)
{
	static const struct {
		int64_t first, then, is;
	} rows[] = {{30, 5, 5}, {5, 30, 5}, {5, 5, 5}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge_requests *w = begin();
		const struct bridge_request *d;

		t_row("%zu", i);
		T_NEED(w);
		T_OK(bridge_requests_delete(w, &pod_a, rows[i].first, NULL,
					    ""));
		T_OK(bridge_requests_delete(w, &pod_a, rows[i].then, NULL, ""));
		d = requests_first(w->queue);
		T_NEED(d);
		T_INT(d->base.kind, BRIDGE_REQUEST_DELETE);
		T_INT(d->grace_s, rows[i].is);
		bridge_requests_free(w);
	}
}

T_MAIN("bridge_requests", T(words_leave_room_for_bindings_and_deletions),
       T(the_shorter_time_to_end_counts))
