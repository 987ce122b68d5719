/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps Kubernetes nodes with the label and Slurm's external nodes in step;
 * hybrid ones are drained and undrained only. model/extnode.h decides.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/bridge_internal.h"
#include "engine/bridge_nodes_memo.h"
#include "model/extsize.h"
#include "model/features.h"
#include "slurm/ctl_external.h"

#define STEP_MS 500 /* something has changed */
#define STEP_ALL_MS 10000
#define SETTLED_MS 2000	    /* a shape that has not changed for so long */
#define RETRY_FIRST_MS 1000 /* what Slurm refused, once */
#define RETRY_MS 30000	    /* and again */
#define SETTLE_MAX_MS 60000 /* the longest pause before that is tried again */
#define SETTLE_FAILURES 3   /* in a row: slurmctld takes none just now */
#define BATCH_MAX 100	    /* changes in one step */
#define NAMES_MAX ((size_t)BATCH_MAX * (EXTNODE_NAME_MAX + 1)) /* of these */

/* One thing to do. */
struct node_deed {
	enum extnode_do what;
	bool external, relabels;
	bool lost;   /* no job starts there */
	bool chosen; /* to be created now */
	char name[EXTNODE_NAME_MAX + 1];
	char words[WK_REASON_MAX];
	char *line, *features, *topology; /* NULL: none */
};

struct node_deeds {
	struct node_deed v[BATCH_MAX];
	size_t n;
	int64_t later; /* when something is to be done that rests; 0: nothing */
};

static void deeds_clear(struct node_deeds *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].line);
		free(d->v[i].features);
		free(d->v[i].topology);
	}
}

void nodes_free(struct bridge_thread *b)
{
	memos_free(b);
	ctl_nodes_free(b->nodes);
}

static bool is_told(const struct nodes_memo *m, const char *words)
{
	return m && !strncmp(m->words, words, sizeof(m->words) - 1);
}

