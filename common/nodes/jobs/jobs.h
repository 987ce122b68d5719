/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs and steps on nodes. The engine's thread only; no RPC but where it says.
 */
#ifndef SLURMK8S_NODES_JOBS_JOBS_H
#define SLURMK8S_NODES_JOBS_JOBS_H

#include "nodes/watch/nodes.h"

/* --- job_index.c */

/*
 * Read who runs on which node, if it is time: soon when a node has become busy
 * or idle, the later the more jobs there are, else each 30 s while one is busy.
 * A list that another reader has asked for since a node became busy or idle is
 * taken at once. True: it was read. One RPC, for all jobs, or none; may ask a
 * name service.
 */
bool job_index_refresh(struct nodes *nodes);

/*
 * Note that a node has, or seems to have, other jobs than are known: they are
 * read soon, by a list that is asked for later than now.
 */
void job_index_expire(struct nodes *nodes);

/* Forget who runs on this node. */
void job_index_forget(struct node_state *m);

/*
 * What is known of a job that had nodes of ours when jobs were last read.
 * Borrowed until they are read again. NULL: nothing.
 */
const struct node_job *node_job_of(const struct nodes *nodes, uint32_t job_id);

/* Forget what is known of jobs, and free it. */
void node_jobs_forget(struct nodes *nodes);

/*
 * As user_name_of(), which may ask a name service; meanwhile
 * engine_beat_look() can tell that the engine waits for that.
 */
const char *node_user_name(struct nodes *nodes, uint32_t uid);

/* --- steps.c */

/*
 * Read which steps run, if it is time. True: they are read, and
 * nodes_observe_steps() is to look at the nodes where they have changed. One
 * RPC, or none, and one more for each step of several nodes that is new, 16 at
 * most; may ask a name service.
 */
bool steps_step(struct nodes *nodes);

/* When steps_step() is due (monotonic, ms); INT64_MAX: no steps are wanted. */
int64_t steps_next(const struct nodes *nodes);

/* Forget all steps, and free what is known of them. */
void steps_forget(struct nodes *nodes);

/* True if it is known who runs on this node; on an idle one: nobody. */
static inline bool jobs_are_known(const struct node_state *m)
{
	return !m->busy || m->jobs.jobs.len;
}

/* A checksum of what is to be noted on the node's pod, and of the pod's uid. */
uint32_t note_sum(const struct node_state *m);

#endif
