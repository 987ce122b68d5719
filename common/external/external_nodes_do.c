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
#include "bridge/reconcile/bridge_internal.h"
#include "external/external_nodes_deeds.h"
#include "external/external_nodes_memo.h"
#include "slurm/ctl_external.h"
#include "slurm/nodes_again.h"

#define RETRY_FIRST_MS 1000 /* what Slurm refused, once */
#define RETRY_MS 30000	    /* and again */
#define NAMES_MAX ((size_t)DEEDS_MAX * (EXTNODE_NAME_MAX + 1)) /* of these */

void deeds_clear(struct node_deeds *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].line);
		free(d->v[i].features);
		free(d->v[i].topology);
	}
}

void deeds_later(struct node_deeds *deeds, int64_t at)
{
	if (at && (!deeds->later || at < deeds->later))
		deeds->later = at;
}

/* --- what came of it */

static bool is_told(const struct nodes_memo *m, const char *words)
{
	return m && !strncmp(m->words, words, sizeof(m->words) - 1);
}

struct nodes_memo *node_tell(struct bridge_thread *b, const char *name,
			     const char *words)
{
	struct nodes_memo *m = memo_of(b, name);

	if (!m || is_told(m, words))
		return m;
	str_copy(m->words, words, sizeof(m->words));
	log_warn("bridge: node %s: %s", name, words);
	return m;
}

/*
 * And tried again: soon at first, for it may have been another node than Slurm
 * had shown us (a job has come there); then seldom.
 */
static void refused(struct bridge_thread *b, const char *name,
		    const char *words)
{
	const bool again = is_told(memo_of(b, name), words);
	struct nodes_memo *m = node_tell(b, name, words);

	if (m)
		m->until = clock_ms() + (again ? RETRY_MS : RETRY_FIRST_MS);
	b->nodes_at = 0; /* read them anew */
}

static void succeeded(struct bridge_thread *b, const struct node_deed *d)
{
	struct nodes_memo *m;

	b->nodes_at = 0;
	if (d->what == EXTNODE_CREATE || d->what == EXTNODE_RENEW ||
	    d->what == EXTNODE_DELETE) {
		memo_drop(b, d->name);
		return;
	}
	HASH_FIND_STR(b->node_memos, d->name, m);
	if (!m && d->relabels)
		m = memo_of(b, d->name);
	if (!m)
		return;
	*m->words = '\0';
	m->relabelled |= d->relabels;
}

void deed_finish(struct bridge_thread *b, struct node_deed *d, int rc,
		 const struct err *err)
{
	static const char *const words[] = {
		[EXTNODE_KEEP] = "kept",
		[EXTNODE_CREATE] = "created in Slurm",
		[EXTNODE_UPDATE] = "has other features, or another topology",
		[EXTNODE_RENEW] = "created anew",
		[EXTNODE_DRAIN] = "drained",
		[EXTNODE_UNDRAIN] = "back",
		[EXTNODE_DOWN] = "down",
		[EXTNODE_DELETE] = "deleted in Slurm",
		[EXTNODE_IDLE] = "idle again: no job has it",
	};

	if (rc) {
		refused(b, d->name, err->msg);
	} else {
		log_info("bridge: node %s %s%s%s", d->name, words[d->what],
			 *d->words ? ": " : "", d->words);
		log_debug("bridge: %s", d->line ? d->line : d->name);
		succeeded(b, d);
	}
	d->what = EXTNODE_KEEP;
}

/* --- is there time, and is it still as it was? */

static bool is_late(const struct node_deeds *deeds)
{
	return deeds->some && clock_ms() >= deeds->end;
}

bool deeds_may_go_on(struct bridge_thread *b, struct node_deeds *deeds)
{
	if (is_late(deeds) || atomic_load(&b->stop) || !link_held(b->link))
		return false;
	deeds->some = true;
	return true;
}

static bool is_as_planned(struct bridge_thread *b, const struct node_deed *d,
			  const struct ctl_node *now)
{
	struct ctl_node then;

	return ctl_nodes_find(b->nodes, d->name, &then) &&
	       then.drained == now->drained && then.down == now->down &&
	       then.power == now->power && str_eq(then.reason, now->reason) &&
	       (d->what != EXTNODE_IDLE || then.emptied == now->emptied);
}

