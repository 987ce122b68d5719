/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Doing what the plan says. Nothing is done twice while it may still work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "metrics/metrics.h"
#include "slurm/ctl_schedule.h"

#define AGAIN_MS 2000	    /* until an action is repeated on a job */
#define LOOK_AGAIN_MS 30000 /* until pods of an old view are read again */
#define BUSY_MIN_MS 500	    /* first pause after a submission that failed */
#define BUSY_MAX_MS 30000   /* longest pause, after failures in a row */

/*
 * Check what Slurm would refuse the job's user, but not us, and shorten the
 * job's time to what its partition allows. 0; negative with words.
 */
static int check_partition(struct bridge *b, struct job_spec *o,
			   struct err *err)
{
	int rc = ctl_parts_refresh(&b->specs.parts, err);

	if (!rc)
		rc = ctl_parts_check(b->specs.parts, o->p.partition,
				     o->p.reservation, err);
	/* How long a job may be in a reservation's partition is not known. */
	if (!rc && o->options.most_minutes &&
	    (o->p.partition || !o->p.reservation))
		o->p.time_limit =
			ctl_parts_shorten(b->specs.parts, o->p.partition,
					  (uint32_t)o->options.most_minutes);
	return rc;
}

static void count_refusal(enum metrics_refusal why)
{
	metrics_count(METRIC_BRIDGE_REFUSALS, why, 0);
}

/* --- the job */

void act_tell_busy(struct bridge *b, struct queue_entry *q,
		   struct group_observation *j,
		   const struct pod_selection *pods, const struct err *err)
{
	group_decision_wait(&j->plan, err->msg);
	write_conditions(b, q, j, pods);
}

static void try_later(struct bridge *b, struct queue_entry *q,
		      struct group_observation *j,
		      const struct pod_selection *pods, const struct err *err)
{
	const int64_t ms = backoff_doubled(BUSY_MIN_MS, q->refused.failures++,
					   BUSY_MAX_MS);

	log_debug("bridge: %s: %s", q->key, err->msg);
	if (j->order.places)
		queue_entry_lacks_job(q);
	placeholders_expire(b); /* Slurm may have the job, without an answer */
	q->refused.unsure = b->jobs.lists + 1;
	q->refused.submit_at = clock_ms() + ms;
	queue_entry_later(b, q, ms);
	act_tell_busy(b, q, j, pods, err);
}

/* True if the namespace's limits allow the job; if not the pods are told. */
static bool may_submit(struct bridge *b, struct queue_entry *q,
		       struct group_observation *j,
		       const struct pod_selection *pods)
{
	struct err err = {0};
	enum quota_say said;

	if (j->order.places) /* pods that run had a job */
		return true;
	said = quota_ask(b, q, &j->order, sizeof(err.msg), err.msg);
	if (said == QUOTA_GO)
		return true;
	count_refusal(said == QUOTA_FULL    ? METRICS_TOO_MANY_JOBS
		      : said == QUOTA_NAMES ? METRICS_TOO_MANY_NAMES
					    : METRICS_TOO_MANY_SUBMISSIONS);
	j->limited = true;
	j->too_many = said == QUOTA_FULL    ? "Too many jobs"
		      : said == QUOTA_NAMES ? WORDS_TOO_MANY_NAMES
		      : q->quota.event	    ? "Too many submissions"
					    : NULL;
	queue_entry_later(b, q,
			  said == QUOTA_RATE ? q->quota.slot_at - clock_ms()
					     : QUOTA_AGAIN_MS);
	act_tell_busy(b, q, j, pods, &err);
	return false;
}

/*
 * Tell the group's pods that their last jobs were of no use (see
 * rest_if_in_vain() of placeholders.c).
 */
static void tell_vain(struct bridge *b, struct queue_entry *q,
		      struct group_observation *j,
		      const struct pod_selection *pods)
{
	static const char words[] =
		"its Slurm jobs end before its pods are bound, see "
		"slurmctld.log: the next one comes within a minute";
	struct err err = {0};

	err_set(&err, -EAGAIN, "%s", words);
	group_log(b, LOG_LEVEL_WARN, &j->order.id.of, words);
	act_tell_busy(b, q, j, pods, &err);
}

/*
 * Try again later for running pods, which had a job, though Slurm has refused
 * another one: what Slurm lacks may still come (the user's name by sssd, say,
 * or nodes), and without a job the pods would be deleted.
 */
static void refused_running(struct bridge *b, struct queue_entry *q,
			    struct group_observation *j,
			    const struct pod_selection *pods,
			    const struct err *err)
{
	char words[ERR_MSG_MAX + 64];

	snprintf(words, sizeof(words),
		 "its pods run, and Slurm has not taken a job for them yet: %s",
		 err->msg);
	group_log(b, LOG_LEVEL_WARN, &j->order.id.of, words);
	try_later(b, q, j, pods, err);
}

