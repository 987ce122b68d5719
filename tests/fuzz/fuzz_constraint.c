/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's --constraint, which users write. */
#include <string.h>

#include "fuzz.h"
#include "nodes/features/constraint.h"

static const char yaml[] =
	"clusters: [{name: c, kubeconfig: k}]\n"
	"features:\n"
	"- {name: pytorch, group: g, patch: {}}\n"
	"- {name: jax, group: g, patch: {}}\n"
	"- {name: big, patch: {}}\n"
	"nodesets: [{name: s, cluster: c, nodes: 'n[1-3]', features: [jax, "
	"big], podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct config *c;
	_cleanup_free_ char *text = strndup((const char *)data, len);
	char list[FEATURES_TEXT_MAX];
	struct err err = {0};

	if (!c)
		PROMISE(!config_parse("k8s.yaml", yaml, strlen(yaml), &c,
				      NULL));
	promise_err(constraint_check(c, text, len & 1, &err), &err);
	if (constraint_choose(c, text, len & 2 ? "n[1-2]" : NULL, list))
		PROMISE(*list &&
			!features_check(&c->features,
					features_of_list(&c->features, list),
					NULL));
	else
		PROMISE(!*list);
	return 0;
}
