/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that went back to the queue because of us, and what it costs slurmctld
 * to follow them. slurmctld and the clock are the test's.
 */
#include <errno.h>
#include <string.h>

#include "nodes/reconcile/reconcile.h"
#include "own_lists.h"
#include "t.h"

#define JOBS 4096
#define BACK_S 1800000000

static int64_t now;
static unsigned int singles, lists, begun, most_begun, held;
static int64_t list_ms; /* one takes so long */
static int64_t begun_at;
static bool silent;
static enum ctl_job_wait is[JOBS + 1]; /* by id */
static uint32_t held_meanwhile; /* this one, by an administrator; 0: none */
static const char *sent_back;	/* job 5, by these words */
static int64_t back_s = BACK_S;
static int64_t real_s; /* 0: by the machine's clock */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

int64_t __wrap_clock_real_ms(void);
int64_t __real_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void)
{
	return real_s ? real_s * 1000 : __real_clock_real_ms();
}

int ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	lists++;
	now += list_ms;
	*out = (struct ctl_jobs *)is;
	return silent ? err_set(err, -EIO, "no answer") : 0;
}

void ctl_jobs_free(struct ctl_jobs *j)
{
	(void)j;
}

void ctl_jobs_sent_back(const struct ctl_jobs *j, uint32_t delay_s,
			ctl_sent_back_fn fn, void *arg)
{
	(void)j, (void)delay_s;
	fn(arg, 5, sent_back, is[5], back_s);
}

/* (no order: those that are free are gone) */
void ctl_jobs_each_wait(const struct ctl_jobs *j, uint32_t delay_s,
			void (*fn)(void *arg, uint32_t job_id,
				   enum ctl_job_wait wait),
			void *arg)
{
	(void)j, (void)delay_s;
	for (uint32_t id = JOBS; id > 0; id--)
		if (is[id] != CTL_JOB_FREE)
			fn(arg, id, is[id]);
	fn(arg, JOBS + 1, CTL_JOB_DELAYED); /* nobody follows it */
}

enum ctl_job_wait ctl_job_wait(uint32_t job_id, uint32_t delay_s)
{
	(void)delay_s;
	singles++;
	return held_meanwhile == job_id ? CTL_JOB_HELD : is[job_id];
}

int ctl_job_begin(uint32_t job_id, int64_t at_s, struct err *err)
{
	(void)err;
	begun_at = at_s;
	T_OK(is[job_id] == CTL_JOB_DELAYED || is[job_id] == CTL_JOB_ELIGIBLE);
	is[job_id] = CTL_JOB_FREE;
	begun++;
	return 0;
}

int ctl_job_hold(uint32_t job_id, struct err *err)
{
	(void)err;
	T_OK(is[job_id] == CTL_JOB_DELAYED || is[job_id] == CTL_JOB_ELIGIBLE);
	is[job_id] = CTL_JOB_FREE;
	held++;
	return 0;
}

static struct nodes e;

static void begin(uint32_t n, enum ctl_job_wait wait)
{
	memset(&e, 0, sizeof(e));
	e.site.requeue_delay_s = 120;
	now = 1000;
	singles = lists = begun = most_begun = held = 0;
	list_ms = 0;
	silent = false;
	for (uint32_t id = 1; id <= JOBS; id++)
		is[id] = id <= n ? wait : CTL_JOB_FREE;
	for (uint32_t id = n; id > 0; id--)
		requeued_add(&e, id, REQUEUED_NOW);
	T_INT(e.requeued.n, n);
}

static void pass(int64_t ms)
{
	for (const int64_t end = now + ms; now < end; now += 10) {
		const unsigned int before = begun;

		requeued_step(&e);
		if (begun - before > most_begun)
			most_begun = begun - before;
	}
}

