/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose namespaces are. */
#include "bridge/reconcile/bridge_internal.h"

const struct bridge_ns *ns_find(struct bridge_thread *b,
				const struct bridge_group *g)
{
	_cleanup_json_ json_object *labels =
		bridge_seen_labels(b->seen, g->of.ns);

	return bridge_ns_find(b->bridge, g->of.ns, labels);
}

const struct bridge_ns *ns_entry(struct bridge_thread *b,
				 const struct bridge_group *g)
{
	const struct bridge_ns *ns = ns_find(b, g);

	return ns && claims_namespace(b->claims, g->of.ns, NULL) == CLAIMS_OURS
		       ? ns
		       : NULL;
}

bool ns_is_others(struct bridge_thread *b, const struct bridge_group *g)
{
	if (!ns_find(b, g))
		return bridge_seen_has_space(b->seen, g->of.ns);
	return claims_namespace(b->claims, g->of.ns, NULL) == CLAIMS_OTHERS;
}
