/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * However many groups of one namespace change at once, those of others are soon
 * looked at: bridge.c's pass, with looks that take no more than virtual time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "pod_groups_fixture.h"

#define MANY 19000 /* BRIDGE_PODS_MAX is 20000 */
#define LOOKS 32   /* of a pass, as bridge.c's BATCH and BATCH_MS have it */
#define PASS_MS 100

void ctl_layout_free(struct ctl_layout *l)
{
	(void)l;
}

void quota_leave(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	(void)q;
}

void updates_leave(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	(void)q;
}

static struct bridge *begin(void)
{
	static struct namespace_config served[] = {{.name = (char *)"noisy"},
						   {.name = (char *)"quiet"}};
	static const struct bridge_config config = {.scheduler = (char *)"s",
						    .ns = served,
						    .n_ns = T_COUNT(served),
						    .n_named = T_COUNT(served)};
	const struct pod_groups_options opt = {
		.cluster = "c", .config = &config, .ring = seen_ring};
	struct bridge *b = calloc(1, sizeof(*b));

	b->groups = pod_groups_new(&opt);
	T_OK(b->groups && !pod_groups_start(b->groups, NULL));
	pods.to.on_list(pods.to.arg);
	return b;
}

static void end(struct bridge **at)
{
	struct queue_entry *q = NULL, *next = NULL;
	struct bridge *b = *at;

	HASH_ITER(hh, b->queue, q, next)
	{
		queue_entry_drop(b, q);
	}
	queue_turns_free(b);
	pod_groups_stop(b->groups);
	pod_groups_free(b->groups);
	free(b);
}
#define _cleanup_scene_ __attribute__((cleanup(end)))

/* A pod that waits, with the Job "big" above it. */
static void see_pod(const char *ns, int i)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p%d\", \"namespace\": \"%s\", "
		"\"uid\": \"%c-%d\", \"ownerReferences\": [{\"apiVersion\": "
		"\"batch/v1\", \"kind\": \"Job\", \"name\": \"big\", \"uid\": "
		"\"1\", \"controller\": true}]}, \"spec\": {\"schedulerName\": "
		"\"s\", \"containers\": []}, \"status\": {\"phase\": "
		"\"Pending\"}}",
		i, ns, *ns == 'n' ? 'a' : 'b', i);
	_cleanup_json_ json_object *o = t_parse(text);

	pods.to.on_object(pods.to.arg, o);
}

/* What of `ns` was looked at, in a pass in which each look takes so long. */
static int pass(struct bridge *b, const char *ns, int64_t look_ms)
{
	const int64_t until = clock_now + PASS_MS;
	struct queue_entry *q;
	int n = 0;

	queue_touch_changed(b);
	for (int i = 0;
	     i < LOOKS && clock_now < until && (q = queue_turn_begin(b)); i++) {
		char of[BRIDGE_NS_MAX];

		pod_group_key_ns(q->key, sizeof(of), of);
		n += !strcmp(of, ns);
		clock_now += look_ms;
		queue_turn_end(b);
	}
	return n;
}

/* All that there is: a look takes no time. */
static void look_at_all(struct bridge *b)
{
	queue_touch_changed(b);
	while (queue_turn_begin(b))
		queue_turn_end(b);
}

static struct bridge *many_pods_of_one_job(void)
{
	struct bridge *b = begin();

	for (int i = 0; i < MANY; i++)
		see_pod("noisy", i);
	pods.to.on_synced(pods.to.arg);
	look_at_all(b);
	T_INT(pod_groups_dirty(b->groups), 0);
	return b;
}

/* Somebody annotates his Job, above all these pods. */
static void change_the_job(struct bridge *b)
{
	pod_groups_object_changed(b->groups, WORKLOAD_JOB, "noisy", "big");
}

static void a_new_pod_does_not_wait_for_thousands_that_have_changed(void)
{
	_cleanup_scene_ struct bridge *b = many_pods_of_one_job();

	change_the_job(b);
	T_INT(pod_groups_dirty(b->groups), MANY);
	see_pod("quiet", 0);
	T_INT(pass(b, "quiet", 5), 1);
	T_INT(pod_groups_dirty(b->groups), 0);
	T_OK(b->turns.n_touched > MANY - LOOKS);
}

/* However often he does so, and however long a look takes. */
static void nor_for_those_that_change_again_and_again(void)
{
	static const int64_t looks_ms[] = {1, 5, 50, 500};
	_cleanup_scene_ struct bridge *b = many_pods_of_one_job();

	for (size_t i = 0; i < T_COUNT(looks_ms); i++)
		for (int n = 0; n < 5; n++) {
			int passes = 1;

			t_row("%d ms a look, %d", (int)looks_ms[i], n);
			change_the_job(b);
			see_pod("quiet", (int)i * 10 + n);
			while (!pass(b, "quiet", looks_ms[i]) && passes < 10) {
				change_the_job(b);
				passes++;
			}
			T_OK(passes <= 2);
		}
}

static void what_is_deleted_is_looked_at_and_forgotten(void)
{
	_cleanup_scene_ struct bridge *b = begin();
	_cleanup_json_ json_object *o = t_parse(
		"{\"metadata\": {\"name\": \"p0\", \"namespace\": \"quiet\", "
		"\"uid\": \"b-0\"}}");

	see_pod("quiet", 0);
	pods.to.on_synced(pods.to.arg);
	T_INT(pass(b, "quiet", 1), 1);
	pods.to.on_delete(pods.to.arg, o);
	T_INT(pod_groups_dirty(b->groups), 1);
	T_INT(pass(b, "quiet", 1), 1);
	T_INT(pod_groups_dirty(b->groups), 0);
	T_OK(!pod_groups_first(b->groups));
}

/* At the end of the thread. */
static void who_is_to_stop_takes_none(void)
{
	_cleanup_scene_ struct bridge *b = begin();

	see_pod("quiet", 0);
	atomic_store(&b->stop, true);
	queue_touch_changed(b);
	T_INT(pod_groups_dirty(b->groups), 1);
}

static void a_pod_leads_to_the_entry_of_its_group(void)
{
	_cleanup_scene_ struct bridge *b = begin();
	const struct queue_entry *q;

	see_pod("noisy", 1);
	T_OK(!queue_entry_of_pod(b, "a-1")); /* it was not looked at yet */
	look_at_all(b);
	q = queue_entry_of_pod(b, "a-1");
	T_OK(q && !strcmp(q->key, b->queue->key));
	T_OK(!queue_entry_of_pod(b, "a-2"));
}

T_MAIN("queue_changed", T(a_pod_leads_to_the_entry_of_its_group),
       T(a_new_pod_does_not_wait_for_thousands_that_have_changed),
       T(nor_for_those_that_change_again_and_again),
       T(what_is_deleted_is_looked_at_and_forgotten),
       T(who_is_to_stop_takes_none))
