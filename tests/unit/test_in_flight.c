/* SPDX-License-Identifier: GPL-2.0-or-later */
/* To which node a pod is on its way, by which job. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/requests/bridge_requests_internal.h"
#include "t.h"

static int64_t now = 1000;
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

static void asked(void *arg)
{
	(void)arg;
}

static const char *way(struct bridge_requests *w, uint32_t job_id)
{
	static char node[16];

	strcpy(node, "");
	return bridge_requests_way(w, "u1", job_id, node, sizeof(node)) ? node
									: "";
}

static const struct pod_ref pod = {"ns", "p1", "u1"};

static void a_pod_is_not_sent_to_two_nodes(void)
{
	const struct bridge_requests_options opt = {
		.cluster = "c", .at_once = 1, .asked = asked};
	struct bridge_requests *w = bridge_requests_new(&opt);

	T_STR(way(w, 7), "");
	T_OK(bridge_requests_bind(w, &pod, "n5", 7, true));
	T_STR(way(w, 7), "n5");
	T_STR(way(w, 8), "");
	T_OK(bridge_requests_way(w, "u1", 7, NULL, 0));
	T_OK(bridge_requests_bind(w, &pod, "n5", 7, true));
	T_OK(!bridge_requests_bind(w, &pod, "n1", 7, true));
	T_OK(!bridge_requests_bind(w, &pod, "n5", 8, true));
	T_STR(way(w, 7), "n5");
	bridge_requests_unbind(w, 7);
	T_STR(way(w, 7), "");
	T_OK(bridge_requests_bind(w, &pod, "n1", 7, true));
	T_STR(way(w, 7), "n1");
	bridge_requests_free(w);
}

static void one_that_was_sent_is_on_its_way_until_it_is_told_otherwise(void)
{
	const struct bridge_requests_options opt = {
		.cluster = "c", .at_once = 1, .asked = asked};
	struct bridge_requests *w = bridge_requests_new(&opt);

	sent_binding_note(&w->sent_bindings, "u1", "n5", 7);
	T_STR(way(w, 7), "n5");
	T_STR(way(w, 8), "");
	sent_binding_answered(&w->sent_bindings, "u1", SENT_DONE, 120000);
	T_STR(way(w, 7), "n5");
	/* as long as a view may be acted by that does not show it */
	now += 120000;
	T_STR(way(w, 7), "n5");
	now += 3600000;
	T_STR(way(w, 7), "");
	sent_binding_note(&w->sent_bindings, "u1", "n5", 7);
	sent_binding_answered(&w->sent_bindings, "u1", SENT_REFUSED, 0);
	T_STR(way(w, 7), "");
	bridge_requests_free(w);
}

T_MAIN("in_flight", T(a_pod_is_not_sent_to_two_nodes),
       T(one_that_was_sent_is_on_its_way_until_it_is_told_otherwise))
