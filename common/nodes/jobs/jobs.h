/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs and steps on nodes. The engine's thread only. */
#ifndef SLURMK8S_NODES_JOBS_JOBS_H
#define SLURMK8S_NODES_JOBS_JOBS_H

#include "nodes/watch/nodes.h"

/* job_index.c: who runs where. True: it has been asked for anew. */
bool job_index_refresh(struct nodes *nodes);
void job_index_forget(struct node_state *m);

/* Of a job that had nodes of ours then; NULL: not known. Borrowed. */
const struct node_job *node_job_of(const struct nodes *nodes, uint32_t job_id);
void node_jobs_forget(struct nodes *nodes);

/* user_name_of(), and who looks at the engine's thread knows what it waits for.
 */
const char *node_user_name(struct nodes *nodes, uint32_t uid);

/*
 * steps.c: read which steps run, if it is time. True: they are read, and
 * nodes_observe_steps() is to look at the nodes where they have changed.
 */
bool steps_step(struct nodes *nodes);
int64_t steps_next(const struct nodes *nodes); /* when that is; monotonic */
void steps_forget(struct nodes *nodes);

/* Are those on this node known? On an idle one: nobody. */
static inline bool jobs_are_known(const struct node_state *m)
{
	return !m->busy || m->jobs.jobs.len;
}

/* Changes when what is to be noted on its pod does. */
uint32_t note_sum(const struct node_state *m);

#endif
