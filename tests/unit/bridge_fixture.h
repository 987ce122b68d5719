/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kubernetes nodes n1, n2, ... and pods as the bridge has them in view. Each
 * file uses a part of it. */
#ifndef SLURMK8S_TESTS_UNIT_BRIDGE_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_BRIDGE_FIXTURE_H

#pragma GCC diagnostic ignored "-Wunused-function"
#include <stdio.h>
#include <stdlib.h>

#include "bridge/intake/pod_groups.h"
#include "external/inventory.h"
#include "t.h"

static void fixture_ring(void *arg)
{
	(void)arg;
}

/* `n` of them; the caller frees. */
static struct inventory *fixture_hosts(int n)
{
	static const struct inventory_options opt = {.cluster = "c",
						     .label = "l",
						     .scheduler = "s",
						     .ring = fixture_ring};
	struct inventory *hosts = inventory_new(&opt);
	struct informer_handler on;

	on = inventory_handler(hosts);
	for (int i = 1; i <= n; i++) {
		char text[256];
		_cleanup_json_ json_object *node = NULL;

		snprintf(text, sizeof(text),
			 "{\"metadata\":{\"name\":\"n%d\",\"uid\":\"u%d\"},"
			 "\"status\":{\"conditions\":[{\"type\":\"Ready\","
			 "\"status\":\"True\"}]}}",
			 i, i);
		node = t_parse(text);
		on.on_object(on.arg, node);
	}
	return hosts;
}

/* A pod of the group, which is bound to a node, or to none ("") yet; with that
 * job's id. */
static struct group_pod *fixture_pod(struct pod_group *g, const char *uid,
				     const char *node, uint32_t job_id)
{
	struct group_pod *m = calloc(1, sizeof(*m));
	char text[300];
	_cleanup_json_ json_object *pod = NULL;

	snprintf(text, sizeof(text),
		 "{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\","
		 "\"uid\":\"%s\"},\"spec\":{\"nodeName\":\"%s\"},"
		 "\"status\":{\"phase\":\"%s\"}}",
		 uid, node, *node ? "Running" : "Pending");
	pod = t_parse(text);
	m->pod = bridged_pod_of(pod);
	m->pod->job_id = job_id;
	m->shape = calloc(1, sizeof(*m->shape));
	m->group = g;
	m->next = g->members;
	g->members = m;
	g->n++;
	return m;
}

/* They go. */
static void fixture_no_pods(struct pod_group *g)
{
	while (g->members) {
		struct group_pod *m = g->members;

		g->members = m->next;
		bridged_pod_free(m->pod);
		free(m->shape);
		free(m);
	}
}

#endif
