/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/pack.h"
#include "t.h"

#define GI (1024ll * 1024 * 1024)

/* "cpus[/memory GiB[/gpus[/pods[-others]]]] ..." */
static size_t read_nodes(const char *text, struct pack_node *out)
{
	size_t n = 0;
	int used;

	for (; *text; text += used, n++) {
		unsigned int cpus = 0, gi = 0, gpus = 0, pods = 0, others = 0;
		int more = 0;

		used = 0;
		if (sscanf(text, " %u/%u/%u/%u%n", &cpus, &gi, &gpus, &pods,
			   &used) < 4 &&
		    sscanf(text, " %u/%u/%u%n", &cpus, &gi, &gpus, &used) < 3 &&
		    sscanf(text, " %u/%u%n", &cpus, &gi, &used) < 2)
			sscanf(text, " %u%n", &cpus, &used);
		if (!used)
			break;
		if (sscanf(text + used, "-%u%n", &others, &more) == 1)
			used += more;
		out[n] =
			(struct pack_node){cpus, gi * 1024, gpus, pods, others};
	}
	return n;
}

/* "milli[/memory GiB[/gpus]][p][@node] ..."; p: with ports */
static size_t read_pods(const char *text, struct pack_pod *out)
{
	size_t n = 0;
	int used;

	for (; *text; text += used, n++) {
		unsigned int cpu = 0, gi = 0, gpus = 0;
		int node = PACK_NONE, more = 0;
		bool ports;

		used = 0;
		if (sscanf(text, " %u/%u/%u%n", &cpu, &gi, &gpus, &used) < 3 &&
		    sscanf(text, " %u/%u%n", &cpu, &gi, &used) < 2)
			sscanf(text, " %u%n", &cpu, &used);
		if (!used)
			break;
		ports = text[used] == 'p';
		used += ports;
		if (sscanf(text + used, "@%d%n", &node, &more) == 1)
			used += more;
		out[n] = (struct pack_pod){cpu, gi * GI, gpus, ports, node};
	}
	return n;
}

