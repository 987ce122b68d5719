/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/running/min_running.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/backoff.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/running/running_decide.h"
#include "slurm/ctl_create.h"
#include "slurm/ctl_suspend_exc.h"
#include "syntax/hostlist.h"
#include "syntax/node_reason.h"

#define LOOK_MS 5000
/* While Slurm refuses, pauses of a nodeset grow from one to the other. */
#define REFUSED_MS 10000
#define REFUSED_MAX_MS 600000
#define ACT_MS 2500 /* how long a list of all nodes is acted on */
/* How long a node of another size waits for dynamic_nodes.c to replace it. */
#define RESIZE_MS 30000
#define LIST_MAX (4u * 1024 * 1024) /* bytes of names */

/* Slurm as it is now: its nodes, and SuspendExcNodes. */
struct present {
	const struct ctl_nodes *all; /* borrowed */
	struct hostlist excepted;    /* sorted */
	enum ctl_suspend_exc_from from;
};

/* The nodes of a nodeset, and what is to be done about each. */
struct plan {
	struct hostlist names;
	struct running_view *views;
	struct running_decision *todo;
	char **list; /* names of one kind; borrowed */
	size_t n_run;
};

static void plan_clear(struct plan *p)
{
	hostlist_clear(&p->names);
	free(p->views);
	free(p->todo);
	free(p->list);
}

/*
 * Slurm has refused to start or keep nodes of this nodeset, or has not
 * answered: log that, if these words are new.
 */
static void refused(struct nodes *nodes, const struct nodeset *set,
		    const struct err *err)
{
	struct min_running_refusal *r = &cooldown_of(nodes, set)->refusal;

	if (!strncmp(r->words, err->msg, sizeof(r->words) - 1))
		return;
	str_copy(r->words, err->msg, sizeof(r->words));
	log_error("nodeset %s: %s (minRunning)", set->name, err->msg);
}

static bool goes_on(struct nodes *nodes, const struct nodeset *set)
{
	return !atomic_load(&nodes->stop) &&
	       cluster_held(cluster_of(nodes, set));
}

/* True if dynamic_nodes.c may be about to replace this node. */
static bool is_of_old_size(const struct nodes *nodes, const struct nodeset *set,
			   const struct node_state *m,
			   const struct ctl_node *node)
{
	const struct create_nodes *size = &set->create;
	const int64_t since = m->power.since > nodes->running.since
				      ? m->power.since
				      : nodes->running.since;

	return size->wanted && node->dynamic &&
	       (node->cpus != size->cpus ||
		node->memory_mib != size->memory_mib) &&
	       (m->replaced.cpus != size->cpus ||
		m->replaced.memory_mib != size->memory_mib) &&
	       (m->power.now != NODE_POWERED_DOWN ||
		clock_ms() - since < RESIZE_MS);
}

static bool is_usable(const struct ctl_node *node)
{
	return !node->down && !node->drained && !node->rebooting &&
	       !node->ending;
}

static struct running_view view_of(struct nodes *nodes,
				   const struct nodeset *set,
				   const struct present *now, const char *name)
{
	struct node_state *m = node_state_find(nodes, name);
	struct running_view v = {.excepted = hostlist_has(&now->excepted, name),
				 .ours = m && m->kept.up};
	struct ctl_node node;

	if (!m || !ctl_nodes_find(now->all, name, &node))
		return v;
	v.power = node_power_of(node.power);
	v.usable = is_usable(&node);
	/* Power saving starts a node that a job has got. */
	v.starting =
		node.starting || (node.busy && v.power == NODE_POWERED_DOWN);
	/*
	 * While feature_switch.c powers nodes down, so that jobs get them with
	 * other features, none of them is started without.
	 */
	v.may_start = watch_is_live(cluster_of(nodes, set)) &&
		      !cooldown_words(nodes, set, m) && !node.reserved &&
		      (!set->features || clock_ms() >= nodes->features.until) &&
		      !is_of_old_size(nodes, set, m, &node);
	return v;
}

