/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pod_compare.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "manifest_diff.h"
#include "node_label.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"

/* True, with words, if k8s.yaml or Slurm has no such pod in this cluster. */
static bool is_left_over(const struct cluster_config *here, bool known,
			 struct comparison *c)
{
	if (!c->set)
		snprintf(c->words, sizeof(c->words),
			 "its node is in no nodeset of k8s.yaml");
	else if (!known)
		snprintf(c->words, sizeof(c->words),
			 "Slurm does not have its node");
	else if (c->set->cluster != here)
		snprintf(c->words, sizeof(c->words),
			 "its node's pods are in cluster %s now",
			 c->set->cluster->name);
	return *c->words;
}

void comparison_make(const struct templates *t,
		     const struct cluster_config *here,
		     const json_object *metadata, struct comparison *out)
{
	const char *label = jx_str(metadata, "labels", WK_LABEL_NODE);
	const char *hash = jx_str(metadata, "labels", WK_LABEL_HASH);
	struct ctl_node node = {0};
	struct node_facts facts;
	struct err err = {0};
	bool known;

	*out = (struct comparison){.state = POD_DIFFERS};
	label = label ? label : "";
	known = node_of_label(t->nodes, label, &node);
	str_copy(out->node, known ? node.name : label, sizeof(out->node));
	out->set = config_nodeset_of(t->config, out->node);
	if (is_left_over(here, known, out))
		return;
	facts = (struct node_facts){
		.name = node.name,
		.cpus = node.cpus,
		.memory_mib = node.memory_mib,
		.gres = node.gres,
		.features =
			jx_str(metadata, "annotations", WK_ANNOTATION_FEATURES),
	};
	if (manifest_make(t->slurm_cluster, out->set, &facts, &out->manifest,
			  &err)) {
		out->state = POD_NOT_SEEN;
		str_copy(out->words, err.msg, sizeof(out->words));
	} else if (str_eq(hash, out->manifest.hash)) {
		out->state = POD_AS_MADE;
	}
}

void comparison_clear(struct comparison *c)
{
	manifest_clear(&c->manifest);
}

void pod_compare(const struct templates *t, const struct cluster_config *here,
		 const json_object *live, struct pod_diff *p)
{
	_cleanup_comparison_ struct comparison c = {0};
	const char *words = NULL;

	comparison_make(t, here, jx_get(live, "metadata"), &c);
	if (c.state == POD_DIFFERS && c.manifest.pod_json) {
		if (manifest_diff(live, c.manifest.pod_json, pod_diff_change,
				  p))
			words = "these are not all differences: there is too "
				"much";
		else if (!p->n)
			words = "no field of the template has changed: "
				"something was taken out of it, or is written "
				"in another way";
	}
	pod_diff_is(p, c.state, *c.words ? c.words : words);
}
