/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Kubernetes cluster of a nodeset. */
#include "engine/engine_internal.h"

struct link *link_of(struct engine *e, const struct nodeset *set)
{
	return e->links[set->cluster - e->config->clusters];
}

struct work *work_of(struct engine *e, const struct nodeset *set)
{
	return link_work(link_of(e, set));
}
