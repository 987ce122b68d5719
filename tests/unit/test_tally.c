/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of pods, counted by where they are. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "bridge/reconcile/tally.h"
#include "metrics/metrics.h"
#include "t.h"

static int64_t now_ms = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

static void check_has(struct t_at at, const char *line, bool wanted)
{
	struct buf out = BUF_INIT(METRICS_TEXT_MAX);
	_cleanup_free_ char *text = NULL;

	t_int(at, metrics_render(&out), 0);
	text = out.data;
	t_has(at, text, line, wanted);
}
#define HAS(line) check_has(T_HERE, line, true)
#define LACKS(line) check_has(T_HERE, line, false)

static void a_group_is_where_its_job_and_its_pods_are(void)
{
	static const struct {
		const char *what;
		enum placeholder_state job;
		struct group_counts pods;
		enum group_action action;
		enum metrics_group want;
		bool limited;
	} rows[] = {
		{"nothing",
		 PLACEHOLDER_NONE,
		 {0},
		 GROUP_KEEP,
		 METRICS_GROUP_STATES},
		{"gated",
		 PLACEHOLDER_NONE,
		 {.gated = 1},
		 GROUP_WAIT,
		 METRICS_GROUP_GATED},
		{"no job yet",
		 PLACEHOLDER_NONE,
		 {.waiting = 1},
		 GROUP_SUBMIT,
		 METRICS_GROUP_UNSUBMITTED},
		{"no job, for a limit",
		 PLACEHOLDER_NONE,
		 {.waiting = 1},
		 GROUP_WAIT,
		 METRICS_GROUP_LIMITED,
		 true},
		{"some are gated",
		 PLACEHOLDER_NONE,
		 {.waiting = 1, .gated = 1},
		 GROUP_WAIT,
		 METRICS_GROUP_UNSUBMITTED},
		{"refused",
		 PLACEHOLDER_NONE,
		 {.waiting = 1},
		 GROUP_REFUSE,
		 METRICS_GROUP_REFUSED},
		{"running without a job",
		 PLACEHOLDER_ENDED,
		 {.live = 1},
		 GROUP_DELETE_PODS,
		 METRICS_GROUP_ENDING},
		{"queued",
		 PLACEHOLDER_PENDING,
		 {.waiting = 1},
		 GROUP_KEEP,
		 METRICS_GROUP_QUEUED},
		{"held",
		 PLACEHOLDER_HELD,
		 {.waiting = 1},
		 GROUP_NOTE,
		 METRICS_GROUP_QUEUED},
		{"requeued",
		 PLACEHOLDER_PENDING,
		 {.live = 1},
		 GROUP_DELETE_PODS,
		 METRICS_GROUP_ENDING},
		{"to be bound",
		 PLACEHOLDER_RUNNING,
		 {.waiting = 1, .live = 1},
		 GROUP_BIND,
		 METRICS_GROUP_UNBOUND},
		{"running",
		 PLACEHOLDER_RUNNING,
		 {.live = 2},
		 GROUP_KEEP,
		 METRICS_GROUP_RUNNING},
		{"suspended",
		 PLACEHOLDER_SUSPENDED,
		 {.live = 2},
		 GROUP_KEEP,
		 METRICS_GROUP_RUNNING},
		{"over",
		 PLACEHOLDER_RUNNING,
		 {.succeeded = 2},
		 GROUP_COMPLETE,
		 METRICS_GROUP_ENDING},
		{"over, and gone",
		 PLACEHOLDER_ENDED,
		 {.succeeded = 2},
		 GROUP_KEEP,
		 METRICS_GROUP_STATES},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct group_observation j = {
			.view = {.job = rows[i].job, .pods = rows[i].pods},
			.plan = {.action = rows[i].action},
			.limited = rows[i].limited};

		t_row("%s", rows[i].what);
		T_INT(tally_state(&j), rows[i].want);
	}
}

/* A group of the queue, by its key's first letter. */
static struct queue_entry *entry_of(struct bridge *b, const char *key)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + strlen(key) + 1);

	memcpy(q->key, key, strlen(key) + 1);
	HASH_ADD_KEYPTR(hh, b->queue, q->key, strlen(q->key), q);
	return q;
}

