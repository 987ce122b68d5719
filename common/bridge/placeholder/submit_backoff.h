/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's queue is full for a namespace (MaxSubmitJobs, GrpSubmitJobs,
 * MaxJobCount): then one of its groups tries, and all others wait for what
 * becomes of that. Each try costs slurmctld a write lock, its job_submit
 * plugins and a line in its log. The pause grows from 1 s to a minute, and is
 * over when one of the namespace's jobs ends; when a try succeeds twice as many
 * follow. Nothing is kept over a restart. The bridge's thread only.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_SUBMIT_BACKOFF_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_SUBMIT_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct bridge;
struct queue_entry;
struct job_spec;

#define BRAKE_MIN_MS 1000
#define BRAKE_MAX_MS 60000

struct submit_backoff; /* NULL at first */

/* Is this group to wait? Then *err has Slurm's words, -EAGAIN. */
bool submit_backoff_holds(struct bridge *b, struct queue_entry *q,
			  const struct job_spec *o, struct err *err);

/* Slurm has refused it as its queue is full. False: no memory. */
bool submit_backoff_begin(struct bridge *b, struct queue_entry *q,
			  const struct job_spec *o, const struct err *why);

/* Slurm has taken it. */
void submit_backoff_passed(struct bridge *b, struct queue_entry *q,
			   const struct job_spec *o);

/* Its job has ended: there may be room for others of its namespace. */
void submit_backoff_wake(struct bridge *b, const struct queue_entry *q);

/* Those whose turn it is to try are looked at. Cheap. */
void submit_backoffs_step(struct bridge *b);
int64_t submit_backoffs_next(const struct bridge *b); /* when; monotonic */
void submit_backoffs_free(struct bridge *b);

#endif
