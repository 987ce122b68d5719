/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that have lost their pods, and nobody saw these deleted; what is in view
 * is the test's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

#define MANY 10

static unsigned int lists;
static struct pod_group *groups;
static int sorted; /* pods by jobs, so often */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return 1000;
}

unsigned int pod_groups_lists(const struct pod_groups *v)
{
	(void)v;
	return lists;
}

struct pod_group *pod_groups_find(struct pod_groups *v, const char *key)
{
	struct pod_group *g;

	(void)v;
	HASH_FIND_STR(groups, key, g);
	return g;
}

static bool regrouped; /* pods are in view, in other groups */

struct group_pod *pod_groups_pod(struct pod_groups *v, const char *uid)
{
	static struct group_pod pod;

	(void)v;
	return regrouped && *uid == 'u' ? &pod : NULL;
}

static bool left_out;
bool pod_groups_left_out(const struct pod_groups *v, const char *key)
{
	(void)v;
	(void)key;
	return left_out;
}

void basic_by_jobs(struct bridge *b)
{
	(void)b;
	sorted++;
}

void queue_entry_touch(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	q->look.touched = true;
}

/* --- so many jobs, with a pod each */

static const struct cluster_config prod = {.name = (char *)"prod"};

struct scene {
	struct bridge b;
	struct queue_entry *q[MANY];
	struct pod_group *g[MANY];
};

static void no_group(struct scene *s, int i)
{
	if (!s->g[i])
		return;
	HASH_DELETE(hh, groups, s->g[i]);
	free(s->g[i]);
	s->g[i] = NULL;
}

static void clear(struct scene *s)
{
	for (int i = 0; i < MANY; i++) {
		no_group(s, i);
		HASH_DELETE(hh, s->b.queue, s->q[i]);
		free(s->q[i]);
	}
	left_out = false;
}
#define _cleanup_scene_ __attribute__((cleanup(clear)))

/* Of so many jobs, which run; the others have ended. */
static struct scene scene(int jobs)
{
	struct scene s = {.b = {.cluster = &prod, .jobs.known = true}};

	lists = sorted = 0;
	for (int i = 0; i < MANY; i++) {
		struct queue_entry *q = s.q[i] = calloc(1, sizeof(*q) + 8);
		struct pod_group *g = s.g[i] = calloc(1, sizeof(*g) + 8);

		snprintf(q->key, 8, "%d", i);
		snprintf(g->key, 8, "%d", i);
		q->job.state =
			i < jobs ? PLACEHOLDER_RUNNING : PLACEHOLDER_ENDED;
		q->job.id = (uint32_t)i + 1;
		q->sight.seen = true;
		g->n = 1;
		HASH_ADD_KEYPTR(hh, s.b.queue, q->key, strlen(q->key), q);
		HASH_ADD_KEYPTR(hh, groups, g->key, strlen(g->key), g);
	}
	return s;
}

/* The pods of those from `from` to `to` are in view, or have vanished. */
static void pods(struct scene *s, int from, int to, bool there)
{
	for (int i = from; i < to; i++) {
		s->g[i]->n = there;
		s->g[i]->vanished = !there;
	}
}

/* After another list: what is in the log, and whose jobs are kept? */
static const char *look(struct scene *s)
{
	t_log_clear();
	lists++;
	lost_look(&s->b);
	return t_log();
}

static int kept(struct scene *s)
{
	int n = 0;

	for (int i = 0; i < MANY; i++)
		n += lost_has(&s->b, s->q[i]);
	return n;
}

static void many_that_vanish_at_once_are_kept(void)
{
	static const struct {
		int jobs, vanish, kept;
	} rows[] = {
		{1, 1, 0}, {2, 2, 0},  {3, 2, 0}, {3, 3, 3},	{4, 3, 3},
		{5, 3, 3}, {10, 5, 0}, {9, 5, 5}, {10, 10, 10},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene(rows[i].jobs);
		char words[128];

		t_row("%d of %d", rows[i].vanish, rows[i].jobs);
		T_STR(look(&s), "");
		pods(&s, 0, rows[i].vanish, false);
		snprintf(words, sizeof(words),
			 "cluster prod: Kubernetes has no pods of %d of %d "
			 "jobs of the bridge (job %d, for one), and nobody saw "
			 "them deleted",
			 rows[i].vanish, rows[i].jobs, rows[i].vanish);
		if (rows[i].kept)
			T_HAS(look(&s), words);
		else
			T_STR(look(&s), "");
		T_INT(kept(&s), rows[i].kept);
		T_STR(look(&s), ""); /* (told once) */
		T_INT(kept(&s), rows[i].kept);
	}
}