/* Told once. */
static struct nodes_memo *tell(struct bridge_thread *b, const char *name,
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
	struct nodes_memo *m = tell(b, name, words);

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

/* Until when it is not to be tried; 0: it may be. */
static int64_t rests_until(struct bridge_thread *b, const char *name,
			   enum extnode_do what)
{
	struct nodes_memo *m;
	int64_t until;

	HASH_FIND_STR(b->node_memos, name, m);
	until = m ? m->until : 0;
	if (m && what == EXTNODE_DELETE && m->named_until > until)
		until = m->named_until;
	return clock_ms() < until ? until : 0;
}

/* --- planning, under the lock of the hosts */

/* -ENOSPC: pods of others leave nothing, or what they use cannot be counted. */
static int shape_of(struct bridge_thread *b, const struct bridge_host *x,
		    struct extnode_shape *out, struct err *err)
{
	const struct bridge *k = b->bridge;
	struct gresmap map[BRIDGE_RESOURCES_MAX];
	const struct extnode_rules rules = {
		.gres = map,
		.n_gres = k->resources.n,
		.labels = (const char *const *)k->features.v,
		.n_labels = k->features.n,
	};
	struct podneed used;
	struct err why = {0};
	int rc;

	for (size_t i = 0; i < k->resources.n; i++)
		map[i] = (struct gresmap){.resource = k->resources.v[i].key,
					  .gres = k->resources.v[i].value};
	if (*x->why_not)
		return err_set(err, -EINVAL, "%s", x->why_not);
	if (bridge_host_taken(x, strange_has_nodes, b, &used, &why))
		used.cpu_milli = INT64_MAX;
	rc = extnode_shape_of(&x->view, &used, &rules, out, err);
	if (rc == -ENOSPC && why.code)
		*err = why;
	return rc;
}

/* `labelled`: the site says that it takes pods. */
static void see_slurm(const struct ctl_node *node, bool labelled,
		      struct extnode_view *v)
{
	v->known = true;
	v->external = node->external;
	v->hybrid = !node->external && labelled;
	v->idle = !node->busy;
	v->reserved = node->reserved;
	v->emptied = node->emptied;
	v->drained = node->drained;
	v->down = node->down;
	v->lost = node->no_respond || node->power == CTL_POWERED_DOWN;
	v->reason = node->reason;
	v->reason_for_ms = clock_real_ms() - node->reason_ms;
	v->features = node->features;
	v->gres = node->gres;
	v->cpus = node->cpus;
	v->memory_mib = node->memory_mib;
	v->topology = node->topology;
}

static void look_later(struct node_deeds *deeds, int64_t at)
{
	if (at && (!deeds->later || at < deeds->later))
		deeds->later = at;
}

/* Until when it is not to be done; 0: now. */
static int64_t deed_rests(struct bridge_thread *b, const char *name,
			  enum extnode_do what)
{
	const int64_t now = clock_ms(), until = rests_until(b, name, what);
	const int64_t at = what == EXTNODE_RENEW
				   ? extsize_renew_at(&b->renewals, now)
				   : now;

	if (at > now)
		return at > until ? at : until;
	return until;
}

static void add(struct bridge_thread *b, const struct extnode_plan *plan,
		const char *name, const struct extnode_view *v,
		struct node_deeds *out)
{
	struct node_deed *d;
	int64_t until;

	if (plan->what == EXTNODE_KEEP) {
		if (*plan->words)
			tell(b, name, plan->words);
		return;
	}
	until = deed_rests(b, name, plan->what);
	look_later(out, until);
	if (until || out->n == BATCH_MAX)
		return;
	d = &out->v[out->n++];
	*d = (struct node_deed){.what = plan->what,
				.external = !v->hybrid && !v->slurmd,
				.lost = v->lost};
	str_copy(d->name, name, sizeof(d->name));
	str_copy(d->words, plan->words, sizeof(d->words));
	if (v->shape) {
		d->relabels =
			plan->what == EXTNODE_UPDATE &&
			!features_same_list(v->shape->features, v->features);
		d->line = extnode_line(v->shape);
		d->features = strdup(v->shape->features);
		d->topology = strdup(v->shape->topology);
	}
}

/* A node of a nodeset is a pod itself: never ours to drain. */
static bool is_free(const struct bridge_thread *b, const char *name)
{
	return !config_nodeset_of(b->config, name);
}

/*
 * What Slurm knows keeps its size, unless another one has lasted. So it is with
 * one of which others leave no CPU, or of which that is not known: whoever may
 * create a pod would have it drained at once. (One that is drained stays so,
 * also when the engine begins, and has waited for nothing yet.) False: nothing
 * is left of it.
 */
static bool see_size(struct bridge_thread *b, const char *name,
		     const struct ctl_node *node, struct extnode_shape *shape,
		     struct node_deeds *out)
{
	const struct extsize_has has = {node->cpus, node->memory_mib,
					node->gres};
	const int64_t now = clock_ms(), lasts = b->bridge->resize_after_ms;
	struct nodes_memo *m = memo_of(b, name);
	struct extsize none = {0};
	struct extsize *size = m ? &m->size : &none;

	if (!shape->cpus) {
		if (node->drained)
			return false;
		shape->memory_mib = node->memory_mib;
		str_copy(shape->gres, node->gres ? node->gres : "",
			 sizeof(shape->gres));
	}
	extsize_look(size, shape, &has, now, lasts);
	look_later(out, extsize_next(size, now, lasts));
	return shape->cpus > 0;
}

/*
 * Only a node that no other Slurm cluster has becomes one of Slurm's, or stays
 * it. False: that is not known yet.
 */
static bool is_ours(struct bridge_thread *b, const struct bridge_host *x,
		    bool known, struct extnode_view *v, struct err *why)
{
	const char *value = hostview_label(&x->view, WK_CLAIM_NODE);
	char words[CLAIM_WORDS_MAX];

	if (!x->bridge) {
		if (!known)
			claims_give_back(b->claims, x->name, value,
					 x->view.claimed_by);
		return true;
	}
	switch (claims_node(b->claims, x->name, value, x->view.claimed_by,
			    words)) {
	case CLAIMS_OURS:
		return true;
	case CLAIMS_UNKNOWN: /* (Slurm has it since before there were claims) */
		return known;
	case CLAIMS_OTHERS:
		break;
	}
	err_set(why, -EEXIST, "%s", words);
	v->shape = NULL;
	v->why_not = why->msg;
	return true;
}

/* (0: it is not lost) */
static int64_t lost_for(const struct bridge_thread *b, int64_t at, int64_t now)
{
	return at ? disruption_calm_for(&b->disruption, at, now) : 0;
}

static void look_at_host(struct bridge_thread *b, const struct bridge_host *x,
			 struct node_deeds *out)
{
	const int64_t now = clock_ms();
	struct extnode_shape shape;
	struct ctl_node node;
	struct err err = {0};
	struct extnode_view v = {
		.host = x->seen ? &x->view : NULL,
		.unready_ms = lost_for(b, x->unready_at, now),
		.settled = now - x->changed_at >= SETTLED_MS,
	};
	const char *name = *x->slurm ? x->slurm : x->name;
	struct nodes_memo *m = NULL;
	struct extnode_plan plan;
	bool ours = true;
	int rc = -EINVAL;

	if (!v.host)
		return;
	HASH_FIND_STR(b->node_memos, name, m);
	v.relabelled = m && m->relabelled;
	if (m && x->bridge)
		m->gone_at = m->named_at = m->named_until = 0;
	if (x->bridge)
		rc = shape_of(b, x, &shape, &err);
	v.shape = rc ? NULL : &shape;
	v.why_not = err.msg;
	if (ctl_nodes_find(b->nodes, name, &node)) {
		v.slurmd = !node.external && is_free(b, name);
		see_slurm(&node, x->bridge && v.slurmd, &v);
		if (v.external && (!rc || rc == -ENOSPC) &&
		    see_size(b, name, &node, &shape, out))
			v.shape = &shape;
		if (v.external)
			ours = is_ours(b, x, true, &v, &err);
		if (v.external && !x->bridge)
			v.unready_ms = nodes_unwanted_for(b, name);
	} else if (ctl_external_known()) {
		ours = is_ours(b, x, false, &v, &err);
	} else {
		return;
	}
	if (!ours)
		return;
	plan = extnode_plan(&v);
	if (extnode_twice_ms(&v) > 0)
		look_later(out, now + extnode_twice_ms(&v));
	add(b, &plan, name, &v, out);
}

/* A node of ours in Slurm that Kubernetes has no more. */
static void look_at_orphan(struct bridge_thread *b, const struct ctl_node *node,
			   struct node_deeds *out)
{
	struct extnode_view v = {0};
	struct extnode_plan plan;

	if (!disruption_is_orphan(b, node))
		return;
	see_slurm(node, false, &v);
	v.unready_ms = disruption_orphan_for(b, node);
	plan = extnode_plan(&v);
	add(b, &plan, node->name, &v, out);
}

/* A hybrid one of which Kubernetes says no more whether it is well. */
static void look_at_left(struct bridge_thread *b, const struct ctl_node *node,
			 struct node_deeds *out)
{
	struct extnode_view v = {0};
	struct extnode_plan plan;

	v.unready_ms = is_free(b, node->name) ? hybrid_left_for(b, node) : 0;
	if (!v.unready_ms)
		return;
	see_slurm(node, true, &v);
	plan = extnode_plan(&v);
	add(b, &plan, node->name, &v, out);
}

static void look(struct bridge_thread *b, struct node_deeds *out)
{
	struct ctl_node node;

	bridge_hosts_lock(b->hosts);
	disruption_see(b);
	for (struct bridge_host *x = bridge_hosts_first(b->hosts); x;
	     x = x->hh.next)
		look_at_host(b, x, out);
	for (size_t i = 0; ctl_nodes_at(b->nodes, i, &node); i++) {
		look_at_orphan(b, &node, out);
		look_at_left(b, &node, out);
	}
	memos_forget_gone(b);
	bridge_hosts_unlock(b->hosts);
}

/* --- doing */

static int do_hybrid(const struct node_deed *d, struct err *err)
{
	if (d->what == EXTNODE_DRAIN)
		return ctl_node_update(d->name, CTL_DRAIN, d->words, err);
	if (d->what == EXTNODE_UNDRAIN)
		return ctl_node_update(d->name, CTL_UNDRAIN, NULL, err);
	return 0;
}

/* (Slurm takes a node out of ALLOCATED only so; no job is there, or comes) */
static int set_idle(const struct node_deed *d, struct err *err)
{
	int rc = ctl_external_down(d->name, d->words, err);

	return rc ? rc : ctl_external_resume(d->name, err);
}

static int do_external(const struct node_deed *d, struct err *err)
{
	switch (d->what) {
	case EXTNODE_UPDATE:
		return ctl_external_update(d->name, d->features, d->topology,
					   err);
	case EXTNODE_DRAIN:
		return ctl_external_drain(d->name, d->words, err);
	case EXTNODE_UNDRAIN:
		return ctl_external_resume(d->name, err);
	case EXTNODE_DOWN:
		return ctl_external_down(d->name, d->words, err);
	case EXTNODE_DELETE:
		return ctl_external_delete(d->name, err);
	case EXTNODE_IDLE:
		return set_idle(d, err);
	case EXTNODE_KEEP:
	case EXTNODE_CREATE: /* (these are done together) */
	case EXTNODE_RENEW:
		break;
	}
	return 0;
}

/* (each RPC takes time, and we may have been stopped) */
static bool may_go_on(struct bridge_thread *b)
{
	return !atomic_load(&b->stop) && link_held(b->link);
}

static void finish(struct bridge_thread *b, const struct node_deed *d, int rc,
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
		return;
	}
	log_info("bridge: node %s %s%s%s", d->name, words[d->what],
		 *d->words ? ": " : "", d->words);
	log_debug("bridge: %s", d->line ? d->line : d->name);
	succeeded(b, d);
}

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

