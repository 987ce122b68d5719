/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How pods are bound to the nodes that Slurm gave to their job. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/binding/binding.h"
#include "bridge/jobspec/placement.h"
#include "syntax/gres_text.h"

#define HOSTS_WAIT_MS 1000 /* until a group is tried again */
/* Until room is looked for again, unless a pod of the group ends before */
#define ROOM_AGAIN_MS 10000
/* How long a job on a node that does not fit is kept while other jobs have not
 * been told of that node, and how often it is looked at */
#define LISTS_MAX_MS 600000
#define LISTS_AGAIN_MS 2000
/* How long after its answer a busy API server may not show a pod as bound */
#define IN_VIEW_MS 10000

/* The job's nodes as Kubernetes knows them. */
struct places {
	size_t n;
	struct placement_gres gres;
	struct placement_node *room;	      /* `n` of them */
	char (*names)[HOST_NAME_MAX_K8S + 1]; /* names in Kubernetes */
};

static void places_clear(struct places *p)
{
	free(p->room);
	free(p->names);
}

static size_t map_of(struct bridge *b, struct gresmap map[BRIDGE_RESOURCES_MAX])
{
	const struct label_pairs *pairs = &b->bridge->resources;
	size_t n = 0;

	for (; n < pairs->n && n < BRIDGE_RESOURCES_MAX; n++)
		map[n] = (struct gresmap){.resource = pairs->v[n].key,
					  .gres = pairs->v[n].value};
	return n;
}

/* Add a gres, once. False: there are too many. */
static bool add_gres(struct placement_gres *gres, const char *name)
{
	for (size_t i = 0; i < gres->n; i++)
		if (!strcmp(gres->names[i], name))
			return true;
	if (gres->n == PACK_GRES_MAX)
		return false;
	gres->names[gres->n++] = name;
	return true;
}

/* Find the gres that any of the pods asks for. 0; -E2BIG with words. */
static int find_gres(struct bridge *b, const struct pod_selection *pods,
		     struct placement_gres *out, struct err *err)
{
	struct gresmap map[BRIDGE_RESOURCES_MAX];
	const size_t n = map_of(b, map);

	for (size_t i = 0; i < pods->n; i++)
		for (size_t k = 0; pods->v[i].need.n_ext && k < n; k++)
			if (pod_requests_count(&pods->v[i].need,
					       map[k].resource) &&
			    !add_gres(out, map[k].gres))
				return err_set(err, -E2BIG,
					       "its pods ask for more than %d "
					       "kinds of gres",
					       PACK_GRES_MAX);
	return 0;
}

static int find_place(struct bridge *b, const char *slurm, struct places *p,
		      size_t i, struct err *err)
{
	const struct inventory_node *x;
	int rc = 0;

	inventory_lock(b->inventory);
	x = inventory_of_slurm(b->inventory, slurm);
	if (x) {
		str_copy(p->names[i], x->name, sizeof(p->names[i]));
		p->room[i].pods = x->view.pods > 0 ? (uint32_t)x->view.pods : 0;
	} else {
		rc = err_set(err, -ENOENT,
			     "Slurm gave it the node %.100s, which is no node "
			     "of Kubernetes cluster %s",
			     slurm, b->cluster->name);
	}
	inventory_unlock(b->inventory);
	return rc;
}

static int find_places(struct bridge *b, const struct queue_entry *q,
		       struct places *p, struct err *err)
{
	_cleanup_hostlist_ struct hostlist slurm = {0};
	int rc = allocation_nodes(q, &slurm);

	if (rc)
		return err_set(err, -EAGAIN, "its nodes are not known yet");
	p->room = calloc(slurm.n + 1, sizeof(*p->room));
	p->names = calloc(slurm.n + 1, sizeof(*p->names));
	if (!p->room || !p->names)
		return err_oom(err);
	for (size_t i = 0; i < slurm.n && !rc; i++) {
		const struct placed_node *node =
			q->nodes.layout ? ctl_layout_at(q->nodes.layout, i)
					: NULL;

		rc = find_place(b, slurm.names[i], p, i, err);
		p->room[i].cpus = node ? node->cpus : q->nodes.has.cpus;
		p->room[i].memory_mib =
			node ? node->memory_mib : q->nodes.has.memory_mib;
		for (size_t g = 0; node && g < p->gres.n; g++)
			p->room[i].gres[g] =
				gres_text_room(node->gres, p->gres.names[g]);
	}
	p->n = slurm.n;
	return rc;
}

