/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/reconcile/node_limit.h"

#include <string.h>

#include "base/backoff.h"
#include "nodes/jobs/steps_turn.h"
#include "nodes/reconcile/node_decide.h"

#define RECHECK_MS 1000
#define ROLL_MS 1000 /* another node may have powered down by then */
#define NOTES_AGAIN_MS 500
#define DELETE_MIN_MS 5000
#define DELETE_MAX_MS 60000
#define LOOK_MIN_MS 2000
#define LOOK_MAX_MS 60000
#define CREATE_MIN_MS 5000
#define CREATE_MAX_MS 60000
#define CREATES_DOUBLED 3
#define UNMATCHED_AGAIN_MS 30000

/* Look at the node again after `ms` at the latest. */
static void look_in(struct node_decision *p, int64_t ms)
{
	if (ms > 0 && (!p->again_ms || ms < p->again_ms))
		p->again_ms = ms;
}

/* True if it is too early; then the node is looked at again when it is not. */
static bool is_early(struct node_decision *p, int64_t after, int64_t now_ms)
{
	look_in(p, after - now_ms);
	return now_ms < after;
}

bool node_limit_needs_requests(const struct node_decision *p)
{
	return p->kube == POD_DELETE || p->kube == POD_NOTE;
}

/* --- in Slurm */

/* True if it was done just now: Slurm takes a moment. */
static bool is_repeated(const struct node_attempts *t,
			const struct node_decision *p, int64_t now_ms)
{
	return p->slurm != NODE_KEEP && t->acted == p->slurm &&
	       now_ms - t->acted_at < NODE_REPEAT_MS;
}

/* A rolling upgrade takes only so many nodes of a nodeset at once. */
static bool may_roll(const struct node_limits *l, struct node_memory *m,
		     struct node_decision *p)
{
	if (m->node->rolling)
		return true;
	if (*m->unavailable >= l->max_unavailable) {
		look_in(p, ROLL_MS);
		return false;
	}
	++*m->unavailable;
	m->node->rolling = true;
	return true;
}

/* True if the node is to be powered down now, as its pod's template is old. */
static bool may_recycle(const struct node_limits *l, struct node_memory *m,
			struct node_decision *p, struct node_limited *out)
{
	if (!m->node->rechecked) {
		m->node->rechecked = out->recheck = true;
		look_in(p, RECHECK_MS);
		return false;
	}
	return may_roll(l, m, p);
}

static void limit_slurm(const struct node_view *v, const struct node_limits *l,
			struct node_memory *m, struct node_decision *p,
			struct node_limited *out)
{
	/* A node that a job has got meanwhile leaves its turn to others. */
	if (p->slurm != NODE_RECYCLE)
		m->node->rolling = false;
	if (is_repeated(m->node, p, l->now_ms)) {
		p->slurm = NODE_KEEP;
		look_in(p, NODE_REPEAT_MS);
	}
	if (p->slurm == NODE_RECORD && l->now_ms < l->record_at)
		p->slurm = NODE_KEEP;
	if (p->slurm == NODE_RECYCLE && v->pod && !may_recycle(l, m, p, out))
		p->slurm = NODE_KEEP;
}

/* --- in Kubernetes */

/*
 * True if only steps are to be noted: they come and go, and are noted more
 * seldom than jobs. (Where jobs are not known nothing else can have changed.)
 */
static bool is_of_steps(const struct node_view *v)
{
	return v->pod && node_is_guarded_right(v->pod, v->node.busy) &&
	       (!v->jobs ||
		(!strcmp(v->jobs, v->pod->jobs) && v->asked == v->pod->asked));
}

static bool may_note(const struct node_limits *l, struct node_memory *m,
		     const struct node_limited *out)
{
	return !l->pending && l->may_note &&
	       pod_annotations_may_send(&m->node->noted, l->note_sum,
					l->now_ms) &&
	       (!out->only_steps ||
		steps_may_note(m->steps, m->turns, l->now_ms));
}

static bool may_do(const struct node_view *v, const struct node_limits *l,
		   struct node_memory *m, struct node_decision *p,
		   struct node_limited *out)
{
	switch (p->kube) {
	case POD_LEAVE:
		break;
	case POD_CREATE:
		return !is_early(p, m->node->create_after, l->now_ms);
	case POD_DELETE:
		return !is_early(p, m->node->delete_after, l->now_ms) &&
		       !l->pending;
	case POD_LOOK:
		return !is_early(p, m->node->look_after, l->now_ms);
	case POD_NOTE:
		out->only_steps = is_of_steps(v);
		return may_note(l, m, out);
	}
	return true;
}

static void limit_kube(const struct node_view *v, const struct node_limits *l,
		       struct node_memory *m, struct node_decision *p,
		       struct node_limited *out)
{
	if (!may_do(v, l, m, p, out))
		p->kube = POD_LEAVE;
	/* What is left now is tried again at the next look at steps. */
	out->steps_left = p->kube != POD_NOTE && v->pod && v->live &&
			  v->steps_known && v->steps != v->pod->steps;
}

/* When all nodes begin at once they take turns: each action takes memory. */
static void take_turns(struct node_memory *m, struct node_decision *p)
{
	if (p->slurm == NODE_RECORD &&
	    (*m->n_records)++ >= NODE_RECORDS_PASS_MAX)
		p->slurm = NODE_KEEP;
	if (p->kube == POD_NOTE && (*m->n_notes)++ >= NODE_NOTES_PASS_MAX) {
		p->kube = POD_LEAVE;
		look_in(p, NOTES_AGAIN_MS);
	}
}

void node_limit(const struct node_view *v, const struct node_limits *l,
		struct node_memory *m, struct node_decision *p,
		struct node_limited *out)
{
	*out = (struct node_limited){0};
	if (!l->has_lease) {
		*p = (struct node_decision){.row = ""};
		return;
	}
	limit_slurm(v, l, m, p, out);
	limit_kube(v, l, m, p, out);
	take_turns(m, p);
	out->any = p->slurm != NODE_KEEP || p->kube != POD_LEAVE ||
		   (p->failed && !m->node->failure_counted);
}

bool unmatched_pod_may_act(int64_t asked_ms, int64_t now_ms)
{
	return !asked_ms || now_ms - asked_ms >= UNMATCHED_AGAIN_MS;
}

/* --- what was done */

void attempts_acted(struct node_attempts *t, enum node_action what,
		    int64_t now_ms)
{
	t->acted = what;
	t->acted_at = now_ms;
	t->features_tried |= what == NODE_SET_FEATURES;
}

void attempts_create_later(struct node_attempts *t, int64_t now_ms)
{
	t->deletes = 0;
	t->delete_after = 0;
	t->create_after = now_ms + (t->creates < CREATES_DOUBLED
					    ? CREATE_MIN_MS << t->creates
					    : CREATE_MAX_MS);
}

void attempts_created(struct node_attempts *t, int64_t now_ms)
{
	attempts_create_later(t, now_ms);
	t->creates++;
}

/* A finalizer may keep the pod, or we may not be allowed to delete it. */
void attempts_deleted(struct node_attempts *t, int64_t now_ms)
{
	t->delete_after = now_ms + backoff_doubled(DELETE_MIN_MS, t->deletes++,
						   DELETE_MAX_MS);
}

/* An answer counts for less than the pause, and Kubernetes may not answer. */
void attempts_looked(struct node_attempts *t, int64_t now_ms)
{
	t->look_after =
		now_ms + backoff_doubled(LOOK_MIN_MS, t->looks++, LOOK_MAX_MS);
}
