/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The admin_comment of a job, as somebody may have written it. */
#include <string.h>

#include "base/cleanup.h"
#include "bridge/jobspec/job_identity.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_free_ char *text = text_of(data, len);
	char again[BRIDGE_ID_MAX];
	struct job_identity id;

	if (!job_identity_parse(text, &id))
		return 0;
	PROMISE(id.pods && *id.cluster && *id.of.ns && *id.of.name);
	promise_clean(id.of.name);
	promise_clean(id.of.part);
	promise_clean(id.scheduler);
	PROMISE(!job_identity_make(&id, again, NULL) && !strcmp(again, text));
	return 0;
}
