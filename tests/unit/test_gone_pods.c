/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes where pods may run that Kubernetes has no more; what the API server
 * says is the test's. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "bridge_fixture.h"
#include "pod_groups_fixture.h"
#include "t.h"

#define HOUR_S 3600
#define US "slurm/slurm-k8s-us"

static int64_t now_s; /* since the epoch; of both clocks */

int64_t __wrap_clock_boot_ms(void);
int64_t __wrap_clock_boot_ms(void)
{
	return now_s * 1000;
}

int64_t __wrap_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void)
{
	return now_s * 1000;
}

/* Job 1 has bound the pod, and runs; job 2 has n1, too. */
static struct queue_entry *first, *second;

struct queue_entry *queue_entry_find(struct bridge *b, const char *key)
{
	(void)b;
	(void)key;
	return first;
}

bool ns_is_others(const struct namespace_sources *by, const struct pod_group *g)
{
	(void)by;
	(void)g;
	return false;
}

int allocation_nodes(const struct queue_entry *q, struct hostlist *out)
{
	return hostlist_expand(q->nodes.names, out, NULL);
}

void bridge_requests_each_sent(struct bridge_requests *w,
			       bool (*keep)(void *arg,
					    const struct sent_binding *one),
			       void *arg)
{
	(void)w;
	(void)keep;
	(void)arg;
}

static int lines; /* of the log, about pods that may run on */
static char line[1024];

static void on_line(enum log_level level, const char *text)
{
	if (level != LOG_LEVEL_WARN || !strstr(text, "before its containers"))
		return;
	lines++;
	str_copy(line, text, sizeof(line));
}

static struct queue_entry *job(uint32_t id)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	q->job.state = PLACEHOLDER_RUNNING;
	q->job.id = id;
	q->sight.looked = true;
	q->nodes.names = strdup("n1");
	return q;
}

static struct bridge *begin(void)
{
	struct bridge *b = calloc(1, sizeof(*b));
	struct informer_handler on;

	now_s = 1000000;
	lines = 0;
	log_set_sink(on_line);
	b->inventory = fixture_hosts(2);
	on = inventory_handler(b->inventory);
	on.on_synced(on.arg);
	b->groups = seen_begin(US);
	pods.to.on_list(pods.to.arg);
	pods.to.on_synced(pods.to.arg);
	first = job(1);
	second = job(2);
	return b;
}

static void end(struct bridge **b)
{
	occupied_nodes_free(*b);
	workload_logs_free((*b)->says);
	seen_end(&(*b)->groups);
	inventory_free((*b)->inventory);
	free(first->nodes.names);
	free(first);
	free(second->nodes.names);
	free(second);
	free(*b);
}
#define _cleanup_bridge_ __attribute__((cleanup(end)))

static bool has_room(struct bridge *b)
{
	bool kept;

	b->occupied.known = false;
	return nodes_are_free(b, second, &kept);
}

#define RUNS                                                                   \
	"\"phase\": \"Running\", \"containerStatuses\": [{\"name\": \"c\", "   \
	"\"state\": {\"running\": {}}}]"
#define ENDED                                                                  \
	"\"phase\": \"Failed\", \"containerStatuses\": [{\"name\": \"c\", "    \
	"\"state\": {\"terminated\": {\"exitCode\": 137}}}]"
#define PULLS                                                                  \
	"\"phase\": \"Pending\", \"containerStatuses\": [{\"name\": \"c\", "   \
	"\"state\": {\"waiting\": {}}}]"
#define NEW "\"phase\": \"Pending\""
#define FAILED "\"phase\": \"Failed\"" /* it was evicted before it began */

/*
 * Pod 1 on n1, bound by job 1 and that engine ("": an earlier build); it has
 * `grace_s` by its spec. It is being deleted, and has so many seconds; -1: it
 * is not.
 */
static void pod_of(void (*to)(void *arg, json_object *object), const char *by,
		   int grace_s, int deleted_s, const char *status)
{
	char date[CLOCK_RFC3339_MAX];
	_cleanup_free_ char *deletion = NULL, *text = NULL;
	_cleanup_json_ json_object *o = NULL;

	clock_write_rfc3339((now_s + deleted_s) * 1000, date);
	deletion = str_printf(", \"deletionTimestamp\": \"%s\", "
			      "\"deletionGracePeriodSeconds\": %d",
			      date, deleted_s);
	text = str_printf(
		"{\"metadata\": {\"name\": \"p1\", \"namespace\": \"ns\", "
		"\"uid\": \"a1\"%s}, \"spec\": {\"schedulerName\": \"s\", "
		"\"nodeName\": \"n1\", \"terminationGracePeriodSeconds\": %d}, "
		"\"status\": {%s, \"conditions\": [{\"type\": "
		"\"slurm-k8s.io/job\", \"status\": \"True\", \"message\": "
		"\"1\"}, {\"type\": \"slurm-k8s.io/bound-by\", \"status\": "
		"\"%s\", \"message\": \"%s\"}]}}",
		deleted_s >= 0 ? deletion : "", grace_s, status,
		*by ? "True" : "False", by);
	o = t_parse(text);
	to(pods.to.arg, o);
}

