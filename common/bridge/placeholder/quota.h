/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of Slurm's queue a namespace may have: jobs, pods of these jobs, and
 * submissions a second (k8s.yaml, maxJobs and so on); how many of the jobs that
 * Slurm keeps (slurm.conf, MaxJobCount), ended ones included; and how long the
 * ExcNodeLists of its waiting jobs are. A group beyond that waits, and its pods
 * are told. Nothing is kept: it follows from the queue and from Slurm's list of
 * jobs. The bridge's thread only.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_QUOTA_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bridge;
struct queue_entry;
struct job_spec;

#define QUOTA_BURST_MS 5000  /* how long unused turns to submit are saved up */
#define QUOTA_LOOK_MS 250    /* how often waiting groups are looked at */
#define QUOTA_AGAIN_MS 60000 /* until a group that waits is asked for anew */

/*
 * Most bytes of the ExcNodeLists of all waiting jobs of the bridge. A namespace
 * may have as much as stays free: alone 512 of the longest lists (EXCLUDE_MAX).
 */
#define QUOTA_NAMES_MAX (32 * 1024 * 1024)

struct quota; /* NULL at first */

enum quota_say {
	QUOTA_GO,    /* the job may be submitted */
	QUOTA_FULL,  /* as many jobs as may be; touched when there is room */
	QUOTA_NAMES, /* no room for the list of nodes; as QUOTA_FULL */
	QUOTA_RATE,  /* no submission before q->quota.slot_at */
};

/*
 * QUOTA_GO if a job for this order may be submitted now: then its turn is used.
 * Otherwise `words`, of `size` bytes, say why not. Without memory the job may
 * be submitted. Counts the queue once in a pass. No RPC, as in all functions of
 * this header.
 */
enum quota_say quota_ask(struct bridge *b, struct queue_entry *q,
			 const struct job_spec *o, size_t size, char *words);

/*
 * Note that Slurm is asked for a job. Whatever Slurm answers, one job more is
 * counted until its jobs are listed anew: it keeps some jobs that it refuses,
 * and an answer may be lost.
 */
void quota_sent(struct bridge *b, const struct queue_entry *q);

/*
 * Note that Slurm has taken the job: it is counted as one more until the queue
 * is counted again.
 */
void quota_submitted(struct bridge *b, const struct queue_entry *q,
		     const struct job_spec *o);

/*
 * True if the group's job, which waits, may be told the ExcNodeList of *o. If
 * not the job keeps its list, and `words`, of `size` bytes, say why.
 */
bool quota_may_exclude(struct bridge *b, const struct queue_entry *q,
		       const struct job_spec *o, size_t size, char *words);

/*
 * Note that the group's job, which placeholders.c knows, has the ExcNodeList of
 * *o by now.
 */
void quota_excludes(struct bridge *b, const struct queue_entry *q,
		    const struct job_spec *o);

/*
 * Note that the group does not submit just now, or goes away: the groups of its
 * namespace behind it move up if it had a turn.
 */
void quota_leave(struct bridge *b, struct queue_entry *q);

/*
 * Touch the groups that wait for room, and have it now. Cheap, but for walking
 * the queue each QUOTA_LOOK_MS while a group waits.
 */
void quota_step(struct bridge *b);

/* Free all that is counted. NULL: nothing. */
void quota_free(struct quota *c);

#endif
