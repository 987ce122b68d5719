/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What follows when the placeholder job of a group has another state, other
 * nodes, or is another job.
 */
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/str.h"
#include "bridge/placeholder/placeholder.h"

enum placeholder_state placeholder_state_of(const struct placed_status *s)
{
	switch (s->state) {
	case PLACED_PENDING:
		return PLACEHOLDER_PENDING;
	case PLACED_HELD:
		return PLACEHOLDER_HELD;
	case PLACED_RUNNING:
		return s->configuring ? PLACEHOLDER_STARTING
				      : PLACEHOLDER_RUNNING;
	case PLACED_SUSPENDED:
		return PLACEHOLDER_SUSPENDED;
	case PLACED_COMPLETING:
		return PLACEHOLDER_COMPLETING;
	case PLACED_ENDED:
		return PLACEHOLDER_ENDED;
	case PLACED_GONE:
		return PLACEHOLDER_NONE;
	}
	return PLACEHOLDER_UNKNOWN;
}

enum placeholder_end placeholder_end_of(const struct placed_status *s)
{
	static const enum placeholder_end ends[] = {
		[PLACED_NOT_ENDED] = PLACEHOLDER_NOT_ENDED,
		[PLACED_COMPLETED] = PLACEHOLDER_COMPLETED,
		[PLACED_FAILED] = PLACEHOLDER_FAILED,
		[PLACED_CANCELLED] = PLACEHOLDER_CANCELLED,
		[PLACED_TIMEOUT] = PLACEHOLDER_TIMEOUT,
		[PLACED_PREEMPTED] = PLACEHOLDER_PREEMPTED,
		[PLACED_NODE_FAIL] = PLACEHOLDER_NODE_FAIL,
		[PLACED_DEADLINE] = PLACEHOLDER_DEADLINE,
		[PLACED_OTHER] = PLACEHOLDER_ENDED_OTHERWISE,
	};

	return s->end <= PLACED_OTHER ? ends[s->end]
				      : PLACEHOLDER_ENDED_OTHERWISE;
}

/* What the nodes were is of no use any more. */
static void forget_nodes(struct queue_entry *q)
{
	free(q->nodes.names);
	q->nodes.names = NULL;
	ctl_layout_freep(&q->nodes.layout);
	q->nodes.layout = NULL;
}

bool placeholder_had_nodes(enum placeholder_state job)
{
	return job >= PLACEHOLDER_STARTING && job <= PLACEHOLDER_COMPLETING;
}

/*
 * A job that ended before a pod was bound may have ended for a reason that
 * lasts (PrologSlurmctld fails, say): the next one is not submitted at once, or
 * slurmctld would get thousands of them.
 */
static void rest_if_in_vain(struct queue_entry *q)
{
	int64_t at;

	if (q->job.state != PLACEHOLDER_ENDED ||
	    (q->job.by_us && !q->launch.twice) || q->bound.job == q->job.id ||
	    q->vain.job == q->job.id)
		return;
	q->vain.job = q->job.id;
	at = clock_ms() +
	     backoff_doubled(VAIN_MIN_MS, q->vain.n++, VAIN_MAX_MS);
	if (q->refused.submit_at < at)
		q->refused.submit_at = at;
}

uint32_t placeholder_bound_by(struct bridge *b, const struct queue_entry *q,
			      uint32_t job_id)
{
	const struct pod_group *g;
	uint32_t n = 0;

	pod_groups_lock(b->seen);
	g = pod_groups_find(b->seen, q->key);
	for (struct group_pod *m = g ? g->members : NULL; m; m = m->next)
		n += *m->pod->node && !m->pod->ended &&
		     m->pod->job_id == job_id;
	pod_groups_unlock(b->seen);
	return n;
}

/*
 * slurmctld had lost its start, and it may not have got their nodes now: then
 * they get another job, as those of a bridge that has just begun. That begins
 * anew when it is known which nodes it has got: it may be starting for long.
 */
static void starts_after_its_pods(struct queue_entry *q)
{
	q->nodes.others_at = clock_ms();
	queue_entry_begun_at(q, q->nodes.others_at);
}

static bool started_after_its_pods(const struct queue_entry *q)
{
	return q->early.own_at && q->early.own_at == q->nodes.others_at;
}

