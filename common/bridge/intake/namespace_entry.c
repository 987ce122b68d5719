/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which namespaces belong to this Slurm cluster. */
#include "bridge/intake/namespace_entry.h"

const struct namespace_config *ns_find(const struct namespace_sources *by,
				       const struct pod_group *g)
{
	_cleanup_json_ json_object *labels =
		pod_groups_labels(by->seen, g->of.ns);

	return namespace_config_find(by->bridge, g->of.ns, labels);
}

const struct namespace_config *
namespace_entry(const struct namespace_sources *by, const struct pod_group *g)
{
	const struct namespace_config *ns = ns_find(by, g);

	return ns && claims_namespace(by->claims, g->of.ns, NULL) == CLAIMS_OURS
		       ? ns
		       : NULL;
}

bool ns_is_others(const struct namespace_sources *by, const struct pod_group *g)
{
	if (!ns_find(by, g))
		return pod_groups_has_space(by->seen, g->of.ns);
	return claims_namespace(by->claims, g->of.ns, NULL) == CLAIMS_OTHERS;
}
