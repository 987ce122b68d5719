/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "engine/bridge_seen.h"

void bridge_seen_key(const struct workload *of, char out[BRIDGE_KEY_MAX])
{
	if (of->kind == WORKLOAD_POD)
		snprintf(out, BRIDGE_KEY_MAX, "%d %s %s", (int)of->kind, of->ns,
			 of->uid);
	else
		snprintf(out, BRIDGE_KEY_MAX, "%d %s %s %s", (int)of->kind,
			 of->ns, of->name,
			 of->kind == WORKLOAD_JOB ? of->uid : of->part);
}

bool bridge_seen_depends(const struct workload *of, enum workload_kind kind,
			 const char *ns, const char *name)
{
	const bool it = of->kind == kind && !strcmp(of->name, name);
	const bool top = of->top == kind && !strcmp(of->top_name, name);
	/* (which one is above it is seen in the group's object) */
	const bool above =
		kind == WORKLOAD_WORKLOAD && of->kind == WORKLOAD_GROUP;
	const bool in = kind == WORKLOAD_GROUP && !strcmp(of->group, name);

	return (it || top || above || in) && !strcmp(of->ns, ns);
}

void bridge_seen_key_ns(const char *key, size_t size, char *out)
{
	const char *at = strchr(key, ' '); /* the second word */
	const size_t len = at ? strcspn(at + 1, " ") : 0;

	snprintf(out, size, "%.*s", (int)len, at ? at + 1 : "");
}
