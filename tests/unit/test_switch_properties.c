/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is never done for a job that waits for a feature: all counts of nodes
 * around what it wants are tried, all that its search may find, and releases
 * that go on from each other.
 */
#include <string.h>

#include "nodes/features/switch_decide.h"
#include "nodes/watch/nodes.h"
#include "property.h"

/* --- nodes */

typedef bool (*count_fn)(const struct switch_count *c, int64_t lacks);

static bool
no_more_nodes_go_down_than_the_job_lacks(const struct switch_count *c,
					 int64_t lacks)
{
	return lacks <= 0 || c->ready + c->soon + (size_t)lacks == c->wanted;
}

static bool no_node_goes_down_in_vain(const struct switch_count *c,
				      int64_t lacks)
{
	return lacks <= 0 || (size_t)lacks <= c->others;
}

static bool
who_lacks_nothing_has_no_node_powered_down(const struct switch_count *c,
					   int64_t lacks)
{
	return c->ready + c->soon < c->wanted || !lacks;
}

static const struct {
	const char *name;
	count_fn holds;
} of_counts[] = {
	P(no_more_nodes_go_down_than_the_job_lacks),
	P(no_node_goes_down_in_vain),
	P(who_lacks_nothing_has_no_node_powered_down),
};

static void each_count_has_each_property(void)
{
	static const size_t values[] = {0, 1, 2, 6, 7, 8};
	const unsigned int n = T_COUNT(values), all = n * n * n * n * 2;
	unsigned int violated[T_COUNT(of_counts)] = {0};

	for (unsigned int i = 0; i < all; i++) {
		const struct switch_count c = {
			.held = i & 1,
			.wanted = values[i / 2 % n],
			.ready = values[i / 2 / n % n],
			.soon = values[i / 2 / n / n % n],
			.others = values[i / 2 / n / n / n],
		};

		for (size_t k = 0; k < T_COUNT(of_counts); k++)
			violated[k] +=
				!of_counts[k].holds(&c, switch_lacks(&c));
	}
	printf("%u counts\n", all);
	for (size_t k = 0; k < T_COUNT(of_counts); k++) {
		t_row("%s", of_counts[k].name);
		T_INT(violated[k], 0);
	}
}

/* --- the job */

typedef bool (*outcome_fn)(const struct switch_outcome *f);

static bool
a_job_that_nobody_holds_is_not_released(const struct switch_outcome *f)
{
	return f->held || !switch_releases(f);
}

static bool
a_held_job_is_released_only_when_it_has_all(const struct switch_outcome *f)
{
	return f->has_all || !switch_releases(f);
}

static bool
no_job_is_released_while_nodes_go_down_for_it(const struct switch_outcome *f)
{
	return !f->power_down || !switch_releases(f);
}

static bool who_waits_for_nodes_that_go_down_is_looked_at_soon(
	const struct switch_outcome *f)
{
	return switch_goes_on(f) ==
	       (f->power_down || (f->held && f->some_soon && !f->has_all));
}

static const struct {
	const char *name;
	outcome_fn holds;
} of_outcomes[] = {
	P(a_job_that_nobody_holds_is_not_released),
	P(a_held_job_is_released_only_when_it_has_all),
	P(no_job_is_released_while_nodes_go_down_for_it),
	P(who_waits_for_nodes_that_go_down_is_looked_at_soon),
};

static void each_outcome_has_each_property(void)
{
	unsigned int violated[T_COUNT(of_outcomes)] = {0};

	for (unsigned int i = 0; i < 16; i++) {
		const struct switch_outcome f = {.held = i & 1,
						 .has_all = i & 2,
						 .some_soon = i & 4,
						 .power_down = i & 8};

		for (size_t k = 0; k < T_COUNT(of_outcomes); k++)
			violated[k] += !of_outcomes[k].holds(&f);
	}
	for (size_t k = 0; k < T_COUNT(of_outcomes); k++) {
		t_row("%s", of_outcomes[k].name);
		T_INT(violated[k], 0);
	}
}

/* --- when */

typedef bool (*release_fn)(bool released, int64_t passed_ms);

static bool no_job_is_released_twice_in_a_minute(bool released,
						 int64_t passed_ms)
{
	return !released || passed_ms >= 60000;
}

static bool a_job_is_released_again_after_a_minute(bool released,
						   int64_t passed_ms)
{
	return released || passed_ms < 60000;
}

static const struct {
	const char *name;
	release_fn holds;
} of_releases[] = {
	P(no_job_is_released_twice_in_a_minute),
	P(a_job_is_released_again_after_a_minute),
};

#define RELEASES 200000
#define JOBS RELEASED_MAX /* so many are remembered */

static void releases_that_go_on_from_each_other_have_each_property(void)
{
	unsigned int violated[T_COUNT(of_releases)] = {0};
	static int64_t last[JOBS]; /* 0: not yet */
	struct released_jobs r = {0};
	int64_t now_ms = 1000000;

	for (unsigned int i = 0; i < RELEASES; i++) {
		const unsigned int job = draw(JOBS);
		bool released;

		now_ms += coin() ? up_to(1000) : 0;
		if (last[job] && seldom(4)) /* to where it matters */
			now_ms = now_ms > last[job] + 60000
					 ? now_ms
					 : last[job] + 59999 + up_to(2);
		released = switch_may_release(&r, job + 1, now_ms);
		for (size_t k = 0; k < T_COUNT(of_releases); k++)
			violated[k] += !of_releases[k].holds(
				released,
				last[job] ? now_ms - last[job] : INT64_MAX);
		if (released)
			last[job] = now_ms;
	}
	printf("%u releases\n", RELEASES);
	for (size_t k = 0; k < T_COUNT(of_releases); k++) {
		t_row("%s", of_releases[k].name);
		T_INT(violated[k], 0);
	}
}

T_MAIN("switch_properties", T(each_count_has_each_property),
       T(each_outcome_has_each_property),
       T(releases_that_go_on_from_each_other_have_each_property))
