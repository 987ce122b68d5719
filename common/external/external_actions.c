/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is planned about Slurm's nodes is done: of one kind in as few RPCs as
 * there are different words, for a few seconds; then the bridge has other
 * things to do.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "external/external_actions.h"
#include "external/external_memo.h"
#include "external/external_nodes.h"
#include "slurm/ctl.h"
#include "slurm/ctl_external.h"
#include "slurm/nodes_again.h"

#define RETRY_FIRST_MS 1000 /* pause after a refusal */
/* pause after a refusal in the words of the last one */
#define RETRY_MS 30000
#define NAMES_MAX                                                              \
	((size_t)EXTERNAL_ACTIONS_MAX *                                        \
	 (EXTERNAL_NODE_NAME_MAX + 1)) /* bytes of all names */

void external_action_clear(struct external_action *d)
{
	free(d->line);
	free(d->features);
	free(d->topology);
	d->line = d->features = d->topology = NULL;
}

void external_actions_clear(struct external_actions *d)
{
	for (size_t i = 0; i < d->n; i++)
		external_action_clear(&d->v[i]);
}

void external_actions_later(struct external_actions *actions, int64_t at)
{
	if (at && (!actions->later || at < actions->later))
		actions->later = at;
}

/* --- what came of it */

static bool is_told(const struct external_node_memo *m, const char *words)
{
	return m && !strncmp(m->words, words, sizeof(m->words) - 1);
}

struct external_node_memo *
external_node_log(struct external_nodes *e, const char *name, const char *words)
{
	struct external_node_memo *m = external_memo_of(e, name);

	if (!m || is_told(m, words))
		return m;
	str_copy(m->words, words, sizeof(m->words));
	log_warn("bridge: node %s: %s", name, words);
	return m;
}

/*
 * Note that Slurm has refused an action, which is tried again: soon at first,
 * for the node may have been another than Slurm had shown us (a job has come
 * there); then seldom.
 */
static void refused(struct external_nodes *e, const char *name,
		    const char *words)
{
	const bool again = is_told(external_memo_of(e, name), words);
	struct external_node_memo *m = external_node_log(e, name, words);

	if (m)
		m->until = clock_ms() + (again ? RETRY_MS : RETRY_FIRST_MS);
	slurm_nodes_expire(e); /* read them anew */
}

static void succeeded(struct external_nodes *e, const struct external_action *d)
{
	struct external_node_memo *m;

	slurm_nodes_expire(e);
	HASH_FIND_STR(e->memos, d->name, m);
	if (d->what == EXTERNAL_NODE_CREATE || d->what == EXTERNAL_NODE_RENEW ||
	    d->what == EXTERNAL_NODE_DELETE) {
		e->creations.anew += m && (m->deleted || m->was_there) &&
				     d->what != EXTERNAL_NODE_DELETE;
		external_memo_drop(e, d->name);
		return;
	}
	if (!m && d->relabels)
		m = external_memo_of(e, d->name);
	if (!m)
		return;
	*m->words = '\0';
	m->relabelled |= d->relabels;
}

void external_action_finish(struct external_nodes *e, struct external_action *d,
			    int rc, const struct err *err)
{
	static const char *const words[] = {
		[EXTERNAL_NODE_KEEP] = "kept",
		[EXTERNAL_NODE_CREATE] = "created in Slurm",
		[EXTERNAL_NODE_UPDATE] =
			"has other features, or another topology",
		[EXTERNAL_NODE_RENEW] = "created anew",
		[EXTERNAL_NODE_DRAIN] = "drained",
		[EXTERNAL_NODE_UNDRAIN] = "back",
		[EXTERNAL_NODE_DOWN] = "down",
		[EXTERNAL_NODE_DOWN_ONLY] = "down, with its Reason as it was",
		[EXTERNAL_NODE_DELETE] = "deleted in Slurm",
		[EXTERNAL_NODE_IDLE] = "idle again: no job has it",
	};

	if (rc) {
		refused(e, d->name, err->msg);
	} else {
		log_info("bridge: node %s %s%s%s", d->name, words[d->what],
			 *d->words ? ": " : "", d->words);
		log_debug("bridge: %s", d->line ? d->line : d->name);
		succeeded(e, d);
	}
	d->what = EXTERNAL_NODE_KEEP;
}