static void see(int grace_s, int deleted_s, const char *status)
{
	pod_of(pods.to.on_object, US, grace_s, deleted_s, status);
}

/* It is gone: an event says so, or only a list that does not have it. */
static void go(bool listed)
{
	if (!listed) {
		pod_of(pods.to.on_delete, US, 1, 0, RUNS);
		return;
	}
	pods.to.on_list(pods.to.arg);
	pods.to.on_synced(pods.to.arg);
}

/* (Slurm had given its CPUs away, and the next pods ran beside it) */
static void no_pod_is_bound_where_one_may_run_on(void)
{
	static const struct {
		const char *what, *status;
		int grace_s, deleted_s; /* -1: by force at once */
		int again_s;		/* deleted once more; 0: not */
		int waits_s;		/* 0: not at all */
	} rows[] = {
		{"an hour", RUNS, 30, HOUR_S, 0, HOUR_S},
		{"at once", RUNS, 30, -1, 0, 30},
		{"at once, with an hour", RUNS, HOUR_S, -1, 0, HOUR_S},
		/* (a kubelet goes by what it was told first) */
		{"shorter later", RUNS, 30, HOUR_S, 10, HOUR_S},
		{"longer later", RUNS, 30, 10, HOUR_S, HOUR_S},
		{"a year", RUNS, 30, 365 * 24 * HOUR_S, 0, 24 * HOUR_S},
		{"an image is pulled", PULLS, 30, HOUR_S, 0, HOUR_S},
		{"it may have just begun", NEW, 30, -1, 0, 30},
		{"it never began", NEW, 30, HOUR_S, 0, 0},
		{"it has ended", ENDED, 30, HOUR_S, 0, 0},
		{"it has ended, and was not deleted", ENDED, 30, -1, 0, 0},
		{"evicted before it began", FAILED, 30, -1, 0, 0},
		{"its time was over", RUNS, 30, 0, 0, 5},
	};

	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		const int row = (int)(i / 2);
		_cleanup_bridge_ struct bridge *b = begin();
		int waits_s = rows[row].waits_s;

		t_row("%s%s", rows[row].what, i % 2 ? ", by a list" : "");
		/* (it may as well have ended, when nobody was looking) */
		if (i % 2 && rows[row].deleted_s < 0 && waits_s > 60)
			waits_s = 60;
		T_OK(has_room(b));
		see(rows[row].grace_s, -1, rows[row].status);
		if (rows[row].deleted_s >= 0)
			see(rows[row].grace_s, rows[row].deleted_s,
			    rows[row].status);
		if (rows[row].again_s)
			see(rows[row].grace_s, rows[row].again_s,
			    rows[row].status);
		go(i % 2);
		T_INT(has_room(b), !rows[row].waits_s);
		T_INT(has_room(b), !rows[row].waits_s);
		T_INT(lines, rows[row].waits_s ? 1 : 0); /* once */
		if (!rows[row].waits_s)
			continue;
		T_OK(strstr(line, "Pod ns/p1: ") && strstr(line, "node n1 "));
		now_s += waits_s - 1;
		T_OK(!has_room(b));
		now_s += 6; /* (what a kubelet may take besides) */
		T_OK(has_room(b));
		T_OK(!*pod_groups_gone(b->groups));
	}
}

static const char *ready = "True"; /* the node's condition */

static void node(struct bridge *b, const char *uid, const char *boot,
		 const char *taint)
{
	struct informer_handler on;
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"n1\", \"uid\": \"%s\"}, \"spec\": "
		"{\"taints\": [{\"key\": \"%s\", \"effect\": \"NoExecute\"}]}, "
		"\"status\": {\"nodeInfo\": {\"bootID\": \"%s\"}, "
		"\"conditions\": [{\"type\": \"Ready\", \"status\": "
		"\"%s\"}]}}",
		uid, taint, boot, ready);
	_cleanup_json_ json_object *o = t_parse(text);

	on = inventory_handler(b->inventory);
	(*uid ? on.on_object : on.on_delete)(on.arg, o);
}

