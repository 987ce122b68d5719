/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/unread_pods.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "t.h"

static void see(struct unread_pods *u, const char *ns, const char *uid,
		unsigned int list)
{
	struct object_id id = {.name = "p"};

	str_copy(id.ns, ns, sizeof(id.ns));
	str_copy(id.uid, uid, sizeof(id.uid));
	unread_pods_see(u, &id, list);
}

/*
 * slurmctld was started anew, and a pod that runs cannot be read: jobs of its
 * namespace are not cancelled for want of pods, until it can be, or is gone.
 */
static void it_is_there_until_it_is_read_or_gone(void)
{
	static struct unread_pods u;

	see(&u, "ns", "1", 1);
	see(&u, "ns", "2", 1);
	see(&u, "other", "3", 1);
	T_OK(unread_pods_has(&u, "ns"));
	T_OK(unread_pods_has(&u, "other"));
	T_OK(!unread_pods_has(&u, "n"));
	T_OK(!unread_pods_has(&u, ""));
	unread_pods_drop(&u, "1");
	unread_pods_drop(&u, "unknown");
	unread_pods_drop(&u, NULL);
	T_OK(unread_pods_has(&u, "ns"));
	unread_pods_drop(&u, "2");
	T_OK(!unread_pods_has(&u, "ns"));
	T_OK(unread_pods_has(&u, "other"));
}

static void what_the_last_list_did_not_have_is_gone(void)
{
	static struct unread_pods u;

	see(&u, "a", "1", 1);
	see(&u, "b", "2", 1);
	see(&u, "c", "3", 1);
	see(&u, "b", "2", 2);
	unread_pods_synced(&u, 2);
	T_INT(u.n, 1);
	T_OK(unread_pods_has(&u, "b"));
}

static void what_does_not_say_which_pod_it_is_is_nothing(void)
{
	static struct unread_pods u;

	see(&u, "ns", "", 1);
	see(&u, "", "1", 1);
	T_INT(u.n, 0);
}

static void nobody_fills_the_memory_with_them(void)
{
	static struct unread_pods u;
	char uid[20];

	for (int i = 0; i < 1000; i++) {
		snprintf(uid, sizeof(uid), "%d", i);
		see(&u, "many", uid, 1);
	}
	T_INT(u.n, BRIDGE_UNREAD_MAX);
	see(&u, "ns", "x", 1);
	T_OK(!unread_pods_has(&u, "ns"));
	unread_pods_synced(&u, 2);
	T_INT(u.n, 0);
}

static void add_node(void *arg, const char *node)
{
	char *all = arg;

	snprintf(all + strlen(all), 20, "%s ", node);
}

static const char *nodes_of(const struct unread_pods *u)
{
	static char all[100];

	*all = '\0';
	unread_pods_each_node(u, add_node, all);
	return all;
}

static void the_nodes_of_those_that_may_run_are_known(void)
{
	static struct unread_pods u;
	struct object_id one = {.ns = "ns", .uid = "1"};
	const struct object_id two = {
		.ns = "ns", .uid = "2", .node = "n2", .phase = "Pending"};

	T_OK(unread_pods_see(&u, &one, 1));
	T_STR(nodes_of(&u), "");
	str_copy(one.node, "n1", sizeof(one.node));
	str_copy(one.phase, "Running", sizeof(one.phase));
	T_OK(unread_pods_see(&u, &one, 1));
	T_OK(unread_pods_see(&u, &two, 1));
	T_STR(nodes_of(&u), "n1 n2 ");
	str_copy(one.phase, "Failed", sizeof(one.phase));
	T_OK(unread_pods_see(&u, &one, 1));
	T_STR(nodes_of(&u), "n2 ");
	unread_pods_drop(&u, "2");
	T_STR(nodes_of(&u), "");
	T_OK(unread_pods_has(&u, "ns"));
}

T_MAIN("unread_pods", T(the_nodes_of_those_that_may_run_are_known),
       T(it_is_there_until_it_is_read_or_gone),
       T(what_the_last_list_did_not_have_is_gone),
       T(what_does_not_say_which_pod_it_is_is_nothing),
       T(nobody_fills_the_memory_with_them))