/* --- is there time, and is it still as it was */

static bool is_late(const struct external_actions *actions)
{
	return actions->some && clock_ms() >= actions->end;
}

bool external_actions_may_go_on(struct external_nodes *e,
				struct external_actions *actions)
{
	if (is_late(actions) || atomic_load(e->stop) ||
	    !cluster_held(e->cluster))
		return false;
	actions->some = true;
	return true;
}

static bool is_as_planned(struct external_nodes *e,
			  const struct external_action *d,
			  const struct ctl_node *now)
{
	struct ctl_node then;

	return ctl_nodes_find(e->slurm.nodes, d->name, &then) &&
	       then.drained == now->drained && then.down == now->down &&
	       then.failing == now->failing && then.power == now->power &&
	       str_eq(then.reason, now->reason) &&
	       (d->what != EXTERNAL_NODE_IDLE || then.emptied == now->emptied);
}

size_t external_actions_confirm(struct external_nodes *e,
				struct external_actions *actions,
				bool (*is)(const struct external_action *d))
{
	_cleanup_(nodes_again_end) struct nodes_again again = {0};
	const int64_t begin = clock_ms();
	size_t n = 0, gone = 0, sure = 0;
	struct ctl_node now;
	struct err err = {0};
	int rc;

	for (size_t i = 0; i < actions->n; i++) {
		n += is(&actions->v[i]);
		gone += actions->v[i].what == EXTERNAL_NODE_DELETE &&
			is(&actions->v[i]);
	}
	if (!n)
		return 0;
	/*
	 * Slurm reconfigures select for each request to delete: nodes that are
	 * to be deleted are looked at by one RPC, so that all go in one
	 * request.
	 */
	rc = nodes_again_begin(&again, gone > 1 ? EXTERNAL_ACTIONS_MAX : n,
			       NULL, &err);
	for (size_t i = 0; i < actions->n; i++) {
		struct external_action *d = &actions->v[i];
		int found = 0;

		if (!is(d))
			continue;
		if (rc >= 0 && !(sure && nodes_again_is_late(&again)))
			rc = found =
				nodes_again_find(&again, d->name, &now, &err);
		if (found > 0 && is_as_planned(e, d, &now))
			sure++;
		else
			d->what = EXTERNAL_NODE_KEEP;
	}
	if (rc < 0)
		log_debug("%s", err.msg);
	if (sure < n)
		slurm_nodes_expire(e); /* the actions are planned anew */
	/* the time of reading does not count */
	actions->end += clock_ms() - begin;
	return sure;
}

/* --- Slurm's updates */

static int do_hybrid(const struct external_action *d, const char *names,
		     struct err *err)
{
	if (d->what == EXTERNAL_NODE_DRAIN)
		return ctl_node_update(names, CTL_FAIL, d->words, err);
	if (d->what == EXTERNAL_NODE_UNDRAIN)
		return ctl_node_update(names,
				       d->failing ? CTL_RESUME : CTL_UNDRAIN,
				       NULL, err);
	return 0;
}

/*
 * Set nodes idle that Slurm has as ALLOCATED; it takes them out of that only in
 * this way. No job is there, and none comes, for they were drained first.
 */
static int set_idle(const struct external_action *d, const char *names,
		    struct err *err)
{
	int rc = ctl_external_down(names, d->words, err);

	return rc ? rc : ctl_external_resume(names, err);
}

/*
 * Set nodes down that somebody has drained, and said why; a time at which Slurm
 * is to resume them stays.
 */
static int set_down_only(const struct external_nodes *e, const char *names,
			 struct err *err)
{
	const int rc = ctl_nodes_keep(e->slurm.nodes, names, CTL_DOWN);

	return rc ? err_set(err, rc, "slurmctld does not set it down") : 0;
}