void placeholder_set_state(struct bridge *b, struct queue_entry *q,
			   enum placeholder_state job, enum placeholder_end end)
{
	const bool was_active = job_is_active(q);

	if (q->job.state == job && q->job.end == end)
		return;
	if (!placeholder_waits(q->job.state) || !placeholder_waits(job))
		queue_entry_act_again(q);
	/* By an unsent binding a pod would run beside the next job. */
	if (q->job.state == PLACEHOLDER_RUNNING) {
		bridge_requests_unbind(b->work, q->job.id);
		/* what was taken back is to be sent again */
		queue_entry_bind_again(q);
	}
	/* A list of jobs says so, too, but later. */
	if (placeholder_had_nodes(q->job.state) && placeholder_waits(job))
		q->job.requeued = true;
	if ((!q->job.requeued && placeholder_waits(q->job.state) &&
	     placeholder_had_nodes(job) &&
	     placeholder_bound_by(b, q, q->job.id)) ||
	    (q->job.state == PLACEHOLDER_STARTING && started_after_its_pods(q)))
		starts_after_its_pods(q);
	b->jobs.freed |= placeholder_had_nodes(q->job.state) &&
			 (job == PLACEHOLDER_ENDED || job == PLACEHOLDER_NONE);
	q->job.state = job;
	q->job.end = end;
	q->job.state_at = clock_ms();
	rest_if_in_vain(q);
	if (job != PLACEHOLDER_RUNNING && job != PLACEHOLDER_SUSPENDED)
		forget_nodes(q);
	b->jobs.n_active += (size_t)job_is_active(q) - (size_t)was_active;
	if (was_active && !job_is_active(q))
		submit_backoff_wake(b, q);
	queue_entry_touch(b, q);
}

static void set_text(char **to, const char *text)
{
	if (str_eq(*to, text) || (!*to && !*text))
		return;
	free(*to);
	*to = *text ? strdup(text) : NULL;
}

void placeholder_set_reason(struct queue_entry *q, const char *reason)
{
	set_text(&q->job.reason, reason);
}

/* True if these are the nodes that are known of the job, or none are known. */
static bool are_its_nodes(const struct queue_entry *q, const char *nodes)
{
	_cleanup_hostlist_ struct hostlist had = {0}, has = {0};
	bool same;

	if (q->nodes.names || !q->nodes.layout)
		return !q->nodes.names;
	if (allocation_nodes(q, &had) || hostlist_expand(nodes, &has, NULL))
		return false;
	hostlist_sort(&had);
	hostlist_sort(&has);
	same = had.n == has.n;
	for (size_t i = 0; i < has.n && same; i++)
		same = !strcmp(had.names[i], has.names[i]);
	return same;
}

void placeholder_set_nodes(struct bridge *b, struct queue_entry *q,
			   const char *nodes)
{
	if (str_eq(q->nodes.names, nodes))
		return;
	if (!q->nodes.names && started_after_its_pods(q))
		starts_after_its_pods(q);
	if (!are_its_nodes(q, nodes)) {
		forget_nodes(q);
		q->nodes.others_at = clock_ms();
		/* Unsent bindings are for nodes that it may have lost. */
		bridge_requests_unbind(b->work, q->job.id);
		queue_entry_bind_again(q);
	}
	set_text(&q->nodes.names, nodes);
	q->sight.looked = false; /* its pods may be elsewhere */
	queue_entry_touch(b, q);
}

void placeholder_adopt(struct bridge *b, struct queue_entry *q,
		       const struct known_placeholder *k, uint32_t job_id)
{
	if (q->job.id != job_id) {
		/* This is another job, and not the former one put back. */
		placeholder_set_state(b, q, PLACEHOLDER_NONE, q->job.end);
		bridge_requests_unbind(b->work, q->job.id);
		q->job.id = job_id;
		q->job.by_us = q->launch.twice = false;
		queue_entry_act_again(q);
		q->update.at = 0;
		q->job.requeued = false;
		q->nodes.others_at = 0;
		forget_nodes(q);
		queue_entry_touch(b, q);
	}
	q->job.by_us |= k->again;
	q->job.strange = k->other;
	q->job.made_for = k->pods;
	q->job.made_nodes = k->nodes;
	q->job.made_cpus = k->cpus;
	str_copy(q->job.wish, k->wish, sizeof(q->job.wish));
	str_copy(q->job.uid, k->uid, sizeof(q->job.uid));
}
