/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodesets and features rest, and for how long. The clock is the test's.
 */
#include <stdlib.h>
#include <string.h>

#include "nodes/reconcile/reconcile.h"
#include "t.h"

#define EPOCH_S 1800000000
#define PLAIN 0
#define JAX 1
#define PYTORCH 2

static int64_t now;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

int64_t __wrap_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void)
{
	return EPOCH_S * 1000LL + now;
}

static struct nodeset set;
static struct cooldown cooling;
static struct config config;
static struct nodes e;
static struct node_state *cpu_1, *cpu_2;

static struct node_state *memo(const char *name)
{
	struct node_state *m = calloc(1, sizeof(*m) + strlen(name) + 1);

	if (!m)
		abort();
	memcpy(m->name, name, strlen(name) + 1);
	HASH_ADD_STR(e.memos, name, m);
	return m;
}

static void forget(struct node_state **m)
{
	if (*m)
		HASH_DELETE(hh, e.memos, *m);
	free(*m);
	*m = NULL;
}

static void begin(void)
{
	forget(&cpu_1);
	forget(&cpu_2);
	set = (struct nodeset){.name = (char *)"cpu",
			       .failover = {.cool_down_ms = 30000,
					    .cool_down_max_ms = 600000}};
	memset(&cooling, 0, sizeof(cooling));
	config = (struct config){.nodesets = &set, .n_nodesets = 1};
	memset(&e, 0, sizeof(e));
	e.config = &config;
	e.cooling = &cooling;
	now = 1000000;
	cpu_1 = memo("cpu-1");
	cpu_2 = memo("cpu-2");
}

/* When may it begin, in s from now? */
static int64_t begins(feature_set active)
{
	const int64_t at = cooldown_begin_s(&e, &set, active);

	return at > 0 ? at - EPOCH_S - now / 1000 : at;
}

static void a_failure_has_the_nodeset_rest_and_the_next_one_for_longer(void)
{
	begin();
	T_OK(!cooldown_now(&e, &set));
	cooldown_failure(&e, &set, PLAIN, "no image");
	T_OK(cooldown_now(&e, &set));
	T_STR(cooling.words, "nodeset cpu cools down: no image");
	T_INT(begins(PLAIN), REQUEUED_NOW); /* its nodes are drained */
	now += 29999;
	cooldown_failure(&e, &set, PLAIN, "the same");
	T_OK(cooldown_now(&e, &set));
	now += 1;
	T_OK(!cooldown_now(&e, &set));
	cooldown_failure(&e, &set, PLAIN, "no image");
	now += 59999;
	T_OK(cooldown_now(&e, &set));
	now += 1;
	T_OK(!cooldown_now(&e, &set));
}

static void what_fails_with_some_features_stops_no_others(void)
{
	begin();
	cooldown_failure(&e, &set, PYTORCH, "no such tag");
	T_OK(!cooldown_now(&e, &set)); /* nobody's nodes are drained */
	T_INT(begins(PYTORCH), 30);
	T_INT(begins(JAX), REQUEUED_NEVER);
	now += 10000;
	cooldown_failure(&e, &set, PYTORCH, "no such tag");
	T_INT(begins(PYTORCH), 20);
	now += 20000;
	cooldown_failure(&e, &set, PYTORCH, "no such tag");
	T_INT(begins(PYTORCH), 60);
	T_OK(!cooldown_now(&e, &set));
	cooldown_success(&e, &set, JAX, now - 5000);
	T_INT(begins(PYTORCH), 60);
	cooldown_failure(&e, &set, PLAIN, "no image");
	T_OK(cooldown_now(&e, &set));
	T_INT(begins(PYTORCH), REQUEUED_NOW); /* by then its nodes rest, too */
}

/* One machine's network, or one 429 of a registry, among 10,000 nodes */
static void a_failure_beside_nodes_that_come_up_stops_nothing(void)
{
	begin();
	cooldown_success(&e, &set, PLAIN, now - 5000);
	now += 59999;
	cooldown_failure(&e, &set, PLAIN, "429");
	T_OK(!cooldown_now(&e, &set));
	T_INT(begins(PLAIN),
	      REQUEUED_NEVER); /* or it would come at once, again */
	now += 1;
	cooldown_failure(&e, &set, PLAIN, "429");
	T_OK(cooldown_now(&e, &set));
	begin();
	cooldown_success(&e, &set, JAX, now - 5000); /* this says nothing */
	cooldown_failure(&e, &set, PLAIN, "429");
	T_OK(cooldown_now(&e, &set));
}

static void a_rest_is_not_ended_by_what_was_on_its_way_before(void)
{
	begin();
	cooldown_failure(&e, &set, PLAIN, "429");
	for (int i = 0; i < 20; i++) {
		now += 1000;
		cooldown_success(&e, &set, PLAIN, 999999 - i);
		T_OK(cooldown_now(&e, &set));
		cooldown_failure(&e, &set, PLAIN, "429");
	}
	cooldown_success(&e, &set, PLAIN, 1000001); /* an administrator's try */
	T_OK(!cooldown_now(&e, &set));
}

