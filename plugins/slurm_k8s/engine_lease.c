/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine_lease.h"

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/str.h"
#include "syntax/names.h"

void engine_lease_of(const json_object *lease, int64_t now_ms,
		     struct engine_lease *out)
{
	struct lease_record record;
	int64_t at;

	*out = (struct engine_lease){.renewed_ms = -1,
				     .duration_ms = LEASE_DURATION_S * 1000};
	if (!lease)
		return;
	lease_record_of(lease, &record);
	holder_words(record.holder, out->holder, sizeof(out->holder));
	at = clock_parse_rfc3339(record.renewed);
	if (at >= 0) /* the holder's clock may be a little ahead */
		out->renewed_ms = now_ms > at ? now_ms - at : 0;
	if (record.duration_s > 0 && record.duration_s <= LEASE_DURATION_MAX_S)
		out->duration_ms = record.duration_s * 1000;
}

void engine_lease_read(struct api_server *s, const char *slurm_cluster,
		       struct engine_lease *out)
{
	_cleanup_json_ json_object *lease = NULL;
	char name[DNS_LABEL_MAX + 1];
	const struct kube_ref ref = {.api = KUBE_COORDINATION_V1,
				     .ns = s->k->ns,
				     .resource = "leases",
				     .name = name};
	struct err err = {0};
	int rc;

	name_lease_of(slurm_cluster, name);
	rc = api_get(s, &ref, &lease, &err);
	engine_lease_of(lease, clock_real_ms(), out);
	if (rc && rc != -ENOENT)
		err_set(&out->err, rc, "%s", err.msg);
}

bool engine_lease_acts(const struct engine_lease *l)
{
	return *l->holder && l->renewed_ms >= 0 &&
	       l->renewed_ms <= l->duration_ms;
}

void engine_lease_words(const struct engine_lease *l,
			char out[ENGINE_WORDS_MAX])
{
	const int64_t ago_s = l->renewed_ms / 1000;

	if (l->err.code)
		snprintf(out, ENGINE_WORDS_MAX,
			 "whether an engine acts there is not known: %s",
			 l->err.msg);
	else if (engine_lease_acts(l))
		snprintf(out, ENGINE_WORDS_MAX,
			 "the engine acts, as of %" PRId64 " s ago, from %s",
			 ago_s, l->holder);
	else if (*l->holder && l->renewed_ms >= 0)
		snprintf(out, ENGINE_WORDS_MAX,
			 "no engine acts there; the last one was %s, %" PRId64
			 " s ago",
			 l->holder, ago_s);
	else
		snprintf(out, ENGINE_WORDS_MAX, "no engine acts there");
}
