/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes of a nodeset run for minRunning: all that three nodes may be is
 * tried, with each number that may be wanted.
 */
#include "nodes/running/running_decide.h"
#include "property.h"

#define NODES 3
#define STATES (4 * 32) /* of one node: its power, and five flags */

struct
try {
	struct running_view v[NODES];
	struct running_decision d[NODES];
	uint32_t wanted;
};

typedef bool (*try_fn)(const struct try *t);

static bool runs(const struct running_view *v)
{
	return v->usable && (v->starting || v->power == NODE_UP ||
			     v->power == NODE_POWERING_UP);
}

static bool sleeps(const struct running_view *v)
{
	return v->usable && !v->starting && v->power == NODE_POWERED_DOWN &&
	       v->may_start;
}

static uint32_t count(const struct try *t,
		      bool (*is)(const struct running_view *))
{
	uint32_t n = 0;

	for (size_t i = 0; i < NODES; i++)
		n += is(&t->v[i]);
	return n;
}

static uint32_t started(const struct try *t)
{
	uint32_t n = 0;

	for (size_t i = 0; i < NODES; i++)
		n += t->d[i].start;
	return n;
}

static bool is_kept(const struct try *t, size_t i)
{
	return t->d[i].keep || (t->v[i].ours && !t->d[i].release);
}

static bool as_many_run_as_are_wanted_and_can(const struct try *t)
{
	const uint32_t can = count(t, runs) + count(t, sleeps);

	return count(t, runs) + started(t) >=
	       (can < t->wanted ? can : t->wanted);
}

static bool no_more_are_started_than_lack(const struct try *t)
{
	return !started(t) || count(t, runs) + started(t) <= t->wanted;
}

static bool no_more_are_kept_than_wanted(const struct try *t)
{
	uint32_t n = 0;

	for (size_t i = 0; i < NODES; i++)
		n += is_kept(t, i);
	return n <= t->wanted;
}

static bool only_who_sleeps_is_started(const struct try *t)
{
	for (size_t i = 0; i < NODES; i++)
		if (t->d[i].start && !sleeps(&t->v[i]))
			return false;
	return true;
}

static bool who_is_started_is_kept_up(const struct try *t)
{
	for (size_t i = 0; i < NODES; i++)
		if (t->d[i].start && !t->d[i].keep && !t->v[i].excepted)
			return false;
	return true;
}

static bool what_an_administrator_keeps_is_not_released(const struct try *t)
{
	for (size_t i = 0; i < NODES; i++)
		if (t->d[i].release && !t->v[i].ours)
			return false;
	return true;
}

static bool who_is_there_is_not_added(const struct try *t)
{
	for (size_t i = 0; i < NODES; i++)
		if (t->d[i].keep && t->v[i].excepted)
			return false;
	return true;
}

static bool who_cannot_run_is_released(const struct try *t)
{
	for (size_t i = 0; i < NODES; i++)
		if (is_kept(t, i) && !runs(&t->v[i]) && !t->d[i].start)
			return false;
	return true;
}

static bool who_is_kept_stays(const struct try *t)
{
	uint32_t before = 0;

	for (size_t i = 0; i < NODES; i++)
		before += runs(&t->v[i]) && t->v[i].excepted && !t->v[i].ours;
	for (size_t i = 0; i < NODES; i++) {
		if (!t->v[i].ours || !runs(&t->v[i]))
			continue;
		if (before < t->wanted && t->d[i].release)
			return false;
		before++;
	}
	return true;
}

static bool an_administrators_node_counts_first(const struct try *t)
{
	uint32_t his = 0, ours = 0;

	for (size_t i = 0; i < NODES; i++) {
		his += runs(&t->v[i]) && t->v[i].excepted && !t->v[i].ours;
		ours += runs(&t->v[i]) && t->v[i].ours;
	}
	for (size_t i = 0; i < NODES; i++)
		if (is_kept(t, i) && his >= t->wanted)
			return false;
		else if (t->d[i].keep && !t->v[i].ours &&
			 his + ours >= t->wanted)
			return false;
	return true;
}

static bool nobody_is_kept_and_released(const struct try *t)
{
	for (size_t i = 0; i < NODES; i++)
		if (t->d[i].release && (t->d[i].keep || t->d[i].start))
			return false;
	return true;
}

static const struct {
	const char *name;
	try_fn holds;
} properties[] = {
	P(as_many_run_as_are_wanted_and_can),
	P(no_more_are_started_than_lack),
	P(no_more_are_kept_than_wanted),
	P(only_who_sleeps_is_started),
	P(who_is_started_is_kept_up),
	P(what_an_administrator_keeps_is_not_released),
	P(who_is_there_is_not_added),
	P(who_cannot_run_is_released),
	P(who_is_kept_stays),
	P(an_administrators_node_counts_first),
	P(nobody_is_kept_and_released),
};

static struct running_view nth_view(unsigned int i)
{
	static const enum node_power powers[] = {NODE_POWERED_DOWN,
						 NODE_POWERING_UP, NODE_UP,
						 NODE_POWERING_DOWN};

	return (struct running_view){.power = powers[i / 32],
				     .usable = i & 1,
				     .starting = i & 2,
				     .may_start = i & 4,
				     .excepted = i & 8,
				     .ours = i & 16};
}

static void each_decision_has_each_property(void)
{
	unsigned int violated[T_COUNT(properties)] = {0}, n = 0;
	struct try t;

	for (unsigned int i = 0; i < STATES * STATES * STATES; i++) {
		t.v[0] = nth_view(i % STATES);
		t.v[1] = nth_view(i / STATES % STATES);
		t.v[2] = nth_view(i / STATES / STATES);
		for (t.wanted = 0; t.wanted <= NODES; t.wanted++, n++) {
			running_decide(t.v, NODES, t.wanted, t.d);
			for (size_t k = 0; k < T_COUNT(properties); k++)
				violated[k] += !properties[k].holds(&t);
		}
	}
	printf("%u decisions\n", n);
	for (size_t k = 0; k < T_COUNT(properties); k++) {
		t_row("%s", properties[k].name);
		T_INT(violated[k], 0);
	}
}

T_MAIN("running_properties", T(each_decision_has_each_property))