static int32_t index_of(const struct places *p, const char *node)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->names[i], node))
			return (int32_t)i;
	return PACK_NONE;
}

/*
 * True if a binding of the pod was asked for by an earlier look, and is not in
 * view yet: nothing takes it back, so the pod will be on `node` (NULL: it does
 * not matter which).
 */
static bool is_on_way(struct bridge *b, const struct queue_entry *q,
		      const struct selected_pod *c,
		      char node[HOST_NAME_MAX_K8S + 1])
{
	return c->waiting && bridge_requests_way(b->requests, c->uid, q->job.id,
						 node, HOST_NAME_MAX_K8S + 1);
}

/* Set the node of each pod that is bound, or surely will be. */
static void find_placed(struct bridge *b, const struct queue_entry *q,
			const struct pod_selection *pods,
			const struct places *p, struct placement_pod *out)
{
	char node[HOST_NAME_MAX_K8S + 1];

	for (size_t i = 0; i < pods->n; i++) {
		const struct selected_pod *c = &pods->v[i];

		out[i].node = !c->waiting		 ? index_of(p, c->node)
			      : is_on_way(b, q, c, node) ? index_of(p, node)
							 : PACK_NONE;
	}
}

/* Count the pods of others, and of other jobs, on each of several nodes. */
static void count_others(struct bridge *b, const struct placement_pod *pods,
			 size_t n, struct places *p)
{
	const struct inventory_node *x;

	pod_groups_lock(b->groups);
	inventory_lock(b->inventory);
	for (size_t i = 0; i < p->n; i++) {
		x = inventory_find(b->inventory, p->names[i]);
		p->room[i].other_pods = x ? overcommit_pods(b, x) : 0;
	}
	inventory_unlock(b->inventory);
	pod_groups_unlock(b->groups);
	for (size_t i = 0; i < n; i++) {
		const int32_t at = pods[i].node;

		if (at >= 0 && p->room[at].other_pods)
			p->room[at].other_pods--;
	}
}

/* Give each pod a node; the caller has set `node` of each in `out`. */
static int pack(struct bridge *b, const struct places *p,
		const struct pod_selection *pods, struct placement_pod *out,
		struct err *err)
{
	struct gresmap map[BRIDGE_RESOURCES_MAX];
	const size_t n = map_of(b, map);

	for (size_t i = 0; i < pods->n; i++) {
		const struct selected_pod *c = &pods->v[i];

		out[i] = (struct placement_pod){
			.cpu_milli = c->need.cpu_milli,
			.memory_bytes = c->need.memory_bytes,
			.ports = c->ports,
			.node = out[i].node,
		};
		for (size_t g = 0; c->need.n_ext && g < p->gres.n; g++)
			out[i].gres[g] = pod_requests_gres_count(
				&c->need, map, n, p->gres.names[g]);
	}
	return place_pods(&p->gres, p->room, p->n, out, pods->n, err);
}

/*
 * Check that each pod fits its node. The job's ExcNodeList has the nodes that
 * do not fit, but the job's user may change it, and no kubelet looks at the
 * taint NoSchedule. 0; -EHOSTUNREACH with words.
 */
static int check_fit(struct bridge *b, const struct pod_selection *pods,
		     const struct placement_pod *to, const struct places *p,
		     struct err *err)
{
	const struct group_pod *m;
	const struct inventory_node *x;
	int rc = 0;

	pod_groups_lock(b->groups);
	inventory_lock(b->inventory);
	for (size_t i = 0; i < pods->n && !rc; i++) {
		if (!pods->v[i].waiting || to[i].node < 0)
			continue;
		m = pod_groups_pod(b->groups, pods->v[i].uid);
		x = inventory_find(b->inventory, p->names[to[i].node]);
		if (m && x && !node_filter_fits(&m->shape->want, &x->view, err))
			rc = -EHOSTUNREACH;
	}
	inventory_unlock(b->inventory);
	pod_groups_unlock(b->groups);
	return rc;
}

/* A number that stands for the job and its waiting pods, in any order. */
static uint64_t sum_of(const struct queue_entry *q,
		       const struct pod_selection *pods)
{
	uint64_t sum = q->job.id;

	for (size_t i = 0; i < pods->n; i++) {
		if (pods->v[i].waiting)
			sum += pod_sum(pods->v[i].uid);
	}
	return sum;
}

