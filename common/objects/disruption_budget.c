/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/disruption_budget.h"

#include "base/cleanup.h"
#include "syntax/wellknown.h"

json_object *disruption_budget_make(const char *name, const char *cluster)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	json_object *meta, *spec, *sel, *labels;
	int bad;

	meta = o ? jx_need(o, "metadata", json_type_object) : NULL;
	spec = meta ? jx_need(o, "spec", json_type_object) : NULL;
	sel = spec ? jx_need(spec, "selector", json_type_object) : NULL;
	labels = sel ? jx_need(sel, "matchLabels", json_type_object) : NULL;
	if (!labels)
		return NULL;
	bad = jx_set_str(o, "apiVersion", "policy/v1");
	bad |= jx_set_str(o, "kind", "PodDisruptionBudget");
	bad |= jx_set_str(meta, "name", name);
	bad |= jx_set(spec, "minAvailable", json_object_new_int(INT32_MAX));
	bad |= jx_set_str(labels, WK_LABEL_CLUSTER, cluster);
	bad |= jx_set_str(labels, WK_LABEL_BUSY, "true");
	return bad ? NULL : steal_ptr(o);
}