static void few_are_asked_for_one_by_one_and_more_and_more_seldom(void)
{
	begin(16, CTL_JOB_ENDING);
	pass(1000);
	T_OK(singles >= 16 * 3 && singles <= 16 * 6);
	pass(59000);
	T_OK(singles <= 16 * 70);
	T_INT(lists, 0);
	T_INT(e.requeued.n, 16);
	pass(5000); /* they never end */
	T_INT(e.requeued.n, 0);
}

static void many_are_asked_for_together(void)
{
	begin(JOBS, CTL_JOB_ENDING);
	pass(60000);
	T_INT(singles, 0);
	T_OK(lists >= 30 && lists <= 70);
	T_INT(e.requeued.n, JOBS);
}

static void a_list_that_takes_long_is_asked_for_seldom(void)
{
	begin(JOBS, CTL_JOB_ENDING);
	list_ms = 1000;
	pass(50000);
	T_OK(lists <= 4);
	begin(JOBS - 1, CTL_JOB_ENDING);
	list_ms = 1000;
	for (int i = 0; i < 20; i++) { /* others come all the time */
		requeued_add(&e, JOBS, REQUEUED_NOW);
		pass(1000);
	}
	T_OK(lists <= 3);
}

static void each_becomes_eligible_when_it_may(void)
{
	static const uint32_t counts[] = {1, 16, 17, JOBS};

	for (size_t i = 0; i < T_COUNT(counts); i++) {
		const uint32_t n = counts[i];

		t_row("%u", n);
		begin(n, CTL_JOB_ENDING);
		pass(300);
		T_INT(begun, 0);
		is[1] = CTL_JOB_DELAYED; /* all but one */
		for (uint32_t id = 2; id <= n; id++)
			is[id] = id == 2 ? CTL_JOB_ENDING : CTL_JOB_DELAYED;
		pass(6000);
		T_INT(begun, n > 1 ? n - 1 : 1);
		T_OK(most_begun <= 100);
		T_INT(e.requeued.n, n > 1 ? 1 : 0);
		is[2] = CTL_JOB_FREE; /* somebody has cancelled it */
		pass(2500);
		T_INT(e.requeued.n, 0);
	}
}

static void one_that_comes_is_looked_at_at_once(void)
{
	begin(1, CTL_JOB_ENDING);
	pass(30000);
	is[5] = CTL_JOB_DELAYED;
	requeued_add(&e, 5, REQUEUED_NOW);
	pass(20);
	T_INT(begun, 1);
}

static void without_an_answer_they_are_followed_on(void)
{
	begin(100, CTL_JOB_DELAYED);
	silent = true;
	pass(10000);
	T_INT(e.requeued.n, 100);
	silent = false;
	pass(2500);
	T_INT(begun, 100);
	T_INT(e.requeued.n, 0);
}

static void one_to_be_held_is_not_made_eligible(void)
{
	begin(3, CTL_JOB_ENDING);
	is[4] = CTL_JOB_ENDING;
	requeued_hold(&e, 2);
	requeued_hold(&e, 4);
	requeued_add(&e, 2, REQUEUED_NOW); /* this changes nothing */
	T_INT(e.requeued.n, 4);
	pass(500);
	T_INT(held, 0);
	for (uint32_t id = 1; id <= 4; id++)
		is[id] = CTL_JOB_DELAYED;
	pass(2500);
	T_INT(held, 2);
	T_INT(begun, 2);
	T_INT(e.requeued.n, 0);
}

/* (another engine may have said the words, or this one for another job) */
static void what_is_said_of_a_job_is_when_it_may_begin(void)
{
	static const struct {
		const char *words;
		unsigned int begun;
		int64_t at_s;
	} rows[] = {
		{"k8s: its pod has ended: slurmd: OOMKilled", 0, 0},
		{"k8s: slurmd's container was restarted", 0, 0},
		{"k8s: its pod is gone", 1, REQUEUED_NOW},
		{"k8s: slurmd: ImagePullBackOff", 1, REQUEUED_NOW},
		{"k8s: with features jax: slurmd: ImagePullBackOff", 0, 0},
		{"k8s: exceeded quota", 1, REQUEUED_NOW},
		{"k8s: again in 60 s (2 nodes): exceeded quota", 1,
		 BACK_S + 60},
		{"k8s: again in 30 s (with features jax): denied", 1,
		 BACK_S + 30},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].words);
		begin(0, CTL_JOB_FREE);
		is[5] = CTL_JOB_DELAYED;
		sent_back = rows[i].words;
		requeued_sent_back(&e);
		pass(2500);
		T_INT(begun, rows[i].begun);
		if (begun)
			T_INT(begun_at, rows[i].at_s);
		T_INT(held, 0);
	}
}

