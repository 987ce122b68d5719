/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many nodes are lost at once, and slurmctld is slow: what is planned is
 * carried out as long as it is fresh. slurmctld and its clock are the test's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "nodes_apply_fixture.h"

#define NODES 100
#define FRESH_MS 3000 /* after the last look, with the last request */

int64_t __wrap_clock_ms(void);

static int64_t now, load_ms, comment_ms, update_ms, last_update;
static bool load_fails;
static char powered_off[12]; /* the last one, unless it was set down */
static char names[NODES][12];
static unsigned int loads, told, sent, followed;
static bool is_told[NODES + 1], is_sent[NODES + 1];
static bool all_on_first;	  /* all jobs are on n0 */
static bool has_words[NODES + 1]; /* these jobs have their words by now */

int64_t __wrap_clock_ms(void)
{
	return now;
}

/* --- Slurm: job N is on node N */

int ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	now += load_ms;
	loads++;
	*out = (struct ctl_jobs *)names;
	return load_fails ? err_set(err, -EIO, "no answer") : 0;
}

void ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn, void *arg)
{
	(void)j;
	for (uint32_t i = 0; i < NODES; i++) {
		const struct ctl_occupant job = {
			.node = names[all_on_first ? 0 : i],
			.job_id = i + 1,
			.requeueable = true};

		fn(arg, &job);
	}
}

int ctl_job_comment(const struct ctl_jobs *j, uint32_t job_id, const char *text,
		    struct err *err)
{
	(void)j, (void)text, (void)err;
	is_told[job_id] = true;
	told++;
	now += has_words[job_id] ? 0 : comment_ms;
	has_words[job_id] = true;
	return 0;
}

int ctl_node_try(const char *nodes, enum ctl_node_update what, const char *text)
{
	unsigned int i;

	(void)text;
	now += update_ms;
	last_update = now;
	if (what == CTL_DOWN && sscanf(nodes, "n%u", &i) == 1 && i < NODES) {
		is_sent[i + 1] = true;
		sent++;
	} else if (what == CTL_POWER_DOWN_FORCE &&
		   sscanf(nodes, "n%u", &i) == 1 && !is_sent[i + 1]) {
		str_copy(powered_off, nodes, sizeof(powered_off));
	}
	return 0;
}

void ctl_reason(const char *words, char out[WK_REASON_MAX])
{
	str_copy(out, words, WK_REASON_MAX);
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n;
	return see_node(name, out);
}

/* --- the rest of the engine */

void requeued_add(struct nodes *e, uint32_t job_id, int64_t begin_s)
{
	(void)e, (void)begin_s;
	T_OK(is_sent[all_on_first ? 1 : job_id]);
	followed++;
}

/* --- */

static struct nodes *begin(void)
{
	struct nodes *e = calloc(1, sizeof(*e));

	if (!e)
		abort();
	e->slurm.look_at = INT64_MAX;
	node_is = (struct ctl_node){
		.power = CTL_UP, .down = true, .reason = "Not responding"};
	now = 1000;
	load_fails = false;
	loads = told = sent = followed = 0;
	memset(has_words, 0, sizeof(has_words));
	return e;
}

/* These are lost, each for another reason; and this one is powered off. */
static void act(struct nodes *e, size_t lost, bool off)
{
	struct actions a = {.v = calloc(NODES, sizeof(*a.v)), .n = lost + off};

	if (!a.v)
		abort();
	memset(is_told, 0, sizeof(is_told));
	memset(is_sent, 0, sizeof(is_sent));
	*powered_off = '\0';
	for (size_t i = 0; i < a.n; i++) {
		snprintf(names[i], sizeof(names[i]), "n%u", (unsigned int)i);
		a.v[i].memo =
			calloc(1, sizeof(struct node_state) + sizeof(names[i]));
		if (!a.v[i].memo)
			abort();
		str_copy(a.v[i].memo->name, names[i], sizeof(names[i]));
		a.v[i].plan.slurm = i < lost ? NODE_DOWN : NODE_POWER_OFF;
		a.v[i].plan.row = i < lost ? "pod gone" : "not responding";
		if (i < lost)
			snprintf(a.v[i].plan.words, sizeof(a.v[i].plan.words),
				 "its pod is gone %zu", i);
	}
	nodes_apply(e, &a);
	for (size_t i = 0; i < lost + off; i++)
		free(a.v[i].memo);
	free(a.v);
}

static struct nodes *lose_all(void)
{
	struct nodes *e = begin();

	act(e, NODES, false);
	return e;
}

static void all_is_done_while_it_is_fresh(void)
{
	struct nodes *e;

	load_ms = comment_ms = update_ms = 1;
	e = lose_all();
	T_INT(told, NODES);
	T_INT(sent, NODES);
	T_INT(followed, NODES);
	free(e);
}

static void what_is_late_is_planned_anew(void)
{
	static const struct {
		int64_t load_ms, comment_ms, update_ms;
	} rows[] = {{0, 100, 1},     {0, 1, 100},	 {0, 100, 100},
		    {0, 5000, 5000}, {2000, 1, 100},	 {20000, 1, 1},
		    {20000, 400, 1}, {20000, 5000, 5000}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct nodes *e;

		t_row("%zu", i);
		load_ms = rows[i].load_ms;
		comment_ms = rows[i].comment_ms;
		update_ms = rows[i].update_ms;
		e = lose_all();
		T_OK(told >= 1 && told <= NODES);
		T_OK(sent >= 1 && sent < NODES);
		T_OK(last_update <= 1000 + FRESH_MS + rows[i].load_ms +
					    rows[i].comment_ms +
					    2 * rows[i].update_ms);
		/* no job goes back that was not told why */
		for (size_t k = 1; k <= NODES; k++)
			T_OK(is_told[k] || !is_sent[k]);
		T_INT(followed, sent);
		T_OK(e->slurm.stale);
		T_INT(e->slurm.look_at, 0);
		free(e);
	}
}

