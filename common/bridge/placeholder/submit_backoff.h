/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While Slurm's queue is full for a namespace (MaxSubmitJobs, GrpSubmitJobs,
 * MaxJobCount) one of its groups tries to submit, and all others wait for the
 * outcome. Each try costs slurmctld a write lock, its job_submit plugins and a
 * line in its log. The pause grows from 1 s to a minute, and is over when one
 * of the namespace's jobs ends; after a try that succeeds twice as many follow.
 * Nothing is kept over a restart. The bridge's thread only.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_SUBMIT_BACKOFF_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_SUBMIT_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct bridge;
struct queue_entry;
struct job_spec;

#define BRAKE_MIN_MS 1000  /* first pause after a refusal */
#define BRAKE_MAX_MS 60000 /* longest pause, after refusals in a row */

struct submit_backoff; /* NULL at first */

/*
 * True if this group is to wait; then *err is -EAGAIN with Slurm's last words.
 * A job for another user, account, QOS or partition does not wait for jobs that
 * were refused.
 */
bool submit_backoff_holds(struct bridge *b, struct queue_entry *q,
			  const struct job_spec *o, struct err *err);

/*
 * Note that Slurm has refused the group's job as its queue is full, with the
 * words of `why`. False: no group waits for that, as memory is short, or as
 * there are too many backoffs.
 */
bool submit_backoff_begin(struct bridge *b, struct queue_entry *q,
			  const struct job_spec *o, const struct err *why);

/* Note that Slurm has taken the group's job. */
void submit_backoff_passed(struct bridge *b, struct queue_entry *q,
			   const struct job_spec *o);

/*
 * Note that the group's job has ended: other groups of its namespace may try at
 * once, but not before a second after the last refusal.
 */
void submit_backoff_wake(struct bridge *b, const struct queue_entry *q);

/*
 * Touch the groups whose turn it is to try. Cheap, but for walking the queue
 * when a pause is over.
 */
void submit_backoffs_step(struct bridge *b);

/*
 * When submit_backoffs_step() has something to do (monotonic, ms); INT64_MAX:
 * nobody waits.
 */
int64_t submit_backoffs_next(const struct bridge *b);

/* Free all backoffs. */
void submit_backoffs_free(struct bridge *b);

#endif
