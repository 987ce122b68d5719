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
#include "bridge/reconcile/bridge_internal.h"
#include "external/external_nodes_deeds.h"
#include "external/external_nodes_memo.h"
#include "external/external_size.h"
#include "slurm/ctl_external.h"

#define SETTLE_FIRST_MS 1000
#define SETTLE_MAX_MS 60000 /* the longest pause before that is tried again */
#define SETTLE_FAILURES 3   /* in a row: slurmctld takes none just now */

/*
 * Slurm has select reconfigured at each RPC that creates or deletes nodes, with
 * its locks held: those that differ by their names only are created together.
 */
static const char *tail_of(const struct node_deed *d)
{
	return d->line + strcspn(d->line, " ");
}

static bool is_like(const struct node_deed *a, const struct node_deed *b)
{
	return a->line && b->line && !strcmp(tail_of(a), tail_of(b));
}

static int create_like(const struct node_deeds *deeds,
		       const struct node_deed *like, struct err *err)
{
	_cleanup_free_ char *names = deeds_names(deeds, is_like, like);
	_cleanup_free_ char *line =
		names ? str_printf("NodeName=%s%s", names, tail_of(like))
		      : NULL;

	return line ? ctl_external_create(line, err) : err_oom(err);
}

/* --- what was created is settled: each by itself, and again if need be */

static void is_new(struct bridge_thread *b, const char *name)
{
	struct nodes_memo *m = memo_of(b, name);

	if (m)
		m->is_new = true;
}

/* (what an administrator has drained is left to him; what is gone, is gone) */
static bool may_settle(struct bridge_thread *b, struct nodes_memo *m)
{
	struct ctl_node node;

	if (!ctl_nodes_find(b->nodes, m->name, &node)) {
		m->is_new = !m->tries; /* it was created in this step */
		return m->is_new;
	}
	return !(node.drained || node.down) ||
	       str_starts(node.reason, WK_REASON_PREFIX);
}

static void settle_later(struct nodes_memo *m)
{
	m->settle_at = clock_ms() + backoff_doubled(SETTLE_FIRST_MS, m->tries,
						    SETTLE_MAX_MS);
	m->tries++;
}

struct settling {
	size_t all, failed, in_a_row;
	struct err why; /* of the first one */
	char first[EXTNODE_NAME_MAX + 1];
};

static void settle(struct bridge_thread *b, struct nodes_memo *m,
		   struct settling *s)
{
	struct err err = {0};
	int rc = 0;

	if (!may_settle(b, m)) {
		settle_later(m);
		return;
	}
	s->all++;
	if (s->in_a_row < SETTLE_FAILURES)
		rc = ctl_external_settle(m->name, &err);
	if (!rc && s->in_a_row < SETTLE_FAILURES) {
		m->is_new = false;
		m->tries = 0;
		s->in_a_row = 0;
		b->nodes_at = 0; /* (it was out of use) */
		return;
	}
	if (!s->failed++) {
		s->why = err;
		str_copy(s->first, m->name, sizeof(s->first));
	}
	s->in_a_row += rc != 0;
	settle_later(m);
}

void deeds_settle(struct bridge_thread *b, struct node_deeds *deeds)
{
	struct nodes_memo *m = NULL, *next = NULL;
	struct settling s = {0};

	deeds->some = false; /* (one in each step, whatever else was done) */
	HASH_ITER(hh, b->node_memos, m, next)
	{
		if (m->is_new && clock_ms() >= m->settle_at &&
		    deeds_may_go_on(b, deeds))
			settle(b, m, &s);
		if (m->is_new)
			deeds_later(deeds, m->settle_at);
	}
	if (s.failed)
		log_warn("bridge: %zu of %zu new nodes get exclusive jobs only "
			 "for now, and are tried again; node %s: %s",
			 s.failed, s.all, s.first, s.why.msg);
}

/*
 * Slurm creates all of a line, or none: if one is wrong, each by itself, and at
 * least one, so that each step gets somewhere.
 */