/* So many small jobs that a pass cannot tell them all. */
static void a_node_with_many_jobs_is_sent_back_after_some_passes(void)
{
	struct nodes *e = begin();
	int passes = 0;

	load_ms = update_ms = 1;
	comment_ms = 50;
	all_on_first = true;
	while (!sent && ++passes < 10)
		act(e, 1, false);
	T_INT(sent, 1);
	T_OK(passes > 1);
	T_INT(followed, NODES);
	all_on_first = false;
	free(e);
}

/* Slurm has powered its node up meanwhile: a job runs in that very pod. */
static void a_pod_is_deleted_late_only_if_its_node_is_as_it_was(void)
{
	static const struct {
		int64_t load_ms;
		enum ctl_node_power power;
		unsigned int deleted;
	} rows[] = {
		{1, CTL_POWERED_DOWN, 1},
		{20000, CTL_POWERED_DOWN, 1},
		{20000, CTL_POWERING_UP, 0},
		{20000, CTL_UP, 0},
	};

	comment_ms = update_ms = 1;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct nodes *e = begin();
		struct action v[2] = {
			{.plan = {.slurm = NODE_DOWN, .row = "pod gone"}},
			{.plan = {.kube = POD_DELETE, .row = "orphan"}}};
		struct actions a = {.v = v, .n = 2};

		t_row("%zu", i);
		deleted = 0;
		load_ms = rows[i].load_ms;
		node_is = (struct ctl_node){.power = rows[i].power};
		for (int k = 0; k < 2; k++) {
			v[k].memo = calloc(1, sizeof(struct node_state) + 4);
			if (!v[k].memo)
				abort();
			strcpy(v[k].memo->name, k ? "n1" : "n0");
			strcpy(names[k], v[k].memo->name);
			v[k].memo->power.now = NODE_POWERED_DOWN;
		}
		nodes_apply(e, &a);
		T_INT(deleted, rows[i].deleted);
		T_INT(e->slurm.look_at == 0, !rows[i].deleted);
		free(v[0].memo);
		free(v[1].memo);
		free(e);
	}
}

/* It was seen before the list of jobs came; and each pass gets somewhere. */
static void a_list_of_jobs_that_is_slow_makes_the_rest_late(void)
{
	struct nodes *e = begin();

	load_ms = 20000;
	comment_ms = update_ms = 1;
	act(e, 2, true);
	T_INT(sent, 1);
	T_STR(powered_off, "");
	T_INT(e->slurm.look_at, 0);
	T_OK(e->slurm.stale);
	act(e, 0, true);
	T_STR(powered_off, "n0");
	T_INT(loads, 1);
	load_ms = 100;
	e->apply.others = false;
	act(e, 1, true);
	T_STR(powered_off, "n1");
	free(e);
}

static void lists_of_jobs_that_fail_delay_the_rest_once(void)
{
	struct nodes *e = begin();

	load_ms = 20000;
	comment_ms = update_ms = 1;
	load_fails = true;
	for (unsigned int i = 1; i <= 3; i++) {
		act(e, 2, true);
		T_INT(loads, i);
		T_STR(powered_off, "");
		act(e, 2, true);
		T_INT(loads, i);
		T_STR(powered_off, "n2");
	}
	T_INT(sent, 0);
	load_fails = false;
	act(e, 2, true);
	T_INT(sent, 1);
	free(e);
}

/* There are more lost nodes than one pass can tell slurmctld of. */
static void many_lost_nodes_and_the_rest_take_turns(void)
{
	struct nodes *e = begin();

	load_ms = 100;
	comment_ms = update_ms = 100;
	for (unsigned int i = 1; i <= 3; i++) {
		unsigned int before = sent;

		t_row("%u", i);
		act(e, NODES - 1, true);
		T_INT(loads, i);
		T_OK(sent > before);
		T_STR(powered_off, "");
		before = sent;
		e->slurm.look_at = INT64_MAX;
		act(e, NODES - 1, true);
		T_INT(loads, i);
		T_INT(sent, before);
		T_STR(powered_off, "n99");
		T_INT(e->slurm.look_at,
		      0); /* the lost ones are next, at once */
	}
	free(e);
}

/* A pass may be about a few nodes only. */
static void no_turn_is_lost_where_there_are_not_both(void)
{
	struct nodes *e = begin();
	unsigned int before;

	load_ms = comment_ms = update_ms = 100;
	act(e, NODES - 1, true);
	T_STR(powered_off, "");
	before = sent;
	act(e, 2, false); /* there is nothing to leave them for */
	T_INT(sent, before + 2);
	act(e, 0, true);
	T_STR(powered_off, "n0");
	act(e, NODES - 1, true);
	T_INT(sent, before + 2);
	T_STR(powered_off, "n99");
	act(e, NODES - 1, false);
	before = sent;
	act(e, NODES - 1, true); /* the rest was not late */
	T_OK(sent > before);
	free(e);
}

T_MAIN("nodes_apply_late",
       T(a_node_with_many_jobs_is_sent_back_after_some_passes),
       T(many_lost_nodes_and_the_rest_take_turns),
       T(no_turn_is_lost_where_there_are_not_both),
       T(a_pod_is_deleted_late_only_if_its_node_is_as_it_was),
       T(all_is_done_while_it_is_fresh), T(what_is_late_is_planned_anew),
       T(a_list_of_jobs_that_is_slow_makes_the_rest_late),
       T(lists_of_jobs_that_fail_delay_the_rest_once))
