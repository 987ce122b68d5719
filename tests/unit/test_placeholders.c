/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How placeholders go on; slurmctld and the rest of the bridge are the test's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "slurm/ctl_schedule.h"
#include "t.h"

static struct placed job;		      /* the last one in lists */
static struct placed older;		      /* before it, if it has an id */
static enum placed_state fresh = PLACED_GONE; /* of job 8, which is younger */
static int64_t now;
static struct queue_entry *q,
	*next;		  /* of job 7, and of job 8, if there is one */
static int answers = -1;  /* so many about states are left; -1: all */
static int asked;	  /* for states, so often */
static int64_t answer_ms; /* so long each takes */
static char taken_back[64];
static int scheduled;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

static bool changed = true; /* since what is there of the last list */

int ctl_placeholders_load(struct ctl_reader *r, struct ctl_placeholders **set,
			  const struct placed_known *known, struct err *err)
{
	(void)r, (void)known;
	(void)err;
	if (*set && !changed)
		return 0;
	*set = (struct ctl_placeholders *)&job; /* (nobody looks) */
	return 1;
}

size_t ctl_placeholders_count(const struct ctl_placeholders *s)
{
	(void)s;
	return older.job_id ? 2 : 1;
}

const struct placed *ctl_placeholders_at(const struct ctl_placeholders *s,
					 size_t i)
{
	(void)s;
	return older.job_id && !i ? &older : &job;
}

bool ctl_placeholders_is_other(const struct ctl_placeholders *s,
			       uint32_t job_id)
{
	(void)s;
	(void)job_id;
	return false;
}

int ctl_placeholder_cancel(uint32_t job_id, struct err *err)
{
	T_OK(!job_id);
	return err_set(err, -EIO, "nobody asks for it here");
}

void ctl_placeholders_free(struct ctl_placeholders *s)
{
	(void)s;
}

int ctl_placeholder_states(const uint32_t *ids, size_t n,
			   struct placed_status *out, struct err *err)
{
	if (!answers)
		return err_set(err, -EAGAIN, "slurmctld does not answer");
	answers -= answers > 0;
	asked++;
	now += answer_ms;
	for (size_t i = 0; i < n; i++)
		out[i] = ids[i] == job.job_id
				 ? job.status
				 : (struct placed_status){
					   .state = ids[i] == 8 ? fresh
								: PLACED_GONE};
	return 0;
}

void ctl_layout_free(struct ctl_layout *l)
{
	free(l);
}

int allocation_nodes(const struct queue_entry *x, struct hostlist *out)
{
	return hostlist_expand((const char *)x->nodes.layout, out, NULL);
}

void ctl_schedule(void)
{
	scheduled++;
}

struct queue_entry *queue_entry_get(struct bridge *b, const char *key)
{
	(void)b;
	return strcmp(key, "next") ? q : next;
}

struct queue_entry *queue_entry_find(struct bridge *b, const char *key)
{
	(void)b;
	return strcmp(key, "next") ? q : next;
}

void queue_entry_touch(struct bridge *b, struct queue_entry *x)
{
	(void)b;
	x->look.touched = true;
}

void pod_group_key(const struct workload *of, char out[BRIDGE_KEY_MAX])
{
	snprintf(out, BRIDGE_KEY_MAX, "%s", of->name);
}

void pod_group_key_ns(const char *key, size_t size, char *out)
{
	snprintf(out, size, "%.*s", 2, key);
}

void pod_groups_mark(const char *key, char out[BRIDGE_KEY_MAX])
{
	snprintf(out, BRIDGE_KEY_MAX, "%s", key);
}

void pod_groups_lock(struct pod_groups *v)
{
	(void)v;
}

void pod_groups_unlock(struct pod_groups *v)
{
	(void)v;
}

static struct pod_group *pods; /* of the group; or NULL */

struct pod_group *pod_groups_find(struct pod_groups *v, const char *key)
{
	(void)v;
	(void)key;
	return pods;
}

