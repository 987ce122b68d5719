/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "config/config.h"
#include "config/node_index.h"
#include "t.h"

static struct nodeset first, second;

DEFINE_CLEANUP(struct node_index, index_freep, node_index_free)
#define _cleanup_index_ _cleanup_(index_freep)

static void a_node_is_found_by_its_whole_name(void)
{
	_cleanup_index_ struct node_index *x = node_index_new();
	const struct nodeset *other = NULL;

	T_INT(node_index_add(x, "cpu-1", &first, &other), 0);
	T_INT(node_index_add(x, "cpu-10", &second, &other), 0);
	T_OK(node_index_find(x, "cpu-1") == &first);
	T_OK(node_index_find(x, "cpu-10") == &second);
	T_OK(!node_index_find(x, "cpu-"));
	T_OK(!node_index_find(x, "CPU-1"));
	T_OK(!node_index_find(x, ""));
}

static void the_first_claim_wins_and_is_named(void)
{
	_cleanup_index_ struct node_index *x = node_index_new();
	const struct nodeset *other = NULL;

	T_INT(node_index_add(x, "n", &first, &other), 0);
	T_INT(node_index_add(x, "n", &second, &other), -EEXIST);
	T_OK(other == &first);
	T_OK(node_index_find(x, "n") == &first);
}

static void many_nodes_are_kept_apart(void)
{
	_cleanup_index_ struct node_index *x = node_index_new();
	const struct nodeset *other = NULL;
	size_t wrong = 0;
	char name[32];

	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		wrong += node_index_add(x, name, i % 2 ? &first : &second,
					&other) != 0;
	}
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		wrong += node_index_find(x, name) != (i % 2 ? &first : &second);
	}
	T_INT(wrong, 0);
}

static void freeing_nothing_is_allowed(void)
{
	node_index_free(NULL);
}

T_MAIN("node_index", T(a_node_is_found_by_its_whole_name),
       T(the_first_claim_wins_and_is_named), T(many_nodes_are_kept_apart),
       T(freeing_nothing_is_allowed))
