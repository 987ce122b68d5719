/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The link to a Kubernetes cluster, whose lease is ours, is the test's; what is
 * asked for there that no test looks at does nothing.
 */
#ifndef SLURMK8S_TESTS_UNIT_LINK_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_LINK_FIXTURE_H

#include "nodes/reconcile/reconcile.h"

static bool live = true;
static struct kube_node_state host = {.known = true, .ready = true};
static struct disruption_seen hosts = {4, 1, 0};

struct node_requests *watch_requests(struct cluster *l)
{
	(void)l;
	return NULL;
}

bool cluster_held(struct cluster *l)
{
	(void)l;
	return true;
}

bool watch_is_live(struct cluster *l)
{
	(void)l;
	return live;
}

void cluster_host(struct cluster *l, const char *name,
		  struct kube_node_state *out)
{
	(void)l, (void)name;
	*out = host;
}

bool cluster_hosts(struct cluster *l, struct disruption_seen *out)
{
	(void)l;
	*out = hosts;
	return true;
}

bool node_requests_busy(struct node_requests *w, const char *pod)
{
	(void)w, (void)pod;
	return false;
}

void node_requests_event(struct node_requests *w, const struct pod_view *pod,
			 bool warning, const char *reason, const char *message)
{
	(void)w, (void)pod, (void)warning, (void)reason, (void)message;
}

#endif
