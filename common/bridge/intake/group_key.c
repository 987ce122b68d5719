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

/* Copy the word at *at, up to a blank. False: it is none, or too long. */
static bool take_word(const char **at, char *out, size_t size)
{
	const size_t len = strcspn(*at, " ");

	if (!len || len >= size)
		return false;
	snprintf(out, size, "%.*s", (int)len, *at);
	*at += len + ((*at)[len] == ' ');
	return true;
}

bool pod_groups_of_mark(const char *mark, struct workload *out)
{
	char kind[64], key[BRIDGE_KEY_MAX], again[BRIDGE_KEY_MAX];
	const char *at = mark;
	bool ok;

	*out = (struct workload){.members = 0};
	ok = take_word(&at, kind, sizeof(kind)) &&
	     workload_kind_of(kind, &out->kind) &&
	     out->kind <= WORKLOAD_JOB && /* others are never a group */
	     take_word(&at, out->ns, sizeof(out->ns));
	if (ok && out->kind == WORKLOAD_POD)
		ok = take_word(&at, out->uid, sizeof(out->uid));
	else if (ok)
		ok = take_word(&at, out->name, sizeof(out->name)) &&
		     (out->kind == WORKLOAD_JOB
			      ? take_word(&at, out->uid, sizeof(out->uid))
			      : !*at || take_word(&at, out->part,
						  sizeof(out->part)));
	if (!ok)
		return false;
	pod_group_key(out, key);
	pod_groups_mark(key, again);
	return !strcmp(mark, again);
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