/* Note that Slurm has taken the group's job. */
static void accepted(struct queue_entry *q)
{
	metrics_count(METRIC_BRIDGE_JOBS, METRICS_SUBMITTED, 0);
	q->refused.failures = 0;
	q->refused.submit_at = 0;
	queue_entry_gets_job(q);
	free(q->refused.words);
	q->refused.words = NULL;
	free(q->told.reason);
	q->told = (struct reported){0};
}

/*
 * Find the job's user. While the name service hangs b->ages->asks_names says
 * so, and the log can name it as what keeps the bridge waiting.
 */
static int find_user(struct bridge *b, struct job_spec *o, struct err *err)
{
	int rc;

	if (b->ages)
		atomic_store(&b->ages->asks_names, true);
	rc = job_spec_set_user(&b->specs, o, err);
	if (b->ages)
		atomic_store(&b->ages->asks_names, false);
	return rc;
}

static void submit(struct bridge *b, struct queue_entry *q,
		   struct group_observation *j,
		   const struct pod_selection *pods)
{
	struct job_spec *o = &j->order;
	struct err err = {0};
	uint32_t job_id = 0;
	int rc;

	if (clock_ms() < q->refused.submit_at && !q->refused.words) {
		queue_entry_later(b, q, q->refused.submit_at - clock_ms());
		if (q->vain.n > 1)
			tell_vain(b, q, j, pods);
		return;
	}
	if (q->refused.unsure == b->jobs.lists + 1) {
		placeholders_expire(b);
		queue_entry_later(b, q, BUSY_MIN_MS);
		return;
	}
	q->refused.unsure = 0;
	/* A group whose pods run had a job: it need not wait. */
	if (!o->places && submit_backoff_holds(b, q, o, &err)) {
		j->limited = true;
		act_tell_busy(b, q, j, pods, &err);
		return;
	}
	if (!may_submit(b, q, j, pods))
		return;
	rc = find_user(b, o, &err);
	if (!rc)
		rc = check_partition(b, o, &err);
	/* A name service may have hung, and another engine have begun. */
	if (!rc && (atomic_load(&b->stop) || !cluster_held(b->link))) {
		queue_entry_later(b, q, AGAIN_MS);
		return;
	}
	if (!rc) {
		quota_sent(b, q);
		rc = ctl_placeholder_submit(&o->p, &job_id, &err);
	}
	if (rc == -EDQUOT && !o->places &&
	    submit_backoff_begin(b, q, o, &err)) {
		count_refusal(METRICS_QUEUE_FULL);
		j->limited = true;
		/* the answer may have been lost: the job may be in the queue */
		placeholders_expire(b);
		act_tell_busy(b, q, j, pods, &err);
		return;
	}
	if (rc == -EAGAIN || rc == -ENOMEM || rc == -EDQUOT) {
		count_refusal(METRICS_SLURM_BUSY);
		try_later(b, q, j, pods, &err);
		return;
	}
	if (rc)
		count_refusal(METRICS_BY_SLURM);
	if (rc && o->places) {
		refused_running(b, q, j, pods, &err);
		return;
	}
	if (rc) {
		group_refused(b, q, j, err.msg);
		return;
	}
	accepted(q);
	log_debug("bridge: job %u is %s %s/%s, %u pods", job_id,
		  workload_api(o->id.of.kind)->kind, o->id.of.ns, o->id.of.name,
		  o->id.pods);
	quota_submitted(b, q, o);
	submit_backoff_passed(b, q, o);
	placeholders_submitted(b, q, job_id, &o->id);
	quota_excludes(b, q, o);
	if (!o->places)
		return;
	q->did.pinned = job_id;
	log_info("bridge: job %u is for %u pods that run on %.200s: Slurm has "
		 "no job of theirs",
		 job_id, o->id.pods, o->places);
}

/* Tell the group's pods, once, that the job is held, which its holder ends. */
static void tell_held(struct bridge *b, const struct group_observation *j,
		      const struct pod_selection *pods)
{
	for (size_t i = 0; i < pods->n; i++) {
		const struct selected_pod *c = &pods->v[i];
		const struct pod_ref ref = {c->ns, c->name, c->uid};

		bridge_requests_event(b->requests, &ref, true, "Held",
				      j->plan.words);
	}
	log_warn("bridge: %s", j->plan.words);
}

/*
 * Have the job start again on the nodes where its pods run, and nowhere else.
 * It has run before, so its dependency is past; a hold is not.
 */
