/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/requests/pod_read.h"

#include <string.h>

#include "objects/bridged_pod.h"

enum pod_read pod_read_of(const json_object *pod, const char *uid,
			  const char *node, uint32_t job_id)
{
	_cleanup_(bridged_pod_freep) struct bridged_pod *p =
		pod ? bridged_pod_of(pod) : NULL;

	if (!p || strcmp(p->uid, uid) != 0)
		return POD_READ_GONE;
	if (*p->node ? p->ended : phase_is_end(p->phase))
		return POD_READ_GONE;
	if (p->deleting)
		return POD_READ_ENDING;
	if (!*p->node)
		return POD_READ_FREE;
	if (*node && !strcmp(p->node, node))
		return POD_READ_BOUND;
	if (*node)
		return p->sure ? POD_READ_EARLIER : POD_READ_OTHERS;
	return p->job_id == job_id ? POD_READ_BOUND : POD_READ_OTHERS;
}
