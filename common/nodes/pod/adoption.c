/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why an old, healthy pod may have to go: slurmctld drops, without a word,
 * the registration of a slurmd that started before the node's power-up was
 * asked for, and slurmd does not try again. A pod left over from an earlier
 * life of the node would keep it powering up until ResumeTimeout.
 */
#include "nodes/pod/adoption.h"

#include <string.h>

bool pod_is_ours(const struct worker_pod *pod, const char *cluster,
		 const char *node)
{
	return !strcmp(pod->cluster, cluster) && !strcmp(pod->node, node);
}

/*
 * True if the pod is older than the node's power-up. The start of its slurmd
 * counts, where that is known: the image may have taken long.
 */
static bool is_older(const struct worker_pod *pod, const struct wanted_pod *w)
{
	const int64_t at = pod->running_ms > pod->created_ms ? pod->running_ms
							     : pod->created_ms;

	return pod->created_ms >= 0 && at < w->since_ms - POD_CLOCK_SLACK_MS;
}

enum adoption adoption_of(const struct worker_pod *pod,
			  const struct wanted_pod *w)
{
	if (!pod_is_ours(pod, w->cluster, w->node))
		return ADOPTION_FOREIGN;
	if (pod->deleting)
		return ADOPTION_WAIT;
	if (phase_is_end(pod->phase))
		return ADOPTION_REPLACE;
	if (w->fresh)
		return ADOPTION_REPLACE;
	if (w->node_up)
		return ADOPTION_ADOPT; /* jobs may run in it, whatever its hash
					*/
	if (!w->any_hash && strcmp(pod->hash, w->hash))
		return ADOPTION_REPLACE;
	if (pod->slurmd_running && is_older(pod, w))
		return ADOPTION_REPLACE;
	return ADOPTION_ADOPT;
}