static void pin(struct bridge *b, struct queue_entry *q,
		const struct group_observation *j,
		const struct pod_selection *pods)
{
	struct placeholder to = {.nodelist = j->order.places, .dependency = ""};
	struct err err = {0};
	int rc;

	/* An exclusive job was made for as many nodes as it needs. */
	if (j->order.p.exclusive != PLACEHOLDER_EXCLUSIVE) {
		to.min_nodes = j->order.p.min_nodes;
		to.max_nodes = j->order.p.max_nodes;
	}
	rc = to.nodelist ? ctl_placeholder_update(q->job.id, &to, &err)
			 : -EAGAIN;
	placeholders_expire(b);
	if (rc == -EAGAIN || rc == -ENOMEM) {
		queue_entry_later(b, q, AGAIN_MS);
		return;
	}
	/*
	 * The job names a node that was deleted: Slurm takes no change of it,
	 * and may start it anywhere. Its pods, which run, get another job (row
	 * "lost"), also when the bridge has not just begun: early_jobless(). A
	 * held job is for its holder to end, by scancel.
	 */
	if (rc == -ENODEV && q->job.state != PLACEHOLDER_HELD) {
		queue_entry_loses_job(q);
		end_and_replace(b, q, err.msg);
		return;
	}
	q->did.pinned = q->job.id;
	if (rc)
		log_warn("bridge: job %u cannot start where its pods run: %s",
			 q->job.id, err.msg);
	else
		log_info("bridge: job %u is to start on %.200s again, where "
			 "its pods run",
			 q->job.id, to.nodelist);
	if (q->job.state == PLACEHOLDER_HELD)
		tell_held(b, j, pods);
	ctl_schedule();
}

/*
 * Give the job's id to running pods that have the id of a job that Slurm has
 * lost. An Event tells each once.
 */
static void adopt_pods(struct bridge *b, struct queue_entry *q,
		       const struct pod_selection *pods)
{
	const bool first = q->did.adopted != q->job.id;
	char mark[BRIDGE_KEY_MAX];

	pod_groups_mark(q->key, mark);
	for (size_t i = 0; i < pods->n; i++) {
		const struct selected_pod *c = &pods->v[i];
		const struct pod_ref ref = {c->ns, c->name, c->uid};
		const struct pod_patch note = {.job_id = q->job.id,
					       .bound = true,
					       .node = c->node,
					       .group = mark,
					       .by = b->bound_by,
					       .queue = ""};

		bridge_requests_note(b->requests, &ref, &note);
		if (first)
			bridge_requests_event(b->requests, &ref, false,
					      "Adopted",
					      "Slurm has a new job for it");
	}
	if (first)
		log_info("bridge: job %u: has %zu pods that run", q->job.id,
			 pods->n);
	q->did.adopted = q->job.id;
}

/* True if the last action of this kind may still have its effect. */
static bool is_repeated(struct bridge *b, struct queue_entry *q,
			const struct group_decision *plan)
{
	const int64_t now = clock_ms(),
		      again = plan->look ? LOOK_AGAIN_MS : AGAIN_MS;

	if (plan->action == GROUP_SUBMIT || plan->action == GROUP_UPDATE)
		return false;
	if (plan->action == GROUP_DELETE_PODS && now < q->deletion.again_at) {
		queue_entry_later(b, q, q->deletion.again_at - now);
		return true;
	}
	if (q->did.acted == plan->action && now < q->did.acted_until) {
		queue_entry_later(b, q, q->did.acted_until - now);
		return true;
	}
	q->did.acted = plan->action;
	q->did.acted_until = now + again;
	queue_entry_later(b, q, again);
	return false;
}

void group_apply(struct bridge *b, struct queue_entry *q,
		 struct group_observation *j, const struct pod_selection *pods)
{
	const struct group_decision *plan = &j->plan;

	if (plan->action != GROUP_DELETE_PODS)
		q->deletion.tries = 0;
	/* Turns are not saved up by what is not to be submitted just now. */
	if (plan->action != GROUP_SUBMIT)
		quota_leave(b, q);
	switch (plan->action) {
	case GROUP_KEEP:
		return;
	case GROUP_REFUSE:
	case GROUP_WAIT:
	case GROUP_NOTE:
		write_conditions(b, q, j, pods);
		return;
	case GROUP_SUBMIT:
	case GROUP_UPDATE:
	case GROUP_BIND:
	case GROUP_PIN:
	case GROUP_ADOPT:
	case GROUP_COMPLETE:
	case GROUP_CANCEL:
	case GROUP_DELETE_PODS:
		break;
	}
	if (is_repeated(b, q, plan))
		return;
	if (plan->action == GROUP_SUBMIT)
		submit(b, q, j, pods);
	else if (plan->action == GROUP_UPDATE)
		updates_do(b, q, j, pods);
	else if (plan->action == GROUP_BIND)
		bind_pods(b, q, j, pods);
	else if (plan->action == GROUP_PIN)
		pin(b, q, j, pods);
	else if (plan->action == GROUP_ADOPT)
		adopt_pods(b, q, pods);
	else if (plan->action == GROUP_DELETE_PODS)
		delete_pods(b, q, j, pods);
	else
		end_job(b, q, j);
}