static void pods_go_where_they_fit(void)
{
	static const struct {
		const char *what, *nodes, *pods, *at; /* NULL: nowhere */
	} rows[] = {
		{"nothing", "4", "", ""},
		{"one", "4", "4000", "0"},
		{"one that is bound", "4 4", "4000@1", "1"},
		{"one a node", "4 4 4", "1000 1000 1000", "0 1 2"},
		{"as even as can be", "4 4", "1000 1000 1000", "0 1 0"},
		{"several a node", "4", "1000 1000 2000", "0 0 0"},
		{"the larger ones first", "2 4", "1000 4000 1000", "0 1 0"},
		{"fractions", "1", "333 333 334", "0 0 0"},
		{"a fraction too much", "1", "333 334 334", NULL},
		{"memory", "8/4 8/2", "100/2 100/4", "1 0"},
		{"too little memory", "8/4 8/2", "100/3 100/4", NULL},
		{"memory that Slurm does not count", "8/0", "100/900", "0"},
		{"GPUs", "8/0/1 8/0/4", "1/0/4 1/0/1", "1 0"},
		{"too few GPUs", "8/0/1 8/0/4", "1/0/3 1/0/2", NULL},
		{"no GPUs", "8", "1/0/1", NULL},
		{"pods that the kubelet takes", "8/0/0/1 8/0/0/2", "1 1 1",
		 "0 1 1"},
		{"more than it takes", "8/0/0/1 8/0/0/2", "1 1 1 1", NULL},
		{"others take some of them", "8/0/0/2-1 8/0/0/9-7", "1 1 1",
		 "0 1 1"},
		{"others take too many", "8/0/0/2-1 8/0/0/9-7", "1 1 1 1",
		 NULL},
		{"others have more than it takes", "8/0/0/2-3 8", "1 1", "1 1"},
		{"bound ones count", "4 4", "3000@0 2000 2000", "0 1 1"},
		{"bound ones count as pods", "4 4", "1@0 1 1", "0 1 0"},
		{"bound ones that are too many", "4 4", "9000@0 9000@0 1000",
		 "0 0 1"},
		{"bound ones leave too little", "4", "1000@0 3001", NULL},
		{"ports of the host", "4 4", "1000p 1000p", "0 1"},
		{"too many ports of the host", "8", "1000p 1000p", NULL},
		{"a bound one has them", "8 8", "1@0 1@1 1p@1 1p", "0 1 1 0"},
		{"others may be beside", "8", "1000p 1000", "0 0"},
		{"a search with ports", "2 1", "1000p 2000", "1 0"},
		{"no nodes", "", "1000", NULL},
		{"pods without needs", "1", "0 0 0", "0 0 0"},
		/* each on the emptiest node would fail */
		{"a search", "10 6", "6000 5000 5000", "1 0 0"},
		{"a deeper search", "10 10 7", "7000 5000 5000 4000 3000 3000",
		 "0 1 1 2 0 2"},
		{"no way", "10 10", "6000 6000 5000", NULL},
		{"no way, by one", "10 10", "6000 5000 5000 4001", NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct pack_node nodes[8];
		struct pack_pod pods[8], before[8];
		size_t n_nodes = read_nodes(rows[i].nodes, nodes);
		size_t n_pods = read_pods(rows[i].pods, pods);
		char at[64] = "";
		struct err err = {0};
		int rc;

		memcpy(before, pods, sizeof(pods));
		rc = pack_pods(nodes, n_nodes, pods, n_pods, &err);
		for (size_t k = 0; k < n_pods; k++)
			snprintf(at + strlen(at), sizeof(at) - strlen(at),
				 "%s%d", k ? " " : "", pods[k].node);
		t_row("%s", rows[i].what);
		if (rows[i].at) {
			T_INT(rc, 0);
			T_STR(err.msg, "");
			T_STR(at, rows[i].at);
			continue;
		}
		T_ERR(rc, &err, -ENOSPC, "do not fit on the");
		T_OK(!memcmp(before, pods, n_pods * sizeof(*pods)));
	}
}

static void the_words_name_a_pod_that_has_no_place(void)
{
	struct pack_node nodes[] = {{8, 1024, 0, 0}, {8, 1024, 0, 0}};
	struct pack_pod pods[] = {{500, 0, 0, false, PACK_NONE},
				  {9000, GI, 0, false, PACK_NONE}};
	struct err err = {0};

	T_ERR(pack_pods(nodes, 2, pods, 2, &err), &err, -ENOSPC,
	      "2 pods do not fit on the 2 nodes of the job: no room for one "
	      "with 9000 m of CPU, 1024 MiB and 0 GPUs");
}

static void what_is_impossible_is_refused(void)
{
	struct pack_node node = {8, 1024, 0, 0};
	struct pack_pod rows[] = {
		{-1, 0, 0, false, PACK_NONE}, {0, -1, 0, false, PACK_NONE},
		{0, 0, -1, false, PACK_NONE}, {0, 0, 0, false, -2},
		{0, 0, 0, false, 1},
	};
	struct pack_pod huge[] = {{INT64_MAX, INT64_MAX, INT64_MAX, false, 0},
				  {INT64_MAX, INT64_MAX, INT64_MAX, false, 0},
				  {1, 0, 0, false, PACK_NONE}};
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_ERR(pack_pods(&node, 1, &rows[i], 1, &err), &err, -EINVAL,
		      "pod 0 is impossible");
	}
	T_ERR(pack_pods(&node, 1, huge, 3, &err), &err, -ENOSPC, "3 pods");
	T_ERR(pack_pods(&node, PACK_NODES_MAX + 1, huge, 3, &err), &err, -E2BIG,
	      "3 pods on 8193 nodes are too many");
	T_ERR(pack_pods(&node, 1, huge, PACK_PODS_MAX + 1, &err), &err, -E2BIG,
	      "8193 pods on 1 nodes are too many");
}

/* A thousand unequal pods that fill a thousand nodes, and one that is left */
static void a_search_that_takes_too_long_ends(void)
{
	enum { N = 1000 };
	static struct pack_node nodes[N];
	static struct pack_pod pods[2 * N + 1];
	struct err err = {0};

	for (int i = 0; i < N; i++) {
		nodes[i].cpus = 10;
		pods[2 * i] =
			(struct pack_pod){6000 + i, 0, 0, false, PACK_NONE};
		pods[2 * i + 1] =
			(struct pack_pod){4000 - i, 0, 0, false, PACK_NONE};
	}
	T_INT(pack_pods(nodes, N, pods, 2 * N, &err), 0);
	for (int i = 0; i < N; i++)
		T_INT(pods[2 * i].node, pods[2 * i + 1].node);
	for (int i = 0; i < 2 * N; i++)
		pods[i].node = PACK_NONE;
	pods[2 * N] = (struct pack_pod){1, 0, 0, false, PACK_NONE};
	T_ERR(pack_pods(nodes, N, pods, 2 * N + 1, &err), &err, -ENOSPC,
	      "2001 pods do not fit on the 1000 nodes");
}

T_MAIN("pack", T(pods_go_where_they_fit),
       T(the_words_name_a_pod_that_has_no_place),
       T(what_is_impossible_is_refused), T(a_search_that_takes_too_long_ends))
