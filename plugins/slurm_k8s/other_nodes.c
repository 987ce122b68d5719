/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "other_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "findings.h"
#include "syntax/node_reason.h"

#define TOO_MANY "(all nodes that are no pods)"

static bool is_other(const struct config *config, const struct ctl_node *node)
{
	return !node->external && !node->cloud &&
	       !config_nodeset_of(config, node->name);
}

size_t other_nodes_count(const struct config *config,
			 const struct ctl_nodes *nodes)
{
	struct ctl_node node;
	size_t n = 0;

	for (size_t i = 0; ctl_nodes_at(nodes, i, &node); i++)
		n += is_other(config, &node);
	return n;
}

/*
 * Read a list of nodes; one that cannot be read counts as empty: to name a node
 * twice does no harm, to leave one out does.
 */
static void read_list(const char *list, struct hostlist *out)
{
	struct err err;

	if (list && hostlist_expand(list, out, &err))
		hostlist_clear(out);
	hostlist_sort(out);
}

/*
 * `excluded` without the names that the engine keeps there for minRunning,
 * which are no administrator's; the caller frees. NULL: none is left. With a
 * count, or where it cannot be read, it is as it was: there are none of the
 * engine's.
 */
static char *without_kept(const struct ctl_nodes *nodes, const char *excluded)
{
	_cleanup_some_nodes_ struct some_nodes rest = SOME_NODES;
	_cleanup_hostlist_ struct hostlist has = {0};
	struct ctl_node node;
	const char *names;
	struct err err;
	size_t kept = 0;

	if (!excluded || strchr(excluded, ':') ||
	    hostlist_expand(excluded, &has, &err))
		return excluded ? strdup(excluded) : NULL;
	for (size_t i = 0; i < has.n; i++)
		if (ctl_nodes_find(nodes, has.names[i], &node) &&
		    node_extra_is_kept(node.extra))
			kept++;
		else
			some_nodes_add(&rest, has.names[i]);
	names = some_nodes_text(&rest);
	if (kept && !rest.n)
		return NULL;
	return strdup(kept && names ? names : excluded);
}

/*
 * Where a list has a count ("nodes:2") Slurm splits it at each comma, also at
 * one within brackets (power_save.c, _parse_exc_nodes()): there each node gets
 * a name of its own. NULL: they are too many.
 */
static const char *text_of(struct some_nodes *some, const char *excluded)
{
	if (!excluded || !strchr(excluded, ':'))
		return some_nodes_text(some);
	for (size_t i = 0; i < some->n; i++)
		if (buf_addf(&some->text, "%s%s", i ? "," : "", some->names[i]))
			return NULL;
	return buf_str(&some->text);
}

const char *other_nodes_spare(const struct config *config,
			      const struct ctl_nodes *nodes,
			      const char *excluded,
			      const struct hostlist *among, char out[SPARE_MAX])
{
	_cleanup_some_nodes_ struct some_nodes some = SOME_NODES;
	_cleanup_free_ char *lasting = without_kept(nodes, excluded);
	_cleanup_hostlist_ struct hostlist has = {0};
	struct ctl_node node;
	const char *names;
	int len;

	excluded = lasting;
	read_list(excluded, &has);
	for (size_t i = 0; ctl_nodes_at(nodes, i, &node); i++)
		if (is_other(config, &node) && !hostlist_has(&has, node.name) &&
		    (!among || hostlist_has(among, node.name)))
			some_nodes_add(&some, node.name);
	if (!some.n)
		return NULL;
	names = text_of(&some, excluded);
	len = snprintf(out, SPARE_MAX, "%s%s%s", excluded ? excluded : "",
		       excluded ? "," : "", names ? names : TOO_MANY);
	if (len >= SPARE_MAX)
		snprintf(out, SPARE_MAX, "(what it has, and %s)",
			 names ? names : TOO_MANY);
	return out;
}

void suspend_time_fix(const char *part, const char *spare,
		      char fix[TIME_FIX_MAX])
{
	snprintf(fix, TIME_FIX_MAX,
		 "slurm.conf: SuspendTime=300%s%s%s%s" RELOAD,
		 part ? " of PartitionName=" : "", part ? part : "",
		 spare ? " and SuspendExcNodes=" : "", spare ? spare : "");
}