/* True if something is to be done. False, too, without memory. */
static bool plan_make(struct nodes *nodes, const struct nodeset *set,
		      const struct present *now, uint32_t wanted,
		      struct plan *p)
{
	bool some = false;
	size_t n;

	if (hostlist_expand(set->nodes, &p->names, NULL))
		return false;
	n = p->names.n;
	p->views = calloc(n, sizeof(*p->views));
	p->todo = calloc(n, sizeof(*p->todo));
	p->list = calloc(n, sizeof(*p->list));
	if (!p->views || !p->todo || !p->list)
		return false;
	for (size_t i = 0; i < n; i++) {
		p->views[i] = view_of(nodes, set, now, p->names.names[i]);
		p->n_run += running_counts(&p->views[i]);
	}
	running_decide(p->views, n, wanted, p->todo);
	for (size_t i = 0; i < n; i++)
		some |= p->todo[i].keep || p->todo[i].start ||
			p->todo[i].release;
	return some;
}

/*
 * Take the names of ours that are to go out of SuspendExcNodes. Each is ours
 * until it is seen to be out: an answer may be lost, and slurmctld may undo it
 * when another update comes at the same moment (proc_req.c).
 */
static void release(struct nodes *nodes, const struct nodeset *set,
		    struct plan *p)
{
	_cleanup_free_ char *list = NULL;
	struct err err = {0};
	size_t n = 0;

	for (size_t i = 0; i < p->names.n; i++) {
		struct node_state *m =
			node_state_find(nodes, p->names.names[i]);

		if (!p->todo[i].release)
			continue;
		if (p->views[i].excepted)
			p->list[n++] = p->names.names[i];
		else if (m)
			m->kept.up = false;
	}
	list = n ? ctl_hostlist_of(p->list, n) : NULL;
	if (!list)
		return;
	if (ctl_suspend_exc_remove(list, &err))
		log_warn("nodeset %s: nodes %.200s stay kept up for now: %s",
			 set->name, list, err.msg);
	else
		log_info("nodeset %s: nodes %.200s are no longer kept up "
			 "(minRunning)",
			 set->name, list);
}

/*
 * Power nodes up. Where Slurm takes a part only (max_powered_nodes) it refuses
 * all of them, so half as many are tried after each refusal, later and later.
 * Those that were not started are not to be kept up.
 */
static void start(struct nodes *nodes, const struct nodeset *set,
		  struct plan *p, uint32_t wanted)
{
	struct min_running_refusal *r = &cooldown_of(nodes, set)->refusal;
	_cleanup_free_ char *list = NULL;
	struct err err = {0};
	size_t n = 0;

	for (size_t i = 0; i < p->names.n; i++)
		if (p->todo[i].start)
			p->list[n++] = p->names.names[i];
	if (!n)
		return;
	n = n >> r->failures ? n >> r->failures : 1;
	list = clock_ms() >= r->until ? ctl_hostlist_of(p->list, n) : NULL;
	if (!list || ctl_node_update(list, CTL_POWER_UP, NULL, &err))
		n = 0;
	for (size_t i = 0, k = 0; i < p->names.n; i++)
		if (p->todo[i].start && k++ >= n)
			p->todo[i].keep = false;
	if (err.code) {
		refused(nodes, set, &err);
		r->until = clock_ms() + backoff_doubled(REFUSED_MS, r->failures,
							REFUSED_MAX_MS);
		r->failures += r->failures < 16;
	} else if (list) {
		*r = (struct min_running_refusal){0};
		log_info("nodeset %s: nodes %.200s are powered up: %u are to "
			 "run (minRunning), %zu do",
			 set->name, list, wanted, p->n_run);
	}
}

