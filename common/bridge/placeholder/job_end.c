/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How our jobs end. A job that the bridge cancels so that its pods get another
 * one must not pass for a job that its user has cancelled: its waiting pods
 * would be deleted with it. So the job's identity says so before it is
 * cancelled (bridge/jobspec/job_identity.h): slurmctld may be killed at any
 * moment, and what it then still has is all that the next engine knows.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/placeholder/placeholder.h"
#include "metrics/metrics.h"

#define AGAIN_MS 2000
#define MARK_MAX_MS 30000 /* until a job is cancelled without a mark */
#define ASK_MAX 64	  /* jobs that are asked for one by one in a step */
#define ASK_LATER_MS 500  /* until a job beyond ASK_MAX is looked at again */

/* Write into the job that the bridge cancels it, so that it begins anew. */
static int mark(struct bridge *b, const struct queue_entry *q, struct err *err)
{
	char text[BRIDGE_ID_MAX];
	const struct placeholder p = {.admin_comment = text};
	struct job_identity id = {.pods = q->job.made_for,
				  .nodes = q->job.made_nodes,
				  .cpus = q->job.made_cpus,
				  .again = true};
	const struct pod_group *g;
	int rc;

	pod_groups_lock(b->groups);
	g = pod_groups_find(b->groups, q->key);
	if (g)
		id.of = g->of;
	pod_groups_unlock(b->groups);
	if (!g) /* no pod waits, so none can be taken for cancelled */
		return 0;
	str_copy(id.of.uid, q->job.uid, sizeof(id.of.uid));
	str_copy(id.cluster, b->bridge->cluster, sizeof(id.cluster));
	str_copy(id.scheduler, b->bridge->scheduler, sizeof(id.scheduler));
	str_copy(id.options_digest, q->job.options_digest,
		 sizeof(id.options_digest));
	rc = job_identity_make(&id, text, err);
	return rc ? rc : ctl_placeholder_update(q->job.id, &p, err);
}

/*
 * A hold would be lost, as the next job would not be held. A list of jobs is up
 * to a minute old on a large site, and the small RPC does not tell who is held:
 * so slurmctld is asked for this job before it is marked as one that is to go.
 * A job that its own pods, or Slurm itself, had held when it was listed may be
 * held by an administrator by now. 0: nobody else holds it; -EBUSY and -EAGAIN
 * as of end_to_begin_anew().
 */
static int check_held(struct bridge *b, struct queue_entry *q, struct err *err)
{
	char reason[PLACED_REASON_MAX] = "";
	struct err why = {0};
	bool held = false;
	int rc;

	if (!placeholder_waits(q->job.state) || q->job.by_us)
		return 0;
	if (b->jobs.held_asked >= ASK_MAX) {
		queue_entry_act_again(q);
		queue_entry_later(b, q, ASK_LATER_MS);
		return err_set(err, -EBUSY, "its turn has not come");
	}
	b->jobs.held_asked++;
	rc = ctl_placeholder_held(q->job.id, &held, reason, &why);
	if (rc && rc != -ENOENT)
		return err_set(err, -EAGAIN, "%s", why.msg);
	if (!held || (q->job.state == PLACEHOLDER_HELD &&
		      !placeholder_admin_holds(reason)))
		return 0;
	placeholders_held(b, q, reason);
	return err_set(err, -EBUSY, "somebody holds it");
}

int end_to_begin_anew(struct bridge *b, struct queue_entry *q, struct err *err)
{
	struct err why = {0};
	int rc = check_held(b, q, err);

	if (rc)
		return rc;
	rc = q->job.by_us ? 0 : mark(b, q, &why);
	placeholders_expire(b);
	if ((rc == -EAGAIN || rc == -ENOMEM) &&
	    clock_ms() < q->row.at + MARK_MAX_MS)
		return err_set(err, -EAGAIN, "%s", why.msg);
	if (rc)
		log_warn("bridge: job %u: %s; should slurmctld be killed now, "
			 "its waiting pods are taken for cancelled",
			 q->job.id, why.msg);
	if (ctl_placeholder_cancel(q->job.id, err))
		return err->code;
	q->job.by_us = true;
	return 0;
}

/* True if there is a pod that would be taken for cancelled with the job. */
static bool has_pods(const struct group_counts *p)
{
	return p->waiting || p->gated || p->live || p->leaving;
}

static int end(struct bridge *b, struct queue_entry *q,
	       const struct group_observation *j, struct err *err)
{
	const struct group_decision *plan = &j->plan;
	int rc;

	if (plan->action == GROUP_COMPLETE)
		return ctl_placeholder_end(plan->job_id,
					   (uint32_t)plan->exit_code << 8, err);
	if (plan->job_id != q->job.id)
		return ctl_placeholder_cancel(plan->job_id, err);
	if (has_pods(&j->view.pods))
		return end_to_begin_anew(b, q, err);
	/*
	 * A gang's controller may make new pods for a job that somebody holds,
	 * so it stays (decide_short()); a hold may be newer than the list.
	 */
	rc = j->view.gang && q->job.state == PLACEHOLDER_PENDING
		     ? check_held(b, q, err)
		     : 0;
	if (!rc)
		rc = ctl_placeholder_cancel(plan->job_id, err);
	q->job.by_us |= !rc;
	return rc;
}

void end_job(struct bridge *b, struct queue_entry *q,
	     const struct group_observation *j)
{
	const struct group_decision *plan = &j->plan;
	struct err err = {0};
	int rc;

	placeholders_expire(b);
	rc = end(b, q, j, &err);
	if (rc == -EBUSY) {
		log_debug("bridge: job %u: %s", plan->job_id, err.msg);
		return;
	}
	if (rc) {
		log_warn("bridge: job %u: %s", plan->job_id, err.msg);
		queue_entry_later(b, q, AGAIN_MS);
		return;
	}
	b->jobs.freed = true;
	metrics_count(METRIC_BRIDGE_JOBS,
		      plan->action == GROUP_CANCEL ? METRICS_CANCELLED
						   : METRICS_COMPLETED,
		      0);
	log_info("bridge: job %u %s: %s", plan->job_id,
		 plan->action == GROUP_CANCEL ? "cancelled" : "ended",
		 plan->words);
}
