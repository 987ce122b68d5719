/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Kubernetes cluster of a nodeset. */
#include "nodes/watch/nodes.h"

struct cluster *cluster_of(struct nodes *nodes, const struct nodeset *set)
{
	return nodes->links[set->cluster - nodes->config->clusters];
}

struct node_requests *requests_of(struct nodes *nodes,
				  const struct nodeset *set)
{
	return watch_requests(cluster_of(nodes, set));
}