static void create_group(struct bridge_thread *b, struct node_deeds *deeds,
			 const struct node_deed *first)
{
	struct err err = {0};
	const int rc = create_like(deeds, first, &err);
	bool tried = false;

	for (size_t k = deeds->n; k-- > 0;) {
		struct node_deed *d = &deeds->v[k];
		int one = 0;

		if (!d->chosen || !is_like(d, first))
			continue;
		d->chosen = false;
		if (rc && tried && !deeds_may_go_on(b, deeds))
			continue;
		if (rc)
			one = ctl_external_create(d->line, &err);
		tried = true;
		deed_finish(b, d, one, &err);
		if (!one)
			is_new(b, d->name);
	}
}

static void create_chosen(struct bridge_thread *b, struct node_deeds *deeds)
{
	for (size_t i = 0; i < deeds->n; i++)
		if (deeds->v[i].chosen && deeds_may_go_on(b, deeds))
			create_group(b, deeds, &deeds->v[i]);
	for (size_t i = 0; i < deeds->n; i++)
		deeds->v[i].chosen = false;
}

void deeds_create(struct bridge_thread *b, struct node_deeds *deeds)
{
	for (size_t i = 0; i < deeds->n; i++) {
		struct node_deed *d = &deeds->v[i];

		d->chosen = d->what == EXTNODE_CREATE && d->line;
	}
	create_chosen(b, deeds);
}

static bool is_renewal(const struct node_deed *d)
{
	return d->what == EXTNODE_RENEW;
}

/* One kind that may be renewed now; what is of no use as it is, first. */
static bool choose_renewal(struct bridge_thread *b, struct node_deeds *deeds)
{
	const size_t n = deeds->n;
	const struct node_deed *first = NULL;

	for (size_t pass = 0; pass < 2 * n && !first; pass++) {
		const struct node_deed *d = &deeds->v[pass % n];

		if (is_renewal(d) && d->line && (pass >= n || d->lost))
			first = d;
	}
	if (!first || !extsize_renew(&b->renewals, clock_ms()))
		return false;
	for (size_t i = 0; i < n; i++)
		deeds->v[i].chosen = is_renewal(&deeds->v[i]) &&
				     is_like(&deeds->v[i], first);
	return true;
}

/* Slurm has deleted those that it could: which are left? */
static void pass_over_left(struct bridge_thread *b, struct node_deeds *deeds,
			   const struct err *why)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	struct ctl_node node;
	struct err err = {0};
	const bool known = !ctl_nodes_load(&now, &err);

	for (size_t i = 0; i < deeds->n; i++) {
		struct node_deed *d = &deeds->v[i];

		if (!d->chosen ||
		    (known && !ctl_nodes_find(now, d->name, &node)))
			continue;
		d->chosen = false;
		deed_finish(b, d, -EIO, why);
	}
}

/*
 * Those that are chosen. (Once they are deleted they are created, however long
 * it takes: Slurm refuses jobs whose lists name a node that it does not have.
 * If we are ended in between, what Slurm does not know is created by the next
 * engine.)
 */
static void renew_chosen(struct bridge_thread *b, struct node_deeds *deeds)
{
	_cleanup_free_ char *names = deeds_names(deeds, NULL, NULL);
	const int64_t end = deeds->end;
	struct err err = {0};

	if (names ? ctl_external_delete(names, &err) : err_oom(&err))
		pass_over_left(b, deeds, &err);
	b->nodes_at = 0;
	deeds->end = INT64_MAX;
	create_chosen(b, deeds);
	deeds->end = end;
}

/* (One that was drained since it was planned would come back undrained.) */
void deeds_renew(struct bridge_thread *b, struct node_deeds *deeds)
{
	if (!deeds_confirm(b, deeds, is_renewal))
		return;
	while (deeds_may_go_on(b, deeds) && choose_renewal(b, deeds))
		renew_chosen(b, deeds);
}
