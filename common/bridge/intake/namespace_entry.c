/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose namespaces are. */
#include "bridge/reconcile/bridge_internal.h"

const struct namespace_config *ns_find(struct bridge *b,
				       const struct pod_group *g)
{
	_cleanup_json_ json_object *labels =
		pod_groups_labels(b->seen, g->of.ns);

	return namespace_config_find(b->bridge, g->of.ns, labels);
}

const struct namespace_config *namespace_entry(struct bridge *b,
					       const struct pod_group *g)
{
	const struct namespace_config *ns = ns_find(b, g);

	return ns && claims_namespace(b->claims, g->of.ns, NULL) == CLAIMS_OURS
		       ? ns
		       : NULL;
}

bool ns_is_others(struct bridge *b, const struct pod_group *g)
{
	if (!ns_find(b, g))
		return pod_groups_has_space(b->seen, g->of.ns);
	return claims_namespace(b->claims, g->of.ns, NULL) == CLAIMS_OTHERS;
}