/* Mark in Extra those whose Extra is empty or ours. */
static void mark(struct nodes *nodes, const struct nodeset *set,
		 const struct present *now, struct plan *p)
{
	_cleanup_free_ char *list = NULL;
	struct err err = {0};
	struct ctl_node node;
	size_t n = 0;

	for (size_t i = 0; i < p->names.n; i++)
		if (p->todo[i].keep &&
		    ctl_nodes_find(now->all, p->names.names[i], &node) &&
		    (!node.extra || !*node.extra ||
		     node_reason_is_ours(node.extra)) &&
		    !node_extra_is_kept(node.extra))
			p->list[n++] = p->names.names[i];
	list = n ? ctl_hostlist_of(p->list, n) : NULL;
	if (list && ctl_node_update(list, CTL_SET_EXTRA, WK_EXTRA_KEPT, &err) &&
	    !*cooldown_of(nodes, set)->refusal.words)
		log_warn("nodes %.200s: their Extra cannot say that they are "
			 "kept up, so a slurmctld that takes over does not "
			 "release them: %s",
			 list, err.msg);
}

static void keep(struct nodes *nodes, const struct nodeset *set,
		 const struct present *now, struct plan *p)
{
	_cleanup_free_ char *list = NULL;
	struct err err = {0};
	size_t n = 0;

	mark(nodes, set, now, p);
	if (!goes_on(nodes, set))
		return;
	for (size_t i = 0; i < p->names.n; i++) {
		struct node_state *m =
			node_state_find(nodes, p->names.names[i]);

		if (!p->todo[i].keep || !m)
			continue;
		p->list[n++] = p->names.names[i];
		/* The answer may be lost: a name that is there is ours. */
		m->kept.up = true;
	}
	list = n ? ctl_hostlist_of(p->list, n) : NULL;
	if (list && ctl_suspend_exc_add(list, &err))
		refused(nodes, set, &err);
	else if (list)
		log_info("nodeset %s: nodes %.200s are kept up (minRunning)",
			 set->name, list);
}

static uint32_t wanted_of(const struct nodeset *set)
{
	const time_t now = (time_t)(clock_real_ms() / 1000);
	struct tm local = {0};

	return set->min_running.where && localtime_r(&now, &local)
		       ? min_running_at(&set->min_running, &local)
		       : 0;
}

static void act(struct nodes *nodes, const struct nodeset *set,
		const struct present *now, struct plan *p, uint32_t wanted)
{
	release(nodes, set, p);
	if (goes_on(nodes, set))
		start(nodes, set, p, wanted);
	if (goes_on(nodes, set))
		keep(nodes, set, now, p);
}

/* True if something is to be done, or was. */
static bool look(struct nodes *nodes, const struct nodeset *set,
		 const struct present *now, bool acts)
{
	const uint32_t wanted = wanted_of(set);
	struct plan p = {0};
	const bool some = plan_make(nodes, set, now, wanted, &p);

	if (some && acts)
		act(nodes, set, now, &p, wanted);
	plan_clear(&p);
	return some;
}

/*
 * Take the names of these nodes, which are in no nodeset any more, out of
 * SuspendExcNodes, if they are ours, and their mark, which nobody else would.
 */
static void release_left(const char *list, bool ours)
{
	struct err err = {0};

	if (ours && ctl_suspend_exc_remove(list, &err)) {
		log_error("nodes %.200s: in no nodeset, and stay in "
			  "SuspendExcNodes: %s",
			  list, err.msg);
		return;
	}
	log_info("nodes %.200s: in no nodeset, and no longer kept up", list);
	ctl_node_try(list, CTL_SET_EXTRA, "");
}

void min_running_leave(struct nodes *nodes, const struct config *next)
{
	_cleanup_buf_ struct buf list = BUF_INIT(LIST_MAX);
	const struct node_state *m = NULL, *after = NULL;

	HASH_ITER(hh, nodes->memos, m, after)
	{
		if (m->kept.up && !config_nodeset_of(next, m->name))
			buf_add_item(&list, m->name);
	}
	if (list.len)
		release_left(buf_str(&list), true);
	nodes->running.at = 0;
	nodes->running.next = 0;
	nodes->running.since = clock_ms();
}

