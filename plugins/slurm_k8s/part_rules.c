/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "part_rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "other_nodes.h"
#include "some_nodes.h"
#include "syntax/hostlist.h"

#define FIX_MAX (SOME_NODES_MAX + 256)
#define PARTS_MAX 1024 /* bytes of the partitions' names in a line */

/*
 * What a node gets from all partitions that it is in: the longest of each time
 * that any of them has of its own, else slurm.conf's (power_save.c,
 * power_save_set_timeouts(), in all releases).
 */
struct of_node {
	const char *name; /* borrowed */
	bool is_in_one;
	int64_t told_s; /* SuspendTime that slurmctld tells; -1: none */
	int64_t suspend_time_s, suspend_timeout_s; /* -1: no partition's */
	const char *time_of, *timeout_of; /* their partitions; borrowed */
};

/* What all rules read. */
struct look {
	const struct config *config;
	const struct ctl_nodes *nodes;
	const struct ctl_part_list *parts;
	const struct suspend_times *all;
	bool saving; /* Slurm has power saving at all */
	struct findings *out;
};

/* The nodes of a nodeset, sorted by name. */
struct of_set {
	const struct nodeset *set;
	struct hostlist names;
	struct of_node *v;
	size_t n;
};

static void set_free(struct of_set *s)
{
	hostlist_clear(&s->names);
	free(s->v);
}

/*
 * Fill in the nodes of a set. Nodes that Slurm does not know are left out:
 * node_rules() tells of them.
 */
static int set_init(struct of_set *s, const struct nodeset *set,
		    const struct ctl_nodes *nodes, struct err *err)
{
	int rc = hostlist_expand(set->nodes, &s->names, err);
	struct ctl_node node;

	s->set = set;
	if (rc)
		return rc;
	hostlist_sort(&s->names);
	s->v = calloc(s->names.n + 1, sizeof(*s->v));
	if (!s->v)
		return err_oom(err);
	for (size_t i = 0; i < s->names.n; i++)
		if (ctl_nodes_find(nodes, s->names.names[i], &node))
			s->v[s->n++] =
				(struct of_node){.name = s->names.names[i],
						 .told_s = node.suspend_time_s,
						 .suspend_time_s = -1,
						 .suspend_timeout_s = -1};
	return 0;
}

static void take_part(const struct ctl_part *part, struct of_node *node)
{
	node->is_in_one = true;
	if (part->suspend_time_s > node->suspend_time_s) {
		node->suspend_time_s = part->suspend_time_s;
		node->time_of = part->name;
	}
	if (part->suspend_timeout_s > node->suspend_timeout_s) {
		node->suspend_timeout_s = part->suspend_timeout_s;
		node->timeout_of = part->name;
	}
}

static int take_parts(struct of_set *s, const struct ctl_part_list *parts,
		      struct err *err)
{
	struct ctl_part part;

	for (size_t i = 0; ctl_part_list_at(parts, i, &part); i++) {
		_cleanup_hostlist_ struct hostlist h = {0};
		int rc = *part.nodes ? hostlist_expand(part.nodes, &h, err) : 0;

		if (rc)
			return rc;
		hostlist_sort(&h);
		for (size_t k = 0; k < s->n; k++)
			if (hostlist_has(&h, s->v[k].name))
				take_part(&part, &s->v[k]);
	}
	return 0;
}

static bool is_known(const struct ctl_part_list *parts, const char *name,
		     size_t len)
{
	struct ctl_part part;

	for (size_t i = 0; ctl_part_list_at(parts, i, &part); i++)
		if (strlen(part.name) == len && !strncmp(part.name, name, len))
			return true;
	return false;
}

/* A second line of a partition's name is fatal: slurmctld does not start. */
static void partition_fix(const struct nodeset *set,
			  const struct ctl_part_list *parts, const char *nodes,
			  char fix[FIX_MAX])
{
	if (is_known(parts, set->name, strlen(set->name)))
		snprintf(fix, FIX_MAX,
			 "slurm.conf: add %s to Nodes of "
			 "PartitionName=%s" RELOAD,
			 nodes, set->name);
	else
		snprintf(
			fix, FIX_MAX,
			"slurm.conf: PartitionName=%s Nodes=%s State=UP" RELOAD,
			set->name, nodes);
}

/* Nodes that no job can ask for. */
static bool without(const struct of_set *s, const struct ctl_part_list *parts,
		    struct findings *out)
{
	_cleanup_some_nodes_ struct some_nodes some = SOME_NODES;
	const char *names;
	char fix[FIX_MAX];

	for (size_t i = 0; i < s->n; i++)
		if (!s->v[i].is_in_one)
			some_nodes_add(&some, s->v[i].name);
	if (!some.n)
		return false;
	names = some_nodes_text(&some);
	partition_fix(s->set, parts, names ? names : s->set->nodes, fix);
	findings_add(out, some.n == s->n ? FINDING_WRONG : FINDING_WARN,
		     "partition", fix,
		     "nodeset %s: %zu of its nodes are in no partition, so no "
		     "job gets them%s%s",
		     s->set->name, some.n, names ? ": " : "",
		     names ? names : "");
	return true;
}

