/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a group is looked at, and what the plan says is done. The bridge's thread
 * only. */
#ifndef SLURMK8S_BRIDGE_RECONCILE_RECONCILE_H
#define SLURMK8S_BRIDGE_RECONCILE_RECONCILE_H

#include "bridge/binding/binding.h"
#include "bridge/reconcile/group_decide.h"
#include "bridge/session/bridge_session.h"

/* --- observe.c: what is seen of a group; under the lock of `seen` */

/*
 * Look at a group (g NULL: it is not in view) and its job, and decide: *out,
 * all zero at first, gets what was seen, what would be asked of Slurm, and the
 * plan. The caller clears out->order by job_spec_clear(). If b->specs.fits.ask
 * is set then, which nodes fit is to be found out (node_fits_step()), and the
 * group is to be observed again. Takes the lock of the hosts. No RPC.
 */
void group_observe(struct bridge *b, struct queue_entry *q, struct pod_group *g,
		   struct group_observation *out);

/* --- lasting.c; under the lock of `seen` */

/*
 * Find out for how long the group (g NULL: it is not in view) has lacked pods,
 * room, another size of its job, or what its job needs: sets that in j->view,
 * of which all else is known, and keeps it in q->since. Takes the locks of the
 * hosts and of the requests.
 */
void lasting_look(struct bridge *b, struct queue_entry *q,
		  const struct pod_group *g, struct group_observation *j);

/* --- select.c */

/*
 * Copy the pods that the plan is about into *out; the caller frees out->v. 0;
 * -ENOMEM, and *out is empty. Under the lock of `seen`.
 */
int select_pods(const struct pod_group *g, const struct group_observation *j,
		struct pod_selection *out);

/* --- standby.c: whether the bridge may act, and what it does while not */

/*
 * True if we may act: the lease is ours, and pods, namespaces and nodes are in
 * view; if these are not for a minute the log says so, once. Without nodes in
 * view a pod that runs elsewhere than its job would not be found, and a pod
 * whose job slurmctld has lost would be deleted.
 */
bool standby_may_end(struct bridge *b);

/*
 * While we may not act: forget groups that have changed and have neither pods
 * nor a job. Cheap. No RPC.
 */
void standby_step(struct bridge *b);

/*
 * Touch all groups that are remembered, as we may act again. If none was looked
 * at yet the bridge begins for each of them with its next look.
 */
void standby_over(struct bridge *b);

/* --- just_begun.c; under the lock of `seen` */

/*
 * True if it is the group's first look since the bridge began, and Slurm
 * answers (`job` is known). The bridge begins now for this group, however late:
 * others may have had looks and jobs before, of which Slurm takes a few hundred
 * a second.
 */
bool early_begins(struct queue_entry *q, enum placeholder_state job);

/*
 * True for BRIDGE_EARLY_MS after the bridge has begun for this group (g NULL:
 * it has no pods); and while it is not known whose the namespace is, or whether
 * the pods have lost their job, or while running pods may still get one.
 */
bool early_is(struct bridge *b, struct queue_entry *q,
	      const struct pod_group *g);

/*
 * True if the group's pods run without a job since q->early.jobless_at, and may
 * still get one, for BRIDGE_JOBLESS_MS.
 */
bool early_jobless(const struct queue_entry *q);

/* --- lost_pods.c; under the lock of `seen` */

/*
 * Find out, once for each list of pods, whether so many jobs have lost their
 * pods, which nobody saw deleted, that it is rather the wrong API server; the
 * log says when that begins and when it is over. To be called before a group's
 * pods are looked at. Walks the queue then.
 */
void lost_look(struct bridge *b);

/*
 * End the state that lost_look() found if all jobs that had lost their pods
 * have ended, or have pods again. Without a lock.
 */
void lost_end(struct bridge *b);

/* Note that a group that had lost its pods has them in view again, if so. */
void lost_note(struct queue_entry *q, const struct pod_group *g);

/*
 * True if the group's pods are not in view, but may run where it is not seen.
 */
static inline bool lost_has(const struct bridge *b, const struct queue_entry *q)
{
	return b->lost.disruption.is && q->whereabouts.lost;
}

/* --- apply.c; without a lock */

#define WORDS_TOO_MANY_NAMES "Too many node names" /* reason of an Event */

/*
 * Do what the plan says, unless it was done a moment ago: ask Slurm by RPCs, or
 * have pods bound, deleted or told. It may change the words of the plan. If
 * something cannot be done now the group is looked at again later.
 */
void group_apply(struct bridge *b, struct queue_entry *q,
		 struct group_observation *j, const struct pod_selection *pods);

/*
 * Make the plan GROUP_WAIT, with the words of `err`: Slurm, or a limit, keeps
 * its action from being done just now. The group's pods are told if that lasts.
 */
void act_tell_busy(struct bridge *b, struct queue_entry *q,
		   struct group_observation *j,
		   const struct pod_selection *pods, const struct err *err);

/* --- job_updates.c; without a lock */

/*
 * Tell the job, which waits, other nodes by one RPC: at once, or when its turn
 * comes (q->update.waits) and the plan still says so. An update that Slurm
 * refuses is tried again a minute later, and the pods are told.
 */
void updates_do(struct bridge *b, struct queue_entry *q,
		struct group_observation *j, const struct pod_selection *pods);
#endif
