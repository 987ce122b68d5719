/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_rules.h"

#include <string.h>

#include "base/str.h"
#include "resume_fix.h"
#include "slurm/ctl_resume.h"
#include "some_nodes.h"
#include "syntax/hostlist.h"
#include "syntax/node_reason.h"

/*
 * Add a finding about these nodes of a nodeset, if there are any; `wanted` is
 * what their line of slurm.conf is to have.
 */
static bool tell(struct some_nodes *some, const struct nodeset *set,
		 const char *fault, const char *wanted, struct findings *out)
{
	const char *names = some_nodes_text(some);
	char fix[SOME_NODES_MAX + 128];

	if (!some->n)
		return false;
	snprintf(fix, sizeof(fix),
		 "slurm.conf: NodeName=%s ... %s, then restart slurmctld",
		 names ? names : set->nodes, wanted);
	findings_add(out, FINDING_WRONG, "nodeset", fix,
		     "%s: %zu of its nodes %s%s%s", set->name, some->n, fault,
		     names ? ": " : "", names ? names : "");
	return true;
}

static void nodeset(const struct nodeset *set, const struct ctl_nodes *nodes,
		    struct findings *out)
{
	_cleanup_some_nodes_ struct some_nodes missing = SOME_NODES,
					       still = SOME_NODES,
					       sizeless = SOME_NODES;
	_cleanup_hostlist_ struct hostlist h = {0};
	struct err err;
	bool bad;

	if (set->create.wanted)
		return; /* the engine creates them when it runs */
	if (hostlist_expand(set->nodes, &h, &err)) {
		findings_add(out, FINDING_UNKNOWN, "nodeset", NULL, "%s: %s",
			     set->name, err.msg);
		return;
	}
	for (size_t i = 0; i < h.n; i++) {
		struct ctl_node node;

		if (!ctl_nodes_find(nodes, h.names[i], &node))
			some_nodes_add(&missing, h.names[i]);
		else if (!node.cloud)
			some_nodes_add(&still, h.names[i]);
		else if (set->resources == RESOURCES_FROM_NODE &&
			 node.memory_mib <= 1)
			some_nodes_add(&sizeless, h.names[i]);
	}
	bad = tell(&missing, set, "are not known to Slurm", "State=CLOUD", out);
	bad |= tell(&still, set, "are not State=CLOUD", "State=CLOUD", out);
	bad |= tell(&sizeless, set,
		    "have no RealMemory, and would get pods of 1 MiB",
		    "RealMemory=1024, or more", out);
	if (!bad)
		findings_add(out, FINDING_OK, "nodeset", NULL,
			     "%s: %zu nodes, State=CLOUD", set->name, h.n);
}

static void orphaned(struct some_nodes *orphans, const struct site_config *conf,
		     struct findings *out)
{
	const char *names = some_nodes_text(orphans);
	const char *program = site_config_get(conf, "ResumeProgram");
	bool ours = program && str_ends(program, "/k8s_resume");

	/* a program of the site's own may serve another cloud with them */
	if (orphans->n)
		findings_add(out, ours ? FINDING_WRONG : FINDING_WARN, "nodes",
			     "k8s.yaml: name them in a nodeset, then: scontrol "
			     "reconfigure",
			     "%zu nodes are State=CLOUD, and in no nodeset of "
			     "k8s.yaml, so they get no pod: %s",
			     orphans->n, names ? names : "too many to name");
}

static void powered_down(struct some_nodes *others, struct findings *out)
{
	const char *names = some_nodes_text(others);

	if (others->n)
		findings_add(
			out, FINDING_WARN, "SuspendExcNodes",
			"slurm.conf: name them in SuspendExcNodes, or give "
			"their partition SuspendTime=INFINITE, then: "
			"scontrol reconfigure",
			"%zu nodes are no pods, and Slurm powers them down "
			"when they are idle, unless their partition says "
			"otherwise: %s",
			others->n, names ? names : "too many to name");
}

static void kept_up(struct some_nodes *kept, struct findings *out)
{
	const char *names = some_nodes_text(kept);

	if (kept->n)
		findings_add(out, FINDING_WARN, "SuspendExcNodes",
			     "slurm.conf: take them out of SuspendExcNodes, "
			     "then: scontrol reconfigure",
			     "%zu nodes are pods, and Slurm never powers them "
			     "down: their pods stay for ever: %s",
			     kept->n, names ? names : "too many to name");
}

/* Nodes that are to run, and cannot be kept up. */
static void min_running(const struct config *config,
			const struct site_config *conf, struct findings *out)
{
	const char *list = site_config_get(conf, "SuspendExcNodes");

	if (!list || !strchr(list, ':'))
		return;
	for (size_t i = 0; i < config->n_nodesets; i++)
		if (config->nodesets[i].min_running.where)
			findings_add(
				out, FINDING_WRONG, "minRunning",
				"slurm.conf: SuspendExcNodes=(its nodes, "
				"without a count), then: scontrol reconfigure",
				"nodeset %s: no node is kept up, for "
				"SuspendExcNodes has a count: %.200s",
				config->nodesets[i].name, list);
}

