/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How our jobs end. Whom the bridge cancels so that his pods get another job
 * must not pass for one that his user has cancelled: with that his waiting
 * pods would be deleted. So the job says it itself, before it is cancelled
 * (bridge/jobspec/job_identity.h): slurmctld may be killed at any moment, and
 * what it then still has is all that the next engine knows.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/placeholder/placeholder.h"

#define AGAIN_MS 2000
#define MARK_MAX_MS 30000 /* then it is cancelled without a mark */

static int mark(struct bridge *b, const struct queue_entry *q, struct err *err)
{
	char text[BRIDGE_ID_MAX];
	const struct placeholder p = {.admin_comment = text};
	struct job_identity id = {.pods = q->made_for,
				  .nodes = q->made_nodes,
				  .cpus = q->made_cpus,
				  .again = true};
	const struct pod_group *g;
	int rc;

	pod_groups_lock(b->seen);
	g = pod_groups_find(b->seen, q->key);
	if (g)
		id.of = g->of;
	pod_groups_unlock(b->seen);
	if (!g) /* (then no pod waits) */
		return 0;
	str_copy(id.of.uid, q->uid, sizeof(id.of.uid));
	str_copy(id.cluster, b->bridge->cluster, sizeof(id.cluster));
	str_copy(id.scheduler, b->bridge->scheduler, sizeof(id.scheduler));
	str_copy(id.wish, q->wish, sizeof(id.wish));
	rc = job_identity_make(&id, text, err);
	return rc ? rc : ctl_placeholder_update(q->job_id, &p, err);
}

int end_to_begin_anew(struct bridge *b, struct queue_entry *q, struct err *err)
{
	struct err why = {0};
	const int rc = q->by_us ? 0 : mark(b, q, &why);

	b->jobs_stale = true;
	if ((rc == -EAGAIN || rc == -ENOMEM) &&
	    clock_ms() < q->row_at + MARK_MAX_MS)
		return err_set(err, -EAGAIN, "%s", why.msg);
	if (rc)
		log_warn("bridge: job %u: %s; should slurmctld be killed now, "
			 "its waiting pods are taken for cancelled",
			 q->job_id, why.msg);
	if (ctl_placeholder_cancel(q->job_id, err))
		return err->code;
	q->by_us = true;
	return 0;
}

/* Is there a pod that would be taken for cancelled with it? */
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
	if (plan->job_id == q->job_id && has_pods(&j->view.pods))
		return end_to_begin_anew(b, q, err);
	rc = ctl_placeholder_cancel(plan->job_id, err);
	if (!rc && plan->job_id == q->job_id)
		q->by_us = true;
	return rc;
}

void end_job(struct bridge *b, struct queue_entry *q,
	     const struct group_observation *j)
{
	const struct group_decision *plan = &j->plan;
	struct err err = {0};

	b->jobs_stale = true;
	if (end(b, q, j, &err)) {
		log_warn("bridge: job %u: %s", plan->job_id, err.msg);
		queue_entry_later(b, q, AGAIN_MS);
		return;
	}
	b->freed = true;
	log_info("bridge: job %u %s: %s", plan->job_id,
		 plan->action == GROUP_CANCEL ? "cancelled" : "ended",
		 plan->words);
}