/* The names of those that are chosen, and like `like`; the caller frees. */
static char *names_of(const struct node_deeds *deeds,
		      const struct node_deed *like)
{
	_cleanup_buf_ struct buf names = BUF_INIT(NAMES_MAX);

	for (size_t i = 0; i < deeds->n; i++) {
		const struct node_deed *d = &deeds->v[i];

		if (d->chosen && (!like || is_like(d, like)) &&
		    buf_add_item(&names, d->name))
			return NULL;
	}
	return strdup(buf_str(&names));
}

static int create_like(const struct node_deeds *deeds,
		       const struct node_deed *like, struct err *err)
{
	_cleanup_free_ char *names = names_of(deeds, like);
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
	m->settle_at = clock_ms() +
		       backoff_doubled(RETRY_FIRST_MS, m->tries, SETTLE_MAX_MS);
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

static void settle_all(struct bridge_thread *b, struct node_deeds *deeds)
{
	struct nodes_memo *m = NULL, *next = NULL;
	struct settling s = {0};

	HASH_ITER(hh, b->node_memos, m, next)
	{
		if (m->is_new && clock_ms() >= m->settle_at && may_go_on(b))
			settle(b, m, &s);
		if (m->is_new)
			look_later(deeds, m->settle_at);
	}
	if (s.failed)
		log_warn("bridge: %zu of %zu new nodes get exclusive jobs only "
			 "for now, and are tried again; node %s: %s",
			 s.failed, s.all, s.first, s.why.msg);
}

/* Slurm creates all of a line, or none: if one is wrong, each by itself. */
static void create_chosen(struct bridge_thread *b, struct node_deeds *deeds)
{
	for (size_t i = 0; i < deeds->n && may_go_on(b); i++) {
		const struct node_deed *first = &deeds->v[i];
		struct err err = {0};
		int rc, one;

		if (!first->chosen)
			continue;
		rc = create_like(deeds, first, &err);
		for (size_t k = deeds->n; k-- > i;) {
			struct node_deed *d = &deeds->v[k];

			if (!d->chosen || !is_like(d, first))
				continue;
			one = rc ? ctl_external_create(d->line, &err) : 0;
			finish(b, d, one, &err);
			if (!one)
				is_new(b, d->name);
			d->chosen = false;
		}
	}
}

static void create_all(struct bridge_thread *b, struct node_deeds *deeds)
{
	for (size_t i = 0; i < deeds->n; i++) {
		struct node_deed *d = &deeds->v[i];

		d->chosen = d->what == EXTNODE_CREATE && d->line;
	}
	create_chosen(b, deeds);
}

/* As many kinds as may be renewed now; what is of no use as it is, first. */
static bool choose_renewals(struct bridge_thread *b, struct node_deeds *deeds)
{
	bool some = false;

	for (size_t pass = 0; pass < 2 * deeds->n; pass++) {
		struct node_deed *first = &deeds->v[pass % deeds->n];

		if (first->what != EXTNODE_RENEW || !first->line ||
		    first->chosen || (pass < deeds->n && !first->lost))
			continue;
		if (!extsize_renew(&b->renewals, clock_ms()))
			break;
		for (size_t i = 0; i < deeds->n; i++) {
			struct node_deed *d = &deeds->v[i];

			d->chosen |=
				d->what == EXTNODE_RENEW && is_like(d, first);
		}
		some = true;
	}
	return some;
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
		finish(b, d, -EIO, why);
	}
}

