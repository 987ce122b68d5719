/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of pods and jobs while another engine has the lease. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "pod_groups_fixture.h"

/* --- of bridge.c */

struct queue_entry *queue_entry_find(struct bridge *b, const char *key)
{
	struct queue_entry *q;

	HASH_FIND_STR(b->queue, key, q);
	return q;
}

void queue_entry_forget(struct bridge *b, struct queue_entry *q)
{
	HASH_DELETE(hh, b->queue, q);
	free(q);
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	(void)q;
	(void)ms;
}

static bool held, nodes; /* the lease; nodes are in view */

bool cluster_held(struct cluster *l)
{
	(void)l;
	return held;
}

bool inventory_has_nodes(struct inventory *h)
{
	(void)h;
	return nodes;
}

/* --- */

static struct bridge *begin(void)
{
	struct bridge *b = calloc(1, sizeof(*b));

	b->groups = seen_begin(NULL);
	b->jobs.known = true;
	pods.to.on_list(pods.to.arg);
	return b;
}

static void end(struct bridge **at)
{
	struct bridge *b = *at;

	while (b->queue)
		queue_entry_forget(b, b->queue);
	queue_turns_free(b);
	seen_end(&b->groups);
	free(b);
}
#define _cleanup_bridge_ __attribute__((cleanup(end)))

/* Pod "a<i>" of its own group comes, or goes. */
static void give(void (*to)(void *arg, json_object *object), int i)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p\", \"namespace\": \"ns\", "
		"\"uid\": \"a%d\"}, \"spec\": {\"schedulerName\": \"s\"}, "
		"\"status\": {\"phase\": \"Pending\"}}",
		i);
	_cleanup_json_ json_object *o = t_parse(text);

	to(pods.to.arg, o);
}

static void add_job(struct bridge *b, enum placeholder_state job)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 16);

	strcpy(q->key, "0 ns a0");
	q->job.state = job;
	HASH_ADD_KEYPTR(hh, b->queue, q->key, strlen(q->key), q);
	queue_entry_touch(b, q);
}

/* (a pod a second was 120 MB a day) */
static void groups_without_pods_do_not_pile_up(void)
{
	_cleanup_bridge_ struct bridge *b = begin();

	for (int listed = 0; listed < 2; listed++) {
		t_row("%d", listed);
		for (int i = 0; i < 1000; i++) {
			give(pods.to.on_object, i);
			if (i % 2)
				standby_step(b);
			give(pods.to.on_delete, i);
		}
		give(pods.to.on_object, 9999);
		standby_step(b);
		/* what is there is looked at by begin_anew() */
		T_INT(HASH_COUNT(pod_groups_first(b->groups)), 1);
		T_OK(!b->queue);
		pods.to.on_synced(pods.to.arg);
	}
}

/* A list that has none of the pods; nobody saw them deleted. */
static void list_none(void)
{
	pods.to.on_list(pods.to.arg);
	pods.to.on_synced(pods.to.arg);
}

static void give_many(int from, int to)
{
	for (int i = from; i < to; i++)
		give(pods.to.on_object, i);
}

static unsigned int n_groups(struct bridge *b)
{
	return HASH_COUNT(pod_groups_first(b->groups));
}

/* (an API server's compacted watch has the pods of an hour end unseen) */
static void groups_that_no_list_has_do_not_pile_up(void)
{
	_cleanup_bridge_ struct bridge *b = begin();

	pods.to.on_synced(pods.to.arg);
	for (int i = 0; i < 10; i++) {
		give_many(i * 100, i * 100 + 100);
		standby_step(b);
		T_INT(n_groups(b), 100);
		list_none();
		standby_step(b);
		T_INT(n_groups(b), 0);
	}
	/* what is listed stays */
	give_many(0, 100);
	pods.to.on_list(pods.to.arg);
	give_many(0, 40);
	pods.to.on_synced(pods.to.arg);
	standby_step(b);
	T_INT(n_groups(b), 40);
	T_OK(!b->queue);
}

/* (what its pods' end means is found out when we may act) */
static void what_no_list_has_stays_for_its_job(void)
{
	_cleanup_bridge_ struct bridge *b = begin();
	struct pod_group *g;

	pods.to.on_synced(pods.to.arg);
	give_many(0, 2);
	add_job(b, PLACEHOLDER_RUNNING);
	standby_step(b);
	list_none();
	standby_step(b);
	T_INT(n_groups(b), 1);
	g = pod_groups_find(b->groups, "0 ns a0");
	T_NEED(g);
	T_OK(g->vanished);
	T_NEED(b->queue);
	b->queue->job.state = PLACEHOLDER_ENDED;
	queue_entry_touch(b, b->queue);
	standby_step(b);
	T_INT(n_groups(b), 0);
	T_OK(!b->queue);
}

