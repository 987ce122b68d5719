/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What never becomes of a job whose node is given up. These are few enough to
 * be tried all: each combination of what a followed job may be, and of two
 * nodes with a job on one or both and another one beside it.
 */
#include <string.h>

#include "nodes/reconcile/requeue_decide.h"
#include "property.h"

#define ENDED "its pod has ended: slurmd: OOMKilled"

/* --- jobs that are followed */

struct followed {
	enum ctl_job_wait wait;
	bool hold, later;
	int64_t ms;
	size_t begun;
	enum requeue_do what;
};

typedef bool (*followed_fn)(const struct followed *f);

static bool does(const struct followed *f)
{
	return f->what == REQUEUE_BEGIN || f->what == REQUEUE_HOLD;
}

/* (nor is one that runs, or that Slurm does not know) */
static bool a_job_that_somebody_holds_is_left_alone(const struct followed *f)
{
	return f->wait == CTL_JOB_DELAYED || f->wait == CTL_JOB_ELIGIBLE ||
	       !does(f);
}

static bool a_job_to_be_held_is_never_released(const struct followed *f)
{
	return !f->hold || f->what != REQUEUE_BEGIN;
}

static bool
a_job_that_may_begin_when_it_should_is_left(const struct followed *f)
{
	return f->wait != CTL_JOB_ELIGIBLE || f->hold || f->later || !does(f);
}

static bool only_so_many_are_begun_or_held_at_once(const struct followed *f)
{
	return f->begun < 100 || !does(f);
}

static bool a_job_on_its_way_is_followed_for_a_minute(const struct followed *f)
{
	return f->wait != CTL_JOB_ENDING ||
	       (f->what == REQUEUE_FORGET) == (f->ms > 60000);
}

static bool a_job_that_is_gone_is_forgotten(const struct followed *f)
{
	return (f->wait != CTL_JOB_FREE && f->wait != CTL_JOB_HELD) ||
	       f->what == REQUEUE_FORGET;
}

static const struct {
	const char *name;
	followed_fn holds;
} of_followed[] = {
	P(a_job_that_somebody_holds_is_left_alone),
	P(a_job_to_be_held_is_never_released),
	P(a_job_that_may_begin_when_it_should_is_left),
	P(only_so_many_are_begun_or_held_at_once),
	P(a_job_on_its_way_is_followed_for_a_minute),
	P(a_job_that_is_gone_is_forgotten),
};

/* --- nodes that are given up */

static const char *const names[] = {"n1", "n2"};

struct case_of {
	bool may_spare[2], done[2];
	const char *words;
	struct ctl_occupant jobs[2];
	unsigned int places[2]; /* of each job: 1: on n1, 2: on n2 */
	struct given_up g;
};

typedef bool (*given_up_fn)(const struct case_of *c);

static bool is_on(const struct case_of *c, size_t job, size_t node)
{
	return c->places[job] >> node & 1;
}

static const struct ctl_occupant *job_of(const struct case_of *c, size_t i)
{
	return &c->jobs[c->g.jobs[i].id - 1];
}

static size_t node_of(const struct case_of *c, size_t i)
{
	return !strcmp(c->g.jobs[i].on->node, names[1]);
}

static bool is_blamed(const struct case_of *c)
{
	return !strcmp(c->words, ENDED);
}

/* (one that is lost is lost for all of its jobs) */
static bool
a_node_is_spared_for_a_job_that_could_not_come_back(const struct case_of *c)
{
	for (size_t n = 0; n < 2; n++) {
		bool any = false;

		for (size_t j = 0; j < 2; j++)
			any |= is_on(c, j, n) && !c->jobs[j].requeueable;
		if (given_up_spares(&c->g, names[n]) !=
		    (any && c->may_spare[n]))
			return false;
	}
	return true;
}

static bool
a_job_that_cannot_be_requeued_does_not_go_back(const struct case_of *c)
{
	for (size_t i = 0; i < c->g.n_jobs; i++)
		if (!job_of(c, i)->requeueable)
			return false;
	return true;
}

