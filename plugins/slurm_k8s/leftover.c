/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "leftover.h"

#include "base/str.h"
#include "node_label.h"
#include "probe.h"
#include "probe_pod.h"
#include "syntax/wellknown.h"

/* True if the pod, a worker or a probe, is ours and old enough. */
static bool is_ours_and_old(const struct pod_row *pod, int64_t now_ms,
			    int64_t age_s)
{
	return *pod->uid && *pod->name && !pod->deleting &&
	       str_eq(pod->manager, WK_APP_MANAGED_BY) &&
	       pod->created_ms >= 0 && pod->created_ms <= now_ms - age_s * 1000;
}

static bool is_probe(const struct pod_row *pod)
{
	return pod->probe && *pod->probe && !*pod->node &&
	       str_starts(pod->name, PROBE_NAME_PREFIX);
}

/*
 * True if nobody waits for the probe any more. One that does not say how long
 * it may be needed has the longest time of all.
 */
static bool is_over(const struct pod_row *probe, int64_t now_ms)
{
	const int64_t longest_s = PROBE_TIMEOUT_MAX_S + PROBE_END_S;
	const bool told = probe->probe_s > 0 && probe->probe_s < longest_s;

	return now_ms - probe->created_ms >=
	       (told ? probe->probe_s : longest_s) * 1000;
}

const char *leftover_why(const struct pod_row *pod, const struct ctl_node *node,
			 int64_t now_ms, int64_t age_s)
{
	if (!is_ours_and_old(pod, now_ms, age_s))
		return NULL;
	if (is_probe(pod))
		return is_over(pod, now_ms)
			       ? "slurm-k8s check --probe has left it"
			       : NULL;
	if (!*pod->node)
		return NULL;
	if (!node)
		return "Slurm has no such node";
	if (node->external)
		return NULL;
	/* busy: a job there is completing, or has been given the node */
	return node->power == CTL_POWERED_DOWN && !node->busy
		       ? "its node is powered down"
		       : NULL;
}

bool leftover_may_come_back(const struct config *c, const char *label)
{
	const struct nodeset *set = config_nodeset_of(c, label);
	bool any = false;

	for (size_t i = 0; i < c->n_nodesets; i++)
		any |= c->nodesets[i].create.wanted;
	return set ? set->create.wanted : any && node_label_is_cut(label);
}
