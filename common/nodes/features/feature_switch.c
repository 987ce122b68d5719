/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job waits for a feature, and nodes that could have it are up and idle with
 * other features. Slurm (from 23.02 on) gives a cloud node no other features
 * before it is powered down, which would be at SuspendTime. So it is powered
 * down now; Slurm then gives it to the job, and the pod comes anew.
 */
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/features/feature_switch.h"
#include "nodes/features/switch_decide.h"
#include "slurm/ctl_queue.h"
#include "slurm/nodes_again.h"

#define SWITCH_MS 5000
#define SOON_MS 1000 /* pause while a node powers down for a job */
#define STEP_MS 200  /* a search stops after it, until the next step */
#define LONG_MS 1000 /* an alternative is left half searched after it */
#define LIST_MAX (4u * 1024 * 1024)

/* What Slurm says of a node; the caller sets `known` and `offered`. */
static struct switch_node node_of(const struct ctl_node *n)
{
	return (struct switch_node){
		.up = n->power == CTL_UP,
		.powered_down = n->power == CTL_POWERED_DOWN,
		.powering_down = n->power == CTL_POWERING_DOWN,
		.ending = n->ending,
		.in_use = n->busy || n->down || n->drained,
		.unsure = n->rebooting || n->no_respond,
		.features = n->features,
		.active = n->features_active,
	};
}

/* True if there are nodes that could get other features, or are about to. */
static bool any_of_use(const struct nodes *nodes)
{
	struct ctl_node n;

	for (size_t i = 0; ctl_nodes_at(nodes->slurm.all, i, &n); i++) {
		const struct switch_node node = node_of(&n);
		const struct nodeset *set =
			n.name && (switch_is_idle(&node) ||
				   switch_goes_down(&node))
				? config_nodeset_of(nodes->config, n.name)
				: NULL;

		if (set && set->features)
			return true;
	}
	return false;
}

struct search {
	struct nodes *nodes;
	struct ctl_queue *queue;
	struct ctl_waiting job;
	struct constraint request;
	struct switch_outcome outcome;
	bool *taken;   /* nodes that an earlier job gets, by index */
	size_t *found; /* indices of nodes with other features */
	int64_t began;
	bool stopped; /* time is up; feature_turns.next says where */
};

/*
 * True if the search is to stop: how long it takes depends on the jobs that
 * users submit, and the engine does nothing else meanwhile.
 */
static bool is_late(const struct search *s)
{
	return clock_ms() - s->began >= STEP_MS;
}

static void go_on_at(struct search *s, uint32_t index, uint32_t job_id,
		     size_t alternative)
{
	s->stopped = true;
	s->nodes->features.next.index = index;
	s->nodes->features.next.job_id = job_id;
	s->nodes->features.next.alternative = alternative;
}

static bool has_room(const struct ctl_node *n, const struct ctl_waiting *job)
{
	const struct switch_size has = {n->cpus, n->memory_mib, n->gres};
	const struct switch_size needs = {job->cpus, job->memory_mib,
					  job->gres};

	return switch_fits(&has, &needs);
}

static enum switch_use use_of(const struct search *s,
			      const struct alternative *a, size_t i,
			      const struct ctl_node *n)
{
	const struct nodeset *set =
		n->name ? config_nodeset_of(s->nodes->config, n->name) : NULL;
	struct switch_node node;
	enum switch_use use;

	if (!set || s->taken[i])
		return SWITCH_NO_USE;
	node = node_of(n);
	node.known = set->known;
	node.offered = set->features;
	use = switch_use_of(&node, &s->request, a);
	if (use == SWITCH_NO_USE || !has_room(n, &s->job) ||
	    !ctl_queue_may_use(s->queue, &s->job, n))
		return SWITCH_NO_USE;
	/* A node is powered down only where another pod can be had. */
	if (use == SWITCH_NEEDS_POWER_DOWN &&
	    (!watch_is_live(cluster_of(s->nodes, set)) ||
	     cooldown_now(s->nodes, set)))
		return SWITCH_NO_USE;
	return use;
}

/* True: the job has the nodes it needs, or gets them by those of the list. */
static bool switch_for(struct search *s, const struct alternative *a,
		       struct buf *list)
{
	struct switch_count c = {.wanted = s->job.n_nodes, .held = s->job.held};
	bool enough = switch_enough(&c);
	struct ctl_node n;
	int64_t lacks;

	for (size_t i = 0; !enough && ctl_nodes_at(s->nodes->slurm.all, i, &n);
	     i++) {
		enum switch_use use = use_of(s, a, i, &n);

		if (clock_ms() - s->began >= LONG_MS)
			return false;
		if (use == SWITCH_NEEDS_POWER_DOWN)
			s->found[c.others] = i;
		enough = switch_add(&c, use);
	}
	s->outcome.has_all = switch_now(&c);
	s->outcome.some_soon = c.soon > 0;
	lacks = switch_lacks(&c);
	for (int64_t k = 0; k < lacks; k++) {
		s->taken[s->found[k]] = true;
		if (ctl_nodes_at(s->nodes->slurm.all, s->found[k], &n) &&
		    buf_add_item(list, n.name))
			break;
	}
	return lacks >= 0;
}