/* (the list was of before) */
static void who_is_held_by_an_administrator_since_is_left_to_him(void)
{
	begin(20, CTL_JOB_ENDING);
	requeued_hold(&e, 2);
	requeued_hold(&e, 4);
	for (uint32_t id = 1; id <= 20; id++)
		is[id] = CTL_JOB_DELAYED;
	held_meanwhile = 2;
	pass(5000);
	held_meanwhile = 0;
	T_INT(held, 1);
	T_INT(e.requeued.n, 0);
}

static void who_is_held_already_is_left_alone(void)
{
	begin(3, CTL_JOB_HELD);
	requeued_hold(&e, 2);
	pass(2500);
	T_INT(begun + held, 0);
	T_INT(e.requeued.n, 0);
}

static void features_that_rest_have_their_jobs_wait(void)
{
	begin(0, CTL_JOB_FREE);
	is[1] = is[2] = CTL_JOB_DELAYED;
	requeued_add(&e, 1, 1800000000);
	requeued_add(&e, 2, REQUEUED_NEVER);
	pass(2500);
	T_INT(begun, 1);
	T_INT(begun_at, 1800000000);
	T_INT(is[2], CTL_JOB_DELAYED);
}

/* Slurm's own pause may be short, or none. */
static void without_a_pause_of_slurm_s_there_is_ours(void)
{
	static const struct {
		uint32_t delay_s;
		bool expedites;
		enum ctl_job_wait wait;
		unsigned int begun;
	} rows[] = {
		{120, false, CTL_JOB_DELAYED, 0},
		{600, false, CTL_JOB_DELAYED, 0},
		{10, false, CTL_JOB_DELAYED, 1},
		{120, true, CTL_JOB_DELAYED, 1},
		{120, true, CTL_JOB_ELIGIBLE, 1},
		{0, false, CTL_JOB_ELIGIBLE, 1},
	};

	real_s = BACK_S;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin(0, CTL_JOB_FREE);
		e.site.requeue_delay_s = rows[i].delay_s;
		e.site.expedites = rows[i].expedites;
		is[2] = rows[i].wait;
		requeued_add(&e, 2, REQUEUED_NEVER);
		pass(2500);
		T_INT(begun, rows[i].begun);
		if (begun)
			T_INT(begun_at, BACK_S + REQUEUED_PAUSE_S);
	}
	real_s = 0;
}

static void who_may_begin_already_waits_or_is_held_when_he_is_to(void)
{
	real_s = BACK_S + 20;
	begin(0, CTL_JOB_FREE);
	is[1] = is[2] = is[3] = is[4] = CTL_JOB_ELIGIBLE;
	requeued_add(&e, 1, BACK_S + 30);
	requeued_add(&e, 2, BACK_S + 20);
	requeued_add(&e, 3, REQUEUED_NOW);
	requeued_hold(&e, 4);
	pass(2500);
	T_INT(begun, 1);
	T_INT(begun_at, BACK_S + 30);
	T_INT(held, 1);
	T_INT(is[2], CTL_JOB_ELIGIBLE);
	T_INT(is[3], CTL_JOB_ELIGIBLE);
	T_INT(e.requeued.n, 0);
	real_s = 0;
}