static void it_is_over_when_most_are_seen_again(void)
{
	_cleanup_scene_ struct scene s = scene(10);

	look(&s);
	pods(&s, 0, 10, false);
	look(&s);
	T_INT(kept(&s), 10);
	/* half of the list has come: nothing is known of the rest */
	pods(&s, 0, 5, true);
	for (int i = 0; i < 10; i++)
		lost_note(s.q[i], s.g[i]);
	lost_look(&s.b);
	T_INT(kept(&s), 5);
	T_OK(s.b.lost.disruption.is);
	/* now it is complete; what it does not have is gone */
	s.q[9]->look.touched = false;
	T_HAS(look(&s), "have them again, or have ended (5 have not)");
	T_INT(kept(&s), 0);
	T_OK(s.q[9]->look.touched && !s.q[0]->look.touched);
	T_INT(sorted, 1);
	pods(&s, 0, 5, false); /* (and once more) */
	T_HAS(look(&s), "no pods of 10 of 10");
	T_INT(kept(&s), 10);
}

static void it_lasts_however_few_are_left(void)
{
	_cleanup_scene_ struct scene s = scene(4);

	look(&s);
	pods(&s, 0, 4, false);
	look(&s);
	T_INT(kept(&s), 4);
	for (int i = 0; i < 3; i++)
		s.q[i]->job.state = PLACEHOLDER_ENDED; /* scancel */
	T_STR(look(&s), "");
	T_INT(kept(&s), 1);
	s.q[3]->job.state = PLACEHOLDER_ENDED;
	T_HAS(look(&s), "or have ended (0 have not)");
}

/* (that API server may have pods for Slurm, too, of somebody else) */
static void others_that_come_meanwhile_do_not_end_it(void)
{
	_cleanup_scene_ struct scene s = scene(4);

	look(&s);
	pods(&s, 0, 4, false);
	look(&s);
	for (int i = 4; i < MANY; i++)
		s.q[i]->job.state = PLACEHOLDER_RUNNING;
	T_STR(look(&s), "");
	T_INT(kept(&s), 4);
}

static void set_jobs(struct scene *s, int from, int to,
		     enum placeholder_state job)
{
	for (int i = from; i < to; i++)
		s->q[i]->job.state = job;
}

/* (the watch is well: no list comes to say so) */
static void it_is_over_when_its_jobs_have_ended(void)
{
	_cleanup_scene_ struct scene s = scene(4);

	look(&s);
	pods(&s, 0, 4, false);
	look(&s);
	t_log_clear();
	set_jobs(&s, 0, 3, PLACEHOLDER_ENDED); /* scancel */
	s.q[3]->job.state =
		PLACEHOLDER_COMPLETING; /* (to be requeued, perhaps) */
	lost_end(&s.b);
	T_INT(kept(&s), 4);
	s.q[3]->job.state = PLACEHOLDER_ENDED;
	s.b.jobs.known = false; /* (slurmctld does not answer) */
	lost_end(&s.b);
	T_STR(t_log(), "");
	s.b.jobs.known = true;
	lost_end(&s.b);
	T_HAS(t_log(), "or have ended (0 have not)");
	T_INT(kept(&s), 0);
	T_OK(!s.b.lost.disruption.is);
	t_log_clear();
	lost_end(&s.b);
	T_STR(t_log(), "");
}

/* The API server starts anew, and a pod is deleted before it is listed. */
static void what_is_lost_later_does_not_keep_it_up(void)
{
	static const struct {
		int later; /* so many then */
		const char *words;
		int kept;
	} rows[] = {
		{0, "", 0},
		{1, "", 0},
		{5, "no pods of 5 of 6 jobs of the bridge (job 9,", 5},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene(4);

		t_row("%d", rows[i].later);
		look(&s);
		pods(&s, 0, 4, false);
		look(&s);
		set_jobs(&s, 0, 4, PLACEHOLDER_ENDED);
		set_jobs(&s, 4, MANY, PLACEHOLDER_RUNNING);
		pods(&s, 4, 4 + rows[i].later, false);
		T_HAS(look(&s), "or have ended (0 have not)");
		T_HAS(t_log(), rows[i].words);
		T_INT(kept(&s), rows[i].kept);
		T_INT(s.b.lost.disruption.is, rows[i].kept > 0);
	}
}

