/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job waits for a feature, and nodes that could wear it are up and idle in
 * another guise. Slurm (from 23.02 on) gives a cloud node no other features
 * before it is powered down, which would be at SuspendTime. So it is powered
 * down now; Slurm then gives it to the job, and the pod comes anew.
 */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "engine/engine_internal.h"
#include "model/request.h"
#include "slurm/ctl_queue.h"

#define SWAP_MS 5000
#define SOON_MS 1000 /* while a node powers down for a job */
#define SWAP_COST 50 /* pauses are so many times as long as the search */
#define PAUSE_MAX_MS 60000
#define STEP_MS 200  /* then the rest is for the next time */
#define LONG_MS 1000 /* then an alternative is left half searched */
#define RELEASE_MS 60000
#define LIST_MAX (4u * 1024 * 1024)

/* A node that is up and idle. */
static bool is_idle(const struct ctl_node *n)
{
	return n->power == CTL_UP && !n->busy && !n->down && !n->drained &&
	       !n->ending && !n->rebooting && !n->no_respond;
}

static bool is_asleep(const struct ctl_node *n)
{
	return (n->power == CTL_POWERED_DOWN ||
		n->power == CTL_POWERING_DOWN) &&
	       !n->busy && !n->down && !n->drained;
}

static bool any_idle(const struct engine *e)
{
	struct ctl_node n;

	for (size_t i = 0; ctl_nodes_at(e->nodes, i, &n); i++) {
		const struct nodeset *set =
			n.name && is_idle(&n)
				? config_nodeset_of(e->config, n.name)
				: NULL;

		if (set && set->features)
			return true;
	}
	return false;
}

/* Could the node satisfy the alternative, in some guise? */
static bool could_serve(const struct nodeset *set, const struct ctl_node *n,
			const struct request *r, const struct alternative *a)
{
	feature_set has = features_of_list(set->known, n->features);

	if (a->set & ~(set->features & has))
		return false;
	for (size_t i = 0; i < r->n_others; i++)
		if ((a->others >> i & 1) &&
		    !features_list_has(n->features, r->other[i]))
			return false;
	return true;
}

struct search {
	struct engine *e;
	const struct ctl_queue *queue;
	struct ctl_waiting job;
	struct request request;
	size_t n_now;  /* nodes that it could have at once */
	bool *taken;   /* nodes, by their index */
	size_t *found; /* such nodes */
	size_t n_found;
	int64_t began;
	bool stopped; /* where is in swap_next */
};

/*
 * Who submits jobs decides how long a search takes, and the engine does
 * nothing else meanwhile.
 */
static bool is_late(const struct search *s)
{
	return clock_ms() - s->began >= STEP_MS;
}

static void go_on_at(struct search *s, uint32_t index, uint32_t job_id,
		     size_t alternative)
{
	s->stopped = true;
	s->e->swap_next.index = index;
	s->e->swap_next.job_id = job_id;
	s->e->swap_next.alternative = alternative;
}

/* 1: Slurm can use the node for it; 0: it is in another guise; -1: no use. */
static int use_of(const struct search *s, const struct alternative *a, size_t i,
		  const struct ctl_node *n)
{
	const struct nodeset *set =
		n->name ? config_nodeset_of(s->e->config, n->name) : NULL;

	if (!set || s->taken[i] || (!is_idle(n) && !is_asleep(n)) ||
	    !could_serve(set, n, &s->request, a) ||
	    !ctl_queue_may_use(s->queue, &s->job, n->name))
		return -1;
	if (is_asleep(n) ||
	    !(a->set & ~features_of_list(set->known, n->features_active)))
		return 1;
	/* only where another pod can be had */
	return link_live(link_of(s->e, set)) && !cooling_now(s->e, set) ? 0
									: -1;
}

/* (a job that is held has to be released when it could have them at once) */
static bool has_enough(const struct search *s, size_t ready)
{
	return (s->job.held ? s->n_now : ready) >= s->job.n_nodes;
}

/*
 * What the job lacks beyond the nodes that Slurm can use is worth as many idle
 * nodes in another guise, if there are enough. True: it has what it needs.
 */
static bool swap_for(struct search *s, const struct alternative *a,
		     struct buf *list)
{
	size_t ready = 0;
	struct ctl_node n;