static void words_of_long_ago_have_no_job_wait(void)
{
	static const struct {
		const char *words;
		int64_t back_s;
		unsigned int begun;
		int64_t at_s;
	} rows[] = {
		{"k8s: again in 60 s (2 nodes): exceeded quota", BACK_S - 59, 1,
		 BACK_S + 1},
		{"k8s: again in 60 s (2 nodes): exceeded quota", BACK_S - 60, 0,
		 0},
		{"k8s: its pod is gone", BACK_S, 0, 0},
		{"k8s: with features jax: slurmd: ImagePullBackOff",
		 BACK_S - 119, 1, BACK_S + 1},
		{"k8s: with features jax: slurmd: ImagePullBackOff",
		 BACK_S - 120, 0, 0},
	};

	real_s = BACK_S;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		begin(0, CTL_JOB_FREE);
		e.site.expedites = true;
		is[5] = CTL_JOB_ELIGIBLE;
		sent_back = rows[i].words;
		back_s = rows[i].back_s;
		requeued_sent_back(&e);
		pass(2500);
		T_INT(begun, rows[i].begun);
		if (begun) /* counted from when it went back */
			T_INT(begun_at, rows[i].at_s);
	}
	back_s = BACK_S;
	real_s = 0;
}

/* k8s_resume tells of each gang by itself: a list for each would be too much.
 */
static void who_was_sent_back_is_looked_for_at_a_pace(void)
{
	begin(0, CTL_JOB_FREE);
	sent_back = "k8s: exceeded quota";
	list_ms = 100;
	for (const int64_t end = now + 60000; now < end; now += 10) {
		requeued_sent_back(&e);
		requeued_step(&e);
	}
	T_OK(lists >= 25 && lists <= 30);
	lists = 0;
	pass(5000); /* the last one that was told of, and no more */
	T_INT(lists, 1);
}

/* (no list is needed for them) */
static void few_that_were_sent_back_begin_as_soon_as_they_may(void)
{
	begin(0, CTL_JOB_FREE);
	sent_back = "k8s: exceeded quota";
	is[5] = CTL_JOB_ENDING;
	list_ms = 1000;
	requeued_sent_back(&e);
	pass(1200);
	T_INT(lists, 1);
	T_INT(begun, 0);
	is[5] = CTL_JOB_DELAYED;
	pass(1200);
	T_INT(begun, 1);
	T_INT(lists, 1);
}

static void a_list_that_fails_is_asked_for_again(void)
{
	begin(0, CTL_JOB_FREE);
	sent_back = "k8s: exceeded quota";
	is[5] = CTL_JOB_DELAYED;
	list_ms = 10000;
	silent = true;
	requeued_sent_back(&e);
	pass(20000);
	T_INT(lists, 1);
	T_INT(begun, 0);
	list_ms = 0;
	pass(40000);
	T_OK(lists >= 5 && lists <= 15); /* (it is refused at once) */
	lists = 1;
	silent = false;
	pass(30000);
	T_INT(lists, 2);
	T_INT(begun, 1);
}

T_MAIN("requeue", T(without_a_pause_of_slurm_s_there_is_ours),
       T(who_may_begin_already_waits_or_is_held_when_he_is_to),
       T(words_of_long_ago_have_no_job_wait),
       T(few_that_were_sent_back_begin_as_soon_as_they_may),
       T(a_list_that_fails_is_asked_for_again),
       T(who_was_sent_back_is_looked_for_at_a_pace),
       T(few_are_asked_for_one_by_one_and_more_and_more_seldom),
       T(many_are_asked_for_together),
       T(a_list_that_takes_long_is_asked_for_seldom),
       T(each_becomes_eligible_when_it_may),
       T(one_that_comes_is_looked_at_at_once),
       T(without_an_answer_they_are_followed_on),
       T(one_to_be_held_is_not_made_eligible),
       T(who_is_held_by_an_administrator_since_is_left_to_him),
       T(who_is_held_already_is_left_alone),
       T(what_is_said_of_a_job_is_when_it_may_begin),
       T(features_that_rest_have_their_jobs_wait))
