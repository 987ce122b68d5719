/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A Lease, or a node, as somebody may have written it: whose is it? */
#include <string.h>

#include "cluster/claim_lease.h"
#include "fuzz.h"

static const struct claim_self self = {"blue", "blue", "slurm/slurm-k8s-blue"};

static void check_lease(const json_object *o)
{
	char words[CLAIM_WORDS_MAX];
	enum claim_of is = claim_of_lease(o, "ns", "l", &self, words);

	promise_clean(words);
	PROMISE(is == CLAIM_OURS || is == CLAIM_OTHERS);
	PROMISE((is == CLAIM_OURS) == !*words);
}

/* Nothing of the node but its version gets into the patch. */
static void check_node(const json_object *o, int64_t at)
{
	_cleanup_json_ json_object *patch = NULL;
	struct err err = {0};
	int rc = claim_node_patch(o, &self, at, &patch, &err);

	promise_err(rc, &err);
	PROMISE(!patch == (rc != 0));
	if (rc)
		return;
	PROMISE(json_object_object_length(patch) == 1);
	PROMISE(json_object_object_length(
			(json_object *)jx_get(patch, "metadata")) == 3);
	PROMISE(!strcmp(jx_str(patch, "metadata", "resourceVersion"),
			jx_str(o, "metadata", "resourceVersion")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_json_ json_object *o = NULL;

	if (jx_parse((const char *)data, len, &o, NULL))
		return 0;
	check_lease(o);
	check_node(o, 1700000000123);
	check_node(o, 0);
	return 0;
}
