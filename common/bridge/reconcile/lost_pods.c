/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether so many jobs have lost all their pods at once, and nobody saw these
 * deleted, that it is rather the API server of another cluster, or an empty
 * one, which the credentials fit. In such a disruption none of these jobs is
 * cancelled for want of pods: the pods may run where that server does not see
 * them. It lasts until a list has most of the pods again, or until these jobs
 * have ended.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "bridge/reconcile/reconcile.h"

/* The jobs that have lost their pods. */
struct losses {
	struct disruption_seen seen;
	uint32_t job_id; /* one of them, for the log; 0: there is none */
};

/*
 * True for a job that would be cancelled if its pods were gone, and for no
 * other reason.
 */
static bool counts(const struct queue_entry *q)
{
	return q->job.state >= PLACEHOLDER_PENDING &&
	       q->job.state < PLACEHOLDER_COMPLETING &&
	       !q->job.other_scheduler && !q->job.by_us;
}

void lost_note(struct queue_entry *q, const struct pod_group *g)
{
	if (!q->whereabouts.lost || !g || !g->n)
		return;
	q->whereabouts.lost = false;
	q->whereabouts.found = true;
}

/*
 * True if a list has the pods of the group's job no more. `first`: it is the
 * first list of this engine, which has never had the pods in view: a job is
 * made for pods that exist, so they have gone while no engine looked.
 */
static bool has_vanished(struct bridge *b, const struct queue_entry *q,
			 const struct pod_group *g, bool first)
{
	const char *uid =
		pod_groups_key_is_gang(q->key) ? NULL : strrchr(q->key, ' ');

	/* A pod that a new build or label puts into a group is still there. */
	if (!g && uid && pod_groups_pod(b->groups, uid + 1))
		return false;
	if (g)
		return !g->n && g->vanished;
	return first && !q->sight.seen &&
	       !pod_groups_left_out(b->groups, q->key);
}

/* Count a job that has pods, or has lost them. */
static void add(struct losses *x, const struct queue_entry *q, bool has_pods)
{
	if (q->whereabouts.lost || has_pods)
		disruption_count(&x->seen, q->whereabouts.lost, 1);
	if (q->whereabouts.lost)
		x->job_id = q->job.id;
}

/* In a disruption that has begun: count this job as still lost, or as back. */
static void see_again(struct bridge *b, struct queue_entry *q,
		      struct losses *out)
{
	lost_note(q, pod_groups_find(b->groups, q->key));
	if (!counts(q))
		q->whereabouts.lost = q->whereabouts.found = false;
	/* Pods of jobs that had lost none are no sign that it ends. */
	add(out, q, q->whereabouts.found);
}

/* Count a job while no disruption has begun. */
static void see_afresh(struct bridge *b, struct queue_entry *q, bool first,
		       struct losses *out)
{
	const struct pod_group *g = pod_groups_find(b->groups, q->key);

	q->whereabouts.found = false;
	q->whereabouts.lost = counts(q) && has_vanished(b, q, g, first);
	if (!counts(q))
		return;
	add(out, q, g && g->n);
}

static void tell(const struct bridge *b, const struct losses *x,
		 enum disruption_news news)
{
	if (news == DISRUPTION_BEGINS)
		log_error("cluster %s: Kubernetes has no pods of %zu of %zu "
			  "jobs of the bridge (job %u, for one), and nobody "
			  "saw them deleted: these jobs are not cancelled for "
			  "that, but wait or run on. Is this the right API "
			  "server? See the kubeconfig (server, "
			  "current-context), what is behind that address, and "
			  "kubectl get pods -A. If it is, and the pods are "
			  "gone in truth, scancel these jobs",
			  b->cluster->name, x->seen.lost, x->seen.nodes,
			  (unsigned)x->job_id);
	else if (news == DISRUPTION_ENDS)
		log_info("cluster %s: most jobs that had lost their pods have "
			 "them again, or have ended (%zu have not): a job "
			 "whose pods are gone is cancelled as ever",
			 b->cluster->name, x->seen.lost);
}

/* Look again at groups whose pods are not back by now: these are gone. */
static void look_again(struct bridge *b)
{
	for (struct queue_entry *q = b->queue; q; q = q->hh.next) {
		if (q->whereabouts.lost)
			queue_entry_touch(b, q);
		q->whereabouts.lost = q->whereabouts.found = false;
	}
}

static void ends(struct bridge *b, const struct losses *x)
{
	tell(b, x, disruption_turn(&b->lost.disruption, false, clock_ms()));
	look_again(b);
}

/*
 * The disruption lasts: jobs whose pods this list lacks, too, are kept with the
 * others.
 */
static void join(struct bridge *b, struct losses *x)
{
	const size_t before = x->seen.lost;

	for (struct queue_entry *q = b->queue; q; q = q->hh.next) {
		if (q->whereabouts.lost || !counts(q) ||
		    !has_vanished(b, q, pod_groups_find(b->groups, q->key),
				  false))
			continue;
		if (q->whereabouts.found)
			disruption_count(&x->seen, false, -1);
		disruption_count(&x->seen, true, 1);
		x->job_id = q->job.id;
		q->whereabouts.lost = true;
		q->whereabouts.found = false;
	}
	if (x->seen.lost > before)
		tell(b, x, DISRUPTION_BEGINS);
}

/*
 * True if the disruption lasts. The jobs that it began with decide: one more
 * job without pods must not keep up what is over for all others.
 */
static bool lasts(struct bridge *b)
{
	struct losses x = {0};

	/* Only its job tells which group a pod that is back belongs to. */
	basic_by_jobs(b);
	for (struct queue_entry *q = b->queue; q; q = q->hh.next)
		see_again(b, q, &x);
	if (disruption_lasts(&x.seen))
		join(b, &x);
	else
		ends(b, &x);
	return b->lost.disruption.is;
}

void lost_look(struct bridge *b)
{
	const unsigned int list = pod_groups_lists(b->groups);
	const bool first = !b->lost.list;
	struct losses x = {0};

	if (list == b->lost.list || !b->jobs.known)
		return;
	b->lost.list = list;
	if (b->lost.disruption.is && lasts(b))
		return;
	for (struct queue_entry *q = b->queue; q; q = q->hh.next)
		see_afresh(b, q, first, &x);
	tell(b, &x,
	     disruption_turn(&b->lost.disruption, disruption_is_many(&x.seen),
			     clock_ms()));
}

void lost_end(struct bridge *b)
{
	const struct losses none = {0};

	if (!b->lost.disruption.is || !b->jobs.known)
		return;
	/* A completing job may wait again: it was requeued. */
	for (const struct queue_entry *q = b->queue; q; q = q->hh.next)
		if (q->whereabouts.lost && job_is_active(q))
			return;
	ends(b, &none);
}