void bridge_requests_unbind(struct bridge_requests *w, uint32_t job_id)
{
	(void)w;
	snprintf(taken_back, sizeof(taken_back), "%u", (unsigned)job_id);
}

/* --- */

static struct bridge_config config = {.cluster = (char *)"c",
				      .scheduler = (char *)"s"};

/* A job that runs on w-1, known from a list. */
static void begin(struct bridge *b, char id[BRIDGE_ID_MAX])
{
	const struct job_identity of = {
		.cluster = "c",
		.of = {.ns = "ns", .name = "p", .uid = "u"},
		.pods = 1};
	struct err err = {0};

	T_INT(job_identity_make(&of, id, &err), 0);
	*b = (struct bridge){.bridge = &config};
	q = calloc(1, sizeof(*q) + 2);
	*q->key = 'p';
	q->job.state = PLACEHOLDER_NONE;
	b->queue = NULL;
	HASH_ADD_KEYPTR(hh, b->queue, q->key, 1, q);
	now = 1000000;
	job = (struct placed){.job_id = 7,
			      .status = {.state = PLACED_RUNNING},
			      .reason = "",
			      .nodes = "w-1",
			      .has = {.cpus = 2, .memory_mib = 64},
			      .admin_comment = id,
			      .exclude = 5};
	placeholders_refresh(b);
	T_INT(b->jobs.lists, 1);
	T_INT(b->jobs.identities->exclude, 5);
	T_INT(q->job.state, PLACEHOLDER_RUNNING);
	T_STR(q->nodes.names, "w-1");
	T_INT(q->nodes.has.cpus, 2);
	T_INT(q->nodes.has.memory_mib, 64);
	*taken_back = '\0';
}

static void end(struct bridge *b)
{
	placeholders_free(b);
	HASH_DELETE(hh, b->queue, q);
	free(q->nodes.names);
	free(q->job.reason);
	free(q);
	older = (struct placed){0};
}

/* A pod that was bound then would run beside the next job. */
static void what_was_not_sent_is_taken_back_when_a_job_stops(void)
{
	static const struct {
		enum placed_state state;
		uint32_t job_id;
		const char *back;
	} rows[] = {
		{PLACED_RUNNING, 7, ""},    {PLACED_COMPLETING, 7, "7"},
		{PLACED_PENDING, 7, "7"},   {PLACED_ENDED, 7, "7"},
		{PLACED_SUSPENDED, 7, "7"}, {PLACED_RUNNING, 8, "7"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		job.status.state = rows[i].state;
		job.job_id = rows[i].job_id;
		now += 60000;
		placeholders_refresh(&b);
		T_STR(taken_back, rows[i].back);
		end(&b);
	}
}

/* (else its pods would pass for those of a start that Slurm has forgotten) */
static void a_job_that_ran_and_waits_was_put_back(void)
{
	static const struct {
		enum placed_state state;
		bool back;
	} rows[] = {
		{PLACED_PENDING, true},
		{PLACED_COMPLETING, false},
		{PLACED_SUSPENDED, false},
		{PLACED_ENDED, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		T_OK(!q->job.requeued);
		job.status.state = rows[i].state;
		now += 500; /* no list yet */
		placeholders_refresh(&b);
		T_INT(q->job.requeued, rows[i].back);
		end(&b);
	}
}

/* Nobody tells slurmctld that a node without slurmd is free: jobs of sbatch may
 * wait for it, too. */
static void others_get_their_turn_when_a_job_has_ended(void)
{
	static const struct {
		enum placed_state state;
		int scheduled;
	} rows[] = {
		{PLACED_RUNNING, 0},
		{PLACED_COMPLETING, 0},
		{PLACED_SUSPENDED, 0},
		{PLACED_ENDED, 1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		job.status.state = rows[i].state;
		now += 60000;
		scheduled = 0;
		placeholders_refresh(&b);
		placeholders_look_for_room(&b);
		placeholders_look_for_room(&b);
		T_INT(scheduled, rows[i].scheduled);
		end(&b);
	}
}

/* PrologSlurmctld may fail for each of them, as fast as they are submitted. */
static void jobs_that_end_with_no_pod_bound_come_slower_and_slower(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];
	int64_t rest = 0;

	begin(&b, id);
	for (int i = 0; i < 20; i++) {
		job.status.state = PLACED_ENDED;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_ENDED);
		T_OK(q->refused.submit_at - now >= rest);
		rest = q->refused.submit_at - now;
		job.job_id++; /* (the next one) */
		job.status.state = PLACED_RUNNING;
		now += 60000;
		placeholders_refresh(&b);
	}
	T_OK(rest >= 30000 && rest <= 60000);
	end(&b);
}

static void a_job_that_we_end_or_whose_pods_were_bound_delays_no_other(void)
{
	for (int bound = 0; bound < 2; bound++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%d", bound);
		begin(&b, id);
		q->job.by_us = !bound;
		q->bound.job = bound ? 7 : 0;
		job.status.state = PLACED_ENDED;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_ENDED);
		T_INT(q->refused.submit_at, 0);
		end(&b);
	}
}

