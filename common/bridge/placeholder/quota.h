/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of Slurm's queue a namespace may have: jobs, pods of these, and
 * submissions a second (k8s.yaml, maxJobs and so on); and how many of the jobs
 * that Slurm keeps (slurm.conf, MaxJobCount), those that have ended, too; and
 * how long the ExcNodeLists of those that wait are. What is over that waits,
 * and its pods are told. Nothing is kept: it follows from the queue and from
 * Slurm's list of jobs. The bridge's thread only.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_QUOTA_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bridge;
struct queue_entry;
struct job_spec;

#define QUOTA_BURST_MS 5000 /* submissions that were not made count so long */
#define QUOTA_LOOK_MS 250   /* how often those that wait are looked at */
#define QUOTA_AGAIN_MS 60000

/*
 * Bytes of the ExcNodeLists of all jobs of the bridge that wait. A namespace
 * has as much as stays free: alone 512 of the longest ones (EXCLUDE_MAX).
 */
#define QUOTA_NAMES_MAX (32 * 1024 * 1024)

struct quota; /* NULL at first */

enum quota_say {
	QUOTA_GO,
	QUOTA_FULL,  /* too many jobs; it is touched when there is room */
	QUOTA_NAMES, /* its list of nodes is too long; touched as above */
	QUOTA_RATE,  /* not before q->quota.slot_at */
};

/*
 * QUOTA_GO if a job for this order may be submitted now: then its turn is used.
 * Else `words`, of `size` bytes, say why not. Without memory it may. Counts the
 * queue once in a pass. No RPC, as of all here.
 */
enum quota_say quota_ask(struct bridge *b, struct queue_entry *q,
			 const struct job_spec *o, size_t size, char *words);

/*
 * Note that Slurm is asked for a job. Whatever it answers, it may have one
 * more, and that is counted until it has been asked for its jobs: it keeps some
 * that it refuses, and an answer may be lost.
 */
void quota_sent(struct bridge *b, const struct queue_entry *q);

/*
 * Note that Slurm has taken the job: it is counted as one more until the queue
 * is counted again.
 */
void quota_submitted(struct bridge *b, const struct queue_entry *q,
		     const struct job_spec *o);

/*
 * True if the group's job, which waits, may be told this list of nodes. If not
 * it keeps the one that it has, and `words`, of `size` bytes, say why.
 */
bool quota_may_exclude(struct bridge *b, const struct queue_entry *q,
		       const struct job_spec *o, size_t size, char *words);

/*
 * Note that the group's job, which placeholders.c knows, has this list by now.
 */
void quota_excludes(struct bridge *b, const struct queue_entry *q,
		    const struct job_spec *o);

/* Note that the group goes away: if it had a turn, those behind it move up. */
void quota_leave(struct bridge *b, struct queue_entry *q);

/*
 * Touch the groups that wait for room, and have it now. Cheap, but for walking
 * the queue each QUOTA_LOOK_MS while some wait.
 */
void quota_step(struct bridge *b);

/* Free it. NULL: nothing. */
void quota_free(struct quota *c);

#endif
