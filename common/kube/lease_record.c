/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/lease_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/str.h"

/* An integer of the spec that makes sense, or 0. */
static int64_t natural(const json_object *lease, const char *key, int64_t max)
{
	int64_t n = jx_int(jx_get(lease, "spec", key), 0);

	return n > 0 && n <= max ? n : 0;
}

void lease_record_of(const json_object *lease, struct lease_record *out)
{
	const char *holder = jx_str(lease, "spec", "holderIdentity");
	const char *renewed = jx_str(lease, "spec", "renewTime");

	memset(out, 0, sizeof(*out));
	str_copy(out->holder, holder ? holder : "", sizeof(out->holder));
	str_copy(out->renewed, renewed ? renewed : "", sizeof(out->renewed));
	out->duration_s =
		natural(lease, "leaseDurationSeconds", LEASE_DURATION_MAX_S);
	out->transitions = natural(lease, "leaseTransitions", INT32_MAX - 1);
}

enum lease_verdict lease_judge(const struct lease_record *seen,
			       const char *self, bool ended,
			       int64_t unchanged_ms)
{
	int64_t duration_s =
		seen->duration_s ? seen->duration_s : LEASE_DURATION_S;

	if (!strcmp(seen->holder, self))
		return LEASE_RENEW;
	if (!*seen->holder || ended || unchanged_ms >= duration_s * 1000)
		return LEASE_TAKE;
	return LEASE_WAIT;
}

/* Write a metav1.MicroTime. */
static void micro_time(int64_t ms, char out[40])
{
	time_t s = (time_t)(ms / 1000);
	struct tm tm = {0};
	size_t n;

	(void)gmtime_r(&s, &tm);
	n = strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + n, 40 - n, ".%06dZ", (int)(ms % 1000) * 1000);
}

int lease_claim(json_object *lease, const char *self, unsigned int duration_s,
		int64_t now_ms)
{
	json_object *spec = jx_need(lease, "spec", json_type_object);
	json_object *meta = jx_need(lease, "metadata", json_type_object);
	struct lease_record old;
	char now[40];
	bool anew, first;
	int bad;

	lease_record_of(lease, &old);
	if (!spec || !meta)
		return -ENOMEM;
	micro_time(now_ms, now);
	anew = strcmp(old.holder, self) != 0;
	first = !jx_get(spec, "leaseTransitions");
	bad = jx_set_str(spec, "holderIdentity", self);
	bad |= jx_set(spec, "leaseDurationSeconds",
		      json_object_new_int64(duration_s));
	bad |= jx_set_str(spec, "renewTime", now);
	if (anew && *self) {
		bad |= jx_set_str(spec, "acquireTime", now);
		bad |= jx_set(
			spec, "leaseTransitions",
			json_object_new_int64(first ? 0 : old.transitions + 1));
	}
	json_object_object_del(meta, "managedFields");
	return bad ? -ENOMEM : 0;
}

json_object *lease_new_object(const char *name)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	json_object *meta;
	int bad;

	if (!o)
		return NULL;
	bad = jx_set_str(o, "apiVersion", "coordination.k8s.io/v1");
	bad |= jx_set_str(o, "kind", "Lease");
	meta = jx_need(o, "metadata", json_type_object);
	bad |= !meta || jx_set_str(meta, "name", name);
	return bad ? NULL : json_object_get(o);
}
