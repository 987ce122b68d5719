/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A view of bridged pods of the schedulerName "s", in the namespace "ns", whose
 * informer is pods_fixture.h's. For a test that is linked with --wrap for it.
 */
#ifndef SLURMK8S_TESTS_UNIT_SEEN_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_SEEN_FIXTURE_H

#pragma GCC diagnostic ignored "-Wunused-function"
#include "bridge/intake/pod_groups.h"
#include "pods_fixture.h"
#include "t.h"

static void seen_ring(void *arg)
{
	(void)arg;
}

/* Of the engine that binds as `by`, or NULL. It is begun. */
static struct pod_groups *seen_begin(const char *by)
{
	static struct namespace_config served = {.name = (char *)"ns"};
	static const struct bridge_config config = {.scheduler = (char *)"s",
						    .ns = &served,
						    .n_ns = 1,
						    .n_named = 1};
	const struct pod_groups_options opt = {
		.cluster = "c", .config = &config, .by = by, .ring = seen_ring};
	struct pod_groups *v = pod_groups_new(&opt);

	T_OK(v && !pod_groups_start(v, NULL));
	return v;
}

static void seen_end(struct pod_groups **v)
{
	pod_groups_stop(*v);
	pod_groups_free(*v);
}
#define _cleanup_seen_ __attribute__((cleanup(seen_end)))

#endif