/* (a Prolog may fail for it, too, and drain one node after the other) */
static void a_job_that_could_not_be_launched_delays_the_next(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	q->job.by_us = q->launch.twice = true;
	job.status.state = PLACED_ENDED;
	now += 60000;
	placeholders_refresh(&b);
	T_OK(q->refused.submit_at > now);
	T_INT(q->vain.n, 1);
	job.job_id = 8;
	job.status.state = PLACED_PENDING;
	now += 60000;
	placeholders_refresh(&b);
	T_OK(!q->launch.twice);
	end(&b);
}

/* An engine has cancelled it, and was killed: the next one knows it by the job.
 */
static void what_a_former_engine_has_given_up_says_so(void)
{
	for (int again = 0; again < 2; again++) {
		const struct job_identity of = {
			.cluster = "c",
			.of = {.ns = "ns", .name = "p", .uid = "u"},
			.pods = 1,
			.again = again};
		struct bridge b;
		char id[BRIDGE_ID_MAX], given_up[BRIDGE_ID_MAX];

		t_row("%d", again);
		T_INT(job_identity_make(&of, given_up, NULL), 0);
		begin(&b, id);
		T_OK(!q->job.by_us);
		job.status.state = PLACED_ENDED;
		job.admin_comment = given_up;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_ENDED);
		T_INT(q->job.by_us, again);
		/* (the next one is not) */
		job.job_id = 8;
		job.admin_comment = id;
		now += 60000;
		placeholders_refresh(&b);
		T_OK(!q->job.by_us);
		end(&b);
	}
}

/* Slurm has it for some minutes (MinJobAge), and names it first. */
static void a_job_that_has_ended_is_not_the_groups_job_again(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	older = job;
	older.job_id = 6;
	older.status.state = PLACED_ENDED;
	q->bound.job = 7;
	for (int i = 0; i < 3; i++) {
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.id, 7);
		T_STR(taken_back, ""); /* bindings of job 7 */
		T_INT(q->vain.n, 0);
		T_INT(q->refused.submit_at, 0);
	}
	/* (also when both have) */
	job.status.state = PLACED_ENDED;
	now += 60000;
	placeholders_refresh(&b);
	T_INT(q->job.id, 7);
	T_INT(q->vain.n, 0);
	end(&b);
}

/* (pods on its former nodes are to go) */
static void other_nodes_are_looked_at(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	q->look.touched = false;
	q->nodes.layout = malloc(1); /* of its nodes before */
	now += 60000;
	placeholders_refresh(&b);
	T_OK(!q->look.touched && q->nodes.layout);
	job.nodes = "w-2";
	job.restarts = 1;
	now += 60000;
	placeholders_refresh(&b);
	T_OK(q->look.touched && q->job.requeued && !q->nodes.layout);
	T_STR(q->nodes.names, "w-2");
	end(&b);
}

/*
 * Its user has taken a node from it (scontrol update NumNodes=1), which Slurm
 * gives to others at once.
 */