	s->n_found = s->n_now = 0;
	for (size_t i = 0;
	     !has_enough(s, ready) && ctl_nodes_at(s->e->nodes, i, &n); i++) {
		int use = use_of(s, a, i, &n);

		if (clock_ms() - s->began >= LONG_MS)
			return false;
		ready += use == 1;
		s->n_now += use == 1 && n.power != CTL_POWERING_DOWN;
		if (!use)
			s->found[s->n_found++] = i;
	}
	if (ready + s->n_found < s->job.n_nodes)
		return false;
	for (size_t k = 0; ready < s->job.n_nodes; k++, ready++) {
		s->taken[s->found[k]] = true;
		if (ctl_nodes_at(s->e->nodes, s->found[k], &n) &&
		    buf_add_item(list, n.name))
			break;
	}
	return true;
}

/* Once a minute at most: there may be other reasons. */
static void release(struct engine *e, uint32_t job_id)
{
	const int64_t now = clock_ms();
	struct err err = {0};

	for (int i = 0; i < RELEASED_MAX; i++)
		if (e->released[i].job_id == job_id &&
		    now - e->released[i].at < RELEASE_MS)
			return;
	e->released[e->next_released].job_id = job_id;
	e->released[e->next_released].at = now;
	e->next_released = (e->next_released + 1) % RELEASED_MAX;
	if (ctl_queue_release(job_id, &err))
		log_debug("job %u: %s", job_id, err.msg);
}

/* The first alternative that has, or gets, what it needs. */
static void swap_for_one_of(struct search *s, size_t first, struct buf *list)
{
	for (size_t i = first; i < s->request.n; i++) {
		if (swap_for(s, &s->request.v[i], list))
			return;
		if (i + 1 < s->request.n && is_late(s)) {
			go_on_at(s, s->job.index, s->job.job_id, i + 1);
			return;
		}
	}
}

static void swap_for_job(struct search *s, size_t first)
{
	_cleanup_buf_ struct buf list = BUF_INIT(LIST_MAX);
	const struct features *known = &s->e->config->features;

	s->n_now = 0;
	if (request_parse(known, s->job.features, &s->request, NULL) ||
	    !request_is_ours(&s->request) || s->request.has_count)
		return;
	swap_for_one_of(s, first, &list);
	if (!list.len && s->job.held && s->n_now >= s->job.n_nodes)
		release(s->e, s->job.job_id);
	if (!list.len)
		return;
	log_info("nodes %s: power down (other features): job %u waits for %s",
		 buf_str(&list), s->job.job_id, s->job.features);
	ctl_node_try(buf_str(&list), CTL_POWER_DOWN, NULL);
	s->e->nodes_stale = true;
	s->e->swap_until = clock_ms() + RELEASE_MS;
}

static void swap_for_all(struct engine *e)
{
	_cleanup_(ctl_queue_freep) struct ctl_queue *queue = NULL;
	const size_t n = ctl_nodes_count(e->nodes) + 1;
	_cleanup_free_ bool *taken = calloc(n, sizeof(*taken));
	_cleanup_free_ size_t *found = calloc(n, sizeof(*found));
	_cleanup_free_ struct search *s = calloc(1, sizeof(*s));
	const uint32_t unfinished = e->swap_next.job_id;
	const size_t alternative = e->swap_next.alternative;
	struct err err = {0};
	uint32_t at = e->swap_next.index;

	if (!s || !taken || !found)
		return;
	if (ctl_queue_load(&queue, &err)) {
		log_debug("%s", err.msg);
		return;
	}
	*s = (struct search){.e = e,
			     .queue = queue,
			     .taken = taken,
			     .found = found,
			     .began = clock_ms()};
	memset(&e->swap_next, 0, sizeof(e->swap_next));
	while (!atomic_load(&e->stop) && !s->stopped &&
	       ctl_queue_next(queue, &at, &s->job)) {
		swap_for_job(s, s->job.job_id == unfinished ? alternative : 0);
		if (!s->stopped && is_late(s))
			go_on_at(s, at, 0, 0);
	}
}

void swap_step(struct engine *e)
{
	int64_t began = clock_ms(), pause;

	if (!e->site.has_features || !e->config->features.n ||
	    ctl_queue_is_slurms() || began < e->swap_at)
		return;
	if (any_idle(e) || began < e->swap_until)
		swap_for_all(e);
	pause = SWAP_COST * (clock_ms() - began);
	if (pause > PAUSE_MAX_MS)
		pause = PAUSE_MAX_MS;
	e->swap_at = clock_ms() + pause +
		     (began < e->swap_until ? SOON_MS : SWAP_MS);
}
