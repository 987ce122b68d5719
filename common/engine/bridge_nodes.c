/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps Kubernetes nodes with the label and Slurm's external nodes in step;
 * hybrid ones are drained and undrained only. model/extnode.h decides.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/bridge_internal.h"
#include "model/features.h"
#include "slurm/ctl_external.h"

#define NODES_MS 2000 /* Slurm's nodes are read anew, if they changed */
#define STEP_MS 500   /* something has changed */
#define STEP_ALL_MS 10000
#define SETTLED_MS 2000	    /* a shape that has not changed for so long */
#define RETRY_FIRST_MS 1000 /* what Slurm refused, once */
#define RETRY_MS 30000	    /* and again */
#define BATCH_MAX 100	    /* changes in one step */

/* What Slurm refused, by the node's name there. */
struct nodes_memo {
	UT_hash_handle hh;
	int failed;
	int64_t until;	 /* monotonic: not before */
	bool relabelled; /* it has other features since it was created */
	char words[WK_REASON_MAX];
	char name[];
};

/* One thing to do. */
struct node_deed {
	enum extnode_do what;
	bool external, relabels;
	char name[EXTNODE_NAME_MAX + 1];
	char words[WK_REASON_MAX];
	char *line, *features, *topology;
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
	struct nodes_memo *m = NULL, *next = NULL;

	HASH_ITER(hh, b->node_memos, m, next)
	{
		HASH_DELETE(hh, b->node_memos, m);
		free(m);
	}
	ctl_nodes_free(b->nodes);
}

static struct nodes_memo *memo_of(struct bridge_thread *b, const char *name)
{
	const size_t size = strlen(name) + 1;
	struct nodes_memo *m;

	HASH_FIND_STR(b->node_memos, name, m);
	if (m || !(m = calloc(1, sizeof(*m) + size)))
		return m;
	memcpy(m->name, name, size);
	HASH_ADD_KEYPTR(hh, b->node_memos, m->name, size - 1, m);
	if (!m->failed)
		return m;
	free(m);
	return NULL;
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

static void memo_drop(struct bridge_thread *b, const char *name)
{
	struct nodes_memo *m;

	HASH_FIND_STR(b->node_memos, name, m);
	if (!m)
		return;
	HASH_DELETE(hh, b->node_memos, m);
	free(m);
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
static int64_t rests_until(struct bridge_thread *b, const char *name)
{
	struct nodes_memo *m;

	HASH_FIND_STR(b->node_memos, name, m);
	return m && clock_ms() < m->until ? m->until : 0;
}

/* --- planning, under the lock of the hosts */

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
	int rc;

	for (size_t i = 0; i < k->resources.n; i++)
		map[i] = (struct gresmap){.resource = k->resources.v[i].key,
					  .gres = k->resources.v[i].value};
	if (*x->why_not)
		return err_set(err, -EINVAL, "%s", x->why_not);
	rc = bridge_host_used(x, &used, err);
	return rc ? rc : extnode_shape_of(&x->view, &used, &rules, out, err);
}

/* `labelled`: the site says that it takes pods. */
static void see_slurm(const struct ctl_node *node, bool labelled,
		      struct extnode_view *v)
{
	v->known = true;
	v->external = node->external;
	v->hybrid = !node->external && labelled;
	v->idle = !node->busy;
	v->emptied = node->emptied;
	v->drained = node->drained;
	v->down = node->down;
	v->lost = node->no_respond || node->power == CTL_POWERED_DOWN;
	v->reason = node->reason;
	v->features = node->features;
	v->gres = node->gres;
	v->cpus = node->cpus;
	v->memory_mib = node->memory_mib;
	v->topology = node->topology;
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
	until = rests_until(b, name);
	if (until && (!out->later || until < out->later))
		out->later = until;
	if (until || out->n == BATCH_MAX)
		return;
	d = &out->v[out->n++];
	*d = (struct node_deed){.what = plan->what, .external = !v->hybrid};
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

static void look_at_host(struct bridge_thread *b, const struct bridge_host *x,
			 struct node_deeds *out)
{
	const int64_t now = clock_ms();
	struct extnode_shape shape;
	struct ctl_node node;
	struct err err = {0};
	struct extnode_view v = {
		.host = x->seen ? &x->view : NULL,
		.unready_ms = x->unready_at ? now - x->unready_at : 0,
		.settled = now - x->changed_at >= SETTLED_MS,
	};
	const char *name = *x->slurm ? x->slurm : x->name;
	const struct nodes_memo *m = NULL;
	struct extnode_plan plan;

