/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "other_nodes.h"
#include "t.h"

/* Slurm's nodes are the test's. */
static struct ctl_node slurm[] = {
	{.name = "cpu-0", .cloud = true},
	{.name = "metal-0"},
	{.name = "cloud-0", .cloud = true},
	{.name = "host-0", .external = true},
	{.name = "metal-1"},
	{.name = "cpu-1"},
	{.name = "kept-0",
	 .cloud = true,
	 .extra = "k8s: kept up by minRunning"},
};
static size_t n_slurm = T_COUNT(slurm);

bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out);
bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out)
{
	(void)n;
	if (i < n_slurm)
		*out = slurm[i];
	return i < n_slurm;
}

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	for (size_t i = 0; __wrap_ctl_nodes_at(n, i, out); i++)
		if (!strcmp(out->name, name))
			return true;
	return false;
}

static struct config *site(void)
{
	static const char text[] =
		"clusters: [{name: main, kubeconfig: k}]\n"
		"nodesets: [{name: cpu, cluster: main, nodes: 'cpu-[0-1]', "
		"podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n";
	struct config *c = NULL;
	struct err err = {0};

	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	return c;
}

static void nodes_that_are_no_pods_are_spared(void)
{
	static const struct {
		const char *excluded, *among, *spare;
	} rows[] = {
		{NULL, NULL, "metal-[0-1]"},
		{"metal-1", NULL, "metal-1,metal-0"},
		{"metal-[0-1]", NULL, NULL},
		{"gpu-0,metal-[0-9]", NULL, NULL},
		/*
		 * of these Slurm keeps some, and which is not known; and it
		 * splits a list with a count within brackets, too
		 */
		{"metal-[0-1]:1", NULL, "metal-[0-1]:1,metal-0,metal-1"},
		{NULL, "cpu-0,metal-1", "metal-1"},
		{NULL, "cpu-0,cloud-0,host-0", NULL},
		{"metal-1", "metal-1", NULL},
		/* what the engine keeps there is not to be for ever */
		{"kept-0,metal-1", NULL, "metal-1,metal-0"},
		{"kept-0", NULL, "metal-[0-1]"},
		{"kept-0,gone-7", NULL, "gone-7,metal-[0-1]"},
	};
	_cleanup_(config_freep) struct config *c = site();

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_hostlist_ struct hostlist among = {0};
		char out[SPARE_MAX];

		t_row("%zu", i);
		if (rows[i].among)
			T_INT(hostlist_expand(rows[i].among, &among, NULL), 0);
		hostlist_sort(&among);
		T_STR(other_nodes_spare(c, NULL, rows[i].excluded,
					rows[i].among ? &among : NULL, out),
		      rows[i].spare);
	}
	T_INT(other_nodes_count(c, NULL), 2);
	n_slurm = 1;
	T_INT(other_nodes_count(c, NULL), 0);
	n_slurm = T_COUNT(slurm);
}

static void a_list_that_is_too_long_is_not_cut(void)
{
	_cleanup_(config_freep) struct config *c = site();
	_cleanup_free_ char *list = t_repeat("gpu-0,", SPARE_MAX / 6 - 1);
	char out[SPARE_MAX];

	T_STR(other_nodes_spare(c, NULL, list, NULL, out),
	      "(what it has, and metal-[0-1])");
}

static void a_time_is_that_of_all_or_of_a_partition(void)
{
	char fix[TIME_FIX_MAX];

	suspend_time_fix(NULL, NULL, fix);
	T_STR(fix, "slurm.conf: SuspendTime=300, then: scontrol reconfigure");
	suspend_time_fix(NULL, "a,b-[0-1]", fix);
	T_STR(fix, "slurm.conf: SuspendTime=300 and SuspendExcNodes=a,b-[0-1], "
		   "then: scontrol reconfigure");
	suspend_time_fix("kept", "a", fix);
	T_STR(fix, "slurm.conf: SuspendTime=300 of PartitionName=kept and "
		   "SuspendExcNodes=a, then: scontrol reconfigure");
}

T_MAIN("other_nodes", T(nodes_that_are_no_pods_are_spared),
       T(a_list_that_is_too_long_is_not_cut),
       T(a_time_is_that_of_all_or_of_a_partition))
