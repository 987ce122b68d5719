/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pod template: checked, converted and made a pod of in both ways. */
#include <string.h>

#include "config/pod_template.h"
#include "fuzz.h"
#include "nodes/pod/manifest.h"

static void make(struct nodeset *set, enum resources_mode mode)
{
	static const struct node_facts node = {.name = "GPU_1",
					       .cpus = 8,
					       .memory_mib = 1000,
					       .gres = "gpu:a100:2(S:0)"};
	_cleanup_manifest_ struct manifest m = {0};
	struct err err = {0};
	int rc;

	set->resources = mode;
	rc = manifest_make("prod", set, &node, &m, &err);
	promise_err(rc, &err);
	PROMISE(rc || (name_is_dns_label(m.pod) && strlen(m.hash) == 16));
}

static void make_both(json_object *template)
{
	_cleanup_json_ json_object *gres = json_object_new_object();
	struct cluster_config cluster = {.name = (char *)"prod",
					 .ns = (char *)"slurm"};
	struct nodeset set = {.name = (char *)"gpu",
			      .cluster = &cluster,
			      .container = (char *)"slurmd",
			      .template = template,
			      .gres = gres};

	PROMISE(!jx_set_str(gres, "gpu", "nvidia.com/gpu"));
	make(&set, RESOURCES_TEMPLATE);
	make(&set, RESOURCES_FROM_NODE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_yaml_ struct yaml *y = NULL;
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};
	int rc = yaml_parse("pod.yaml", (const char *)data, len, &y, &err);

	if (!rc)
		rc = template_check(y, yaml_root(y), "slurmd", &err);
	if (!rc)
		rc = yaml_to_json(y, yaml_root(y), &o, &err);
	promise_err(rc, &err);
	if (!rc)
		make_both(o);
	return 0;
}