	if (!v.host)
		return;
	HASH_FIND_STR(b->node_memos, name, m);
	v.relabelled = m && m->relabelled;
	if (x->bridge && !shape_of(b, x, &shape, &err))
		v.shape = &shape;
	else
		v.why_not = err.msg;
	if (ctl_nodes_find(b->nodes, name, &node))
		see_slurm(&node, x->bridge && is_free(b, name), &v);
	else if (!ctl_external_known())
		return;
	plan = extnode_plan(&v);
	add(b, &plan, name, &v, out);
}

/* A node of ours in Slurm that Kubernetes has no more. */
static void look_at_orphan(struct bridge_thread *b, const struct ctl_node *node,
			   struct node_deeds *out)
{
	struct extnode_view v = {0};
	struct extnode_plan plan;

	if (!node->external || bridge_hosts_of_slurm(b->hosts, node->name))
		return;
	see_slurm(node, false, &v);
	plan = extnode_plan(&v);
	add(b, &plan, node->name, &v, out);
}

static void look(struct bridge_thread *b, struct node_deeds *out)
{
	struct ctl_node node;

	bridge_hosts_lock(b->hosts);
	for (struct bridge_host *x = bridge_hosts_first(b->hosts); x;
	     x = x->hh.next)
		look_at_host(b, x, out);
	for (size_t i = 0; ctl_nodes_at(b->nodes, i, &node); i++)
		look_at_orphan(b, &node, out);
	bridge_hosts_unlock(b->hosts);
}

/* --- doing */

static int renew(const struct node_deed *d, struct err *err)
{
	int rc = ctl_external_delete(d->name, err);

	return rc ? rc : ctl_external_create(d->line, err);
}

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
	case EXTNODE_CREATE:
		return d->line ? ctl_external_create(d->line, err)
			       : err_oom(err);
	case EXTNODE_UPDATE:
		return ctl_external_update(d->name, d->features, d->topology,
					   err);
	case EXTNODE_RENEW:
		return d->line ? renew(d, err) : err_oom(err);
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
		break;
	}
	return 0;
}

static void do_all(struct bridge_thread *b, const struct node_deeds *deeds)
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

	for (size_t i = 0; i < deeds->n && !atomic_load(&b->stop); i++) {
		const struct node_deed *d = &deeds->v[i];
		struct err err = {0};

		if (d->external ? do_external(d, &err) : do_hybrid(d, &err)) {
			refused(b, d->name, err.msg);
			continue;
		}
		log_info("bridge: node %s %s%s%s", d->name, words[d->what],
			 *d->words ? ": " : "", d->words);
		log_debug("bridge: %s", d->line ? d->line : d->name);
		succeeded(b, d);
	}
}

/* True: they are others than before. */
static bool refresh(struct bridge_thread *b)
{
	struct err err = {0};
	int rc;

	if (b->nodes_at && clock_ms() < b->nodes_at + NODES_MS)
		return false;
	rc = ctl_nodes_refresh(&b->nodes, &err);
	b->nodes_at = clock_ms();
	if (rc < 0)
		log_debug("%s", err.msg);
	return rc > 0;
}

/* Which nodes Slurm has, whatever they do. */
static uint32_t names_sum(const struct ctl_nodes *nodes)
{
	struct ctl_node node;
	uint32_t sum = 1;

	for (size_t i = 0; nodes && ctl_nodes_at(nodes, i, &node); i++)
		sum += str_hash(STR_HASH, node.name, strlen(node.name));
	return sum;
}

/* Has either side got other nodes than at the last call? */
static bool are_others(struct bridge_thread *b, bool news)
{
	const uint64_t views = bridge_hosts_views(b->hosts);
	const bool ready = bridge_hosts_ready(b->hosts);
	const uint32_t sum = news ? names_sum(b->nodes) : b->nodes_sum;
	const bool others = sum != b->nodes_sum || views != b->hosts_views ||
			    ready != b->hosts_ready;

	b->nodes_sum = sum;
	b->hosts_views = views;
	b->hosts_ready = ready;
	return others;
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
	bool news = refresh(b);

	if (are_others(b, news)) {
		b->fit_version++;
		touch_waiting(b);
	}
	if (version != b->hosts_version) {
		b->hosts_version = version;
		news = true;
	}
	if (news)
		step_by(b, now + STEP_MS);
	if (!b->nodes || now < b->nodes_step_at ||
	    !bridge_hosts_ready(b->hosts) || !link_held(b->link))
		return;
	b->nodes_step_at = now + STEP_ALL_MS;
	look(b, &deeds);
	do_all(b, &deeds);
	if (deeds.n)
		step_by(b, now + STEP_MS);
	else if (deeds.later)
		step_by(b, deeds.later);
}
