/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "bridge/jobspec/placement.h"
#include "t.h"

#define GI (1024ll * 1024 * 1024)

static const struct placement_gres gres = {{"gpu", "huge"}, 2};

/* "1/2/3": behind it; those that it does not have are 0. */
static const char *read_numbers(const char *text, char between, int64_t *out,
				int n)
{
	char *end = (char *)text;

	memset(out, 0, (size_t)n * sizeof(*out));
	for (int i = 0; i < n; i++) {
		out[i] = strtoll(text, &end, 10);
		if (*end != between)
			break;
		text = end + 1;
	}
	return end;
}

enum { CPU, GIB, GPUS, PODS, FIELDS };

/* "cpus[/memory GiB[/gpus[/pods[-others]]]][+huge pages] ..." */
static size_t read_nodes(const char *text, struct placement_node *out)
{
	size_t n = 0;

	for (; *text; text += *text == ' ', n++) {
		int64_t f[FIELDS], more = 0;

		text = read_numbers(text, '/', f, FIELDS);
		if (*text == '-')
			text = read_numbers(text + 1, 0, &more, 1);
		out[n] = (struct placement_node){
			.cpus = (uint32_t)f[CPU],
			.memory_mib = (uint64_t)f[GIB] * 1024,
			.gres = {f[GPUS]},
			.pods = (uint32_t)f[PODS],
			.other_pods = (uint32_t)more};
		if (*text == '+')
			text = read_numbers(text + 1, 0, &out[n].gres[1], 1);
	}
	return n;
}

/* "milli[/memory GiB[/gpus]][+huge pages][p][@node] ..."; p: with ports */
static size_t read_pods(const char *text, struct placement_pod *out)
{
	size_t n = 0;

	for (; *text; text += *text == ' ', n++) {
		int64_t f[FIELDS], node = PACK_NONE;

		text = read_numbers(text, '/', f, FIELDS);
		out[n] = (struct placement_pod){.cpu_milli = f[CPU],
						.memory_bytes = f[GIB] * GI,
						.gres = {f[GPUS]}};
		if (*text == '+')
			text = read_numbers(text + 1, 0, &out[n].gres[1], 1);
		out[n].ports = *text == 'p';
		text += *text == 'p';
		if (*text == '@')
			text = read_numbers(text + 1, 0, &node, 1);
		out[n].node = (int32_t)node;
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
		{"another gres", "8+512 8+1024", "1+1024 1+512", "1 0"},
		{"too little of another gres", "8+512 8+1024", "1+1024 1+513",
		 NULL},
		{"none of another gres", "8/0/4", "1/0/1+1", NULL},
		{"bound ones have another gres", "8+512", "1+512@0 1+1", NULL},
		{"a search for another gres", "8+10 8+6", "1+6 1+5 1+5",
		 "1 0 0"},
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
		struct placement_node nodes[8];
		struct placement_pod pods[8], before[8];
		size_t n_nodes = read_nodes(rows[i].nodes, nodes);
		size_t n_pods = read_pods(rows[i].pods, pods);
		char at[64] = "";
		struct err err = {0};
		int rc;

		memcpy(before, pods, sizeof(pods));
		rc = place_pods(&gres, nodes, n_nodes, pods, n_pods, &err);
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
	static const struct {
		const char *pods, *words;
	} rows[] = {
		{"500 9000/1",
		 "2 pods do not fit on the 2 nodes of the job: no "
		 "room for one with 9000 m of CPU, 1024 MiB"},
		{"1/0/2+512p",
		 "with 1 m of CPU, 0 MiB, 2 gpu, 512 huge that has ports"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct placement_node nodes[2];
		struct placement_pod pods[2];
		struct err err = {0};

		T_INT(read_nodes("8/1 8/1", nodes), 2);
		T_ERR(place_pods(&gres, nodes, 2, pods,
				 read_pods(rows[i].pods, pods), &err),
		      &err, -ENOSPC, rows[i].words);
	}
}

static void what_is_impossible_is_refused(void)
{
	struct placement_node node = {.cpus = 8, .memory_mib = 1024};
	struct placement_pod rows[] = {
		{.cpu_milli = -1, .node = PACK_NONE},
		{.memory_bytes = -1, .node = PACK_NONE},
		{.gres = {-1}, .node = PACK_NONE},
		{.gres = {0, 0, 0, 0, 0, 0, 0, -1}, .node = PACK_NONE},
		{.node = -2},
		{.node = 1},
	};
	struct placement_pod huge[] = {
		{INT64_MAX, INT64_MAX, .gres = {INT64_MAX}},
		{INT64_MAX, INT64_MAX, .gres = {INT64_MAX}},
		{.cpu_milli = 1, .node = PACK_NONE}};
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_ERR(place_pods(&gres, &node, 1, &rows[i], 1, &err), &err,
		      -EINVAL, "pod 0 is impossible");
	}
	T_ERR(place_pods(&gres, &node, 1, huge, 3, &err), &err, -ENOSPC,
	      "3 pods");
	T_ERR(place_pods(&gres, &node, PACK_NODES_MAX + 1, huge, 3, &err), &err,
	      -E2BIG, "3 pods on 8193 nodes are too many");
	T_ERR(place_pods(&gres, &node, 1, huge, PACK_PODS_MAX + 1, &err), &err,
	      -E2BIG, "8193 pods on 1 nodes are too many");
}

/* (no_consume: any number of pods may have it) */
static void what_slurm_does_not_count_is_there(void)
{
	struct placement_node node = {.cpus = 8, .gres = {INT64_MAX}};
	struct placement_pod pods[2] = {
		{.gres = {INT64_MAX / 2}, .node = PACK_NONE},
		{.gres = {7}, .node = PACK_NONE}};

	T_INT(place_pods(&gres, &node, 1, pods, 2, NULL), 0);
	T_INT(pods[1].node, 0);
}

/* A thousand unequal pods that fill a thousand nodes, and one that is left */
static void a_search_that_takes_too_long_ends(void)
{
	enum { N = 1000 };
	static struct placement_node nodes[N];
	static struct placement_pod pods[2 * N + 1];
	struct err err = {0};

	for (int i = 0; i < N; i++) {
		nodes[i].cpus = 10;
		pods[2 * i] = (struct placement_pod){.cpu_milli = 6000 + i,
						     .node = PACK_NONE};
		pods[2 * i + 1] = (struct placement_pod){.cpu_milli = 4000 - i,
							 .node = PACK_NONE};
	}
	T_INT(place_pods(&gres, nodes, N, pods, 2 * N, &err), 0);
	for (int i = 0; i < N; i++)
		T_INT(pods[2 * i].node, pods[2 * i + 1].node);
	for (int i = 0; i < 2 * N; i++)
		pods[i].node = PACK_NONE;
	pods[2 * N] = (struct placement_pod){.cpu_milli = 1, .node = PACK_NONE};
	T_ERR(place_pods(&gres, nodes, N, pods, 2 * N + 1, &err), &err, -ENOSPC,
	      "2001 pods do not fit on the 1000 nodes");
}

T_MAIN("placement", T(pods_go_where_they_fit),
       T(the_words_name_a_pod_that_has_no_place),
       T(what_is_impossible_is_refused), T(what_slurm_does_not_count_is_there),
       T(a_search_that_takes_too_long_ends))
