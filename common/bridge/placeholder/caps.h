/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of Slurm's queue a namespace may have: jobs, pods of these, and
 * submissions a second (k8s.yaml, maxJobs and so on). What is over that waits,
 * and its pods are told. Nothing is kept: it follows from the queue. The
 * bridge's thread only.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_CAPS_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_CAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bridge_thread;
struct queued;
struct order;

#define CAPS_BURST_MS 5000 /* submissions that were not made count so long */
#define CAPS_LOOK_MS 250   /* how often those that wait are looked at */
#define CAPS_AGAIN_MS 60000

struct caps; /* NULL at first */

enum caps_say {
	CAPS_GO,
	CAPS_FULL, /* it is touched when there is room */
	CAPS_RATE, /* not before q->slot_at */
};

/*
 * May a job for this order be submitted now? A submission is counted. If not,
 * `words` say why.
 */
enum caps_say caps_ask(struct bridge_thread *b, struct queued *q,
		       const struct order *o, size_t size, char *words);

/* It was: one job more, until the queue is counted again. */
void caps_submitted(struct bridge_thread *b, const struct queued *q,
		    const struct order *o);

/* The group goes away: if it had a turn, those behind it move up. */
void caps_leave(struct bridge_thread *b, struct queued *q);

/* Those who wait for room, and have it now, are looked at. Cheap. */
void caps_step(struct bridge_thread *b);

void caps_free(struct caps *c);

#endif
