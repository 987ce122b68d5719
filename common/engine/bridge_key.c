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

void bridge_seen_key_ns(const char *key, size_t size, char *out)
{
	const char *at = strchr(key, ' '); /* the second word */
	const size_t len = at ? strcspn(at + 1, " ") : 0;

	snprintf(out, size, "%.*s", (int)len, at ? at + 1 : "");
}
