/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/requests/pod_read.h"

#include <string.h>

#include "objects/bridged_pod.h"

enum bridge_look bridge_look_at(const json_object *pod, const char *uid,
				const char *node, uint32_t job_id)
{
	_cleanup_(bpod_freep) struct bpod *p = pod ? bpod_of(pod) : NULL;

	if (!p || strcmp(p->uid, uid) != 0)
		return LOOK_GONE;
	if (*p->node ? p->ended : phase_is_end(p->phase))
		return LOOK_GONE;
	if (p->deleting)
		return LOOK_ENDING;
	if (!*p->node)
		return LOOK_FREE;
	if (*node && !strcmp(p->node, node))
		return LOOK_BOUND;
	if (*node)
		return p->sure ? LOOK_EARLIER : LOOK_OTHERS;
	return p->job_id == job_id ? LOOK_BOUND : LOOK_OTHERS;
}
