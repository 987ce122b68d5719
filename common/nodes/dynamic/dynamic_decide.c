/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/dynamic/dynamic_decide.h"

#include "config/features.h"
#include "syntax/wellknown.h"

static bool is_ours(const struct dynamic_view *v)
{
	return v->dynamic && v->cloud &&
	       features_list_has(v->features ? v->features : "",
				 WK_FEATURE_CREATED);
}

enum create_do dynamic_decide(const struct dynamic_view *v)
{
	if (!v->known)
		return v->wanted ? CREATE_NEW : CREATE_KEEP;
	if (!is_ours(v) || !v->asleep || v->reserved || !v->podless)
		return CREATE_KEEP;
	if (!v->in_nodeset)
		return CREATE_DELETE;
	/* (with no more `create` an administrator may mean to keep it) */
	if (v->wanted && v->settled && !v->replaced &&
	    (v->cpus != v->wanted->cpus ||
	     v->memory_mib != v->wanted->memory_mib))
		return CREATE_REPLACE;
	return CREATE_KEEP;
}