/* True if bindings of these pods are on their way. */
static bool are_bound(struct bridge *b, struct queue_entry *q,
		      const struct pod_selection *pods)
{
	const int64_t now = clock_ms();

	if (now >= q->bound.until || sum_of(q, pods) != q->bound.sum)
		return false;
	queue_entry_later(b, q, q->bound.until - now);
	return true;
}

/* Have each waiting pod bound to its node. */
static void bind_all(struct bridge *b, struct queue_entry *q,
		     const struct pod_selection *pods, const struct places *p,
		     const struct placement_pod *to)
{
	const bool same = q->bound.until && !q->bound.refused &&
			  q->bound.sum == sum_of(q, pods);
	char mark[BRIDGE_KEY_MAX];
	uint32_t n = 0, unseen = 0;
	bool all = true;

	pod_groups_mark(q->key, mark);
	for (size_t i = 0; i < pods->n; i++) {
		const struct selected_pod *c = &pods->v[i];
		const struct pod_ref ref = {.ns = c->ns,
					    .name = c->name,
					    .uid = c->uid,
					    .group = mark,
					    .by = b->bound_by,
					    .created_ms = c->created_ms};
		const int32_t at = to[i].node;

		if (!c->waiting || at < 0)
			continue;
		if (same && !bridge_requests_has(b->requests,
						 BRIDGE_REQUEST_BIND, c->uid)) {
			unseen++;
			/* A binding that was answered may be lost. */
			if (!q->bound.tries)
				continue;
		}
		n++;
		if (bridge_requests_bind(b->requests, &ref, p->names[at],
					 q->job.id, !c->scale_told))
			overcommit_bound(b, c->uid, p->names[at], &c->need);
		else
			all = false;
	}
	log_debug("bridge: job %u: %u pods bound", q->job.id, n);
	if (unseen)
		view_bindings_unseen(b, q->job.id, unseen);
	q->bound.refused = false;
	if (q->bound.sum == sum_of(q, pods)) {
		q->bound.tries++;
	} else {
		q->bound.tries = 0;
		q->bound.denied_at = 0;
	}
	q->bound.job = q->job.id;
	q->vain.n = 0;
	q->bound.sum = sum_of(q, pods);
	q->bound.until = all ? clock_ms() + IN_VIEW_MS : 0;
}

/*
 * End the job, as the nodes that Slurm gave are of no use, and tell its pods.
 */
static void give_back(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j, const char *words)
{
	struct err err = {0};

	if (end_to_begin_anew(b, q, &err)) {
		log_warn("bridge: job %u: %s", q->job.id, err.msg);
		queue_entry_act_again(q);
		queue_entry_later(b, q, HOSTS_WAIT_MS);
		return;
	}
	group_given_back(b, q, j, words);
}

/*
 * True if a pod runs, or will: for its sake the job stays, whatever is wrong
 * with the other pods.
 */
static bool some_run(struct bridge *b, const struct queue_entry *q,
		     const struct pod_selection *pods)
{
	for (size_t i = 0; i < pods->n; i++)
		if (!pods->v[i].waiting || is_on_way(b, q, &pods->v[i], NULL))
			return true;
	return false;
}

/*
 * Tell the waiting pods why they are not bound, but not those on their way to a
 * node.
 */
static void tell_waiting(struct bridge *b, struct queue_entry *q,
			 const struct group_observation *j,
			 const struct pod_selection *pods, const char *words)
{
	_cleanup_free_ struct selected_pod *v = calloc(pods->n + 1, sizeof(*v));
	struct pod_selection waiting = {.v = v};
	struct group_observation said = {
		.view = j->view,
		.plan = {.action = GROUP_WAIT, .row = j->plan.row}};
	const uint32_t told = q->told.sum;

	for (size_t i = 0; i < pods->n && v; i++)
		if (pods->v[i].waiting && !is_on_way(b, q, &pods->v[i], NULL))
			v[waiting.n++] = pods->v[i];
	said.order.id.of = j->order.id.of;
	snprintf(said.plan.words, sizeof(said.plan.words),
		 "job %u has no place for it now: %.200s", q->job.id, words);
	str_sanitize(said.plan.words);
	if (waiting.n)
		write_conditions(b, q, &said, &waiting);
	if (q->told.sum != told)
		group_log(b, LOG_LEVEL_WARN, &said.order.id.of,
			  said.plan.words);
}

