/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes are looked at when k8s_prolog says that a job has got them. */
#include <stdio.h>
#include <stdlib.h>

#include "nodes/watch/nodes.h"
#include "t.h"

static void a_node_is_looked_at_once(void)
{
	struct nodes *nodes = calloc(1, sizeof(*nodes));

	T_NEED(nodes != NULL);
	node_states_allocated(nodes, "cpu-1");
	node_states_allocated(nodes, "cpu-1");
	T_INT(nodes->allocated.n, 1);
	T_STR(nodes->allocated.v[0]->name, "cpu-1");
	T_OK(nodes->allocated.v[0]->allocated_at > 0);
	T_OK(!nodes->slurm.stale);
	node_states_free(nodes);
	free(nodes);
}

/* (each job that starts has a prolog) */
static void one_that_is_up_is_not(void)
{
	static const struct {
		enum node_power now;
		bool looked, is;
	} rows[] = {
		{NODE_POWERED_DOWN, true, true},
		{NODE_POWERING_DOWN, true, true},
		{NODE_POWERING_UP, true, false},
		{NODE_UP, true, false},
		{NODE_UP, false, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct nodes *nodes = calloc(1, sizeof(*nodes));
		struct node_state *m = nodes ? node_state_of(nodes, "n") : NULL;

		t_row("%zu", i);
		T_NEED(m != NULL);
		m->power.now = rows[i].now;
		m->power.looked = rows[i].looked;
		node_states_allocated(nodes, "n");
		T_INT(nodes->allocated.n, rows[i].is);
		T_INT(m->allocated_at > 0, rows[i].is);
		node_states_free(nodes);
		free(nodes);
	}
}

static void of_many_all_are_read_at_once(void)
{
	struct nodes *nodes = calloc(1, sizeof(*nodes));
	char name[16];

	T_NEED(nodes != NULL);
	for (int i = 0; i <= NODES_SINGLE_MAX; i++) {
		T_OK(!nodes->slurm.stale);
		snprintf(name, sizeof(name), "n%d", i);
		node_states_allocated(nodes, name);
	}
	T_INT(nodes->allocated.n, NODES_SINGLE_MAX);
	T_OK(nodes->slurm.stale);
	T_OK(node_state_of(nodes, name)->allocated_at > 0);
	node_states_free(nodes);
	free(nodes);
}

T_MAIN("node_states", T(a_node_is_looked_at_once), T(one_that_is_up_is_not),
       T(of_many_all_are_read_at_once))