static void nodes_that_a_running_job_loses_are_looked_after(void)
{
	static const struct {
		const char *layout; /* by an RPC, before the list; or NULL */
		const char *before, *now;
		bool others;
	} rows[] = {
		{NULL, "w-[1-2]", "w-[1-2]", false},
		{NULL, "w-[1-2]", "w-1", true},
		{"w-[1-2]", NULL, "w-[1-2]", false},
		{"w-2,w-1", NULL, "w-[1-2]", false},
		{"w-[1-2]", NULL, "w-1", true},
		{"w-[1-2]", NULL, "w-[2-3]", true},
		{NULL, NULL, "w-1", false}, /* (none are known yet) */
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		free(q->nodes.names);
		q->nodes.names = rows[i].before ? strdup(rows[i].before) : NULL;
		q->nodes.layout =
			rows[i].layout ? (void *)strdup(rows[i].layout) : NULL;
		q->bound.until = now + 1000000;
		q->sight.looked = true;
		job.nodes = rows[i].now;
		now += 60000;
		placeholders_refresh(&b);
		T_STR(q->nodes.names, rows[i].now);
		T_INT(q->nodes.others_at, rows[i].others ? now : 0);
		/* (until the next look pods may be on any of their nodes) */
		T_INT(q->sight.looked, str_eq(rows[i].before, rows[i].now));
		T_INT(!q->nodes.layout, rows[i].others || !rows[i].layout);
		T_OK(!q->job.requeued);
		/* (nor is a pod bound to it that is on its way there) */
		T_STR(taken_back, rows[i].others ? "7" : "");
		T_INT(!q->bound.until, rows[i].others);
		free(q->nodes.layout);
		q->nodes.layout = NULL;
		/* (of another job nothing is known) */
		job.job_id = 8;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->nodes.others_at, 0);
		end(&b);
	}
}

/*
 * slurmctld was killed before it had saved the job's start, and starts it anew,
 * maybe elsewhere, before it could be told where its pods run.
 */
static void a_job_that_starts_after_its_pods_may_be_elsewhere(void)
{
	static const struct {
		const char *node; /* its pod's */
		uint32_t job_id;
		bool ended, by_list, requeued, starts, others;
	} rows[] = {
		{"w-2", 7, .others = true},
		/* (its nodes are known when it has) */
		{"w-2", 7, .starts = true, .others = true},
		{"w-2", 7, .by_list = true, .others = true},
		{"", 7},
		{"w-2", 6},
		{"w-2", 7, .ended = true},
		/* (its pods are to go) */
		{"w-2", 7, .requeued = true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridged_pod pod = {.node = rows[i].node,
					  .job_id = rows[i].job_id,
					  .ended = rows[i].ended};
		struct group_pod m = {.pod = &pod};
		struct pod_group g = {.members = &m};
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		q->job.state = PLACEHOLDER_PENDING;
		q->job.requeued = rows[i].requeued;
		pods = &g;
		answers = rows[i].by_list ? 0 : -1;
		job.status.configuring = rows[i].starts;
		now += rows[i].by_list ? 60000 : 500;
		placeholders_refresh(&b);
		job.status.configuring = false;
		now += rows[i].starts ? 60000 : 0;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_RUNNING);
		T_INT(q->nodes.others_at, rows[i].others ? now : 0);
		T_INT(q->early.own_at, q->nodes.others_at);
		answers = -1;
		pods = NULL;
		end(&b);
	}
}

/* Slurm may not count it as a change that it has found a reason. */
static void a_reason_is_found_though_nothing_has_changed(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	job.status.state = PLACED_PENDING;
	now += 10000;
	placeholders_refresh(&b);
	T_INT(q->job.state, PLACEHOLDER_PENDING);
	T_OK(!q->job.reason);
	changed = false;
	job.reason = "Resources";
	now += 10000;
	placeholders_refresh(&b);
	T_STR(q->job.reason, "Resources");
	job.reason = "Priority"; /* (then only what has changed) */
	now += 10000;
	placeholders_refresh(&b);
	T_STR(q->job.reason, "Resources");
	/* (slurmctld was asked for it; the RPC for states does not tell) */
	placeholders_held(&b, q, "JobHeldAdmin");
	b.jobs.stale = false;
	now += 500;
	placeholders_refresh(&b);
	T_INT(q->job.state, PLACEHOLDER_HELD);
	T_STR(q->job.reason, "JobHeldAdmin");
	changed = true;
	end(&b);
}