static bool has_devices(const struct pod_selection *pods)
{
	for (size_t i = 0; i < pods->n; i++)
		if (pods->v[i].need.n_ext)
			return true;
	return false;
}

/*
 * True if enough is known of the job's share of its nodes to bind these pods.
 * It must be known, as a pod of a group that an object names may be another one
 * than the job was made for, and as a job's user may make it smaller while it
 * waits. It is not if the pod has come after allocation_load() had looked,
 * which asks Slurm at the next look.
 */
static bool is_size_known(const struct queue_entry *q,
			  const struct group_observation *j,
			  const struct pod_selection *pods)
{
	return q->nodes.layout || (j->order.id.of.kind == WORKLOAD_POD &&
				   job_has_one_node(q) && !has_devices(pods));
}

/* Find a node for each pod; the caller frees *to in any case. */
static int find_ways(struct bridge *b, const struct queue_entry *q,
		     const struct pod_selection *pods, struct places *p,
		     struct placement_pod **to, struct err *err)
{
	int rc = find_gres(b, pods, &p->gres, err);

	if (!rc)
		rc = find_places(b, q, p, err);
	if (rc)
		return rc;
	*to = calloc(pods->n + 1, sizeof(**to));
	if (!*to)
		return err_oom(err);
	find_placed(b, q, pods, p, *to);
	if (p->n > 1) /* for one node see overcommit.c */
		count_others(b, *to, pods->n, p);
	rc = pack(b, p, pods, *to, err);
	return rc ? rc : check_fit(b, pods, *to, p, err);
}

/*
 * True if the job has started by an old ExcNodeList, on a node that came since
 * and does not fit, and other jobs would, too, until the lists of all are
 * updated (job_updates.c). The job stays meanwhile, as it keeps that node busy.
 */
static bool keeps_others_away(const struct bridge *b,
			      const struct queue_entry *q,
			      const struct group_observation *j)
{
	return updates_wait(b) && updates_are_due(b, q, &j->order) &&
	       clock_ms() - q->job.state_at < LISTS_MAX_MS;
}

/*
 * True if the job was given back, as it would hold its nodes for nothing: the
 * API server has refused to bind these pods for BRIDGE_DENIED_MS, in a way that
 * will not pass (we have no right to, or a webhook is against it), and no other
 * pod runs.
 */
static bool is_denied(struct bridge *b, struct queue_entry *q,
		      const struct group_observation *j,
		      const struct pod_selection *pods)
{
	const bool denied = queue_entry_is_denied(q);
	_cleanup_free_ char *words = steal_ptr(q->bound.denied);

	if (!denied || q->bound.sum != sum_of(q, pods))
		return false;
	if (some_run(b, q, pods)) {
		q->bound.denied_at = 0; /* count a minute of denials anew */
		tell_waiting(b, q, j, pods, words);
		return false;
	}
	give_back(b, q, j, words);
	return true;
}

void bind_pods(struct bridge *b, struct queue_entry *q,
	       const struct group_observation *j,
	       const struct pod_selection *pods)
{
	_cleanup_(places_clear) struct places p = {0};
	_cleanup_free_ struct placement_pod *to = NULL;
	struct err err = {0};
	int rc;

	if (are_bound(b, q, pods) || is_denied(b, q, j, pods))
		return;
	/*
	 * Before nodes and pods of others have been listed, after a start of
	 * slurmctld, room is not known: see is_overcommitted().
	 */
	rc = inventory_ready(b->inventory) && is_size_known(q, j, pods)
		     ? find_ways(b, q, pods, &p, &to, &err)
		     : -EAGAIN;
	if (!rc) {
		bind_all(b, q, pods, &p, to);
		return;
	}
	if (rc == -EAGAIN || rc == -ENOMEM) {
		queue_entry_act_again(q);
		queue_entry_later(b, q, HOSTS_WAIT_MS);
	} else if (rc == -EHOSTUNREACH && keeps_others_away(b, q, j)) {
		queue_entry_act_again(q);
		queue_entry_later(b, q, LISTS_AGAIN_MS);
	} else if (some_run(b, q, pods)) {
		queue_entry_act_again(q);
		queue_entry_later(b, q, ROOM_AGAIN_MS);
		tell_waiting(b, q, j, pods, err.msg);
	} else {
		give_back(b, q, j, err.msg);
	}
}