static void clear(struct bridge *b)
{
	struct queue_entry *q, *next;

	HASH_ITER(hh, b->queue, q, next)
	{
		HASH_DELETE(hh, b->queue, q);
		free(q);
	}
}

static struct group_observation seen(enum placeholder_state job,
				     uint32_t waiting, uint32_t live,
				     enum group_action action)
{
	return (struct group_observation){
		.view = {.job = job,
			 .pods_known = true,
			 .pods = {.waiting = waiting, .live = live}},
		.plan = {.action = action}};
}

#define GROUPS(state) "slurm_k8s_bridge_groups{state=\"" state "\"} "
#define PODS(state) "slurm_k8s_bridge_pods{state=\"" state "\"} "
#define OLDEST(state) "slurm_k8s_bridge_oldest_seconds{state=\"" state "\"} "

static void all_groups_are_counted_each_five_seconds(void)
{
	struct bridge b = {0};
	struct group_observation o;
	struct queue_entry *first, *second;

	first = entry_of(&b, "a");
	second = entry_of(&b, "b");
	entry_of(&b, "never looked at");
	o = seen(PLACEHOLDER_PENDING, 3, 0, GROUP_KEEP);
	tally_note(first, &o);
	now_ms += 60000;
	tally_note(first, &o);
	tally_note(second, &o);
	tally_publish(&b);
	HAS(GROUPS("queued") "2\n");
	HAS(PODS("waiting") "6\n");
	HAS(OLDEST("queued") "60.000\n");
	o = seen(PLACEHOLDER_RUNNING, 0, 3, GROUP_KEEP);
	tally_note(first, &o);
	now_ms += 4999;
	tally_publish(&b);
	HAS(GROUPS("queued") "2\n");
	now_ms += 1;
	tally_publish(&b);
	HAS(GROUPS("queued") "1\n");
	HAS(GROUPS("running") "1\n");
	HAS(PODS("waiting") "3\n" PODS("running") "3\n");
	HAS(OLDEST("queued") "5.000\n");
	tally_clear();
	HAS(GROUPS("queued") "0\n");
	HAS(PODS("waiting") "0\n");
	LACKS("\nslurm_k8s_bridge_view_age_seconds ");
	clear(&b);
}

static void what_is_not_known_leaves_a_group_where_it_was(void)
{
	struct bridge b = {0};
	struct queue_entry *q = entry_of(&b, "a");
	struct group_observation o =
		seen(PLACEHOLDER_PENDING, 3, 0, GROUP_KEEP);

	tally_note(q, &o);
	o = seen(PLACEHOLDER_UNKNOWN, 0, 0, GROUP_KEEP);
	tally_note(q, &o);
	o = seen(PLACEHOLDER_RUNNING, 0, 0, GROUP_KEEP);
	o.view.pods_known = false;
	tally_note(q, &o);
	T_INT(q->tally.state, METRICS_GROUP_QUEUED);
	T_INT(q->tally.pods[METRICS_POD_WAITING], 3);
	clear(&b);
}

#define REFUSED "slurm_k8s_bridge_refusals_total{reason=\"request\"} "

static void what_is_refused_counts_once(void)
{
	struct bridge b = {0};
	struct queue_entry *q = entry_of(&b, "a");
	const struct group_observation no = seen(PLACEHOLDER_NONE, 1, 0,
						 GROUP_REFUSE),
				       yes = seen(PLACEHOLDER_NONE, 1, 0,
						  GROUP_SUBMIT);

	HAS(REFUSED "0\n");
	tally_note(q, &no);
	tally_note(q, &no);
	HAS(REFUSED "1\n");
	tally_note(q, &yes);
	q->refused.words = (char *)"Slurm's own words";
	tally_note(q, &no);
	HAS(REFUSED "1\n");
	clear(&b);
}

T_MAIN("tally", T(a_group_is_where_its_job_and_its_pods_are),
       T(all_groups_are_counted_each_five_seconds),
       T(what_is_not_known_leaves_a_group_where_it_was),
       T(what_is_refused_counts_once))