/* In a long queue Slurm has none for most: that is no ground to ask for all. */
static void reasons_of_old_jobs_are_asked_for_seldom(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	job.status.state = PLACED_PENDING;
	now += 60000;
	placeholders_refresh(&b);
	now += 11000; /* it is not young any more: asked, this once */
	placeholders_refresh(&b);
	changed = false;
	job.reason = "Resources";
	now += 5000;
	placeholders_refresh(&b);
	T_OK(!q->job.reason);
	now += 6000;
	placeholders_refresh(&b);
	T_STR(q->job.reason, "Resources");
	changed = true;
	end(&b);
}

/* It was the former job that ran. */
static void a_new_job_was_not_put_back(void)
{
	struct bridge b;
	char id[BRIDGE_ID_MAX];
	struct job_identity other = {
		.cluster = "c",
		.of = {.ns = "ns", .name = "p", .uid = "v"},
		.pods = 1};

	begin(&b, id);
	T_INT(q->job.state, PLACEHOLDER_RUNNING);
	placeholders_submitted(&b, q, 78, &other);
	T_INT(q->job.state, PLACEHOLDER_PENDING);
	T_INT(q->job.id, 78);
	T_OK(!q->job.requeued);
	end(&b);
}

/* One text of job 7, or of the one before it: for pods of that scheduler. */
static void write_id(const char *scheduler, char id[BRIDGE_ID_MAX])
{
	struct job_identity of = {.cluster = "c",
				  .of = {.ns = "ns", .name = "p", .uid = "u"},
				  .pods = 1};

	strcpy(of.scheduler, scheduler);
	T_INT(job_identity_make(&of, id, NULL), 0);
}

static void a_job_for_pods_of_another_scheduler_is_told_apart(void)
{
	static const struct {
		const char *scheduler;
		bool strange;
	} rows[] = {{"s", false},
		    {"slurm", true},
		    {"", false}, /* (an earlier build has made it) */
		    {"t", true}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX], own[BRIDGE_ID_MAX];
		static const struct job_identity new = {
			.cluster = "c",
			.scheduler = "s",
			.of = {.ns = "ns", .name = "p", .uid = "v"},
			.pods = 1};

		t_row("%s", rows[i].scheduler);
		begin(&b, id);
		T_OK(!q->job.strange);
		write_id(rows[i].scheduler, own);
		job.admin_comment = own;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.state, PLACEHOLDER_RUNNING);
		T_INT(q->job.strange, rows[i].strange);
		/* the group's next one is ours */
		placeholders_submitted(&b, q, 78, &new);
		T_OK(!q->job.strange);
		end(&b);
	}
}

/* Its pods are not in view: they may be those that run. */
static void a_job_for_others_pods_is_no_twin(void)
{
	for (int strange = 0; strange < 2; strange++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX], theirs[BRIDGE_ID_MAX];

		t_row("%d", strange);
		begin(&b, id);
		write_id(strange ? "slurm" : "s", theirs);
		older = (struct placed){.job_id = 5,
					.status = {.state = PLACED_PENDING},
					.reason = "",
					.nodes = "",
					.admin_comment = theirs};
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.id, 7);
		T_INT(q->job.twin, strange ? 0 : 5);
		/* or it comes behind */
		older.job_id = 8;
		job.admin_comment = theirs;
		older.admin_comment = id;
		older.status.state = PLACED_RUNNING;
		job.status.state = PLACED_PENDING;
		now += 60000;
		placeholders_refresh(&b);
		T_INT(q->job.id, 8);
		T_INT(q->job.twin, strange ? 0 : 7);
		end(&b);
	}
}