size_t deeds_confirm(struct bridge_thread *b, struct node_deeds *deeds,
		     bool (*is)(const struct node_deed *d))
{
	_cleanup_(nodes_again_end) struct nodes_again again = {0};
	const int64_t begin = clock_ms();
	size_t n = 0, sure = 0;
	struct ctl_node now;
	struct err err = {0};
	int rc;

	for (size_t i = 0; i < deeds->n; i++)
		n += is(&deeds->v[i]);
	if (!n)
		return 0;
	rc = nodes_again_begin(&again, n, NULL, &err);
	for (size_t i = 0; i < deeds->n; i++) {
		struct node_deed *d = &deeds->v[i];
		int found = 0;

		if (!is(d))
			continue;
		if (rc >= 0 && !(sure && nodes_again_is_late(&again)))
			rc = found =
				nodes_again_find(&again, d->name, &now, &err);
		if (found > 0 && is_as_planned(b, d, &now))
			sure++;
		else
			d->what = EXTNODE_KEEP;
	}
	if (rc < 0)
		log_debug("%s", err.msg);
	if (sure < n)
		b->nodes_at = 0; /* it is planned anew by what there is now */
	deeds->end += clock_ms() - begin; /* (reading takes none of it) */
	return sure;
}

/* --- Slurm's updates */

static int do_hybrid(const struct node_deed *d, const char *names,
		     struct err *err)
{
	if (d->what == EXTNODE_DRAIN)
		return ctl_node_update(names, CTL_DRAIN, d->words, err);
	if (d->what == EXTNODE_UNDRAIN)
		return ctl_node_update(names, CTL_UNDRAIN, NULL, err);
	return 0;
}

/* (Slurm takes nodes out of ALLOCATED only so; no job is there, or comes) */
static int set_idle(const struct node_deed *d, const char *names,
		    struct err *err)
{
	int rc = ctl_external_down(names, d->words, err);

	return rc ? rc : ctl_external_resume(names, err);
}

static int do_external(const struct node_deed *d, const char *names,
		       struct err *err)
{
	switch (d->what) {
	case EXTNODE_UPDATE:
		return ctl_external_update(names, d->features, d->topology,
					   err);
	case EXTNODE_DRAIN:
		return ctl_external_drain(names, d->words, err);
	case EXTNODE_UNDRAIN:
		return ctl_external_resume(names, err);
	case EXTNODE_DOWN:
		return ctl_external_down(names, d->words, err);
	case EXTNODE_DELETE:
		return ctl_external_delete(names, err);
	case EXTNODE_IDLE:
		return set_idle(d, names, err);
	case EXTNODE_KEEP:
	case EXTNODE_CREATE: /* (see bridge_nodes_create.c) */
	case EXTNODE_RENEW:
		break;
	}
	return 0;
}

/* `names`: of all for which it is the same. */
static int do_one(const struct node_deed *d, const char *names, struct err *err)
{
	return d->external ? do_external(d, names, err)
			   : do_hybrid(d, names, err);
}

/* --- several at once */

char *deeds_names(const struct node_deeds *deeds,
		  bool (*is)(const struct node_deed *d,
			     const struct node_deed *like),
		  const struct node_deed *like)
{
	_cleanup_buf_ struct buf names = BUF_INIT(NAMES_MAX);

	for (size_t i = 0; i < deeds->n; i++) {
		const struct node_deed *d = &deeds->v[i];

		if (d->chosen && (!is || is(d, like)) &&
		    buf_add_item(&names, d->name))
			return NULL;
	}
	return strdup(buf_str(&names));
}

static bool is_same(const struct node_deed *x, const struct node_deed *y)
{
	if (x->what != y->what || x->external != y->external ||
	    strcmp(x->words, y->words) != 0)
		return false;
	return x->what != EXTNODE_UPDATE || (str_eq(x->features, y->features) &&
					     str_eq(x->topology, y->topology));
}

/* (for each of those nodes slurmctld looks through all its jobs) */
static bool ends_jobs(const struct node_deed *d)
{
	return d->what == EXTNODE_DOWN || d->what == EXTNODE_IDLE;
}

/* How many are done in one RPC with the first one. */
static size_t choose_like(struct node_deeds *deeds,
			  const struct node_deed *first)
{
	const size_t max = ends_jobs(first) ? CTL_ENDS_MAX : DEEDS_MAX;
	size_t n = 0;

	for (size_t i = 0; i < deeds->n; i++) {
		struct node_deed *d = &deeds->v[i];

		d->chosen = n < max && is_same(d, first);
		n += d->chosen;
	}
	return n;
}

/* Is nothing to be done any more? (`found`: of nodes_again_find().) */
static bool is_done(const struct node_deed *d, int found,
		    const struct ctl_node *node)
{
	if (found < 1)
		return !found && d->what == EXTNODE_DELETE;
	if (d->what == EXTNODE_DRAIN)
		return node->drained;
	if (d->what == EXTNODE_DOWN)
		return node->down;
	return (d->what == EXTNODE_UNDRAIN || d->what == EXTNODE_IDLE) &&
	       !node->drained && !node->down;
}

/*
 * Slurm has refused it, for one of them or for all: as a rule the others are as
 * they are to be (reading that is cheaper than to do it again, and RESUME of a
 * node that is back is refused). What is left is done one by one, except a
 * deletion, which Slurm has tried for each.
 */