static bool a_job_on_spared_nodes_does_not_go_back(const struct case_of *c)
{
	for (size_t i = 0; i < c->g.n_jobs; i++)
		if (c->g.jobs[i].on->spared)
			return false;
	return true;
}

static bool each_job_that_goes_back_is_there_once(const struct case_of *c)
{
	return c->g.n_jobs < 2 ||
	       (c->g.n_jobs == 2 && c->g.jobs[0].id != c->g.jobs[1].id);
}

/* The next engine goes by these words. */
static bool no_job_goes_back_before_it_was_told(const struct case_of *c)
{
	for (size_t j = 0; j < 2; j++) {
		bool told = false;

		for (size_t i = 0; i < c->g.n_told; i++)
			told |= c->g.jobs[i].id == c->jobs[j].job_id;
		for (size_t n = 0; n < 2; n++)
			if (is_on(c, j, n) && c->jobs[j].requeueable && !told &&
			    !given_up_spares(&c->g, names[n]) &&
			    !given_up_lacks_words(&c->g, names[n]))
				return false;
	}
	return true;
}

static bool what_was_not_done_leads_to_nothing(const struct case_of *c)
{
	for (size_t i = 0; i < c->g.n_jobs; i++)
		if ((given_up_job(&c->g, i) == BACK_NOT) !=
		    !c->done[node_of(c, i)])
			return false;
	return true;
}

static bool a_held_job_is_not_held_again(const struct case_of *c)
{
	for (size_t i = 0; i < c->g.n_jobs; i++)
		if (given_up_job(&c->g, i) == BACK_HELD && job_of(c, i)->held)
			return false;
	return true;
}

static bool who_was_not_alone_is_not_held(const struct case_of *c)
{
	for (size_t i = 0; i < c->g.n_jobs; i++)
		if (given_up_job(&c->g, i) == BACK_HELD &&
		    is_on(c, 0, node_of(c, i)) && is_on(c, 1, node_of(c, i)))
			return false;
	return true;
}

static bool
a_job_is_held_only_when_it_is_blamed_once_more(const struct case_of *c)
{
	for (size_t i = 0; i < c->g.n_jobs; i++)
		if (given_up_job(&c->g, i) == BACK_HELD &&
		    (!is_blamed(c) || job_of(c, i)->restarts < 2 ||
		     !job_of(c, i)->admin_comment))
			return false;
	return true;
}

static bool
who_may_have_ended_its_pod_does_not_begin_at_once(const struct case_of *c)
{
	for (size_t i = 0; i < c->g.n_jobs; i++)
		if (given_up_job(&c->g, i) == BACK_BEGINS && is_blamed(c))
			return false;
	return true;
}

static const struct {
	const char *name;
	given_up_fn holds;
} of_given_up[] = {
	P(a_node_is_spared_for_a_job_that_could_not_come_back),
	P(a_job_that_cannot_be_requeued_does_not_go_back),
	P(a_job_on_spared_nodes_does_not_go_back),
	P(each_job_that_goes_back_is_there_once),
	P(no_job_goes_back_before_it_was_told),
	P(what_was_not_done_leads_to_nothing),
	P(a_held_job_is_not_held_again),
	P(who_was_not_alone_is_not_held),
	P(a_job_is_held_only_when_it_is_blamed_once_more),
	P(who_may_have_ended_its_pod_does_not_begin_at_once),
};

