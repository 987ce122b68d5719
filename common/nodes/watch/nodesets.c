/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Kubernetes cluster of a nodeset. */
#include "engine/engine_internal.h"

struct cluster *cluster_of(struct engine *e, const struct nodeset *set)
{
	return e->links[set->cluster - e->config->clusters];
}

struct node_requests *requests_of(struct engine *e, const struct nodeset *set)
{
	return watch_requests(cluster_of(e, set));
}
