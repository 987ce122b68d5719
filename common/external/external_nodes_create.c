/* SPDX-License-Identifier: GPL-2.0-or-later */
/* External nodes are created in Slurm, deleted and created anew, and settled.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "external/external_actions.h"
#include "external/external_memo.h"
#include "external/external_nodes.h"
#include "external/external_size.h"
#include "slurm/ctl_external.h"
#include "syntax/node_reason.h"

#define SETTLE_FIRST_MS 1000
/* the longest pause between two tries to settle a node */
#define SETTLE_MAX_MS 60000
#define SETTLE_FAILURES 3 /* failures in a row after which the others wait */
#define CREATE_FAILURES 3 /* refusals in a row after which the others wait */
#define CREATE_AGAIN_MS 30000
#define CREATE_AGAIN_MAX_MS 600000

/*
 * Slurm has select reconfigured at each RPC that creates or deletes nodes, with
 * its locks held: those that differ by their names only are created together.
 */
static const char *tail_of(const struct external_action *d)
{
	return d->line + strcspn(d->line, " ");
}

static bool is_like(const struct external_action *a,
		    const struct external_action *b)
{
	return a->line && b->line && !strcmp(tail_of(a), tail_of(b));
}

static int create_like(const struct external_actions *actions,
		       const struct external_action *like, struct err *err)
{
	_cleanup_free_ char *names =
		external_actions_names(actions, is_like, like);
	_cleanup_free_ char *line =
		names ? str_printf("NodeName=%s%s", names, tail_of(like))
		      : NULL;

	return line ? ctl_external_create(line, err) : err_oom(err);
}

/* --- what was created is settled: each by itself, and again if need be */

static void is_new(struct external_nodes *e, const char *name)
{
	struct external_node_memo *m = external_memo_of(e, name);

	if (m)
		m->settling.is_new = true;
}

/*
 * A node that an administrator has drained is left to him; one that is gone
 * needs nothing.
 */
static bool may_settle(struct external_nodes *e, struct external_node_memo *m)
{
	struct ctl_node node;

	if (!ctl_nodes_find(e->slurm.nodes, m->name, &node)) {
		/* A node that was not tried yet was created in this step. */
		m->settling.is_new = !m->settling.tries;
		return m->settling.is_new;
	}
	return !(node.drained || node.down) || node_reason_is_ours(node.reason);
}

static void settle_later(struct external_node_memo *m)
{
	m->settling.at =
		clock_ms() + backoff_doubled(SETTLE_FIRST_MS, m->settling.tries,
					     SETTLE_MAX_MS);
	m->settling.tries++;
}

struct settling {
	size_t all, failed, in_a_row;
	struct err why; /* error of the first node */
	char first[EXTERNAL_NODE_NAME_MAX + 1];
};

static void settle(struct external_nodes *e, struct external_node_memo *m,
		   struct settling *s)
{
	struct err err = {0};
	int rc = 0;

	if (!may_settle(e, m)) {
		settle_later(m);
		return;
	}
	s->all++;
	if (s->in_a_row < SETTLE_FAILURES)
		rc = ctl_external_settle(m->name, &err);
	if (!rc && s->in_a_row < SETTLE_FAILURES) {
		m->settling.is_new = false;
		m->settling.tries = 0;
		s->in_a_row = 0;
		/* the node was out of use: read it anew */
		slurm_nodes_expire(e);
		return;
	}
	if (!s->failed++) {
		err_copy(&s->why, &err);
		str_copy(s->first, m->name, sizeof(s->first));
	}
	s->in_a_row += rc != 0;
	settle_later(m);
}

void external_actions_settle(struct external_nodes *e,
			     struct external_actions *actions)
{
	struct external_node_memo *m = NULL, *next = NULL;
	struct settling s = {0};

	/* one node is settled in each step, whatever else was done */
	actions->some = false;
	HASH_ITER(hh, e->memos, m, next)
	{
		if (m->settling.is_new && clock_ms() >= m->settling.at &&
		    external_actions_may_go_on(e, actions))
			settle(e, m, &s);
		if (m->settling.is_new)
			external_actions_later(actions, m->settling.at);
	}
	if (s.failed)
		log_warn("bridge: %zu of %zu new nodes get exclusive jobs only "
			 "for now, and are tried again; node %s: %s",
			 s.failed, s.all, s.first, s.why.msg);
}

