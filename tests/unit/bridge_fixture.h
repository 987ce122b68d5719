/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kubernetes nodes n1, n2, ... as the bridge has them in view. */
#ifndef SLURMK8S_TESTS_UNIT_BRIDGE_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_BRIDGE_FIXTURE_H

#include <stdio.h>

#include "engine/bridge_hosts.h"
#include "t.h"

static void fixture_ring(void *arg)
{
	(void)arg;
}

/* `n` of them; the caller frees. */
static struct bridge_hosts *fixture_hosts(int n)
{
	static const struct bridge_hosts_options opt = {.cluster = "c",
							.label = "l",
							.scheduler = "s",
							.ring = fixture_ring};
	struct bridge_hosts *hosts = bridge_hosts_new(&opt);
	struct informer_handler on;

	bridge_hosts_handler(hosts, &on);
	for (int i = 1; i <= n; i++) {
		char text[128];
		_cleanup_json_ json_object *node = NULL;

		snprintf(text, sizeof(text),
			 "{\"metadata\":{\"name\":\"n%d\",\"uid\":\"u%d\"}}", i,
			 i);
		node = t_parse(text);
		on.on_object(on.arg, node);
	}
	return hosts;
}

#endif
