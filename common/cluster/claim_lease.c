/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/claim_lease.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "syntax/wellknown.h"

#define SHOWN 80 /* bytes of a foreign text that are shown */

void claim_lease_name(const char *scheduler, char out[CLAIM_NAME_MAX + 1])
{
	const size_t room =
		CLAIM_NAME_MAX - (sizeof(WK_CLAIM_LEASE_PREFIX) - 1);

	if (strlen(scheduler) <= room)
		snprintf(out, CLAIM_NAME_MAX + 1, WK_CLAIM_LEASE_PREFIX "%s",
			 scheduler);
	else /* hex digits may end a name of Kubernetes */
		snprintf(out, CLAIM_NAME_MAX + 1, WK_CLAIM_LEASE_PREFIX "%08x",
			 str_hash(STR_HASH, scheduler, strlen(scheduler)));
}

/* "2026-01-02T03:04:05Z"; as metav1.MicroTime with `micro` */
static void date(int64_t ms, bool micro, char out[CLOCK_RFC3339_MAX + 8])
{
	char text[CLOCK_RFC3339_MAX];

	clock_write_rfc3339(ms, text);
	snprintf(out, CLOCK_RFC3339_MAX + 8, "%.*s%s", (int)strcspn(text, "Z"),
		 text, micro ? ".000000Z" : "Z");
}

static int put_member(json_object *meta, const char *map, const char *key,
		      const char *value)
{
	json_object *o = jx_need(meta, map, json_type_object);

	if (!o)
		return -ENOMEM;
	if (value)
		return jx_set_str(o, key, value);
	/* JSON null */
	return json_object_object_add(o, key, NULL) ? -ENOMEM : 0;
}

json_object *claim_lease(const char *name, const struct claim_self *self,
			 int64_t now_ms)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	char at[CLOCK_RFC3339_MAX + 8];
	json_object *meta = NULL, *spec = NULL;
	int bad;

	date(now_ms, true, at);
	if (!o || jx_set(o, "metadata", meta = json_object_new_object()) ||
	    jx_set(o, "spec", spec = json_object_new_object()))
		return NULL;
	bad = jx_set_str(o, "apiVersion", "coordination.k8s.io/v1");
	bad |= jx_set_str(o, "kind", "Lease");
	bad |= jx_set_str(meta, "name", name);
	bad |= put_member(meta, "annotations", WK_CLAIM_BY, self->lease);
	bad |= jx_set_str(spec, "holderIdentity", self->cluster);
	bad |= jx_set_str(spec, "acquireTime", at);
	return bad ? NULL : steal_ptr(o);
}

static bool is_set(const char *s)
{
	return s && *s;
}

/* " of the lease a/b": who else has our name. "" if it is another name. */
static void whose(bool same_name, const char *by, char out[2 * SHOWN])
{
	*out = '\0';
	if (same_name)
		snprintf(out, (size_t)2 * SHOWN, " of the lease %.*s", SHOWN,
			 by);
}

enum claim_of claim_of_lease(const json_object *lease, const char *ns,
			     const char *name, const struct claim_self *self,
			     char words[CLAIM_WORDS_MAX])
{
	const char *holder = jx_str(lease, "spec", "holderIdentity");
	const char *since = jx_str(lease, "spec", "acquireTime");
	const char *by = jx_str(lease, "metadata", "annotations", WK_CLAIM_BY);
	const bool same_name = holder && !strcmp(holder, self->cluster);
	char of[2 * SHOWN];

	*words = '\0';
	if (same_name && (!is_set(by) || !strcmp(by, self->lease)))
		return CLAIM_OURS;
	whose(same_name, by, of);
	snprintf(words, CLAIM_WORDS_MAX,
		 "namespace %s is claimed by Slurm cluster %.*s%s since %.*s; "
		 "if that is no more: kubectl -n %s delete lease %.*s",
		 ns, SHOWN, is_set(holder) ? holder : "(unknown)", of,
		 SHOWN / 2, since ? since : "?", ns, SHOWN, name);
	str_sanitize(words);
	return CLAIM_OTHERS;
}

enum claim_of claim_of_node(const char *value, const char *by, const char *node,
			    const struct claim_self *self,
			    char words[CLAIM_WORDS_MAX])
{
	char of[2 * SHOWN];
	bool same_name;

	*words = '\0';
	if (!is_set(value))
		return CLAIM_FREE;
	same_name = !strcmp(value, self->label);
	if (same_name && (!is_set(by) || !strcmp(by, self->lease)))
		return CLAIM_OURS;
	whose(same_name, by, of);
	snprintf(words, CLAIM_WORDS_MAX,
		 "claimed by Slurm cluster %.*s%s; if that is no more: kubectl "
		 "label node %.*s " WK_CLAIM_NODE "-",
		 SHOWN, value, of, SHOWN, node);
	str_sanitize(words);
	return CLAIM_OTHERS;
}

/* True if a node that has `by` is as it is to be: claimed by us, or not. */
static bool is_done(const char *by, bool ours, bool take)
{
	const bool marked = ours && is_set(by);

	return take ? marked : !marked;
}

int claim_node_patch(const json_object *node, const struct claim_self *self,
		     int64_t now_ms, json_object **out, struct err *err)
{
	const char *name = jx_str(node, "metadata", "name");
	const char *version = jx_str(node, "metadata", "resourceVersion");
	const char *value = jx_str(node, "metadata", "labels", WK_CLAIM_NODE);
	const char *by = jx_str(node, "metadata", "annotations", WK_CLAIM_BY);
	const bool take = now_ms != 0;
	_cleanup_json_ json_object *o = json_object_new_object();
	json_object *meta = NULL;
	char words[CLAIM_WORDS_MAX], at[CLOCK_RFC3339_MAX + 8];
	enum claim_of is;

	if (!name || !version || !*version)
		return err_set(err, -EINVAL, "that is no node");
	is = claim_of_node(value, by, name, self, words);
	if (is == CLAIM_OTHERS)
		return err_set(err, -EEXIST, "%s", words);
	if (is_done(by, is == CLAIM_OURS, take))
		return err_set(err, -EALREADY, "it is so");
	date(now_ms, false, at);
	if (!o || jx_set(o, "metadata", meta = json_object_new_object()) ||
	    jx_set_str(meta, "resourceVersion", version) ||
	    put_member(meta, "labels", WK_CLAIM_NODE,
		       take ? self->label : NULL) ||
	    put_member(meta, "annotations", WK_CLAIM_AT, take ? at : NULL) ||
	    put_member(meta, "annotations", WK_CLAIM_BY,
		       take ? self->lease : NULL))
		return err_oom(err);
	*out = steal_ptr(o);
	return 0;
}
