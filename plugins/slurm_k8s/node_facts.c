/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_facts.h"

bool facts_of_node(const struct nodeset *set, const struct ctl_nodes *nodes,
		   const char *name, struct node_facts *out)
{
	struct ctl_node node;

	*out = (struct node_facts){.name = name};
	if (nodes && ctl_nodes_find(nodes, name, &node)) {
		out->cpus = node.cpus;
		out->memory_mib = node.memory_mib;
		out->gres = node.gres;
		out->features = node.features_active;
		return true;
	}
	if (set->create.wanted) {
		out->cpus = set->create.cpus;
		out->memory_mib = set->create.memory_mib;
		out->gres = set->create.gres;
	}
	return set->create.wanted || set->resources == RESOURCES_TEMPLATE;
}

bool facts_of_new_node(const struct nodeset *set, const struct ctl_nodes *nodes,
		       const char *name, struct node_facts *out)
{
	bool known = facts_of_node(set, nodes, name, out);

	out->features = NULL;
	return known;
}