static int do_external(const struct external_nodes *e,
		       const struct external_action *d, const char *names,
		       struct err *err)
{
	switch (d->what) {
	case EXTERNAL_NODE_UPDATE:
		return ctl_external_update(names, d->features, d->topology,
					   err);
	case EXTERNAL_NODE_DRAIN:
		return ctl_external_drain(names, d->words, err);
	case EXTERNAL_NODE_UNDRAIN:
		return ctl_external_resume(names, err);
	case EXTERNAL_NODE_DOWN:
		return ctl_external_down(names, d->words, err);
	case EXTERNAL_NODE_DOWN_ONLY:
		return set_down_only(e, names, err);
	case EXTERNAL_NODE_DELETE:
		return ctl_external_delete(names, err);
	case EXTERNAL_NODE_IDLE:
		return set_idle(d, names, err);
	case EXTERNAL_NODE_KEEP:
	case EXTERNAL_NODE_CREATE: /* done in external_nodes_create.c */
	case EXTERNAL_NODE_RENEW:
		break;
	}
	return 0;
}

/* `names`: all nodes for which the action is equal. */
static int do_one(const struct external_nodes *e,
		  const struct external_action *d, const char *names,
		  struct err *err)
{
	return d->external ? do_external(e, d, names, err)
			   : do_hybrid(d, names, err);
}

/* --- several at once */

char *external_actions_names(const struct external_actions *actions,
			     bool (*is)(const struct external_action *d,
					const struct external_action *like),
			     const struct external_action *like)
{
	_cleanup_buf_ struct buf names = BUF_INIT(NAMES_MAX);

	for (size_t i = 0; i < actions->n; i++) {
		const struct external_action *d = &actions->v[i];

		if (d->chosen && (!is || is(d, like)) &&
		    buf_add_item(&names, d->name))
			return NULL;
	}
	return strdup(buf_str(&names));
}

static bool is_same(const struct external_action *x,
		    const struct external_action *y)
{
	if (x->what != y->what || x->external != y->external ||
	    x->failing != y->failing || strcmp(x->words, y->words) != 0)
		return false;
	return x->what != EXTERNAL_NODE_UPDATE ||
	       (str_eq(x->features, y->features) &&
		str_eq(x->topology, y->topology));
}

/* For each node of such an update slurmctld looks through all its jobs. */
static bool ends_jobs(const struct external_action *d)
{
	return d->what == EXTERNAL_NODE_DOWN ||
	       d->what == EXTERNAL_NODE_DOWN_ONLY ||
	       d->what == EXTERNAL_NODE_IDLE;
}

/*
 * Choose the actions that are done in one RPC with the first one. Returns how
 * many they are.
 */
static size_t choose_like(struct external_actions *actions,
			  const struct external_action *first)
{
	const size_t max =
		ends_jobs(first) ? CTL_ENDS_MAX : EXTERNAL_ACTIONS_MAX;
	size_t n = 0;

	for (size_t i = 0; i < actions->n; i++) {
		struct external_action *d = &actions->v[i];

		d->chosen = n < max && is_same(d, first);
		n += d->chosen;
	}
	return n;
}

/* True if nothing is to be done any more. `found`: of nodes_again_find(). */
static bool is_done(const struct external_action *d, int found,
		    const struct ctl_node *node)
{
	if (found < 1)
		return !found && d->what == EXTERNAL_NODE_DELETE;
	if (d->what == EXTERNAL_NODE_DRAIN)
		return node->drained;
	if (d->what == EXTERNAL_NODE_DOWN || d->what == EXTERNAL_NODE_DOWN_ONLY)
		return node->down;
	return (d->what == EXTERNAL_NODE_UNDRAIN ||
		d->what == EXTERNAL_NODE_IDLE) &&
	       !node->drained && !node->down;
}

/*
 * Do one by one what Slurm has refused for one node, or for all: as a rule the
 * others are as they are to be (reading that is cheaper than to do it again,
 * and RESUME of a node that is back is refused). A deletion is left out, as
 * Slurm has tried it for each node.
 */