static void one_plain_pod_that_is_refused_has_the_nodeset_rest(void)
{
	begin();
	cooldown_success(&e, &set, PLAIN, now - 5000);
	cooldown_refused(&e, &set, "cpu-1", "exceeded quota");
	T_OK(cooldown_now(&e, &set));
	T_STR(cooling.words, "nodeset cpu cools down: exceeded quota");
	T_STR(cooldown_words(&e, &set, cpu_2), cooling.words);
	now += 30000;
	T_OK(!cooldown_words(&e, &set, cpu_2));
	cooldown_success(&e, &set, PLAIN, now - 5000);
	cooldown_refused(&e, &set, "cpu-1",
			 "exceeded quota"); /* the row begins anew */
	now += 30000;
	T_OK(!cooldown_now(&e, &set));
}

/* Its size, or its features: others may have chosen other ones. */
static void what_a_job_has_chosen_is_nothing_of_the_nodesets(void)
{
	static const char *const words[] = {
		"again in 30 s (200 nodes): exceeded quota",
		"again in 600 s (with features jax): denied",
		"again in 60 s (2 nodes with features jax): denied"};

	for (size_t i = 0; i < T_COUNT(words); i++) {
		t_row("%s", words[i]);
		begin();
		cooldown_refused(&e, &set, "cpu-1", words[i]);
		T_OK(!cooldown_now(&e, &set));
		T_OK(!cooldown_words(&e, &set, cpu_1));
	}
}

static void what_is_refused_one_node_has_it_rest_alone(void)
{
	static const char *const words[] = {
		"pod slurm/cpu-1: there is a pod of this name that is not this "
		"Slurm node's",
		"node cpu-1: Slurm names no CPUs or RealMemory"};

	for (size_t i = 0; i < T_COUNT(words); i++) {
		t_row("%s", words[i]);
		begin();
		cooldown_refused(&e, &set, "cpu-1", words[i]);
		T_OK(!cooldown_now(&e, &set));
		T_OK(!cooldown_words(&e, &set, cpu_2));
		T_HAS(cooldown_words(&e, &set, cpu_1), "its pod");
		now += 29999;
		cooldown_refused(&e, &set, "cpu-1", words[i]);
		T_OK(cooldown_words(&e, &set, cpu_1));
		now += 1;
		T_OK(!cooldown_words(&e, &set, cpu_1));
		cooldown_refused(&e, &set, "cpu-1", words[i]);
		now += 59999;
		T_OK(cooldown_words(&e, &set, cpu_1));
		now += 1;
		T_OK(!cooldown_words(&e, &set, cpu_1));
		cooldown_refused(&e, &set, "cpu-3", words[i]); /* unknown yet */
		T_OK(!cooldown_now(&e, &set));
	}
}

/* Others' nodes were on their way when it was refused, and come up. */
static void refusals_between_nodes_that_come_up_are_no_row(void)
{
	for (int jax = 0; jax < 2; jax++) {
		t_row("%d", jax);
		begin();
		for (int i = 0; i < 5; i++) {
			cooldown_refused(&e, &set, "cpu-1", "exceeded quota");
			now += 5000;
			T_OK(cooldown_now(&e, &set));
			cooldown_success(&e, &set, jax ? JAX : PLAIN,
					 now - 6000);
			T_OK(cooldown_now(&e, &set));
			now += 24999;
			T_OK(cooldown_now(&e, &set));
			now += 1;
			T_OK(!cooldown_now(&e, &set));
		}
		cooldown_refused(&e, &set, "cpu-1", "exceeded quota");
		now += 30000;
		cooldown_refused(&e, &set, "cpu-1", "exceeded quota");
		now += 59999; /* nobody else's came up */
		T_OK(cooldown_now(&e, &set));
		now += 1;
		T_OK(!cooldown_now(&e, &set));
	}
}

static void without_a_rest_jobs_come_at_once(void)
{
	begin();
	set.failover.cool_down_ms = 0;
	for (feature_set active = 0; active < 3; active++) {
		cooldown_failure(&e, &set, active, "no image");
		T_OK(!cooldown_now(&e, &set));
		T_INT(begins(active), REQUEUED_NOW);
	}
}

static void features_beyond_the_bound_are_as_one(void)
{
	begin();
	for (feature_set active = 1; active < 100; active++)
		cooldown_success(&e, &set, active, now);
	now += 60000;
	cooldown_failure(&e, &set, 98, "no image");
	T_INT(begins(99), 30);
	T_INT(begins(BY_FEATURES_MAX - 2), REQUEUED_NEVER);
	T_OK(!cooldown_now(&e, &set));
}

T_MAIN("cooldown",
       T(a_failure_has_the_nodeset_rest_and_the_next_one_for_longer),
       T(what_fails_with_some_features_stops_no_others),
       T(a_failure_beside_nodes_that_come_up_stops_nothing),
       T(a_rest_is_not_ended_by_what_was_on_its_way_before),
       T(one_plain_pod_that_is_refused_has_the_nodeset_rest),
       T(what_a_job_has_chosen_is_nothing_of_the_nodesets),
       T(what_is_refused_one_node_has_it_rest_alone),
       T(refusals_between_nodes_that_come_up_are_no_row),
       T(without_a_rest_jobs_come_at_once),
       T(features_beyond_the_bound_are_as_one))