static bool config_wants(const struct config *c)
{
	for (size_t i = 0; i < c->n_nodesets; i++)
		if (c->nodesets[i].min_running.where)
			return true;
	return false;
}

/* True if a nodeset wants nodes to run, or some node is kept, or may be. */
static bool is_wanted(const struct nodes *nodes)
{
	const struct node_state *m = NULL, *next = NULL;
	struct ctl_node node;

	if (config_wants(nodes->config))
		return true;
	HASH_ITER(hh, nodes->memos, m, next)
	{
		if (m->kept.up)
			return true;
	}
	for (size_t i = 0;
	     !nodes->running.looked && ctl_nodes_at(nodes->slurm.all, i, &node);
	     i++)
		if (node_extra_is_kept(node.extra))
			return true;
	return false;
}

/* False: it cannot be read, as the log says, so nothing is done. */
static bool read_excepted(struct nodes *nodes, struct present *now)
{
	struct min_running_turn *t = &nodes->running;
	struct ctl_suspend_exc exc = {0};
	struct err err = {0};

	if (!ctl_suspend_exc_load(&exc, &err)) {
		now->from = exc.from;
		if (strchr(exc.names, ':'))
			err_set(&err, -EINVAL,
				"SuspendExcNodes has a count (%.100s), beside "
				"which slurmctld takes no other names",
				exc.names);
		else if (*exc.names)
			hostlist_expand(exc.names, &now->excepted, &err);
	}
	free(exc.names);
	hostlist_sort(&now->excepted);
	if (err.code && strncmp(t->words, err.msg, sizeof(t->words) - 1))
		log_warn("minRunning keeps no node up: %s", err.msg);
	str_copy(t->words, err.code ? err.msg : "", sizeof(t->words));
	return !err.code;
}

/* True of a node with our mark that runs, and is not to be replaced. */
static bool is_left_running(const struct ctl_node *node)
{
	return node->name && node_extra_is_kept(node->extra) &&
	       is_usable(node) &&
	       (node->power == CTL_UP || node->power == CTL_POWERING_UP);
}

/*
 * True if a name with our mark is ours, as slurmctld has taken over from
 * another one. Where that is not known it is so if no name of ours is missing.
 */
static bool has_inherited(const struct present *now)
{
	struct ctl_node node;

	if (now->from != CTL_EXC_UNKNOWN)
		return now->from == CTL_EXC_INHERITED;
	for (size_t i = 0; ctl_nodes_at(now->all, i, &node); i++)
		if (is_left_running(&node) &&
		    !hostlist_has(&now->excepted, node.name))
			return false;
	return true;
}

/* What is found of the nodes with our mark. */
struct inheritance {
	char **missing, **left; /* names, borrowed */
	size_t n_missing, n_left;
	bool inherited;
};

static void inherit(struct nodes *nodes, const struct present *now,
		    const struct ctl_node *node, struct inheritance *out)
{
	const struct nodeset *set =
		config_nodeset_of(nodes->config, node->name);
	const bool there = hostlist_has(&now->excepted, node->name);
	struct node_state *m;

	if (!set) {
		out->left[out->n_left++] = (char *)node->name;
		return;
	}
	/* A name to be added again must be of a node that runs yet. */
	if (there ? !out->inherited
		  : !set->min_running.where || !is_left_running(node))
		return;
	m = node_state_of(nodes, node->name);
	if (!m)
		return;
	m->kept.up = true;
	if (!there)
		out->missing[out->n_missing++] = (char *)node->name;
}

/*
 * Take over the nodes that the engine before this one has kept up: they are
 * ours by inheritance, or are to be added again, where the nodeset wants that.
 */
