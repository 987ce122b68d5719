/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's queue is full for a namespace (MaxSubmitJobs, GrpSubmitJobs,
 * MaxJobCount): then one of its groups tries, and all others wait for what
 * becomes of that. Each try costs slurmctld a write lock, its job_submit
 * plugins and a line in its log. The pause grows from 1 s to a minute, and is
 * over when one of the namespace's jobs ends; when a try succeeds twice as many
 * follow. Nothing is kept over a restart. The bridge's thread only.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_SUBMIT_BRAKE_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_SUBMIT_BRAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct bridge_thread;
struct queued;
struct order;

#define BRAKE_MIN_MS 1000
#define BRAKE_MAX_MS 60000

struct brake; /* NULL at first */

/* Is this group to wait? Then *err has Slurm's words, -EAGAIN. */
bool brake_holds(struct bridge_thread *b, struct queued *q,
		 const struct order *o, struct err *err);

/* Slurm has refused it as its queue is full. False: no memory. */
bool brake_full(struct bridge_thread *b, struct queued *q,
		const struct order *o, const struct err *why);

/* Slurm has taken it. */
void brake_passed(struct bridge_thread *b, struct queued *q,
		  const struct order *o);

/* Its job has ended: there may be room for others of its namespace. */
void brake_wake(struct bridge_thread *b, const struct queued *q);

/* Those whose turn it is to try are looked at. Cheap. */
void brakes_step(struct bridge_thread *b);
int64_t brakes_next(const struct bridge_thread *b); /* when; monotonic */
void brakes_free(struct bridge_thread *b);

#endif