/*
 * How nodes of one line are created. Slurm creates all of a line, or none: if
 * one is wrong, each by itself. slurmctld may have created them though its
 * answer did not come in time: then another RPC for one of them is an error
 * that deletes it.
 */
struct creation {
	int rc; /* result of the line's RPC */
	struct err err;
	struct ctl_nodes *now; /* Slurm's nodes after that; NULL: not known */
	unsigned int in_a_row; /* refusals of single nodes */
};

/* How many nodes Slurm has taken, and has not, in all. */
struct creations {
	unsigned int done, refused;
};

/* True if it is not there, and is to be created by an RPC of its own. */
static bool is_left(const struct creation *c, const struct external_action *d)
{
	struct ctl_node node;

	return c->rc && !(c->now && ctl_nodes_find(c->now, d->name, &node));
}

static void create_one(struct external_nodes *e, struct creation *c,
		       struct external_action *d, struct creations *all)
{
	int rc = 0;

	if (is_left(c, d)) {
		rc = c->rc;
		if (c->now && c->in_a_row < CREATE_FAILURES)
			rc = ctl_external_create(d->line, &c->err);
		c->in_a_row = rc ? c->in_a_row + 1 : 0;
	}
	external_action_finish(e, d, rc, &c->err);
	all->done += !rc;
	all->refused += rc != 0;
	if (!rc)
		is_new(e, d->name);
}

/*
 * Create the nodes whose lines are like the first one's; at least one, so that
 * each step gets somewhere. (When all were refused before others are tried
 * first.)
 */
static void create_group(struct external_nodes *e,
			 struct external_actions *actions,
			 const struct external_action *first,
			 struct creations *all)
{
	const size_t from = e->creations.refused * CREATE_FAILURES;
	struct creation c = {0};
	bool tried = false;
	size_t n = 0;

	for (size_t k = 0; k < actions->n; k++)
		n += actions->v[k].chosen && is_like(&actions->v[k], first);
	c.rc = create_like(actions, first, &c.err);
	if (c.rc && ctl_nodes_load(&c.now, &(struct err){0}))
		c.now = NULL;
	if (n == 1) /* the line that was refused is this node's */
		c.in_a_row = CREATE_FAILURES;
	for (size_t k = 0; k < actions->n; k++) {
		struct external_action *d =
			&actions->v[(from + k) % actions->n];

		if (!d->chosen || !is_like(d, first))
			continue;
		d->chosen = false;
		if (is_left(&c, d) && tried &&
		    !external_actions_may_go_on(e, actions))
			continue;
		tried = true;
		create_one(e, &c, d, all);
	}
	ctl_nodes_free(c.now);
}

static struct creations create_chosen(struct external_nodes *e,
				      struct external_actions *actions)
{
	struct creations all = {0};

	for (size_t i = 0; i < actions->n; i++)
		if (actions->v[i].chosen &&
		    external_actions_may_go_on(e, actions))
			create_group(e, actions, &actions->v[i], &all);
	for (size_t i = 0; i < actions->n; i++)
		actions->v[i].chosen = false;
	return all;
}

/*
 * Nodes that are refused wait: slurmctld keeps some memory of each request that
 * it refuses, and has its locks for it.
 */
void external_actions_create(struct external_nodes *e,
			     struct external_actions *actions)
{
	struct external_creations *c = &e->creations;
	struct creations all;

	for (size_t i = 0; i < actions->n; i++) {
		struct external_action *d = &actions->v[i];

		d->chosen = d->what == EXTERNAL_NODE_CREATE && d->line;
	}
	all = create_chosen(e, actions);
	if (all.done) {
		c->refused = 0;
		c->at = 0;
		return;
	}
	if (all.refused && c->refused++)
		c->at = clock_ms() + backoff_doubled(CREATE_AGAIN_MS,
						     c->refused - 2,
						     CREATE_AGAIN_MAX_MS);
}

static bool is_renewal(const struct external_action *d)
{
	return d->what == EXTERNAL_NODE_RENEW;
}

bool external_renewal_is_before(const struct external_action *a,
				const struct external_action *b)
{
	return a->need != b->need ? a->need > b->need : a->since < b->since;
}

/*
 * True if Slurm takes the node for lost; a reconfiguration may have done that
 * to all nodes.
 */
static bool is_out_of_use(const struct external_action *d)
{
	return d->need == EXTERNAL_NEED_LOST;
}

