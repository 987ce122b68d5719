/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_ready.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "slurm/ctl.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

enum look {
	LOOK_UP,
	LOOK_COMING, /* powering up, with a job */
	LOOK_UNCLEAR,
};

void ctl_ready_clear(struct ctl_ready *seen)
{
	free(seen->nodes);
	*seen = (struct ctl_ready){0};
}

static enum look node_observe(const char *name)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *nodes = NULL;
	struct err err = {0};
	struct ctl_node node;

	if (ctl_nodes_load_one(name, &nodes, &err) ||
	    !ctl_nodes_find(nodes, name, &node))
		return LOOK_UNCLEAR;
	if (node.power != CTL_POWERED_DOWN && node.power != CTL_POWERING_UP)
		return LOOK_UP;
	/* A node without a job was this job's, which has gone. */
	return node.busy && !node.down && !node.drained ? LOOK_COMING
							: LOOK_UNCLEAR;
}

/*
 * Count the nodes that are up in `up`, and return what the first node that is
 * not up looks like. LOOK_UNCLEAR also while the nodes are not known.
 */
static enum look look_at_nodes(struct ctl_ready *seen)
{
	release_hostlist list =
		seen->nodes ? slurm_hostlist_create(seen->nodes) : NULL;
	enum look look = seen->nodes ? LOOK_UP : LOOK_UNCLEAR;
	size_t i = 0;
	char *node;

	while (list && look == LOOK_UP && (node = slurm_hostlist_shift(list))) {
		if (i++ >= seen->up) {
			look = node_observe(node);
			seen->up += look == LOOK_UP;
		}
		free(node);
	}
	if (list)
		slurm_hostlist_destroy(list);
	return look;
}

/* Keep the job's nodes. True: they are others than before. */
static bool keep_nodes(struct ctl_ready *seen, const char *nodes)
{
	seen->job_at = clock_ms() + CTL_READY_JOB_MS;
	if (seen->nodes && str_eq(seen->nodes, nodes))
		return false;
	free(seen->nodes);
	seen->nodes = strdup(nodes);
	seen->up = 0;
	return true;
}

/*
 * True if the job runs, also when slurmctld does not answer. *news: the job has
 * other nodes than those that are known.
 */
static bool job_runs(uint32_t job_id, struct ctl_ready *seen, bool *news)
{
	job_info_msg_t *msg = NULL;
	bool runs = false;

	errno = 0;
	if (release_load_job(&msg, job_id))
		return errno != ESLURM_INVALID_JOB_ID;
	for (uint32_t i = 0; i < msg->record_count; i++) {
		const job_info_t *job = &msg->job_array[i];

		if (release_job_id(job) != job_id || !rpc_job_runs(job))
			continue;
		runs = true;
		*news = keep_nodes(seen, job->nodes ? job->nodes : "");
	}
	release_free_jobs(msg);
	return runs;
}

static bool nodes_are_waited_for(uint32_t job_id, struct ctl_ready *seen)
{
	enum look look = look_at_nodes(seen);
	bool news = false;

	if (look == LOOK_COMING && clock_ms() >= seen->job_at)
		look = LOOK_UNCLEAR;
	if (look != LOOK_UNCLEAR)
		return look == LOOK_COMING;
	if (!job_runs(job_id, seen, &news))
		return false;
	return !news || look_at_nodes(seen) != LOOK_UP;
}

bool ctl_job_is_waiting(uint32_t job_id, struct ctl_ready *seen)
{
	int ready;

	if (seen->by_nodes)
		return nodes_are_waited_for(job_id, seen);
	errno = 0;
	ready = release_job_node_ready(job_id);
	if (ready == READY_JOB_FATAL)
		return false;
	if (ready != READY_JOB_ERROR)
		return (ready & READY_JOB_STATE) && !(ready & READY_NODE_STATE);
	if (errno == ESLURM_INVALID_JOB_ID)
		return false;
	/* Later releases say no more while a PrologSlurmctld runs. */
	seen->by_nodes = true;
	return nodes_are_waited_for(job_id, seen);
}
