/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/features/switch_decide.h"
#include "t.h"

/* bits: pytorch 1, jax 2, gpu 4 */
static struct feature all[] = {{.name = (char *)"pytorch"},
			       {.name = (char *)"jax"},
			       {.name = (char *)"gpu"}};
static const struct features known = {.v = all, .n = T_COUNT(all)};

static enum switch_use use_for(const struct switch_node *n, const char *text)
{
	struct constraint r;

	T_INT(constraint_parse(&known, text, &r, NULL), 0);
	T_INT(r.n, 1);
	return switch_use_of(n, &r, &r.v[0]);
}

/* Its nodeset offers pytorch and jax; it is with jax. */
static struct switch_node jax_node(void)
{
	return (struct switch_node){.up = true,
				    .features = "rack1,pytorch,jax",
				    .active = "rack1,jax",
				    .known = &known,
				    .offered = 3};
}

static void a_node_is_worth_what_it_is_and_could_be(void)
{
	static const struct {
		const char *request;
		enum switch_use idle, down, ending;
	} rows[] = {
		{"jax", SWITCH_READY, SWITCH_READY, SWITCH_SOON},
		{"pytorch", SWITCH_NEEDS_POWER_DOWN, SWITCH_READY, SWITCH_SOON},
		{"rack1&jax", SWITCH_READY, SWITCH_READY, SWITCH_SOON},
		{"rack1&pytorch", SWITCH_NEEDS_POWER_DOWN, SWITCH_READY,
		 SWITCH_SOON},
		{"pytorch&jax", SWITCH_NEEDS_POWER_DOWN, SWITCH_READY,
		 SWITCH_SOON},
		{"rack2&jax", SWITCH_NO_USE, SWITCH_NO_USE, SWITCH_NO_USE},
		{"gpu", SWITCH_NO_USE, SWITCH_NO_USE, SWITCH_NO_USE},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct switch_node n = jax_node();

		t_row("%s", rows[i].request);
		T_INT(use_for(&n, rows[i].request), rows[i].idle);
		T_OK(!switch_goes_down(&n));
		n.ending = true;
		T_OK(switch_goes_down(&n));
		T_INT(use_for(&n, rows[i].request), rows[i].ending);
		n.ending = n.up = false;
		T_INT(use_for(&n, rows[i].request), SWITCH_NO_USE);
		n.powered_down = true;
		T_INT(use_for(&n, rows[i].request), rows[i].down);
		n.powered_down = false;
		n.powering_down = true;
		T_INT(use_for(&n, rows[i].request), rows[i].ending);
	}
}

static void who_is_in_use_is_of_no_use(void)
{
	struct switch_node n = jax_node();

	T_OK(switch_is_idle(&n));
	n.unsure = true;
	T_OK(!switch_is_idle(&n));
	T_INT(use_for(&n, "jax"), SWITCH_NO_USE);
	n.unsure = false;
	n.in_use = true;
	T_OK(!switch_is_idle(&n));
	T_INT(use_for(&n, "jax"), SWITCH_NO_USE);
	n.ending = true;
	T_INT(use_for(&n, "jax"), SWITCH_NO_USE);
}

/* By slurm.conf, by its nodeset in k8s.yaml: both must say so. */
static void features_must_be_offered_and_available(void)
{
	struct switch_node n = jax_node();

	n.offered = 2;
	T_INT(use_for(&n, "pytorch"), SWITCH_NO_USE);
	n.offered = 7;
	T_INT(use_for(&n, "gpu"), SWITCH_NO_USE);
	n.features = "gpu";
	T_INT(use_for(&n, "gpu"), SWITCH_NEEDS_POWER_DOWN);
	n.features = n.active = NULL;
	T_INT(use_for(&n, "gpu"), SWITCH_NO_USE);
	T_INT(use_for(&n, "rack1"), SWITCH_NO_USE);
}

static void a_node_that_is_too_small_has_no_room(void)
{
	static const struct {
		struct switch_size node, job;
		bool fits;
	} rows[] = {
		{{4, 400, "gpu:2"}, {4, 400, "gres/gpu:2"}, true},
		{{4, 400, "gpu:2"}, {5, 400, "gres/gpu:2"}, false},
		{{4, 400, "gpu:2"}, {4, 401, "gres/gpu:2"}, false},
		{{4, 400, "gpu:2"}, {4, 400, "gres/gpu:3"}, false},
		{{4, 400, NULL}, {4, 400, "gres/gpu:1"}, false},
		{{4, 400, "gpu:2"}, {0}, true},
		{{0}, {4, 400, NULL}, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_INT(switch_fits(&rows[i].node, &rows[i].job), rows[i].fits);
	}
}

static void what_a_job_lacks_is_powered_down_if_that_is_enough(void)
{
	static const struct {
		size_t wanted, ready, soon, others;
		int64_t lacks;
	} rows[] = {
		{1, 1, 0, 0, 0},  {1, 0, 1, 0, 0},  {1, 0, 0, 1, 1},
		{1, 0, 0, 9, 1},  {1, 0, 0, 0, -1}, {4, 1, 1, 2, 2},
		{4, 1, 1, 1, -1}, {4, 0, 0, 3, -1}, {4, 0, 0, 4, 4},
		{4, 4, 0, 9, 0},  {4, 2, 9, 9, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct switch_count c = {.wanted = rows[i].wanted,
					 .ready = rows[i].ready,
					 .soon = rows[i].soon,
					 .others = rows[i].others};

		t_row("row %zu", i);
		T_INT(switch_lacks(&c), rows[i].lacks);
	}
}

static void a_search_ends_when_there_are_enough(void)
{
	struct switch_count c = {.wanted = 2};

	T_OK(!switch_enough(&c));
	T_OK(!switch_add(&c, SWITCH_NEEDS_POWER_DOWN));
	T_OK(!switch_add(&c, SWITCH_NEEDS_POWER_DOWN));
	T_OK(!switch_add(&c, SWITCH_NO_USE));
	T_OK(!switch_add(&c, SWITCH_SOON));
	T_OK(switch_add(&c, SWITCH_READY));
	T_OK(!switch_now(&c));
	T_INT(switch_lacks(&c), 0);
}

/* Nobody else would release it when the nodes are there. */
static void for_a_held_job_nodes_that_power_down_are_not_enough(void)
{
	struct switch_count c = {.wanted = 1, .held = true};

	T_OK(!switch_add(&c, SWITCH_SOON));
	T_INT(switch_lacks(&c), 0); /* but no others are powered down for it */
	T_OK(!switch_now(&c));
	T_OK(switch_add(&c, SWITCH_READY));
	T_OK(switch_now(&c));
}

static void a_search_takes_a_fiftieth_of_the_time(void)
{
	T_INT(switch_pause(0), 0);
	T_INT(switch_pause(10), 500);
	T_INT(switch_pause(1199), 59950);
	T_INT(switch_pause(1200), 60000);
	T_INT(switch_pause(100000), 60000);
}

T_MAIN("switch_decide", T(a_node_is_worth_what_it_is_and_could_be),
       T(who_is_in_use_is_of_no_use), T(features_must_be_offered_and_available),
       T(a_node_that_is_too_small_has_no_room),
       T(what_a_job_lacks_is_powered_down_if_that_is_enough),
       T(a_search_ends_when_there_are_enough),
       T(for_a_held_job_nodes_that_power_down_are_not_enough),
       T(a_search_takes_a_fiftieth_of_the_time))