static void what_is_lost_while_it_lasts_is_told(void)
{
	_cleanup_scene_ struct scene s = scene(10);

	look(&s);
	pods(&s, 0, 8, false);
	look(&s);
	pods(&s, 0, 2, true); /* two are back, */
	T_STR(look(&s), "");
	T_INT(kept(&s), 6);
	pods(&s, 1, 2, false); /* and one is not */
	pods(&s, 9, 10, false);
	T_HAS(look(&s), "no pods of 8 of 9 jobs of the bridge (job 10,");
	T_INT(kept(&s), 8);
	T_STR(look(&s), "");
	T_INT(kept(&s), 8);
}

static void whose_deletion_was_seen_is_not_kept(void)
{
	_cleanup_scene_ struct scene s = scene(5);

	look(&s);
	for (int i = 0; i < 5; i++)
		no_group(&s, i);
	T_STR(look(&s), "");
	T_INT(kept(&s), 0);
}

/* Pods of one whose turn to end it is, or that are not to be seen here. */
static void only_jobs_that_would_end_for_it_count(void)
{
	_cleanup_scene_ struct scene s = scene(6);

	look(&s);
	s.q[0]->job.other_scheduler = true;
	s.q[1]->job.by_us = true;
	s.q[2]->job.state = PLACEHOLDER_COMPLETING;
	s.q[3]->job.state = PLACEHOLDER_NONE;
	pods(&s, 0, 6, false);
	T_STR(look(&s), ""); /* 2 of 2 */
	T_INT(kept(&s), 0);
}

/* slurmctld was started anew, with the wrong kubeconfig, say. */
static void an_engine_that_begins_counts_what_it_never_saw(void)
{
	for (int known = 0; known < 2; known++) {
		_cleanup_scene_ struct scene s = scene(5);

		t_row("%d", known);
		for (int i = 0; i < 5; i++) {
			s.q[i]->sight.seen = false;
			no_group(&s, i);
		}
		s.b.jobs.known = false; /* (nothing is counted by then) */
		T_STR(look(&s), "");
		s.b.jobs.known = true;
		left_out = !known; /* (there are more than can be seen) */
		look(&s);
		T_INT(kept(&s), known ? 5 : 0);
		if (known)
			T_HAS(t_log(), "no pods of 5 of 5 jobs");
		look(&s);
		T_INT(kept(&s), known ? 5 : 0);
	}
}

/* As of another build, which makes one group of what were pods by themselves.
 */
static void a_pod_that_another_group_has_now_is_not_lost(void)
{
	for (int gangs = 0; gangs < 2; gangs++) {
		_cleanup_scene_ struct scene s = scene(5);

		t_row("%d", gangs);
		regrouped = true;
		for (int i = 0; i < 5; i++) {
			s.q[i]->sight.seen = false;
			no_group(&s, i);
			HASH_DELETE(hh, s.b.queue, s.q[i]);
			snprintf(s.q[i]->key, 8, "%d n u%d", gangs ? 3 : 0, i);
			HASH_ADD_KEYPTR(hh, s.b.queue, s.q[i]->key,
					strlen(s.q[i]->key), s.q[i]);
		}
		look(&s);
		T_INT(kept(&s), gangs ? 5 : 0);
		regrouped = false;
	}
}

T_MAIN("lost_pods", T(a_pod_that_another_group_has_now_is_not_lost),
       T(many_that_vanish_at_once_are_kept),
       T(it_is_over_when_most_are_seen_again), T(it_lasts_however_few_are_left),
       T(it_is_over_when_its_jobs_have_ended),
       T(what_is_lost_later_does_not_keep_it_up),
       T(what_is_lost_while_it_lasts_is_told),
       T(others_that_come_meanwhile_do_not_end_it),
       T(whose_deletion_was_seen_is_not_kept),
       T(only_jobs_that_would_end_for_it_count),
       T(an_engine_that_begins_counts_what_it_never_saw))