static void do_each(struct bridge_thread *b, struct node_deeds *deeds, size_t n,
		    const struct err *why)
{
	_cleanup_(nodes_again_end) struct nodes_again again = {0};
	struct err err = {0};
	bool known = !nodes_again_begin(&again, n, NULL, &err), one = false;

	b->nodes_at = 0;
	for (size_t i = 0; i < deeds->n; i++) {
		struct node_deed *d = &deeds->v[i];
		struct ctl_node node;
		int rc = -EIO, found = -EIO;

		/* (one is tried, so that each step gets somewhere) */
		if (!d->chosen || (one && !again.all && is_late(deeds)))
			continue;
		if (known)
			found = nodes_again_find(&again, d->name, &node, &err);
		known = found >= 0;
		err = *why;
		if (is_done(d, found, &node)) {
			rc = 0;
		} else if (found > 0 && d->what != EXTNODE_DELETE) {
			if (!is_as_planned(b, d, &node)) {
				d->what = EXTNODE_KEEP; /* it is planned anew */
				continue;
			}
			if (one && !deeds_may_go_on(b, deeds))
				continue;
			one = true;
			rc = do_one(d, d->name, &err);
		}
		one |= !again.all; /* (to read it was an RPC) */
		deed_finish(b, d, rc, &err);
	}
}

static void do_group(struct bridge_thread *b, struct node_deeds *deeds,
		     const struct node_deed *first)
{
	const size_t n = choose_like(deeds, first);
	_cleanup_free_ char *names = deeds_names(deeds, NULL, NULL);
	struct err err = {0};
	const int rc = names ? do_one(first, names, &err) : err_oom(&err);

	if (rc && n > 1)
		do_each(b, deeds, n, &err);
	else
		for (size_t i = 0; i < deeds->n; i++)
			if (deeds->v[i].chosen)
				deed_finish(b, &deeds->v[i], rc, &err);
	for (size_t i = 0; i < deeds->n; i++)
		deeds->v[i].chosen = false;
}

static void do_groups(struct bridge_thread *b, struct node_deeds *deeds,
		      bool (*is)(const struct node_deed *d))
{
	for (size_t i = 0; i < deeds->n; i++) {
		if (!is(&deeds->v[i]))
			continue;
		if (!deeds_may_go_on(b, deeds))
			return;
		do_group(b, deeds, &deeds->v[i]);
	}
}

/* --- each kind */

static bool is_of_state(const struct node_deed *d)
{
	return d->what == EXTNODE_DRAIN || d->what == EXTNODE_UNDRAIN ||
	       d->what == EXTNODE_DOWN || d->what == EXTNODE_IDLE;
}

static void do_states(struct bridge_thread *b, struct node_deeds *deeds)
{
	deeds_confirm(b, deeds, is_of_state);
	do_groups(b, deeds, is_of_state);
}

static bool is_update(const struct node_deed *d)
{
	return d->what == EXTNODE_UPDATE;
}

static void do_updates(struct bridge_thread *b, struct node_deeds *deeds)
{
	do_groups(b, deeds, is_update);
}

/* Those that jobs name which wait are not deleted yet. */
static void keep_named(struct bridge_thread *b, struct node_deeds *deeds)
{
	const char *names[DEEDS_MAX];
	bool stay[DEEDS_MAX] = {false};
	size_t n = 0;

	for (size_t i = 0; i < deeds->n; i++)
		if (deeds->v[i].what == EXTNODE_DELETE)
			names[n++] = deeds->v[i].name;
	nodes_named(b, names, n, stay);
	n = 0;
	for (size_t i = 0; i < deeds->n; i++)
		if (deeds->v[i].what == EXTNODE_DELETE && stay[n++])
			deeds->v[i].what = EXTNODE_KEEP;
}

static bool is_deletion(const struct node_deed *d)
{
	return d->what == EXTNODE_DELETE;
}

static void do_deletions(struct bridge_thread *b, struct node_deeds *deeds)
{
	keep_named(b, deeds);
	do_groups(b, deeds, is_deletion);
}

/* When there was no time for all kinds the next step begins with the others. */
void deeds_do(struct bridge_thread *b, struct node_deeds *deeds)
{
	static void (*const kinds[])(struct bridge_thread * b,
				     struct node_deeds * deeds) = {
		do_states, do_updates, do_deletions, deeds_create, deeds_renew,
	};
	const size_t n = sizeof(kinds) / sizeof(*kinds), first = b->nodes_turn;

	for (size_t i = 0; i < n && !is_late(deeds); i++) {
		b->nodes_turn = (unsigned int)((first + i + 1) % n);
		kinds[(first + i) % n](b, deeds);
	}
	if (!is_late(deeds))
		b->nodes_turn = 0;
}
