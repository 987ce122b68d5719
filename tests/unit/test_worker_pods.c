/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked with --wrap for the clock: time passes when a test says so. */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "nodes/watch/worker_pods.h"
#include "t.h"

#define MINUTE_MS 60000

static int64_t now_ms = 1000;

int64_t __wrap_clock_ms(void);

int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

static void cache_freep(struct worker_pods **c)
{
	worker_pods_free(*c);
}
#define _cleanup_cache_ _cleanup_(cache_freep)

/* A pod of the node "N-<name>". */
static json_object *pod_json(const char *name, const char *uid,
			     const char *words)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"%s\", \"uid\": \"%s\","
		" \"labels\": {\"slurm-k8s.io/node\": \"N-%s\","
		"  \"slurm-k8s.io/nodeset\": \"cpu\","
		"  \"slurm-k8s.io/template-hash\": \"h\"}},"
		" \"spec\": {\"nodeName\": \"worker-7\"},"
		" \"status\": {\"phase\": \"Pending\", \"reason\": \"%s\"}}",
		name, uid, name, words);

	return t_parse(text);
}

static bool put_words(struct worker_pods *c, const char *name, const char *uid,
		      const char *words)
{
	_cleanup_json_ json_object *pod = pod_json(name, uid, words);

	return worker_pods_put(c, pod, "slurmd");
}

static void put(struct worker_pods *c, const char *name, const char *uid)
{
	T_OK(put_words(c, name, uid, "words"));
}

static void delete (struct worker_pods *c, const char *name, const char *uid)
{
	_cleanup_json_ json_object *pod = pod_json(name, uid, "");

	worker_pods_delete(c, pod);
}

/* One thread only: what is found is good until the next change. */
static struct worker_pod_entry *find(struct worker_pods *c, const char *name)
{
	struct worker_pod_entry *seen;

	worker_pods_lock(c);
	seen = worker_pods_find(c, name);
	worker_pods_unlock(c);
	return seen;
}

static bool is_alive(struct worker_pods *c, const char *name)
{
	const struct worker_pod_entry *seen = find(c, name);

	return seen && !seen->gone;
}

static bool is_gone(struct worker_pods *c, const char *name)
{
	const struct worker_pod_entry *seen = find(c, name);

	return seen && seen->gone;
}

static void free_names(char *nodes[], int n)
{
	for (int i = 0; i < n; i++)
		free(nodes[i]);
}

