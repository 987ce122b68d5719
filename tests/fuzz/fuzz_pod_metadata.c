/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job asks of its pods: options that users write, and AdminComments. */
#include <string.h>

#include "config/config.h"
#include "fuzz.h"
#include "nodes/pod/pod_metadata.h"
#include "syntax/wellknown.h"

static const char yaml[] =
	"clusters: [{name: c, kubeconfig: k}]\n"
	"features: [{name: jax, patch: {}}]\n"
	"jobs: {annotations: [note], labels: [team]}\n"
	"nodesets: [{name: s, cluster: c, nodes: n0, "
	"podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n";

/* Only what is allowed is ever read. */
static void check(const json_object *ask)
{
	json_object *notes = jx_get(ask, "annotations");
	json_object *labels = jx_get(ask, "labels");

	json_object_object_foreach(notes, note, v)
	{
		PROMISE(v && !strcmp(note, "note"));
	}
	json_object_object_foreach(labels, label, w)
	{
		PROMISE(w && !strcmp(label, "team"));
		PROMISE(json_object_get_string_len(w) <= 63);
	}
	PROMISE(pod_metadata_sum(ask) != UINT32_MAX);
}

static void take_items(const struct config *c, char *text)
{
	const char *items[WK_ASKS_MAX];
	char out[POD_METADATA_CARRIER_MAX], list[FEATURES_TEXT_MAX],
		*save = NULL;
	json_object *ask;
	struct err err = {0};
	size_t n = 0;
	int rc;

	for (char *at = strtok_r(text, "\n", &save); at && n < WK_ASKS_MAX;
	     at = strtok_r(NULL, "\n", &save))
		items[n++] = at;
	rc = pod_metadata_carry(&c->jobs, items, n, NULL, out, &err);
	promise_err(rc < 0 ? rc : 0, &err);
	if (rc > 0) {
		ask = pod_metadata_read(&c->jobs, out);
		PROMISE(ask);
		check(ask);
		json_object_put(ask);
	}
	err = (struct err){0};
	rc = pod_metadata_constrain(&c->features, items, n, NULL, list, &err);
	promise_err(rc < 0 ? rc : 0, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct config *c;
	_cleanup_free_ char *text = strndup((const char *)data, len);
	json_object *ask;

	if (!c)
		PROMISE(!config_parse("k8s.yaml", yaml, strlen(yaml), &c,
				      NULL));
	ask = pod_metadata_read(&c->jobs, text);
	if (ask)
		check(ask);
	json_object_put(ask);
	if (*text)
		take_items(c, text + 1);
	return 0;
}