static void what_vanishes_is_forgotten_when_its_jobs_are_known(void)
{
	_cleanup_bridge_ struct bridge *b = begin();

	pods.to.on_synced(pods.to.arg);
	give_many(0, 100);
	b->jobs.known = false;
	standby_step(b);
	list_none();
	standby_step(b);
	T_INT(n_groups(b), 100);
	b->jobs.known = true;
	standby_step(b);
	T_INT(n_groups(b), 0);
}

static void what_has_ended_on_both_sides_is_forgotten(void)
{
	static const struct {
		enum placeholder_state job;
		bool pod, jobs_unknown, unlisted, kept;
	} rows[] = {
		{PLACEHOLDER_NONE},
		{PLACEHOLDER_ENDED},
		{PLACEHOLDER_ENDED, .pod = true, .kept = true},
		{PLACEHOLDER_PENDING, .kept = true},
		{PLACEHOLDER_RUNNING, .kept = true},
		{PLACEHOLDER_RUNNING, .pod = true, .kept = true},
		{PLACEHOLDER_COMPLETING, .kept = true},
		{PLACEHOLDER_NONE, .jobs_unknown = true, .kept = true},
		{PLACEHOLDER_ENDED, .unlisted = true, .kept = true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bridge_ struct bridge *b = begin();

		t_row("%zu", i);
		b->jobs.known = !rows[i].jobs_unknown;
		if (!rows[i].unlisted)
			pods.to.on_synced(pods.to.arg);
		if (rows[i].pod)
			give(pods.to.on_object, 0);
		add_job(b, rows[i].job);
		standby_step(b);
		T_OK(!b->queue == !rows[i].kept);
		/* or later: when it is known, and then its pod goes */
		if (!rows[i].kept)
			continue;
		/* (nobody tells of its pods any more) */
		standby_over(b);
		T_INT(b->turns.n_touched, 1);
		if (job_is_active(b->queue))
			continue;
		b->jobs.known = true;
		pods.to.on_synced(pods.to.arg);
		give(pods.to.on_object, 0);
		standby_step(b);
		T_OK(b->queue != NULL);
		give(pods.to.on_delete, 0);
		standby_step(b);
		T_OK(!b->queue);
		T_INT(b->turns.n_touched, 0);
	}
}

/* (an engine that acts again has seen them all) */
static void for_all_that_is_there_the_bridge_begins_once(void)
{
	_cleanup_bridge_ struct bridge *b = begin();

	add_job(b, PLACEHOLDER_RUNNING);
	standby_over(b);
	T_OK(b->queue->early.begins);
	b->active.since = 1;
	standby_over(b);
	T_OK(b->queue->early.begins);
	b->queue->early.begins = false;
	standby_over(b);
	T_OK(!b->queue->early.begins);
}

/* (a list of thousands of nodes takes longer than one of some pods) */
static void nothing_is_done_before_all_is_in_view(void)
{
	_cleanup_bridge_ struct bridge *b = begin();

	held = nodes = true;
	T_OK(!standby_may_end(b));
	pods.to.on_synced(pods.to.arg);
	T_OK(standby_may_end(b));
	t_log_clear();
	nodes = false;
	T_OK(!standby_may_end(b));
	/* that it is so for long is told, once */
	T_STR(t_log(), "");
	clock_now += 61000;
	T_OK(!standby_may_end(b));
	T_HAS(t_log(), "before Kubernetes nodes are in view");
	t_log_clear();
	clock_now += 61000;
	T_OK(!standby_may_end(b));
	T_STR(t_log(), "");
	nodes = true;
	T_OK(standby_may_end(b));
	held = false;
	T_OK(!standby_may_end(b));
}

T_MAIN("standby", T(for_all_that_is_there_the_bridge_begins_once),
       T(groups_without_pods_do_not_pile_up),
       T(groups_that_no_list_has_do_not_pile_up),
       T(what_no_list_has_stays_for_its_job),
       T(what_vanishes_is_forgotten_when_its_jobs_are_known),
       T(what_has_ended_on_both_sides_is_forgotten),
       T(nothing_is_done_before_all_is_in_view))