/* The list of changes is these names, in order. */
static void check_dirty(struct t_at at, struct worker_pods *c, const char *want)
{
	char *nodes[POD_CACHE_DIRTY_MAX];
	int n = worker_pods_take_dirty(c, nodes);
	char text[256] = "";

	for (int i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s%s", i ? " " : "", nodes[i]);
	t_str(at, text, want);
	t_ok(at, n >= 0, "the list is whole");
	free_names(nodes, n);
}
#define DIRTY(c, want) check_dirty(T_HERE, c, want)

static void a_pod_is_found_by_its_name_with_all_that_is_used_of_it(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	_cleanup_json_ json_object *pod = t_parse(
		"{\"metadata\": {\"name\": \"cpu-1\", \"uid\": \"u-1\","
		" \"creationTimestamp\": \"2026-01-02T03:04:05Z\","
		" \"deletionTimestamp\": \"2026-01-02T03:04:05Z\","
		" \"labels\": {\"slurm-k8s.io/node\": \"CPU_1\","
		"  \"slurm-k8s.io/nodeset\": \"cpu\","
		"  \"slurm-k8s.io/template-hash\": \"abc\"}},"
		" \"spec\": {\"nodeName\": \"worker-7\"},"
		" \"status\": {\"phase\": \"Running\", \"reason\": \"why\","
		"  \"containerStatuses\": [{\"name\": \"worker\", \"state\":"
		"   {\"running\": {\"startedAt\":"
		"    \"2026-01-02T03:04:06Z\"}}}]}}");
	struct worker_pod_entry *seen;

	T_NEED(c != NULL);
	T_OK(!find(c, "cpu-1"));
	T_OK(worker_pods_put(c, pod, "worker"));
	seen = find(c, "cpu-1");
	T_NEED(seen != NULL);
	T_STR(seen->pod.name, "cpu-1");
	T_STR(seen->pod.uid, "u-1");
	T_STR(seen->pod.node, "CPU_1");
	T_STR(seen->pod.nodeset, "cpu");
	T_STR(seen->pod.hash, "abc");
	T_STR(seen->pod.kube_node, "worker-7");
	T_STR(seen->pod.words, "why");
	T_INT(seen->pod.phase, POD_RUNNING);
	T_INT(seen->pod.trouble, POD_FINE);
	T_INT(seen->pod.running_ms, 1767323046000);
	T_INT(seen->pod.unschedulable_ms, -1);
	T_OK(seen->pod.running && seen->pod.deleting && !seen->gone);
	T_OK(!seen->pod.terminated);
	T_INT(seen->since_ms, now_ms);
	T_INT(seen->mark, 0);
	T_OK(!find(c, "cpu-2") && !find(c, "CPU_1") && !find(c, ""));
}

static void what_is_no_pod_of_ours_is_not_kept(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	_cleanup_json_ json_object *bare =
		t_parse("{\"metadata\": {\"name\": \"x\", \"uid\": \"u\"}}");
	_cleanup_json_ json_object *none = t_parse("{}");

	T_OK(!worker_pods_put(c, bare, "slurmd"));
	T_OK(!worker_pods_put(c, none, "slurmd"));
	T_OK(!worker_pods_put(c, NULL, "slurmd"));
	worker_pods_delete(c, none);
	worker_pods_delete(c, NULL);
	T_INT(worker_pods_count(c), 0);
	T_OK(!find(c, "x"));
	DIRTY(c, "");
}

static void a_pod_seen_again_is_replaced(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	T_OK(put_words(c, "a", "1", "first"));
	T_STR(find(c, "a")->pod.words, "first");
	T_OK(put_words(c, "a", "1", "second, and longer"));
	T_STR(find(c, "a")->pod.words, "second, and longer");
	T_STR(find(c, "a")->pod.uid, "1");
	T_INT(worker_pods_count(c), 1);
	put(c, "a", "2");
	T_STR(find(c, "a")->pod.uid, "2");
	T_INT(worker_pods_count(c), 1);
}

static void the_date_stays_with_the_uid(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	int64_t first = now_ms;

	put(c, "a", "1");
	now_ms += 500;
	put(c, "a", "1");
	T_INT(find(c, "a")->since_ms, first);
	put(c, "a", "2");
	T_INT(find(c, "a")->since_ms, first + 500);
	now_ms += 500;
	delete (c, "a", "2");
	T_INT(find(c, "a")->since_ms, first + 1000);
	T_INT(find(c, "a")->born_ms, first + 500);
	now_ms += 500;
	put(c, "a", "2"); /* a late event, or a list */
	T_INT(find(c, "a")->since_ms, first + 1500);
}

static void put_ending(struct worker_pods *c, const char *uid)
{
	_cleanup_json_ json_object *pod = pod_json("a", uid, "");

	json_object_object_add(jx_get(pod, "metadata"), "deletionTimestamp",
			       json_object_new_string("2026-01-02T03:04:05Z"));
	T_OK(worker_pods_put(c, pod, "slurmd"));
}

static void since_when_it_is_being_deleted_stays_with_the_uid(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	int64_t first;

	put(c, "a", "1");
	T_INT(find(c, "a")->ending_ms, 0);
	now_ms += 500;
	first = now_ms;
	put_ending(c, "1");
	T_INT(find(c, "a")->ending_ms, first);
	now_ms += 500;
	put_ending(c, "1");
	T_INT(find(c, "a")->ending_ms, first);
	put_ending(c, "2");
	T_INT(find(c, "a")->ending_ms, first + 500);
	put(c, "a", "3");
	T_INT(find(c, "a")->ending_ms, 0);
}

static void the_mark_stays_with_the_name(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	put(c, "a", "1");
	find(c, "a")->mark = 7;
	put(c, "a", "1");
	T_INT(find(c, "a")->mark, 7);
	put(c, "a", "2");
	T_INT(find(c, "a")->mark, 7);
	delete (c, "a", "2");
	put(c, "a", "3");
	T_INT(find(c, "a")->mark, 7);
	put(c, "b", "1");
	T_INT(find(c, "b")->mark, 0);
}

static void a_deleted_pod_is_remembered_as_gone(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	put(c, "a", "1");
	now_ms += 500;
	delete (c, "a", "1");
	T_NEED(is_gone(c, "a") && find(c, "a")->deleted);
	T_STR(find(c, "a")->pod.words, "words");
	T_INT(find(c, "a")->since_ms, now_ms);
	T_INT(worker_pods_count(c), 0);
	delete (c, "b", "1");
	T_OK(!find(c, "b"));
}

static void a_pod_goes_only_once(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	int64_t went;

	put(c, "a", "1");
	put(c, "b", "1");
	went = now_ms += 500;
	delete (c, "a", "1");
	now_ms += 500;
	delete (c, "a", "1");
	T_INT(find(c, "a")->since_ms, went);
	T_INT(worker_pods_count(c), 1);
}

static void the_deletion_of_another_uid_is_ignored(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	put(c, "a", "2");
	DIRTY(c, "N-a");
	delete (c, "a", "1"); /* the one before, late */
	T_OK(is_alive(c, "a"));
	T_INT(worker_pods_count(c), 1);
	DIRTY(c, "");
	delete (c, "a", "2");
	T_OK(is_gone(c, "a"));
}

static void a_name_may_come_back_after_it_was_gone(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	put(c, "a", "1");
	delete (c, "a", "1");
	put(c, "a", "2");
	T_OK(is_alive(c, "a"));
	T_INT(worker_pods_count(c), 1);
}

static void a_warning_stays_with_its_pod(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	int64_t now = clock_real_ms();

	put(c, "a", "1");
	T_STR(find(c, "a")->pod.warning, "");
	T_OK(!worker_pods_warn(c, "a", "2", "of another", -1, -1));
	T_OK(!worker_pods_warn(c, "b", "1", "of none", -1, -1));
	T_OK(!worker_pods_warn(c, "a", "1", "long ago", 1, now - 150001));
	T_OK(worker_pods_warn(c, "a", "1", "FailedMount: x", now - 900, now));
	T_OK(worker_pods_warn(c, "a", "1", "FailedMount: y", now - 500,
			      now + 9));
	T_STR(find(c, "a")->pod.warning, "FailedMount: y");
	put(c, "a", "1");
	T_STR(find(c, "a")->pod.warning, "FailedMount: y");
	T_INT(find(c, "a")->pod.warned_ms, now - 900);
	T_INT(find(c, "a")->pod.warned_last_ms, now + 9);
	put(c, "a", "2");
	T_STR(find(c, "a")->pod.warning, "");
}

static int64_t absent_at(struct worker_pods *c, const char *name)
{
	int64_t at;

	worker_pods_lock(c);
	at = worker_pods_absent_at(c, name);
	worker_pods_unlock(c);
	return at;
}

static int64_t ended_at(struct worker_pods *c, const char *name,
			const char *uid)
{
	int64_t at;

	worker_pods_lock(c);
	at = worker_pods_ended_at(c, name, uid);
	worker_pods_unlock(c);
	return at;
}

/* Kubernetes was asked for "a"; uid NULL: there is none. */
static bool looked(struct worker_pods *c, const char *uid, const char *phase)
{
	_cleanup_json_ json_object *pod = uid ? pod_json("a", uid, "") : NULL;

	if (pod)
		json_object_object_add(jx_get(pod, "status"), "phase",
				       json_object_new_string(phase));
	return worker_pods_looked(c, "a", "N-a", now_ms, pod);
}

static void what_kubernetes_says_when_asked_is_remembered_for_a_minute(void)
{
	static const struct {
		const char *uid, *phase;
		bool absent, ended, news;
	} rows[] = {
		{NULL, NULL, true, false, false},
		{"1", "Pending", false, false, false},
		{"1", "Running", false, false, true},
		{"1", "Succeeded", false, true, true},
		{"1", "Failed", false, true, true},
		{"2", "Pending", false, false, true},
		{"2", "Failed", false, false, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_cache_ struct worker_pods *c = worker_pods_new();

		t_row("%zu", i);
		put(c, "a", "1");
		DIRTY(c, "N-a");
		T_INT(looked(c, rows[i].uid, rows[i].phase), rows[i].news);
		DIRTY(c, "N-a");
		T_INT(absent_at(c, "a"), rows[i].absent ? now_ms : -1);
		T_INT(ended_at(c, "a", "1"), rows[i].ended ? now_ms : -1);
		now_ms += MINUTE_MS;
		T_INT(absent_at(c, "a") > 0, rows[i].absent);
		T_INT(ended_at(c, "a", "1") > 0, rows[i].ended);
		now_ms++;
		T_INT(absent_at(c, "a"), -1);
		T_INT(ended_at(c, "a", "1"), -1);
	}
}

static void the_last_answer_counts_until_a_watch_knows_more(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	T_OK(looked(c, "1", "Failed")); /* none is in view */
	put(c, "a", "1");		/* of before */
	T_INT(ended_at(c, "a", "1"), now_ms);
	T_INT(ended_at(c, "a", "2"), -1);
	T_OK(looked(c, "2", "Running"));
	T_INT(ended_at(c, "a", "1"), -1);
	T_OK(!looked(c, NULL, NULL));
	T_INT(absent_at(c, "a"), now_ms);
	put(c, "a", "2");
	T_INT(absent_at(c, "a"), -1);
	delete (c, "a", "2");
	T_OK(looked(c, "2", "Pending")); /* it is there, after all */
	T_OK(looked(c, "", "Failed"));	 /* no pod that can be read */
	T_INT(absent_at(c, "a"), -1);
	T_INT(ended_at(c, "a", ""), -1);
}

static void answers_are_forgotten_by_their_age(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	T_INT(absent_at(c, "p3"), -1);
	for (int i = 0; i < 3; i++) {
		now_ms += 2 * MINUTE_MS;
		worker_pods_looked(c, i == 1 ? "p4" : "p3", "n", now_ms, NULL);
	}
	T_INT(absent_at(c, "p3"), now_ms);
	T_INT(absent_at(c, "p4"), -1);
	T_INT(worker_pods_count(c), 0);
}

static void a_list_buries_what_it_does_not_name(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	int64_t first = now_ms;

	worker_pods_begin(c);
	put(c, "a", "1");
	put(c, "b", "1");
	put(c, "c", "1");
	worker_pods_synced(c);
	T_INT(worker_pods_count(c), 3);
	DIRTY(c, "N-a N-b N-c");
	now_ms += 500;
	worker_pods_begin(c);
	put(c, "a", "1");
	put(c, "c", "2");
	T_OK(is_alive(c, "b")); /* not before the list is complete */
	worker_pods_synced(c);
	T_OK(is_alive(c, "a") && is_gone(c, "b") && is_alive(c, "c"));
	T_INT(find(c, "a")->since_ms, first);
	T_INT(find(c, "b")->since_ms, now_ms);
	T_INT(find(c, "c")->since_ms, now_ms);
	T_INT(worker_pods_count(c), 2);
	DIRTY(c, "N-a N-c N-b");
}

static void one_that_is_too_big_to_be_read_stays_as_it_was(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	worker_pods_begin(c);
	put(c, "a", "1");
	put(c, "b", "1");
	worker_pods_synced(c);
	worker_pods_begin(c);
	worker_pods_keep(c, "a", "1");
	worker_pods_keep(c, "b", "2"); /* another one of that name */
	worker_pods_keep(c, "c", "1"); /* never seen */
	worker_pods_synced(c);
	T_OK(is_alive(c, "a") && is_gone(c, "b") && !find(c, "c"));
	T_STR(find(c, "a")->pod.uid, "1");
}

static void what_came_between_two_lists_is_kept_if_listed(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	worker_pods_begin(c);
	worker_pods_synced(c);
	put(c, "a", "1");
	put(c, "b", "1");
	worker_pods_begin(c);
	put(c, "b", "1");
	worker_pods_synced(c);
	T_OK(is_gone(c, "a") && is_alive(c, "b"));
	put_ending(c, "2");
	worker_pods_begin(c); /* an empty one */
	worker_pods_synced(c);
	T_OK(is_gone(c, "b") && !find(c, "b")->deleted);
	T_OK(is_gone(c, "a") && find(c, "a")->deleted);
	T_INT(worker_pods_count(c), 0);
}

static void a_second_beginning_takes_the_first_ones_place(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	worker_pods_begin(c);
	put(c, "a", "1");
	worker_pods_begin(c); /* the first was cut off */
	put(c, "b", "1");
	worker_pods_synced(c);
	T_OK(is_gone(c, "a") && is_alive(c, "b"));
}

static void what_is_gone_for_long_is_forgotten_by_itself(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	int64_t went;

	put(c, "a", "1");
	delete (c, "a", "1");
	went = now_ms;
	now_ms += 10 * MINUTE_MS;
	worker_pods_begin(c);
	worker_pods_synced(c);
	T_NEED(is_gone(c, "a"));
	T_INT(find(c, "a")->since_ms, went);
	now_ms++;
	worker_pods_begin(c);
	worker_pods_synced(c);
	T_OK(!find(c, "a"));
}

static void put_many(struct worker_pods *c, int n)
{
	char name[32];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		put(c, name, "1");
	}
}

struct tally {
	int alive, gone;
};

static void count_one(void *arg, struct worker_pod_entry *seen)
{
	struct tally *t = arg;

	t->alive += !seen->gone;
	t->gone += seen->gone;
}

/* A watch may go on for days without a list. */
static void it_is_forgotten_without_a_list(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	put(c, "a", "1");
	put(c, "b", "1");
	delete (c, "a", "1");
	now_ms += MINUTE_MS;
	delete (c, "b", "1");
	now_ms += 9 * MINUTE_MS + 1;
	put(c, "c", "1");
	T_OK(!find(c, "a"));
	T_OK(is_gone(c, "b"));
	now_ms += MINUTE_MS;
	delete (c, "c", "1");
	T_OK(!find(c, "b"));
	T_OK(is_gone(c, "c"));
}

static void only_so_many_that_are_gone_are_remembered(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	char name[32];

	for (int i = 0; i < POD_CACHE_GONE_MAX + 2; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		put(c, name, "1");
		delete (c, name, "1");
		if (i == 1)
			put(c, "p0", "2"); /* back: it does not count */
	}
	T_OK(is_alive(c, "p0"));
	T_OK(is_gone(c, "p2") && is_gone(c, name));
	put(c, "more", "1");
	delete (c, "more", "1");
	T_OK(!find(c, "p2"));
	T_OK(is_gone(c, "more") && is_alive(c, "p0"));
}

/* A list that names none of many buries, and forgets, in one walk. */
static void a_list_may_bury_more_than_are_remembered(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	struct tally t = {0};

	put_many(c, POD_CACHE_GONE_MAX + 10);
	worker_pods_begin(c);
	worker_pods_synced(c);
	worker_pods_lock(c);
	worker_pods_each(c, count_one, &t);
	worker_pods_unlock(c);
	T_INT(t.alive, 0);
	T_INT(t.gone, POD_CACHE_GONE_MAX);
}

static void a_pod_that_lives_long_is_not_forgotten(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	put(c, "a", "1");
	now_ms += 60 * MINUTE_MS;
	worker_pods_begin(c);
	put(c, "a", "1");
	worker_pods_synced(c);
	T_OK(is_alive(c, "a"));
}

static void changes_are_told_once_by_the_nodes_name(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();

	DIRTY(c, "");
	put(c, "a", "1");
	put(c, "b", "1");
	put(c, "a", "1");
	delete (c, "b", "1");
	DIRTY(c, "N-a N-b");
	DIRTY(c, "");
	delete (c, "a", "1");
	delete (c, "a", "1");
	DIRTY(c, "N-a");
}

static void more_changes_than_the_list_holds_are_too_many_to_tell(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	char *nodes[POD_CACHE_DIRTY_MAX];
	int n;

	put_many(c, POD_CACHE_DIRTY_MAX);
	put_many(c, POD_CACHE_DIRTY_MAX); /* the same: none is added */
	n = worker_pods_take_dirty(c, nodes);
	T_INT(n, POD_CACHE_DIRTY_MAX);
	free_names(nodes, n);
	put_many(c, POD_CACHE_DIRTY_MAX + 1);
	put(c, "after", "1"); /* stays so */
	T_INT(worker_pods_take_dirty(c, nodes), -1);
	T_INT(worker_pods_take_dirty(c, nodes), 0);
	put(c, "next", "1");
	DIRTY(c, "N-next");
	put_many(c, POD_CACHE_DIRTY_MAX + 1); /* and is freed so */
}

static void each_pod_is_visited_those_gone_too(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	struct tally t = {0};

	put_many(c, 100);
	for (int i = 0; i < 30; i++) {
		char name[32];

		snprintf(name, sizeof(name), "p%d", i);
		delete (c, name, "1");
	}
	worker_pods_lock(c);
	worker_pods_each(c, count_one, &t);
	worker_pods_unlock(c);
	T_INT(t.alive, 70);
	T_INT(t.gone, 30);
	T_INT(worker_pods_count(c), 70);
}

/* --- two threads: checks are for the first only */

#define THREAD_PODS 8
#define ROUNDS 3000

struct pair {
	struct worker_pods *c;
	atomic_bool done;
};

static void *write_pods(void *arg)
{
	static const char *const texts[] = {"a", "bbbbbbbbbbbbbbbbbbbbbbbbb"};
	struct pair *p = arg;

	for (int i = 0; i < ROUNDS; i++) {
		const char *text = texts[i % 2]; /* uid and words agree */
		char name[32];

		snprintf(name, sizeof(name), "p%d", i % THREAD_PODS);
		if (i % 100 == 0)
			worker_pods_begin(p->c);
		put_words(p->c, name, text, text);
		if (i % 7 == 0)
			delete (p->c, name, text);
		if (i % 100 == 99)
			worker_pods_synced(p->c);
	}
	atomic_store(&p->done, true);
	return NULL;
}

static void check_one(void *arg, struct worker_pod_entry *seen)
{
	const char *name = seen->pod.node;

	*(int *)arg += strcmp(seen->pod.uid, seen->pod.words) != 0 ||
		       strncmp(name, "N-", 2) != 0 ||
		       strcmp(name + 2, seen->pod.name) != 0;
}

static void a_reader_never_sees_half_a_change(void)
{
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	struct pair p = {.c = c};
	char *nodes[POD_CACHE_DIRTY_MAX];
	pthread_t writer;
	int wrong = 0, passes = 0, dirty = 0;

	T_NEED(!pthread_create(&writer, NULL, write_pods, &p));
	while (!atomic_load(&p.done) || !passes) {
		int n = worker_pods_take_dirty(c, nodes);

		wrong += n < 0 || n > THREAD_PODS;
		dirty += n;
		free_names(nodes, n);
		worker_pods_lock(c);
		worker_pods_each(c, check_one, &wrong);
		worker_pods_unlock(c);
		wrong += worker_pods_count(c) > THREAD_PODS;
		passes++;
	}
	pthread_join(writer, NULL);
	T_INT(wrong, 0);
	T_OK(dirty > 0);
}

/* --- memory */

#define MANY 10000
#define BYTES_A_POD 1536

static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void ten_thousand_pods_with_long_words_fit_in_fifteen_mebibytes(void)
{
	_cleanup_free_ char *words = t_repeat("why ", 200);
	_cleanup_cache_ struct worker_pods *c = worker_pods_new();
	size_t before = in_use(), a_pod;

	for (int i = 0; i < MANY; i++) {
		char name[64];

		snprintf(name, sizeof(name), "a-rather-long-node-name-%05d", i);
		if (!put_words(c, name, "01234567-89ab-cdef-0123-456789abcdef",
			       words))
			break;
	}
	T_INT(worker_pods_count(c), MANY);
	a_pod = (in_use() - before) / MANY;
	t_row("%zu bytes a pod", a_pod);
	T_OK(a_pod < BYTES_A_POD);
/* (a sanitizer's malloc is not mallinfo2's) */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	T_OK(a_pod > sizeof(((struct worker_pod *)NULL)->words));
#endif
}

T_MAIN("worker_pods", T(a_pod_is_found_by_its_name_with_all_that_is_used_of_it),
       T(what_is_no_pod_of_ours_is_not_kept), T(a_pod_seen_again_is_replaced),
       T(the_date_stays_with_the_uid),
       T(since_when_it_is_being_deleted_stays_with_the_uid),
       T(the_mark_stays_with_the_name), T(a_deleted_pod_is_remembered_as_gone),
       T(a_pod_goes_only_once), T(the_deletion_of_another_uid_is_ignored),
       T(a_name_may_come_back_after_it_was_gone),
       T(a_warning_stays_with_its_pod),
       T(one_that_is_too_big_to_be_read_stays_as_it_was),
       T(what_kubernetes_says_when_asked_is_remembered_for_a_minute),
       T(the_last_answer_counts_until_a_watch_knows_more),
       T(answers_are_forgotten_by_their_age),
       T(a_list_buries_what_it_does_not_name),
       T(what_came_between_two_lists_is_kept_if_listed),
       T(a_second_beginning_takes_the_first_ones_place),
       T(what_is_gone_for_long_is_forgotten_by_itself),
       T(it_is_forgotten_without_a_list),
       T(only_so_many_that_are_gone_are_remembered),
       T(a_list_may_bury_more_than_are_remembered),
       T(a_pod_that_lives_long_is_not_forgotten),
       T(changes_are_told_once_by_the_nodes_name),
       T(more_changes_than_the_list_holds_are_too_many_to_tell),
       T(each_pod_is_visited_those_gone_too),
       T(a_reader_never_sees_half_a_change),
       T(ten_thousand_pods_with_long_words_fit_in_fifteen_mebibytes))