static void do_each(struct external_nodes *e, struct external_actions *actions,
		    size_t n, const struct err *why)
{
	_cleanup_(nodes_again_end) struct nodes_again again = {0};
	struct err err = {0};
	bool known = !nodes_again_begin(&again, n, NULL, &err), one = false;

	slurm_nodes_expire(e);
	for (size_t i = 0; i < actions->n; i++) {
		struct external_action *d = &actions->v[i];
		struct ctl_node node;
		int rc = -EIO, found = -EIO;

		/* At least one is tried, so that each step gets somewhere. */
		if (!d->chosen || (one && !again.all && is_late(actions)))
			continue;
		if (known)
			found = nodes_again_find(&again, d->name, &node, &err);
		known = found >= 0;
		err = *why;
		if (is_done(d, found, &node)) {
			rc = 0;
		} else if (found > 0 && d->what != EXTERNAL_NODE_DELETE) {
			if (!is_as_planned(e, d, &node)) {
				d->what = EXTERNAL_NODE_KEEP; /* planned anew */
				continue;
			}
			if (one && !external_actions_may_go_on(e, actions))
				continue;
			one = true;
			rc = do_one(e, d, d->name, &err);
		}
		one |= !again.all; /* reading it was an RPC */
		external_action_finish(e, d, rc, &err);
	}
}

static void do_group(struct external_nodes *e, struct external_actions *actions,
		     const struct external_action *first)
{
	const size_t n = choose_like(actions, first);
	_cleanup_free_ char *names =
		external_actions_names(actions, NULL, NULL);
	struct err err = {0};
	const int rc = names ? do_one(e, first, names, &err) : err_oom(&err);

	if (rc && n > 1)
		do_each(e, actions, n, &err);
	else
		for (size_t i = 0; i < actions->n; i++)
			if (actions->v[i].chosen)
				external_action_finish(e, &actions->v[i], rc,
						       &err);
	for (size_t i = 0; i < actions->n; i++)
		actions->v[i].chosen = false;
}

static void do_groups(struct external_nodes *e,
		      struct external_actions *actions,
		      bool (*is)(const struct external_action *d))
{
	for (size_t i = 0; i < actions->n; i++) {
		if (!is(&actions->v[i]))
			continue;
		if (!external_actions_may_go_on(e, actions))
			return;
		do_group(e, actions, &actions->v[i]);
	}
}

/* --- each kind */

static bool is_of_state(const struct external_action *d)
{
	return d->what == EXTERNAL_NODE_DRAIN ||
	       d->what == EXTERNAL_NODE_UNDRAIN || ends_jobs(d);
}

static void do_states(struct external_nodes *e,
		      struct external_actions *actions)
{
	external_actions_confirm(e, actions, is_of_state);
	do_groups(e, actions, is_of_state);
}

static bool is_update(const struct external_action *d)
{
	return d->what == EXTERNAL_NODE_UPDATE;
}

static void do_updates(struct external_nodes *e,
		       struct external_actions *actions)
{
	do_groups(e, actions, is_update);
}

/* Leave out deletions of nodes that jobs name. */
static void keep_named(struct external_nodes *e,
		       struct external_actions *actions)
{
	const char *names[EXTERNAL_ACTIONS_MAX];
	bool stay[EXTERNAL_ACTIONS_MAX] = {false};
	size_t n = 0;

	for (size_t i = 0; i < actions->n; i++)
		if (actions->v[i].what == EXTERNAL_NODE_DELETE)
			names[n++] = actions->v[i].name;
	external_nodes_named(e, names, n, stay);
	n = 0;
	for (size_t i = 0; i < actions->n; i++)
		if (actions->v[i].what == EXTERNAL_NODE_DELETE && stay[n++])
			actions->v[i].what = EXTERNAL_NODE_KEEP;
}

static bool is_deletion(const struct external_action *d)
{
	return d->what == EXTERNAL_NODE_DELETE;
}

static void do_deletions(struct external_nodes *e,
			 struct external_actions *actions)
{
	keep_named(e, actions);
	external_actions_confirm(e, actions, is_deletion);
	external_actions_keep_used(e, actions, is_deletion);
	do_groups(e, actions, is_deletion);
}

/* When there was no time for all kinds the next step begins with the others. */
void external_actions_do(struct external_nodes *e,
			 struct external_actions *actions)
{
	static void (*const kinds[])(struct external_nodes * e,
				     struct external_actions * actions) = {
		do_states,
		do_updates,
		do_deletions,
		external_actions_create,
		external_actions_renew,
	};
	const size_t n = sizeof(kinds) / sizeof(*kinds), first = e->step.turn;

	for (size_t i = 0; i < n && !is_late(actions); i++) {
		e->step.turn = (unsigned int)((first + i + 1) % n);
		kinds[(first + i) % n](e, actions);
	}
	if (!is_late(actions))
		e->step.turn = 0;
}
