/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Lease as somebody may have written it: who holds it, and what becomes of
 * it when it is claimed. */
#include <string.h>

#include "fuzz.h"
#include "kube/lease_record.h"

#define SELF "ctl-1_77_1234_0123abcd_4026531836"

static void check_holder(const char *holder)
{
	char words[64];

	holder_words(holder, words, sizeof(words));
	promise_clean(words);
	(void)holder_has_ended(holder);
}

static bool is_lease(const json_object *o)
{
	json_object *meta = jx_get(o, "metadata"), *spec = jx_get(o, "spec");

	return (!meta || jx_is(meta, json_type_object)) &&
	       (!spec || jx_is(spec, json_type_object));
}

static void check_claim(json_object *lease, const char *self)
{
	struct lease_record before, after;

	lease_record_of(lease, &before);
	/* (what is no Lease at all is not claimed) */
	if (lease_claim(lease, self, 15, 1700000000123)) {
		PROMISE(!is_lease(lease));
		return;
	}
	lease_record_of(lease, &after);
	PROMISE(!strcmp(after.holder, self) && after.duration_s == 15);
	PROMISE(!strcmp(after.renewed, "2023-11-14T22:13:20.123000Z"));
	PROMISE(after.transitions <= before.transitions + 1);
	PROMISE(lease_judge(&after, SELF, false, 0) ==
		(*self ? LEASE_RENEW : LEASE_TAKE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_json_ json_object *lease = NULL;
	struct lease_record r;

	if (jx_parse((const char *)data, len, &lease, NULL) ||
	    !jx_is(lease, json_type_object))
		return 0;
	lease_record_of(lease, &r);
	PROMISE(r.duration_s >= 0 && r.duration_s <= LEASE_DURATION_MAX_S);
	PROMISE(r.transitions >= 0 && r.transitions < INT32_MAX);
	check_holder(r.holder);
	/* nobody's claim outlasts the longest that is respected */
	PROMISE(lease_judge(&r, SELF, false, LEASE_DURATION_MAX_S * 1000) !=
		LEASE_WAIT);
	check_claim(lease, SELF);
	check_claim(lease, "");
	return 0;
}