/* Features of k8s.yaml that no node has, so that no job can ask for them. */
static void nobodys(const struct config *config, const struct ctl_nodes *nodes,
		    struct findings *out)
{
	const struct features *all = &config->features;
	char names[FEATURES_TEXT_MAX], fix[FEATURES_TEXT_MAX + 128];
	feature_set has = 0;
	struct ctl_node node;

	for (size_t i = 0; ctl_nodes_at(nodes, i, &node); i++)
		has |= features_of_list(all, node.features);
	for (size_t i = 0; i < config->n_nodesets; i++)
		has |= features_of_list(all,
					config->nodesets[i].create.features);
	has = ~has &
	      (all->n < 64 ? ((feature_set)1 << all->n) - 1 : ~(feature_set)0);
	if (!has)
		return;
	features_to_list(all, has, names);
	snprintf(fix, sizeof(fix),
		 "slurm.conf: add %s to Feature of the NodeName line that is "
		 "to have it, then restart slurmctld",
		 names);
	findings_add(out, FINDING_WARN, "Feature", fix,
		     "no node has %s of k8s.yaml, so no job can ask for it",
		     names);
}

/* True: which nodes power saving leaves alone is not known here. */
static bool is_vague(const struct site_config *conf,
		     const struct ctl_nodes *nodes, struct hostlist *excluded)
{
	const char *list = site_config_get(conf, "SuspendExcNodes");
	int64_t idle = site_config_number(conf, "SuspendTime");
	struct ctl_node node;
	struct err err;

	if (idle < 0 || idle == INT64_MAX ||
	    site_config_get(conf, "SuspendExcParts") ||
	    site_config_get(conf, "SuspendExcStates") ||
	    (list && hostlist_expand(list, excluded, &err)))
		return true;
	hostlist_sort(excluded);
	/* An unknown name is one of a NodeSet, or has a count ("nodes:2"). */
	for (size_t i = 0; i < excluded->n; i++)
		if (!ctl_nodes_find(nodes, excluded->names[i], &node))
			return true;
	return false;
}

void node_rules(const struct config *config, const struct ctl_nodes *nodes,
		const struct site_config *conf, struct findings *out)
{
	_cleanup_some_nodes_ struct some_nodes orphans = SOME_NODES,
					       others = SOME_NODES,
					       kept = SOME_NODES;
	_cleanup_hostlist_ struct hostlist excluded = {0};
	const bool vague = is_vague(conf, nodes, &excluded);
	struct ctl_node node;

	for (size_t i = 0; i < config->n_nodesets; i++)
		nodeset(&config->nodesets[i], nodes, out);
	for (size_t i = 0; ctl_nodes_at(nodes, i, &node); i++) {
		if (node.external)
			continue;
		if (config_nodeset_of(config, node.name)) {
			if (!vague && hostlist_has(&excluded, node.name) &&
			    !node_extra_is_kept(node.extra))
				some_nodes_add(&kept, node.name);
		} else if (node.cloud)
			some_nodes_add(&orphans, node.name);
		else if (!vague && !hostlist_has(&excluded, node.name))
			some_nodes_add(&others, node.name);
	}
	orphaned(&orphans, conf, out);
	powered_down(&others, out);
	kept_up(&kept, out);
	min_running(config, conf, out);
	nobodys(config, nodes, out);
}

/* How long the engine gives a pod before its slurmd registers. */
static int64_t failover_s(const struct failover *f)
{
	int64_t ms = f->unschedulable_after_ms > f->not_started_after_ms
			     ? f->unschedulable_after_ms
			     : f->not_started_after_ms;

	return (ms + f->register_within_ms + 999) / 1000;
}

static void resume_rule(const struct nodeset *set, uint32_t all_s,
			struct findings *out)
{
	struct ctl_resume resume = {.timeout_s = all_s};
	_cleanup_hostlist_ struct hostlist h = {0};
	const int64_t needs = failover_s(&set->failover);
	struct err err = {0};
	char fix[RESUME_FIX_MAX];

	if (!hostlist_expand(set->nodes, &h, &err)) {
		hostlist_sort(&h);
		ctl_resume_shortest(h.names, h.n, false, &resume, &err);
	}
	if (needs < RESUME_MAX_S - 30)
		resume_fix(&resume, needs + 30, fix);
	else
		snprintf(fix, sizeof(fix),
			 "k8s.yaml: shorter times in failover, then: scontrol "
			 "reconfigure");
	if (err.code)
		findings_add(out, FINDING_UNKNOWN, "ResumeTimeout", NULL,
			     "nodeset %s: %s", set->name, err.msg);
	else if (resume.timeout_s < needs)
		findings_add(
			out, FINDING_WARN, "ResumeTimeout", fix,
			"nodeset %s: after %u s Slurm gives a node up, and "
			"failover of k8s.yaml gives its pod %lld s",
			set->name, (unsigned int)resume.timeout_s,
			(long long)needs);
	else
		findings_add(out, FINDING_OK, "ResumeTimeout", NULL,
			     "nodeset %s: %u s", set->name,
			     (unsigned int)resume.timeout_s);
}

void resume_rules(const struct config *config, uint32_t all_s,
		  struct findings *out)
{
	for (size_t i = 0; i < config->n_nodesets; i++)
		resume_rule(&config->nodesets[i], all_s, out);
}