static void adopt(struct nodes *nodes, const struct present *now)
{
	const size_t max = ctl_nodes_count(now->all);
	struct inheritance in = {.missing =
					 calloc(max + 1, sizeof(*in.missing)),
				 .left = calloc(max + 1, sizeof(*in.left)),
				 .inherited = has_inherited(now)};
	_cleanup_free_ char *list = NULL, *left = NULL;
	struct err err = {0};
	struct ctl_node node;

	for (size_t i = 0; in.missing && in.left && i < max &&
			   ctl_nodes_at(now->all, i, &node);
	     i++)
		if (node.name && node_extra_is_kept(node.extra))
			inherit(nodes, now, &node, &in);
	list = in.n_missing ? ctl_hostlist_of(in.missing, in.n_missing) : NULL;
	if (list && ctl_suspend_exc_add(list, &err))
		log_warn("%s", err.msg); /* the next look adds them */
	else if (list)
		log_info("nodes %.200s are kept up, as before (minRunning)",
			 list);
	left = in.n_left ? ctl_hostlist_of(in.left, in.n_left) : NULL;
	if (left)
		release_left(left, in.inherited);
	nodes->running.looked = in.missing && in.left;
	free(in.missing);
	free(in.left);
}

void min_running_begin(struct nodes *nodes)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *all = NULL;
	struct present now = {0};

	nodes->running.since = clock_ms();
	if (ctl_keeps_nodes_up() && config_wants(nodes->config) &&
	    read_excepted(nodes, &now) && !ctl_nodes_load(&all, NULL)) {
		now.all = all;
		adopt(nodes, &now);
	}
	hostlist_clear(&now.excepted);
}

/* True if something is to be done for a nodeset whose lease is held. */
static bool is_due(struct nodes *nodes, const struct present *now)
{
	for (size_t i = 0; i < nodes->config->n_nodesets; i++) {
		const struct nodeset *set = &nodes->config->nodesets[i];

		if (goes_on(nodes, set) && look(nodes, set, now, false))
			return true;
	}
	return false;
}

/* Look at all nodesets, or as far as the time goes: the next look goes on. */
static void look_all(struct nodes *nodes, const struct present *now)
{
	const int64_t until = clock_ms() + ACT_MS;
	const size_t n = nodes->config->n_nodesets;

	for (size_t i = 0; i < n && clock_ms() < until; i++) {
		const struct nodeset *set =
			&nodes->config->nodesets[nodes->running.next++ % n];

		if (goes_on(nodes, set))
			look(nodes, set, now, true);
	}
	if (n)
		nodes->running.next %= n;
}

static bool any_held(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->config->n_nodesets; i++)
		if (goes_on(nodes, &nodes->config->nodesets[i]))
			return true;
	return false;
}

static void compare(struct nodes *nodes, struct present *now)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *fresh = NULL;

	if (!nodes->running.looked) {
		/* What this adds is seen in the next look. */
		if (any_held(nodes))
			adopt(nodes, now);
		return;
	}
	/* A node may have begun to power up since all were read. */
	if (is_due(nodes, now) && !ctl_nodes_load(&fresh, NULL)) {
		now->all = fresh;
		look_all(nodes, now);
		nodes_ask_again(nodes);
	}
}

void min_running_step(struct nodes *nodes)
{
	struct min_running_turn *t = &nodes->running;
	struct present now = {.all = nodes->slurm.all};

	if (!ctl_keeps_nodes_up() || clock_ms() < t->at)
		return;
	t->wanted = is_wanted(nodes);
	if (t->wanted && read_excepted(nodes, &now))
		compare(nodes, &now);
	hostlist_clear(&now.excepted);
	t->at = clock_ms() + LOOK_MS;
}

int64_t min_running_next(const struct nodes *nodes)
{
	return nodes->running.wanted ? nodes->running.at : INT64_MAX;
}
