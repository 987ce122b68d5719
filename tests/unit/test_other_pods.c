/* SPDX-License-Identifier: GPL-2.0-or-later */
/* More pods than are kept of those that are not ours. */
#include <stdio.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "external/inventory.h"
#include "pods_fixture.h"
#include "t.h"

static int told; /* lines of the log about pods that are left out */

static void on_line(enum log_level level, const char *line)
{
	told += level <= LOG_LEVEL_WARN && strstr(line, "is not seen until");
}

static void ring(void *arg)
{
	(void)arg;
}

static struct inventory *begin(void)
{
	const struct inventory_options opt = {.cluster = "c",
					      .label = "l",
					      .scheduler = "s",
					      .count_others = true,
					      .ring = ring};
	struct inventory *h = inventory_new(&opt);

	relists = told = 0;
	log_set_sink(on_line);
	T_INT(inventory_start(h, NULL), 0);
	return h;
}

/* So many of them, from this number on, are there; or are gone. */
static void many(const struct informer_handler *on, size_t from, size_t n,
		 bool gone)
{
	_cleanup_json_ json_object *pod =
		t_parse("{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\"},"
			"\"spec\":{\"nodeName\":\"n1\"}}");
	json_object *meta = jx_get(pod, "metadata");

	for (size_t i = from; i < from + n; i++) {
		char uid[24];

		snprintf(uid, sizeof(uid), "%zx", i);
		json_object_object_add(meta, "uid",
				       json_object_new_string(uid));
		if (gone)
			on->on_delete(on->arg, pod);
		else
			on->on_object(on->arg, pod);
	}
}

static uint32_t count(struct inventory *h)
{
	const struct inventory_node *x;
	uint32_t n;

	inventory_lock(h);
	x = inventory_first(h);
	n = x ? inventory_node_others(x) : 0;
	inventory_unlock(h);
	return n;
}

/* (what they used passed for free until the API server ended the watch) */
static void those_that_were_left_out_are_listed_when_there_is_room(void)
{
	struct inventory *h = begin();

	many(&pods.to, 0, BRIDGE_OTHERS_MAX + 2, false);
	T_INT(count(h), BRIDGE_OTHERS_MAX);
	T_INT(told, 1);
	inventory_step(h);
	T_INT(relists, 0);
	/* a few more or less are not worth a list of all */
	many(&pods.to, 0, 100, true);
	inventory_step(h);
	T_INT(relists, 0);
	many(&pods.to, 100, BRIDGE_OTHERS_MAX / 10, true);
	inventory_step(h);
	T_INT(relists, 1);
	inventory_step(h);
	T_INT(relists, 1);
	T_INT(told, 1);
	/* it is so again: not at once, and the log says so again */
	many(&pods.to, BRIDGE_OTHERS_MAX, BRIDGE_OTHERS_MAX / 9, false);
	T_INT(count(h), BRIDGE_OTHERS_MAX);
	T_INT(told, 2);
	many(&pods.to, BRIDGE_OTHERS_MAX, BRIDGE_OTHERS_MAX / 9, true);
	inventory_step(h);
	T_INT(relists, 1);
	clock_now += 60000;
	inventory_step(h);
	T_INT(relists, 2);
	inventory_stop(h);
	inventory_free(h);
}

/* (they are in a list of another informer, which is asked for it) */
static void pods_of_our_scheduler_are_listed_with_those_we_have_bound(void)
{
	struct inventory *h = begin();
	struct informer_handler ours;
	struct freshness fresh = {.relist = false};

	ours = inventory_ours_handler(h);
	many(&pods.to, 0, BRIDGE_OTHERS_MAX, false);
	inventory_fresh(h, &fresh);
	many(&ours, BRIDGE_OTHERS_MAX, 1, false);
	T_INT(told, 1);
	inventory_fresh(h, &fresh);
	T_OK(!fresh.relist);
	many(&pods.to, 0, BRIDGE_OTHERS_MAX / 10 + 1, true);
	inventory_step(h);
	inventory_fresh(h, &fresh);
	T_OK(fresh.relist);
	T_INT(relists, 0);
	inventory_stop(h);
	inventory_free(h);
}

T_MAIN("other_pods", T(those_that_were_left_out_are_listed_when_there_is_room),
       T(pods_of_our_scheduler_are_listed_with_those_we_have_bound))
