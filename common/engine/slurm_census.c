/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/slurm_census.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "metrics/metrics.h"
#include "nodes/reconcile/node_metrics.h"
#include "slurm/ctl_job_list.h"
#include "slurm/ctl_parts.h"
#include "slurm/ctl_reader.h"
#include "slurm/jobs_pace.h"
#include "syntax/hostlist.h"

#define NAMES (METRICS_NAMES_MAX + 1) /* the last one: "other" */
#define PARTITION_MAX 256

struct counts {
	uint32_t jobs[NAMES][METRICS_SLURM_JOB_STATES];
	uint32_t nodes[NAMES][METRICS_NODE_STATES];
	uint32_t nodeset_jobs[NAMES][METRICS_SLURM_JOB_STATES];
};

struct walk {
	const struct nodes *of;
	struct counts counts;
};

/*
 * METRICS_SLURM_JOB_STATES: the job has ended, or is on its way to another
 * state.
 */
static unsigned int state_of(const struct ctl_job *job)
{
	static const char *const names[] = {
		[METRICS_JOB_PENDING] = "PENDING",
		[METRICS_JOB_CONFIGURING] = "CONFIGURING",
		[METRICS_JOB_RUNNING] = "RUNNING",
		[METRICS_JOB_SUSPENDED] = "SUSPENDED",
		[METRICS_JOB_COMPLETING] = "COMPLETING"};
	unsigned int i = 0;

	while (i < METRICS_SLURM_JOB_STATES && !str_eq(job->state, names[i]))
		i++;
	return i;
}

/* Count a job in each of its partitions: one that waits may have several. */
static void count_partitions(struct counts *c, const char *list,
			     unsigned int state)
{
	for (size_t len; (len = str_next_item(&list)); list += len) {
		char name[PARTITION_MAX];

		str_copy(name, list,
			 len < sizeof(name) ? len + 1 : sizeof(name));
		c->jobs[metrics_name(METRICS_PARTITION_NAMES, name)][state]++;
	}
}

/* Count a job once in each nodeset that it has nodes of. */
static void count_nodesets(struct walk *w, const char *nodes,
			   unsigned int state)
{
	_cleanup_hostlist_ struct hostlist hosts = {0};
	bool seen[NAMES] = {false};
	struct err err = {0};

	if (!*nodes || hostlist_expand(nodes, &hosts, &err))
		return;
	for (size_t i = 0; i < hosts.n; i++) {
		const struct nodeset *set =
			config_nodeset_of(w->of->config, hosts.names[i]);
		unsigned int at;

		if (!set)
			continue;
		at = metrics_name(METRICS_NODESET_NAMES, set->name);
		w->counts.nodeset_jobs[at][state] += !seen[at];
		seen[at] = true;
	}
}

static int on_job(void *arg, const struct ctl_job *job)
{
	struct walk *w = arg;
	const unsigned int state = state_of(job);

	if (state == METRICS_SLURM_JOB_STATES)
		return 0;
	count_partitions(&w->counts, job->partition, state);
	count_nodesets(w, job->nodes, state);
	return 0;
}

static void on_partition(void *arg, const char *name, const char *nodes)
{
	struct walk *w = arg;
	_cleanup_hostlist_ struct hostlist hosts = {0};
	const unsigned int at = metrics_name(METRICS_PARTITION_NAMES, name);
	struct err err = {0};

	if (!*nodes || hostlist_expand(nodes, &hosts, &err))
		return;
	for (size_t i = 0; i < hosts.n; i++) {
		struct ctl_node node;

		if (ctl_nodes_find(w->of->slurm.all, hosts.names[i], &node))
			w->counts.nodes[at][node_metrics_state(&node)]++;
	}
}

static void publish(const struct counts *c)
{
	for (unsigned int i = 0; i < NAMES; i++) {
		for (unsigned int s = 0; s < METRICS_SLURM_JOB_STATES; s++) {
			metrics_set(METRIC_PARTITION_JOBS, i, s, c->jobs[i][s]);
			metrics_set(METRIC_NODESET_JOBS, i, s,
				    c->nodeset_jobs[i][s]);
		}
		for (unsigned int s = 0; s < METRICS_NODE_STATES; s++)
			metrics_set(METRIC_PARTITION_NODES, i, s,
				    c->nodes[i][s]);
	}
}

static void unset(void)
{
	metrics_fill(METRIC_PARTITION_JOBS, METRICS_UNSET);
	metrics_fill(METRIC_PARTITION_NODES, METRICS_UNSET);
	metrics_fill(METRIC_NODESET_JOBS, METRICS_UNSET);
}

/*
 * Ask for both lists, and count. 0; or an error of one of them. *took: ms, that
 * of jobs.
 */
static int count(struct slurm_census *c, struct nodes *nodes, int64_t *took)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	_cleanup_free_ struct walk *w = calloc(1, sizeof(*w));
	struct ctl_read read = {0};
	struct err err = {0};
	int rc = w ? 0 : err_oom(&err);

	if (!nodes->slurm.all) /* there is no answer of slurmctld yet */
		return -EAGAIN;
	if (!rc)
		rc = ctl_parts_refresh(&c->parts, &err);
	if (!rc)
		rc = ctl_reader_jobs(nodes->reader, &jobs, &read, &err);
	*took = read.took;
	if (rc) {
		log_debug("%s", err.msg);
		return rc;
	}
	w->of = nodes;
	ctl_jobs_each(jobs, on_job, w);
	ctl_parts_each(c->parts, on_partition, w);
	publish(&w->counts);
	return 0;
}

/*
 * True if it is time. After a failure that is as soon as slurmctld may be
 * asked.
 */
static bool is_due(const struct slurm_census *c, int64_t every)
{
	const int64_t pause = c->failed || c->rest > every ? c->rest : every;

	return !c->asked_at || clock_ms() - c->asked_at >= pause;
}

void slurm_census_step(struct slurm_census *c, struct nodes *nodes)
{
	const int64_t every = nodes->config->metrics.slurm_ms;
	int64_t took = 0;

	if (!every) {
		c->asked_at = 0;
		unset();
		return;
	}
	if (!is_due(c, every))
		return;
	c->asked_at = clock_ms();
	c->failed = count(c, nodes, &took) != 0;
	c->rest = jobs_rest_ms(took, c->failed);
	if (c->failed)
		unset();
}

void slurm_census_clear(struct slurm_census *c)
{
	ctl_parts_free(c->parts);
	*c = (struct slurm_census){0};
}
