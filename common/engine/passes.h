/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's nodes are read, looked at beside their pods, and what is to be done
 * is done. The engine's thread only, between the start of its clusters and
 * their end.
 */
#ifndef SLURMK8S_ENGINE_PASSES_H
#define SLURMK8S_ENGINE_PASSES_H

#include "nodes/watch/nodes.h"

/* The pause from one answer of slurmctld to the next question, in ms. */
int64_t passes_pause_ms(const struct nodes *nodes);

/*
 * Ask slurmctld for its nodes, if the pause is over or `now`: one RPC, whose
 * answer others may read, too (slurm/ctl_reader.h). True: there is an answer
 * that tells something.
 */
bool passes_refresh(struct nodes *nodes, bool now);

/* Look at all nodes and act. Several RPCs, and more if much is to be done. */
void passes_full(struct nodes *nodes);

/*
 * Look at the nodes that a job has got, of nodes->allocated, and act: two to
 * four RPCs a node. Where slurmctld is slow some are left to k8s_resume.
 */
void passes_allocated(struct nodes *nodes);

/*
 * Look at the nodes whose pods have changed in that cluster, and act. False:
 * there are too many, and passes_full() is to follow.
 */
bool passes_of_cluster(struct nodes *nodes, struct cluster *l);

/* Look at the steps of jobs, when it is time, and write them on their pods. */
void passes_steps(struct nodes *nodes);

#endif