static bool may_renew_lost(struct external_creations *c, int64_t now)
{
	if (!c->lost_since ||
	    now - c->lost_since >= EXTERNAL_SIZE_RENEWALS_MS) {
		c->lost_since = now;
		c->lost = 0;
	}
	return c->lost++ < EXTERNAL_LOST_RENEWALS_MAX;
}

/*
 * The renewal that is needed most; NULL: none may be done now. There are only
 * so many a minute, and ten times as many of nodes on which no job starts
 * without.
 */
static struct external_action *choose_renewal(struct external_nodes *e,
					      struct external_actions *actions)
{
	struct external_action *first = NULL;

	for (size_t i = 0; i < actions->n; i++) {
		struct external_action *d = &actions->v[i];

		if (is_renewal(d) && d->line &&
		    (!first || external_renewal_is_before(d, first)))
			first = d;
	}
	if (!first ||
	    !(is_out_of_use(first)
		      ? may_renew_lost(&e->creations, clock_ms())
		      : external_size_renew(&e->renewals, clock_ms())))
		return NULL;
	return first;
}

/* Choose what is left of the kind of `first`. False: nothing is. */
static bool choose_rest(struct external_actions *actions,
			const struct external_action *first)
{
	bool some = false;

	for (size_t i = 0; i < actions->n; i++) {
		struct external_action *d = &actions->v[i];

		d->chosen = is_renewal(d) && !d->alone && is_like(d, first);
		some |= d->chosen;
	}
	return some;
}

/*
 * Slurm has deleted the nodes that it could: take those that are left out of
 * the renewal.
 */
static void pass_over_left(struct external_nodes *e,
			   struct external_actions *actions,
			   const struct err *why)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	struct ctl_node node;
	struct err err = {0};
	const bool known = !ctl_nodes_load(&now, &err);

	for (size_t i = 0; i < actions->n; i++) {
		struct external_action *d = &actions->v[i];

		if (!d->chosen ||
		    (known && !ctl_nodes_find(now, d->name, &node)))
			continue;
		d->chosen = false;
		external_action_finish(e, d, -EIO, why);
	}
}

static void note_deleted(struct external_nodes *e,
			 const struct external_actions *actions)
{
	for (size_t i = 0; i < actions->n; i++)
		if (actions->v[i].chosen)
			external_memo_deleted(e, actions->v[i].name);
}

/*
 * Delete the nodes that are chosen, and create them, however long that takes:
 * Slurm refuses jobs whose lists name a node that it does not have. Only if the
 * engine or its lease ends in between Slurm lacks them until the next engine
 * creates them, or this one when it has the lease again; to create them without
 * it could be once too often, which would delete them. True: Slurm has taken
 * one at least, and all that it was asked for.
 */
static bool renew_chosen(struct external_nodes *e,
			 struct external_actions *actions)
{
	_cleanup_free_ char *names =
		external_actions_names(actions, NULL, NULL);
	struct creations all;
	struct err err = {0};

	if (names ? ctl_external_delete(names, &err) : err_oom(&err))
		pass_over_left(e, actions, &err);
	note_deleted(e, actions);
	slurm_nodes_expire(e);
	all = create_chosen(e, actions);
	if (all.refused) {
		e->creations.unmade = all.refused;
		log_warn("bridge: nodes that were deleted to be made anew: "
			 "Slurm refuses to create %u of them; no other one is "
			 "made anew before it has them",
			 all.refused);
	}
	return all.done && !all.refused;
}

/*
 * Whether Slurm takes a kind of node is known when it was asked to create
 * one: its topology may have lost a switch, or gres.conf be of another size.
 * One is deleted to find out, not all.
 */
static void renew_kind(struct external_nodes *e,
		       struct external_actions *actions,
		       struct external_action *first)
{
	const int64_t end = actions->end;

	actions->end = INT64_MAX;
	first->chosen = true;
	if (renew_chosen(e, actions) && !first->alone &&
	    external_actions_may_go_on(e, actions) &&
	    choose_rest(actions, first))
		renew_chosen(e, actions);
	actions->end = end;
}

/*
 * A node that was drained since this was planned would come back undrained: so
 * each is looked at again first.
 */
void external_actions_renew(struct external_nodes *e,
			    struct external_actions *actions)
{
	struct external_action *first;

	if (e->creations.unmade ||
	    !external_actions_confirm(e, actions, is_renewal))
		return;
	external_actions_keep_used(e, actions, is_renewal);
	while (!e->creations.unmade && external_actions_may_go_on(e, actions) &&
	       (first = choose_renewal(e, actions)))
		renew_kind(e, actions, first);
}