/* A node's SuspendTime without that of its NodeName line. */
static int64_t given(const struct of_node *node, int64_t all_s)
{
	return node->suspend_time_s >= 0 ? node->suspend_time_s : all_s;
}

static int64_t idle_of(const struct of_node *node, int64_t all_s)
{
	return node->told_s >= 0 ? node->told_s : given(node, all_s);
}

/* The nodes of a partition, sorted; none if they cannot be read. */
static void nodes_of(const struct ctl_part_list *parts, const char *name,
		     struct hostlist *out)
{
	struct ctl_part part;
	struct err err;

	for (size_t i = 0; ctl_part_list_at(parts, i, &part); i++)
		if (str_eq(part.name, name) && *part.nodes &&
		    hostlist_expand(part.nodes, out, &err))
			hostlist_clear(out);
	hostlist_sort(out);
}

/*
 * Write the fix for a missing SuspendTime of partition `part` (NULL: of all
 * nodes), by which nodes that are no pods stay up.
 */
static void time_fix(const struct look *l, const char *part,
		     char fix[TIME_FIX_MAX])
{
	_cleanup_hostlist_ struct hostlist among = {0};
	char spare[SPARE_MAX];

	if (part)
		nodes_of(l->parts, part, &among);
	suspend_time_fix(part,
			 other_nodes_spare(l->config, l->nodes, l->all->spared,
					   part ? &among : NULL, spare),
			 fix);
}

static bool never_go(const struct of_set *s, const struct look *l)
{
	_cleanup_some_nodes_ struct some_nodes some = SOME_NODES;
	const int64_t all_s = l->all->idle_s;
	const char *names, *part = NULL;
	bool own = false; /* some NodeName line has INFINITE */
	char fix[TIME_FIX_MAX];

	for (size_t i = 0; i < s->n; i++)
		if (idle_of(&s->v[i], all_s) == INT64_MAX) {
			some_nodes_add(&some, s->v[i].name);
			if (!part && s->v[i].suspend_time_s == INT64_MAX)
				part = s->v[i].time_of;
			own |= given(&s->v[i], all_s) != INT64_MAX;
		}
	if (!some.n)
		return false;
	names = some_nodes_text(&some);
	if (own && !part)
		str_copy(fix,
			 "slurm.conf: SuspendTime=300 of their NodeName line, "
			 "then restart slurmctld",
			 sizeof(fix));
	else
		time_fix(l, part, fix);
	findings_add(l->out, FINDING_WARN, "SuspendTime", fix,
		     "nodeset %s: %zu of its nodes keep their pods for ever, "
		     "for their SuspendTime is INFINITE%s%s",
		     s->set->name, some.n, names ? ": " : "",
		     names ? names : "");
	return true;
}

static int64_t grace_of(const struct nodeset *set)
{
	return jx_int(
		jx_get(set->template, "spec", "terminationGracePeriodSeconds"),
		30);
}

/*
 * Check the SuspendTimeouts of partitions: all_late() checks slurm.conf's for
 * all nodes.
 */
static bool end_late(const struct of_set *s, struct findings *out)
{
	const int64_t grace = grace_of(s->set);
	char fix[FIX_MAX];

	for (size_t i = 0; i < s->n; i++) {
		const struct of_node *node = &s->v[i];

		if (node->suspend_timeout_s < 0 ||
		    node->suspend_timeout_s >= grace)
			continue;
		snprintf(fix, sizeof(fix),
			 "slurm.conf: SuspendTimeout=%" PRId64
			 " of PartitionName=%s" RELOAD,
			 grace, node->timeout_of);
		findings_add(out, FINDING_WARN, "SuspendTimeout", fix,
			     "nodeset %s: %" PRId64
			     " s in partition %s: a pod has %" PRId64
			     " s to end (terminationGracePeriodSeconds)",
			     s->set->name, node->suspend_timeout_s,
			     node->timeout_of, grace);
		return true;
	}
	return false;
}

/*
 * True if some node of the set has slurm.conf's SuspendTimeout for all nodes.
 */
static bool has_common_timeout(const struct of_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].suspend_timeout_s < 0)
			return true;
	return false;
}

/*
 * True if no partition has a SuspendTimeout of its own: only then it is known
 * which one a node will have that is still to be created.
 */
static bool no_part_has_timeout(const struct ctl_part_list *parts)
{
	struct ctl_part part;

	for (size_t i = 0; ctl_part_list_at(parts, i, &part); i++)
		if (part.suspend_timeout_s >= 0)
			return false;
	return true;
}

/*
 * The nodeset whose pods take longest to end, of those for which slurm.conf's
 * SuspendTimeout for all nodes counts.
 */
struct slowest {
	const struct nodeset *set; /* NULL: there is none */
	int64_t grace_s;
};

