/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bridge/intake/pod_groups.h"

void pod_group_key(const struct workload *of, char out[BRIDGE_KEY_MAX])
{
	if (of->kind == WORKLOAD_POD)
		snprintf(out, BRIDGE_KEY_MAX, "%d %s %s", (int)of->kind, of->ns,
			 of->uid);
	else
		snprintf(out, BRIDGE_KEY_MAX, "%d %s %s %s", (int)of->kind,
			 of->ns, of->name,
			 of->kind == WORKLOAD_JOB ? of->uid : of->part);
}

void pod_groups_mark(const char *key, char out[BRIDGE_KEY_MAX])
{
	char *rest;
	const long kind = strtol(key, &rest, 10);
	size_t len;

	snprintf(out, BRIDGE_KEY_MAX, "%s%s",
		 kind >= 0 && kind < WORKLOAD_KINDS
			 ? workload_api((enum workload_kind)kind)->kind
			 : "",
		 rest);
	str_sanitize(out); /* cleaned as bridged_pod_of() cleans texts */
	len = strlen(out);
	if (len && out[len - 1] == ' ') /* without a part a blank is left */
		out[len - 1] = '\0';
}

bool pod_groups_key_is_gang(const char *key)
{
	return strtol(key, NULL, 10) != WORKLOAD_POD;
}

void pod_group_key_ns(const char *key, size_t size, char *out)
{
	const char *at = strchr(key, ' '); /* the second word */
	const size_t len = at ? strcspn(at + 1, " ") : 0;

	snprintf(out, size, "%.*s", (int)len, at ? at + 1 : "");
}