static void it_is_forgotten_when_its_node_is_another_one(void)
{
	static const struct {
		const char *what, *uid, *boot, *taint;
		bool room;
	} rows[] = {
		{"the same", "u1", "b1", "x", false},
		{"not ready", "u1", "b1", "node.kubernetes.io/unreachable",
		 false},
		{"gone", "", "b1", "x", true},
		{"made anew", "u7", "b1", "x", true},
		{"booted", "u1", "b2", "x", true},
		{"out of service", "u1", "b1",
		 "node.kubernetes.io/out-of-service", true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bridge_ struct bridge *b = begin();

		t_row("%s", rows[i].what);
		node(b, "u1", "b1", "x");
		see(30, HOUR_S, RUNS);
		go(false);
		T_OK(!has_room(b));
		node(b, rows[i].uid, rows[i].boot, rows[i].taint);
		if (!*rows[i].uid) /* (else Slurm's node has none) */
			gone_pods_look(b);
		T_INT(*pod_groups_gone(b->groups) == NULL, !*rows[i].uid);
		T_INT(has_room(b), rows[i].room);
		node(b, "u1", "b1", "x"); /* (whatever it is then) */
		T_INT(has_room(b), rows[i].room);
	}
}

/* (an unreachable node is why pods are deleted by force at all) */
static void
a_kubelet_that_is_away_gives_a_pod_all_its_time_when_it_is_back(void)
{
	_cleanup_bridge_ struct bridge *b = begin();

	ready = "Unknown";
	node(b, "u1", "b1", "x");
	see(60, -1, RUNS);
	see(60, 30, RUNS); /* it was never heard there that it is to end */
	now_s += 600;
	go(false);
	T_OK(!has_room(b));
	now_s += HOUR_S;
	T_OK(!has_room(b));
	ready = "True";
	node(b, "u1", "b1", "x");
	now_s += 60;
	T_OK(!has_room(b));
	now_s += 6;
	T_OK(has_room(b));
}

/* (who could keep a node from being used by what they delete there) */
static void pods_of_another_engine_are_not_waited_for(void)
{
	static const struct {
		const char *by;
		bool room;
	} rows[] = {{US, false}, {"", false}, {"other/slurm-k8s-them", true}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_bridge_ struct bridge *b = begin();

		t_row("%s", rows[i].by);
		pod_of(pods.to.on_object, rows[i].by, 30, HOUR_S, RUNS);
		go(false);
		T_INT(has_room(b), rows[i].room);
	}
}

static void one_that_is_in_view_again_speaks_for_itself(void)
{
	_cleanup_bridge_ struct bridge *b = begin();

	see(HOUR_S, -1, RUNS);
	go(true);
	T_OK(!has_room(b));
	see(HOUR_S, -1, RUNS);
	T_OK(has_room(b));
	see(HOUR_S, -1, ENDED);
	go(true);
	T_OK(has_room(b));
}

/*
 * A kubelet that stops a container for its probe waits for the probe's time,
 * whatever is said of the pod meanwhile.
 */
static void the_time_of_a_probe_is_waited_for(void)
{
	static const struct {
		int64_t ends_s; /* from now: its deadline; -1: there is none */
		uint32_t own_s, probe_s;
		int64_t kept_s;
		bool unseen;
	} rows[] = {
		{-1, 0, 0, 5},
		{-1, 0, 600, 605},
		{1, 0, 600, 605},
		{1, 30, 0, 6},
		{900, 30, 600, 905},
		{-1, 900, 600, 905},
		/* it is missing from a list, and may have ended in order */
		{-1, 0, 3600, 65, true},
		{1, 30, 3600, 65, true},
		{-1, 30, 10, 35, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct bridged_pod p = {.name = "p",
					      .ns = "ns",
					      .uid = "u",
					      .by = "",
					      .node = "n",
					      .job_id = 1,
					      .begun = true,
					      .deleting = rows[i].ends_s >= 0,
					      .own_grace_s = rows[i].own_s,
					      .probe_grace_s = rows[i].probe_s};
		struct gone_pods *all = NULL;

		t_row("%zu", i);
		now_s = 1000000;
		gone_pods_note(&all, &p,
			       rows[i].ends_s < 0
				       ? 0
				       : (now_s + rows[i].ends_s) * 1000,
			       !rows[i].unseen, NULL);
		T_NEED(all);
		T_INT(all->until, (now_s + rows[i].kept_s) * 1000);
		gone_pods_free(&all);
	}
}

/* Of a node the one that lasts the longest counts, and so many nodes. */
static void what_is_remembered_is_bounded(void)
{
	struct gone_pods *all = NULL;
	struct bridged_pod p = {.name = "p",
				.ns = "ns",
				.uid = "u",
				.by = "",
				.job_id = 1,
				.own_grace_s = 60};
	char host[16];

	now_s = 1000000;
	for (int i = 0; i <= GONE_PODS_MAX; i++) {
		snprintf(host, sizeof(host), "n%d", i);
		p.node = host;
		gone_pods_note(&all, &p, 0, true, NULL);
	}
	T_INT(HASH_COUNT(all), GONE_PODS_MAX);
	p.node = "n1";
	p.uid = "longer";
	p.own_grace_s = 90;
	gone_pods_note(&all, &p, 0, true, NULL);
	p.uid = "shorter";
	p.own_grace_s = 30;
	gone_pods_note(&all, &p, 0, true, NULL);
	T_INT(HASH_COUNT(all), GONE_PODS_MAX);
	T_STR(all->node, "n0");
	T_STR(((struct gone_pods *)all->hh.next)->uid, "longer");
	gone_pods_free(&all);
	T_OK(!all);
}

T_MAIN("gone_pods", T(the_time_of_a_probe_is_waited_for),
       T(no_pod_is_bound_where_one_may_run_on),
       T(it_is_forgotten_when_its_node_is_another_one),
       T(a_kubelet_that_is_away_gives_a_pod_all_its_time_when_it_is_back),
       T(pods_of_another_engine_are_not_waited_for),
       T(one_that_is_in_view_again_speaks_for_itself),
       T(what_is_remembered_is_bounded))