/* (whatever ends us in between: what Slurm does not know is created) */
static void renew_all(struct bridge_thread *b, struct node_deeds *deeds)
{
	_cleanup_free_ char *names = NULL;
	struct err err = {0};

	if (!may_go_on(b) || !choose_renewals(b, deeds))
		return;
	names = names_of(deeds, NULL);
	if (names ? ctl_external_delete(names, &err) : err_oom(&err))
		pass_over_left(b, deeds, &err);
	create_chosen(b, deeds);
}

/* Those that jobs name which wait are not deleted yet. */
static void keep_named(struct bridge_thread *b, struct node_deeds *deeds)
{
	const char *names[BATCH_MAX];
	bool stay[BATCH_MAX] = {false};
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

static void do_all(struct bridge_thread *b, struct node_deeds *deeds)
{
	if (!deeds->n)
		return;
	create_all(b, deeds);
	renew_all(b, deeds);
	keep_named(b, deeds);
	for (size_t i = 0; i < deeds->n && may_go_on(b); i++) {
		const struct node_deed *d = &deeds->v[i];
		struct err err = {0};
		int rc;

		if (d->what == EXTNODE_CREATE || d->what == EXTNODE_RENEW ||
		    d->what == EXTNODE_KEEP)
			continue;
		rc = d->external ? do_external(d, &err) : do_hybrid(d, &err);
		finish(b, d, rc, &err);
	}
}

/* What waits, or is refused, may fit other nodes now. */
static void touch_waiting(struct bridge_thread *b)
{
	for (struct queued *q = b->queue; q; q = q->hh.next)
		if (!job_is_active(q) || bridge_waits(q->job))
			queued_touch(b, q);
}

static void step_by(struct bridge_thread *b, int64_t at)
{
	if (b->nodes_step_at > at)
		b->nodes_step_at = at;
}

void nodes_step(struct bridge_thread *b)
{
	_cleanup_(deeds_clear) struct node_deeds deeds = {0};
	const uint64_t version = bridge_hosts_version(b->hosts);
	const int64_t now = clock_ms();
	bool news = nodes_refresh(b);

	if (nodes_are_others(b, news)) {
		b->fit_version++;
		touch_waiting(b);
	}
	if (version != b->hosts_version) {
		b->hosts_version = version;
		news = true;
	}
	if (news)
		step_by(b, now + STEP_MS);
	/* (what was done since they were read would be done once more) */
	if (!b->nodes || !b->nodes_at || now < b->nodes_step_at ||
	    !bridge_hosts_ready(b->hosts) || !link_held(b->link))
		return;
	b->nodes_step_at = now + STEP_ALL_MS;
	look(b, &deeds);
	do_all(b, &deeds);
	settle_all(b, &deeds);
	if (deeds.n)
		step_by(b, now + STEP_MS);
	if (deeds.later)
		step_by(b, deeds.later);
}
