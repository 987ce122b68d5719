/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A group is looked at, and what follows is done. The bridge's thread only. */
#ifndef SLURMK8S_BRIDGE_RECONCILE_RECONCILE_H
#define SLURMK8S_BRIDGE_RECONCILE_RECONCILE_H

#include "bridge/binding/binding.h"
#include "bridge/reconcile/group_decide.h"
#include "bridge/session/bridge_session.h"

/* --- bridge/reconcile/observe.c: what the plan is made by; under the lock of
 * `seen` */

void group_observe(struct bridge *b, struct queue_entry *q, struct pod_group *g,
		   struct group_observation *out);
/* --- select.c */

/* Under the lock: those whom the plan is about. */
int select_pods(const struct pod_group *g, const struct group_observation *j,
		struct pod_selection *out);

/* --- standby.c: we may not act, or may again */

/*
 * May we act? The lease is ours, and pods, namespaces and nodes are in view; if
 * not for a minute the log says so, once.
 * (By nodes that are not, a pod would not be seen to run elsewhere than its
 * job, and one whose job slurmctld has forgotten would be deleted.)
 */
bool standby_may_end(struct bridge *b);
void standby_step(struct bridge *b); /* cheap */
/* What is remembered is looked at; for all of it the bridge may begin. */
void standby_over(struct bridge *b);

/* --- just_begun.c; under the lock of `seen` */

/*
 * Is it the group's first look since the bridge began, and does Slurm answer?
 * Then that begins now for this one, however many have had their look before,
 * and a job: Slurm takes a few hundred a second.
 */
bool early_begins(struct queue_entry *q, enum placeholder_state job);
/* Has it just begun for this group (NULL: it has no pods)? */
bool early_is(struct bridge *b, struct queue_entry *q,
	      const struct pod_group *g);
/* Its pods run without a job since `jobless_at`, and may still get one. */
bool early_jobless(const struct queue_entry *q);

/* --- lost_pods.c; under the lock of `seen` */

/*
 * Once for each list of pods: have so many jobs lost their pods, which nobody
 * saw deleted, that it is rather the wrong API server? Tells when that begins
 * and when it is over. To be called before the group's pods are looked at.
 */
void lost_look(struct bridge *b);
/* All those jobs have ended, or have pods again: it is over. No lock. */
void lost_end(struct bridge *b);
/* This one's are in view (again), or not. */
void lost_note(struct queue_entry *q, const struct pod_group *g);
/* It has none in view, but may have some. */
static inline bool lost_has(const struct bridge *b, const struct queue_entry *q)
{
	return b->lost.disruption.is && q->astray.lost;
}

/* --- bridge/reconcile/apply.c; without the lock */

#define WORDS_TOO_MANY_NAMES "Too many node names" /* an Event's */

void group_apply(struct bridge *b, struct queue_entry *q,
		 struct group_observation *j, const struct pod_selection *pods);

/* Slurm does not take it just now: its pods are told, if that lasts. */
void act_tell_busy(struct bridge *b, struct queue_entry *q,
		   struct group_observation *j,
		   const struct pod_selection *pods, const struct err *err);

/* --- job_updates.c; without the lock */

/*
 * The job, which waits, is told other nodes: at once, or when its turn comes
 * (q->update.waits). Then the plan says again whether it is to be told.
 */
void updates_do(struct bridge *b, struct queue_entry *q,
		struct group_observation *j, const struct pod_selection *pods);
#endif