static void each_job_that_is_followed_has_each_property(void)
{
	static const int64_t ms[] = {0, 1, 59999, 60000, 60001};
	static const size_t begun[] = {0, 1, 99, 100};
	unsigned int violated[T_COUNT(of_followed)] = {0}, n = 0;

	for (unsigned int i = 0; i < 5 * 4 * T_COUNT(ms) * T_COUNT(begun);
	     i++, n++) {
		struct followed f = {
			.wait = (enum ctl_job_wait)(i % 5),
			.hold = i / 5 % 2,
			.later = i / 10 % 2,
			.ms = ms[i / 20 % T_COUNT(ms)],
			.begun = begun[i / 20 / T_COUNT(ms)],
		};

		f.what = requeue_decide(f.wait, f.hold, f.later, f.ms, f.begun);
		for (size_t k = 0; k < T_COUNT(of_followed); k++)
			violated[k] += !of_followed[k].holds(&f);
	}
	printf("%u jobs\n", n);
	for (size_t k = 0; k < T_COUNT(of_followed); k++) {
		t_row("%s", of_followed[k].name);
		T_INT(violated[k], 0);
	}
}

/* The lowest bits of *bits, which are taken away. */
static unsigned int take(unsigned int *bits, unsigned int n)
{
	const unsigned int value = *bits & ((1u << n) - 1);

	*bits >>= n;
	return value;
}

#define FIRST_BITS 7  /* its place, and all that a job may be */
#define SECOND_BITS 4 /* its place, and what keeps it, or another one */
#define NODE_BITS 5
#define TOLD_BITS 2
#define ALL_BITS (FIRST_BITS + SECOND_BITS + NODE_BITS + TOLD_BITS)

static void set_up(struct case_of *c, unsigned int bits)
{
	static const char *const before[] = {
		"k8s: " ENDED " (run 0)", "k8s: " ENDED " (run 1)",
		"k8s: " ENDED " (run 2)", "k8s: " ENDED " (run 3)"};

	memset(&c->g.by_node, 0, sizeof(c->g.by_node));
	c->g.n_jobs = c->g.n_told = 0;
	c->places[0] = take(&bits, 2);
	c->jobs[0] = (struct ctl_occupant){.job_id = 1,
					   .requeueable = take(&bits, 1),
					   .held = take(&bits, 1),
					   .restarts = take(&bits, 2)};
	if (take(&bits, 1))
		c->jobs[0].admin_comment = before[c->jobs[0].restarts];
	c->places[1] = take(&bits, 2);
	c->jobs[1] = (struct ctl_occupant){.job_id = 2,
					   .requeueable = take(&bits, 1),
					   .held = take(&bits, 1),
					   .restarts = 2,
					   .admin_comment = before[2]};
	c->words = take(&bits, 1) ? ENDED : "its pod is gone";
	for (size_t n = 0; n < 2; n++) {
		c->may_spare[n] = take(&bits, 1);
		c->done[n] = take(&bits, 1);
		given_up_add(&c->g, names[n], c->words, REQUEUED_NOW,
			     c->may_spare[n]);
	}
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < 4; i++) {
			struct ctl_occupant job = c->jobs[i / 2];

			job.node = names[i % 2];
			if (is_on(c, i / 2, i % 2))
				(pass ? given_up_take : given_up_count)(&c->g,
									&job);
		}
	c->g.n_told = take(&bits, TOLD_BITS);
	if (c->g.n_told > c->g.n_jobs)
		c->g.n_told = c->g.n_jobs;
	for (size_t n = 0; n < 2; n++)
		if (c->done[n])
			given_up_done(&c->g, names[n]);
}

static void nodes_that_are_given_up_have_each_property(void)
{
	unsigned int violated[T_COUNT(of_given_up)] = {0};
	static struct case_of c;

	for (unsigned int i = 0; i < 1u << ALL_BITS; i++) {
		set_up(&c, i);
		for (size_t k = 0; k < T_COUNT(of_given_up); k++)
			violated[k] += !of_given_up[k].holds(&c);
		given_up_clear(&c.g);
	}
	printf("%u views\n", 1u << ALL_BITS);
	for (size_t k = 0; k < T_COUNT(of_given_up); k++) {
		t_row("%s", of_given_up[k].name);
		T_INT(violated[k], 0);
	}
}

T_MAIN("requeue_properties", T(each_job_that_is_followed_has_each_property),
       T(nodes_that_are_given_up_have_each_property))
