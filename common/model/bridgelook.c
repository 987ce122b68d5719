/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/bridgelook.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/bpod.h"
#include "model/wellknown.h"

/* Did this job's binding write on it? (Its author cannot: policies, and the
 * binding wins.) */
static bool has_id(const json_object *pod, uint32_t job_id)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", (unsigned)job_id);
	return str_eq(jx_str(pod, "metadata", "annotations", WK_BRIDGE_JOB_ID),
		      text);
}

enum bridge_look bridge_look_at(const json_object *pod, const char *uid,
				const char *node, uint32_t job_id)
{
	_cleanup_(bpod_freep) struct bpod *p = pod ? bpod_of(pod) : NULL;

	if (!p || strcmp(p->uid, uid) != 0)
		return LOOK_GONE;
	if (*p->node ? p->ended
		     : p->phase == POD_FAILED || p->phase == POD_SUCCEEDED)
		return LOOK_GONE;
	if (p->deleting)
		return LOOK_ENDING;
	if (!*p->node)
		return LOOK_FREE;
	if (*node)
		return strcmp(p->node, node) ? LOOK_OTHERS : LOOK_BOUND;
	return has_id(pod, job_id) ? LOOK_BOUND : LOOK_OTHERS;
}