static void release(struct nodes *nodes, uint32_t job_id)
{
	struct err err = {0};

	if (switch_may_release(&nodes->features.released, job_id, clock_ms()) &&
	    ctl_queue_release(job_id, &err))
		log_debug("job %u: %s", job_id, err.msg);
}

/* Search until an alternative has, or gets, the nodes that the job needs. */
static void switch_for_one_of(struct search *s, size_t first, struct buf *list)
{
	for (size_t i = first; i < s->request.n; i++) {
		if (switch_for(s, &s->request.v[i], list))
			return;
		if (i + 1 < s->request.n && is_late(s)) {
			go_on_at(s, s->job.index, s->job.job_id, i + 1);
			return;
		}
	}
}

/*
 * Remember when these nodes were told to power down: look_drain() looks for a
 * drain that others set after that. `list` is written over.
 */
static void note_told(struct nodes *nodes, char *list)
{
	struct node_state *m;
	char *name;

	while ((name = strsep(&list, ","))) {
		m = node_state_find(nodes, name);
		if (m)
			m->reason.told_at = clock_ms();
	}
}

/* True if slurmctld says now that the node is idle. An RPC, or none. */
static bool is_idle_still(void *again, const char *name)
{
	struct switch_node idle;
	struct ctl_node node;
	struct err err = {0};

	if (nodes_again_find(again, name, &node, &err) <= 0)
		return false;
	idle = node_of(&node);
	return switch_is_idle(&idle);
}

/*
 * The list of nodes is some seconds old, and a power-down takes an
 * administrator's DRAIN away (_do_power_work()). `list` is written over: those
 * that are idle still are left. RPCs.
 */
static void keep_idle(char *list)
{
	_cleanup_(nodes_again_end) struct nodes_again again = {0};
	struct err err = {0};
	size_t n = 1;

	for (const char *c = list; *c; c++)
		n += *c == ',';
	if (!nodes_again_begin(&again, n, NULL, &err)) {
		str_list_keep(list, is_idle_still, &again);
	} else {
		log_warn("%s", err.msg);
		*list = '\0';
	}
}

static void switch_for_job(struct search *s, size_t first)
{
	_cleanup_buf_ struct buf list = BUF_INIT(LIST_MAX);
	const struct features *known = &s->nodes->config->features;

	s->outcome = (struct switch_outcome){.held = s->job.held};
	if (constraint_parse(known, s->job.features, &s->request, NULL) ||
	    !constraint_is_ours(&s->request) || s->request.has_count)
		return;
	switch_for_one_of(s, first, &list);
	s->outcome.power_down = list.len > 0;
	if (switch_releases(&s->outcome))
		release(s->nodes, s->job.job_id);
	if (switch_goes_on(&s->outcome))
		s->nodes->features.until = clock_ms() + SWITCH_RELEASE_MS;
	if (list.len)
		keep_idle(list.data);
	if (!list.len || !*list.data || atomic_load(&s->nodes->stop))
		return;
	log_info("nodes %s: power down (other features): job %u waits for %s",
		 buf_str(&list), s->job.job_id, s->job.features);
	if (!ctl_node_try(buf_str(&list), CTL_POWER_DOWN, NULL))
		note_told(s->nodes, list.data);
	nodes_ask_again(s->nodes);
}

static void switch_for_all(struct nodes *nodes)
{
	_cleanup_(ctl_queue_freep) struct ctl_queue *queue = NULL;
	const size_t n = ctl_nodes_count(nodes->slurm.all) + 1;
	_cleanup_free_ bool *taken = calloc(n, sizeof(*taken));
	_cleanup_free_ size_t *found = calloc(n, sizeof(*found));
	_cleanup_free_ struct search *s = calloc(1, sizeof(*s));
	const uint32_t unfinished = nodes->features.next.job_id;
	const size_t alternative = nodes->features.next.alternative;
	struct err err = {0};
	uint32_t at = nodes->features.next.index;

	if (!s || !taken || !found)
		return;
	if (ctl_queue_load(nodes->reader, &queue, &err)) {
		log_debug("%s", err.msg);
		return;
	}
	*s = (struct search){.nodes = nodes,
			     .queue = queue,
			     .taken = taken,
			     .found = found,
			     .began = clock_ms()};
	nodes->features.next = (struct feature_next){0};
	while (!atomic_load(&nodes->stop) && !s->stopped &&
	       ctl_queue_next(queue, &at, &s->job)) {
		switch_for_job(s,
			       s->job.job_id == unfinished ? alternative : 0);
		if (!s->stopped && is_late(s))
			go_on_at(s, at, 0, 0);
	}
}

void feature_switch_step(struct nodes *nodes)
{
	int64_t began = clock_ms();

	if (!nodes->site.has_features || !nodes->config->features.n ||
	    ctl_queue_is_slurms() || began < nodes->features.at)
		return;
	if (any_of_use(nodes) || began < nodes->features.until)
		switch_for_all(nodes);
	nodes->features.at =
		clock_ms() + switch_pause(clock_ms() - began) +
		(began < nodes->features.until ? SOON_MS : SWITCH_MS);
}
