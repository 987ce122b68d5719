/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The link to a Kubernetes cluster, whose lease is ours, is the test's; what is
 * asked for there that no test looks at does nothing.
 */
#ifndef SLURMK8S_TESTS_UNIT_LINK_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_LINK_FIXTURE_H

#include "engine/engine_internal.h"

static bool live = true;
static struct plan_host host = {.known = true, .ready = true};
static struct disruption_seen hosts = {4, 1, 0};

struct work *link_work(struct link *l)
{
	(void)l;
	return NULL;
}

bool link_held(struct link *l)
{
	(void)l;
	return true;
}

bool link_live(struct link *l)
{
	(void)l;
	return live;
}

void link_host(struct link *l, const char *name, struct plan_host *out)
{
	(void)l, (void)name;
	*out = host;
}

bool link_hosts(struct link *l, struct disruption_seen *out)
{
	(void)l;
	*out = hosts;
	return true;
}

bool work_busy(struct work *w, const char *pod)
{
	(void)w, (void)pod;
	return false;
}

void work_event(struct work *w, const struct plan_pod *pod, bool warning,
		const char *reason, const char *message)
{
	(void)w, (void)pod, (void)warning, (void)reason, (void)message;
}

#endif