/* Job 7 was cancelled, which gave job 8 its CPUs at once. */
static void whose_cpus_a_new_job_has_is_known_before_that_it_runs(void)
{
	static const struct {
		enum placed_state fresh;
		int answers;
		enum placeholder_state old, young;
	} rows[] = {
		{PLACED_RUNNING, -1, PLACEHOLDER_ENDED, PLACEHOLDER_RUNNING},
		{PLACED_RUNNING, 1, PLACEHOLDER_RUNNING, PLACEHOLDER_PENDING},
		{PLACED_RUNNING, 0, PLACEHOLDER_RUNNING, PLACEHOLDER_PENDING},
		/* (nobody waits for what is known) */
		{PLACED_PENDING, -1, PLACEHOLDER_RUNNING, PLACEHOLDER_PENDING},
	};
	static const struct job_identity id8 = {
		.cluster = "c",
		.of = {.ns = "ns", .name = "next", .uid = "v"},
		.pods = 1};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		next = calloc(1, sizeof(*next) + 5);
		memcpy(next->key, "next", 5);
		HASH_ADD_KEYPTR(hh, b.queue, next->key, 4, next);
		placeholders_submitted(&b, next, 8, &id8);
		job.status.state = PLACED_ENDED;
		fresh = rows[i].fresh;
		answers = rows[i].answers;
		placeholders_look_at_fresh(&b);
		T_INT(q->job.state, rows[i].old);
		T_INT(next->job.state, rows[i].young);
		answers = -1;
		fresh = PLACED_GONE;
		HASH_DELETE(hh, b.queue, next);
		free(next->job.reason);
		free(next);
		next = NULL;
		end(&b);
	}
}

/* (of 10,000 jobs the answer takes its time, under slurmctld's locks) */
static void states_are_asked_for_in_a_tenth_of_the_time(void)
{
	struct bridge b = {.jobs.known = true,
			   .jobs.n_active = 1,
			   .jobs.loaded_at = 1,
			   .jobs.hurry_until = INT64_MAX};
	int64_t begin;

	q = calloc(1, sizeof(*q) + 8);
	q->job.state = PLACEHOLDER_PENDING;
	q->job.id = 7;
	job = (struct placed){.job_id = 7, .status = {.state = PLACED_PENDING}};
	strcpy(q->key, "train");
	HASH_ADD_KEYPTR(hh, b.queue, q->key, strlen(q->key), q);
	now = begin = 1000;
	b.jobs.loaded_at = now;
	answer_ms = 40;
	asked = 0;
	while (now < begin + 4000) {
		placeholders_refresh(&b);
		now = placeholders_next(&b) > now ? placeholders_next(&b)
						  : now + 1;
	}
	T_OK(asked >= 8 && asked <= 11);
	answer_ms = 0;
	HASH_CLEAR(hh, b.queue);
	free(q);
}

T_MAIN("placeholders", T(states_are_asked_for_in_a_tenth_of_the_time),
       T(whose_cpus_a_new_job_has_is_known_before_that_it_runs),
       T(reasons_of_old_jobs_are_asked_for_seldom),
       T(nodes_that_a_running_job_loses_are_looked_after),
       T(a_job_that_starts_after_its_pods_may_be_elsewhere),
       T(a_job_for_pods_of_another_scheduler_is_told_apart),
       T(a_job_for_others_pods_is_no_twin), T(a_new_job_was_not_put_back),
       T(other_nodes_are_looked_at),
       T(others_get_their_turn_when_a_job_has_ended),
       T(jobs_that_end_with_no_pod_bound_come_slower_and_slower),
       T(a_job_that_has_ended_is_not_the_groups_job_again),
       T(a_job_that_we_end_or_whose_pods_were_bound_delays_no_other),
       T(a_job_that_could_not_be_launched_delays_the_next),
       T(what_a_former_engine_has_given_up_says_so),
       T(a_job_that_ran_and_waits_was_put_back),
       T(a_reason_is_found_though_nothing_has_changed),
       T(what_was_not_sent_is_taken_back_when_a_job_stops))