static void take_slow(struct slowest *slow, const struct nodeset *set)
{
	const int64_t grace = grace_of(set);

	if (!slow->set || grace > slow->grace_s)
		*slow = (struct slowest){set, grace};
}

/* Check slurm.conf's SuspendTimeout for all nodes, if it counts for any. */
static void all_late(const struct slowest *slow, int64_t all_s,
		     struct findings *out)
{
	char fix[FIX_MAX];

	snprintf(fix, sizeof(fix), "slurm.conf: SuspendTimeout=%" PRId64 RELOAD,
		 slow->grace_s);
	if (slow->set && all_s < slow->grace_s)
		findings_add(out, FINDING_WARN, "SuspendTimeout", fix,
			     "nodeset %s: %" PRId64 " s: a pod has %" PRId64
			     " s to end (terminationGracePeriodSeconds)",
			     slow->set->name, all_s, slow->grace_s);
	else if (slow->set)
		findings_add(out, FINDING_OK, "SuspendTimeout", NULL,
			     "%" PRId64 " s", all_s);
}

static void nodeset(const struct nodeset *set, const struct look *l,
		    struct slowest *slow)
{
	struct of_set s = {0};
	struct err err = {0};
	bool bad = false;

	if (set->create.wanted) {
		/* Nodes of `create` are in Slurm only while the engine runs. */
		if (no_part_has_timeout(l->parts))
			take_slow(slow, set);
		return;
	}
	if (set_init(&s, set, l->nodes, &err) ||
	    take_parts(&s, l->parts, &err)) {
		findings_add(l->out, FINDING_UNKNOWN, "partition", NULL,
			     "nodeset %s: %s", set->name, err.msg);
		set_free(&s);
		return;
	}
	if (has_common_timeout(&s))
		take_slow(slow, set);
	bad |= without(&s, l->parts, l->out);
	if (l->saving)
		bad |= never_go(&s, l);
	bad |= end_late(&s, l->out);
	if (!bad)
		findings_add(l->out, FINDING_OK, "partition", NULL,
			     "nodeset %s: its nodes are in one", set->name);
	set_free(&s);
}

/* Names with commas, as many as a line has room for. */
static const char *names_of(const struct ctl_part_list *parts, struct buf *text)
{
	struct ctl_part part;

	for (size_t i = 0; ctl_part_list_at(parts, i, &part); i++)
		if (buf_addf(text, "%s%s", i ? "," : "", part.name))
			break;
	return buf_str(text);
}

static void bridged(const char *asked, const char *where,
		    const struct ctl_part_list *parts, struct findings *out)
{
	_cleanup_buf_ struct buf all = BUF_INIT(PARTS_MAX);
	struct ctl_part first = {.name = "NAME"};
	const char *name = asked;
	char fix[FIX_MAX];
	size_t len;

	for (; (len = str_next_item(&name)); name += len) {
		if (is_known(parts, name, len))
			continue;
		ctl_part_list_at(parts, 0, &first);
		snprintf(fix, sizeof(fix), "k8s.yaml: partition: %s" RELOAD,
			 first.name);
		findings_add(out, FINDING_WRONG, "partition", fix,
			     "%s: Slurm has no partition %.*s, so no pod of "
			     "the queue starts; it has %s",
			     where, (int)len, name, names_of(parts, &all));
		return;
	}
}

static void bridge(const struct bridge_config *b,
		   const struct ctl_part_list *parts, struct findings *out)
{
	if (!b->wanted)
		return;
	bridged(b->partition, "bridge", parts, out);
	for (size_t i = 0; i < b->n_ns; i++) {
		char where[320];

		snprintf(where, sizeof(where), "bridge, namespace %s",
			 b->ns[i].name ? b->ns[i].name : "by labels");
		bridged(b->ns[i].partition, where, parts, out);
	}
}

bool part_suspends(const struct ctl_part_list *parts)
{
	struct ctl_part part;

	for (size_t i = 0; ctl_part_list_at(parts, i, &part); i++)
		if (part.suspend_time_s >= 0 &&
		    part.suspend_time_s != INT64_MAX)
			return true;
	return false;
}

bool node_suspends(const struct ctl_nodes *nodes)
{
	struct ctl_node node;

	for (size_t i = 0; ctl_nodes_at(nodes, i, &node); i++)
		if (node.suspend_time_s >= 0 &&
		    node.suspend_time_s != INT64_MAX)
			return true;
	return false;
}

void part_rules(const struct config *config, const struct ctl_nodes *nodes,
		const struct ctl_part_list *parts,
		const struct suspend_times *all, struct findings *out)
{
	const struct look l = {
		.config = config,
		.nodes = nodes,
		.parts = parts,
		.all = all,
		.saving = all->idle_s != INT64_MAX || part_suspends(parts) ||
			  node_suspends(nodes),
		.out = out,
	};
	struct slowest slow = {0};

	for (size_t i = 0; i < config->n_nodesets; i++)
		nodeset(&config->nodesets[i], &l, &slow);
	all_late(&slow, all->timeout_s, out);
	bridge(&config->bridge, parts, out);
}
