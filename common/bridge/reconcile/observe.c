/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is seen of a group, by which the plan is made. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "bridge/reconcile/stale_decide.h"
#include "objects/scheduling_group.h"

#define OBJECTS_MAX 4	      /* objects whose annotations count for a group */
#define KUBELET_FIRST_S 600   /* from a deadline of Kubernetes to the job's */
#define UNSEEN_AGAIN_MS 10000 /* until pods left out are looked for */

/* What objects say for a group; owned. */
struct voices {
	json_object *notes[OBJECTS_MAX]; /* annotations, the weaker first */
	size_t n;
	int64_t deadline_s; /* a Job's activeDeadlineSeconds; 0: none */
	int64_t within_s;   /* Kubernetes ends each pod before; 0: never */
};

static void voices_clear(struct voices *v)
{
	for (size_t i = 0; i < v->n; i++)
		json_object_put(v->notes[i]);
}

static void add_voice(struct voices *v, json_object *notes)
{
	if (jx_is(notes, json_type_object) && v->n < OBJECTS_MAX)
		v->notes[v->n++] = json_object_get(notes);
}

/* Note, with words, that something is not known yet, or is refused. */
static int cannot(struct group_observation *j, int rc, const char *what,
		  const struct err *err)
{
	/*
	 * -ESTALE is not for ever: our view may be behind, or the pods are
	 * those of a former object.
	 */
	if (rc == -EDQUOT)
		j->too_many = "Too many objects";
	j->partly_seen |= rc == -EAGAIN || rc == -EDQUOT;
	if (rc == -EAGAIN || rc == -ENOENT || rc == -ESTALE || rc == -EDQUOT)
		snprintf(j->not_yet, sizeof(j->not_yet), "%.90s: %.150s", what,
			 *err->msg ? err->msg : "not known yet");
	else
		snprintf(j->refusal, sizeof(j->refusal), "%.180s: %.300s", what,
			 err->msg);
	return rc;
}

/* The object's activeDeadlineSeconds; 0: it has none, or is no Job. */
static int64_t job_deadline(const json_object *o)
{
	return jx_int(jx_get(o, "spec", "activeDeadlineSeconds"), 0);
}

/*
 * The longest activeDeadlineSeconds of a JobSet's Jobs: of which of them a pod
 * is does not matter then. 0: one of them has none, or it is no JobSet.
 */
static int64_t children_deadline(const json_object *o)
{
	json_object *jobs = jx_get(o, "spec", "replicatedJobs");
	int64_t most = 0;

	if (!jx_is(jobs, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(jobs); i++) {
		const int64_t s = job_deadline(
			jx_get(json_object_array_get_idx(jobs, i), "template"));

		if (s <= 0)
			return 0;
		if (s > most)
			most = s;
	}
	return most;
}

/*
 * Note a deadline of Kubernetes for each pod; 0: none. It runs from a pod's
 * start, which may come minutes after its job's (see KUBELET_FIRST_S), and
 * Kubernetes is to keep it: it says so on the pod, which Slurm's end deletes.
 */
static void add_bound(struct voices *v, int64_t s)
{
	if (s > 0 && (!v->within_s || s + KUBELET_FIRST_S < v->within_s))
		v->within_s = s + KUBELET_FIRST_S;
}

/*
 * Ask the object that holds the group together. `above` gets the name of the
 * Workload that a PodGroup of the built-in API was made of, or "".
 */
static int ask_group(struct bridge *b, struct workload *of, struct voices *v,
		     struct group_observation *j, char above[WORKLOAD_NAME_MAX])
{
	_cleanup_json_ json_object *o = NULL;
	char what[WORKLOAD_TEXT_MAX];
	struct err err = {0};
	bool alone = false;
	int rc;

	*above = '\0';
	if (!workload_is_gang(of))
		return 0;
	workload_text(of, what);
	rc = owners_get(b->objects, of->kind, of->ns, of->name, &o, &err);
	if (!rc)
		rc = workload_take(of, o, &alone, &err);
	/* Pods that do not start together get groups by basic_by_object(). */
	if (!rc && alone)
		rc = err_set(&err, -EOPNOTSUPP, "it is no gang any more");
	if (rc)
		return cannot(j, rc, what, &err);
	add_voice(v, jx_get(o, "metadata", "annotations"));
	if (of->kind == WORKLOAD_JOB)
		v->deadline_s = job_deadline(o);
	if (of->kind == WORKLOAD_GROUP)
		scheduling_group_workload(o, above);
	return 0;
}

/* Ask the Job, or other object, above the pods. */
static int ask_top(struct bridge *b, const struct workload *of,
		   struct voices *v, struct group_observation *j)
{
	_cleanup_json_ json_object *o = NULL;
	char what[WORKLOAD_TEXT_MAX];
	struct err err = {0};
	int rc;

	if (of->top == WORKLOAD_POD)
		return 0;
	snprintf(what, sizeof(what), "%s %s/%s", workload_api(of->top)->kind,
		 of->ns, of->top_name);
	rc = owners_get(b->objects, of->top, of->ns, of->top_name, &o, &err);
	if (rc)
		return cannot(j, rc, what, &err);
	add_voice(v, jx_get(o, "metadata", "annotations"));
	v->deadline_s = job_deadline(o);
	/* A JobSet may make the pods of a gang anew, with a time of their own.
	 */
	if (of->kind == WORKLOAD_POD)
		add_bound(v, children_deadline(o));
	return 0;
}

/*
 * Look at an object that may be gone, as with slurm-bridge: without it the
 * annotations of the others count alone. 0: *out is the object, or as before.
 */
static int ask_if_there(struct bridge *b, enum workload_kind kind,
			const char *ns, const char *name,
			struct group_observation *j, json_object **out)
{
	char what[WORKLOAD_TEXT_MAX];
	struct err err = {0};
	const int rc = owners_get(b->objects, kind, ns, name, out, &err);

	if (rc != -EAGAIN && rc != -ENOMEM && rc != -EDQUOT)
		return 0;
	snprintf(what, sizeof(what), "%s %s/%s", workload_api(kind)->kind, ns,
		 name);
	return cannot(j, rc == -EDQUOT ? rc : -EAGAIN, what, &err);
}

/* Ask the Workload that a PodGroup was made of, and that Workload's owner. */
static int ask_above(struct bridge *b, struct pod_group *g, const char *name,
		     struct voices *v, struct group_observation *j)
{
	const struct workload *of = &g->of;
	_cleanup_json_ json_object *o = NULL, *owner = NULL;
	char owner_name[WORKLOAD_NAME_MAX];
	enum workload_kind kind;
	int rc = 0;

	pod_groups_tie(b->groups, g, BRIDGE_TIE_MADE_OF, WORKLOAD_WORKLOAD,
		       name);
	if (*name)
		rc = ask_if_there(b, WORKLOAD_WORKLOAD, of->ns, name, j, &o);
	if (!rc && scheduling_group_controller(o, &kind, owner_name) &&
	    (kind != of->top || strcmp(owner_name, of->top_name) != 0)) {
		pod_groups_tie(b->groups, g, BRIDGE_TIE_MADE_FOR, kind,
			       owner_name);
		rc = ask_if_there(b, kind, of->ns, owner_name, j, &owner);
	}
	add_voice(v, jx_get(owner, "metadata", "annotations"));
	add_voice(v, jx_get(o, "metadata", "annotations"));
	return rc;
}

/*
 * Ask the pod, if it is one for itself: its own annotations and its own
 * deadline count.
 */
static void ask_pod(const struct pod_group *g, struct voices *v)
{
	const struct pod_class *shape = g->members->shape;
	const char *text = shape->notes;
	json_object *notes = NULL;

	if (g->of.kind != WORKLOAD_POD)
		return;
	add_bound(v, shape->deadline_s);
	if (!text || jx_parse(text, strlen(text), &notes, NULL))
		return;
	add_voice(v, notes);
	json_object_put(notes);
}

static const struct namespace_config *entry_of(struct bridge *b,
					       const struct pod_group *g,
					       struct group_observation *j)
{
	const struct namespace_config *ns = ns_find(&b->whose, g);
	char words[CLAIM_WORDS_MAX];
	enum claims_is is;

	if (!ns && !pod_groups_has_space(b->groups, g->of.ns)) {
		/*
		 * Pods of the namespace are in view, and it is not: this may be
		 * the wrong API server by now.
		 */
		snprintf(j->not_yet, sizeof(j->not_yet),
			 "namespace %.63s is not in view", g->of.ns);
		j->partly_seen = true;
		return NULL;
	}
	if (!ns) {
		snprintf(j->refusal, sizeof(j->refusal),
			 "namespace %s may not use Slurm's queue: k8s.yaml on "
			 "slurmctld's host, bridge: namespaces, does not have "
			 "it",
			 g->of.ns);
		return NULL;
	}
	is = claims_namespace(b->claims, g->of.ns, words);
	if (is == CLAIMS_OTHERS)
		str_copy(j->refusal, words, sizeof(j->refusal));
	else if (is == CLAIMS_UNKNOWN)
		snprintf(j->not_yet, sizeof(j->not_yet),
			 "namespace %.63s is being claimed%s%.300s", g->of.ns,
			 *words ? ": " : "", words);
	return is == CLAIMS_OURS ? ns : NULL;
}

static bool pod_is_refused(const struct pod_group *g,
			   struct group_observation *j)
{
	const struct group_pod *m;

	for (m = g->members; m; m = m->next) {
		if (!m->shape->refusal)
			continue;
		snprintf(j->refusal, sizeof(j->refusal), "%.400s",
			 m->shape->refusal);
		return true;
	}
	return false;
}

/* True for errors that are for the nodes as they are now. */
static bool is_of_nodes(int rc)
{
	return rc == -EHOSTUNREACH || rc == -ETIME || rc == -ENXIO;
}

/* Find out whether the group may enter, and what would be asked of Slurm. */
static void judge_order(struct bridge *b, const struct queue_entry *q,
			struct pod_group *g, struct group_observation *j)
{
	_cleanup_(voices_clear) struct voices voices = {0};
	const struct namespace_config *ns = entry_of(b, g, j);
	struct job_spec *o = &j->order;
	char above[WORKLOAD_NAME_MAX];
	struct job_options_ask ask;
	struct err err = {0};
	int rc;

	/* A held job is left as it is to the one who holds it. */
	if (q->job.state == PLACEHOLDER_PENDING) {
		o->had_pods = q->job.made_for;
		o->had_nodes = q->job.made_nodes;
		o->had_cpus = q->job.made_cpus;
	}
	o->id.of = g->of; /* needed in any case: see disown() */
	if (!ns || pod_is_refused(g, j))
		return;
	ask_pod(g, &voices);
	if (ask_group(b, &o->id.of, &voices, j, above) ||
	    ask_top(b, &o->id.of, &voices, j) ||
	    ask_above(b, g, above, &voices, j))
		return;
	j->view.members = workload_members(&o->id.of, j->view.pods.done);
	ask = (struct job_options_ask){
		.bridge = b->bridge,
		.ns = ns,
		.notes = (const json_object *const *)voices.notes,
		.n_notes = voices.n,
		.deadline_s = voices.deadline_s,
		.within_s = voices.within_s,
	};
	rc = job_options_make(&ask, &o->options, &err);
	if (!rc)
		rc = job_options_digest(&o->options, o->id.options_digest);
	if (!rc)
		rc = job_spec_make(&b->specs, g, ns, o, &err);
	j->slow = rc == -ETIME;
	if (rc == -EAGAIN || rc == -ENOMEM ||
	    (rc == -ENXIO && !job_is_active(q))) {
		snprintf(j->not_yet, sizeof(j->not_yet), "%.200s", err.msg);
		j->partly_seen |= rc != -ENXIO;
		j->view.members = 0;
	} else if (is_of_nodes(rc) && job_is_active(q)) {
		/* The job keeps its place, and the list of nodes it has. */
		*o->id.options_digest = '\0';
	} else if (rc) {
		snprintf(j->refusal, sizeof(j->refusal), "%.500s", err.msg);
	}
}

/* --- the job as Slurm has it, beside the pods */

static void find_strays(struct bridge *b, struct queue_entry *q,
			struct pod_group *g, struct group_observation *j)
{
	struct group_counts *p = &j->view.pods;

	strays_find(b, q, g,
		    q->job.requeued || q->nodes.others_at || j->view.early ||
			    p->by_earlier_job || p->left || p->elsewhere);
	if (p->leaving && !job_runs(q))
		p->away = strays_unanswered(b, g);
	q->sight.looked |= j->view.job != PLACEHOLDER_UNKNOWN;
	for (struct group_pod *m = g->members; m && q->whereabouts.misplaced;
	     m = m->next) {
		const bool away = m->look.misplaced && m->pod->deleting;

		p->misplaced += m->look.misplaced && !away;
		p->away += away;
		p->lingering +=
			away &&
			m->pod->grace_s > placeholder_kill_wait(b->kill_wait_s);
	}
}

#define MIB (1 << 20)

/*
 * True if a running pod may have been resized. A deletion changes its spec's
 * generation, too.
 */
static bool may_have_grown(const struct bridged_pod *p)
{
	return p->respecced && pod_runs(p);
}

/*
 * True if these pods, which are on one node, ask for more than the job has
 * there, and some may have grown. A pod that is being deleted has its share
 * until it has ended: its deletion may give it a day.
 */
static bool is_too_much(struct group_pod *const *v, size_t n,
			const struct placed_node *has)
{
	struct pod_requests sum = {0};
	bool grown = false, too_much = false;

	for (size_t i = 0; i < n; i++) {
		grown |= may_have_grown(v[i]->pod);
		too_much |=
			pod_requests_add(&sum, &v[i]->shape->need, NULL) != 0;
	}
	too_much |= sum.cpu_milli > (int64_t)has->cpus * 1000;
	/* 0 is all that the node has. */
	too_much |=
		has->memory_mib &&
		(uint64_t)sum.memory_bytes / MIB + !!(sum.memory_bytes % MIB) >
			has->memory_mib;
	return grown && too_much;
}

static int by_node(const void *a, const void *b)
{
	const struct group_pod *const *x = a, *const *y = b;

	return strcmp((*x)->pod->node, (*y)->pod->node);
}

/* Pods that we have bound, and that have not ended, by their nodes. */
struct running {
	struct group_pod **v;
	size_t n;
};

/* Collect the running pods of the group. 0; -ENOMEM. */
static int sort_running(const struct pod_group *g, struct running *out)
{
	*out = (struct running){.v = calloc(g->n + 1, sizeof(*out->v))};
	if (!out->v)
		return -ENOMEM;
	for (struct group_pod *m = g->members; m; m = m->next)
		if (*m->pod->node && m->pod->job_id && !m->pod->ended)
			out->v[out->n++] = m;
	qsort(out->v, out->n, sizeof(*out->v), by_node);
	return 0;
}

/* The index of the first pod on this node, or on a node behind it. */
static size_t first_of(const struct running *r, const char *node)
{
	size_t from = 0, to = r->n;

	while (from < to) {
		const size_t mid = from + (to - from) / 2;

		if (strcmp(r->v[mid]->pod->node, node) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/*
 * Mark and count resized pods on a node, if the job has less there than all its
 * pods ask for.
 */
static uint32_t mark_grown(const struct running *r, const char *node,
			   const struct placed_node *has)
{
	const size_t from = first_of(r, node);
	size_t to = from;
	uint32_t n = 0;

	while (to < r->n && !strcmp(r->v[to]->pod->node, node))
		to++;
	if (!is_too_much(r->v + from, to - from, has))
		return 0;
	for (size_t i = from; i < to; i++) {
		r->v[i]->look.grown = may_have_grown(r->v[i]->pod);
		n += r->v[i]->look.grown;
	}
	return n;
}

/*
 * Find pods that have grown: whoever resizes a running pod (kubectl edit
 * --subresource resize) takes what its job does not have. Only cpu and memory
 * can be resized.
 */
static void find_grown(struct bridge *b, const struct queue_entry *q,
		       const struct pod_group *g, struct group_observation *j)
{
	struct running pods;
	bool any = false;

	for (struct group_pod *m = g->members; m; m = m->next) {
		m->look.grown = false;
		any |= may_have_grown(m->pod);
	}
	if (!any || !q->nodes.layout || q->job.state != PLACEHOLDER_RUNNING ||
	    sort_running(g, &pods))
		return;
	inventory_lock(b->inventory);
	for (size_t i = 0; i < ctl_layout_count(q->nodes.layout); i++) {
		const struct placed_node *has =
			ctl_layout_at(q->nodes.layout, i);
		const struct inventory_node *x =
			inventory_of_slurm(b->inventory, has->name);

		if (x)
			j->view.pods.grown += mark_grown(&pods, x->name, has);
	}
	inventory_unlock(b->inventory);
	free(pods.v);
}

static void count_pods(struct bridge *b, const struct queue_entry *q,
		       const struct pod_group *g, struct group_observation *j)
{
	const bool active = job_is_active(q);
	uint32_t waiting = 0;

	for (struct group_pod *m = g->members; m; m = m->next) {
		group_view_count(&j->view.pods, m->pod, q->job.id);
		waiting += pod_waits(m->pod) ? pod_sum(m->pod->uid) : 0;
		j->view.pods.binding +=
			!active && pod_waits(m->pod) &&
			bridge_requests_has(b->requests, BRIDGE_REQUEST_BIND,
					    m->pod->uid);
		m->look.going = q->job.state == PLACEHOLDER_RUNNING &&
				pod_waits(m->pod) &&
				bridge_requests_way(b->requests, m->pod->uid,
						    q->job.id, NULL, 0);
		j->view.pods.refused += pod_waits(m->pod) && !m->pod->gated &&
					m->shape->refusal && !m->look.going;
		j->view.pods.going += m->look.going;
		j->duplicate_bound += q->job.duplicate && *m->pod->node &&
				      !m->pod->ended &&
				      m->pod->job_id == q->job.duplicate;
	}
	j->view.noted.others = waiting != q->told.pods;
}

static void see_job(struct bridge *b, const struct queue_entry *q,
		    struct group_observation *j)
{
	struct group_view *v = &j->view;
	const int64_t now = clock_ms();

	v->job = b->jobs.known ? q->job.state : PLACEHOLDER_UNKNOWN;
	v->end = q->job.end;
	v->job_id = q->job.id;
	v->made_for = q->job.made_for;
	v->requeued = q->job.requeued;
	v->by_us = q->job.by_us;
	v->other_scheduler = q->job.other_scheduler && job_is_active(q);
	v->pinned = q->did.pinned && q->did.pinned == q->job.id;
	v->update_waits = q->update.waits;
	/* When an update may be tried again, Slurm may have the node again. */
	v->no_node = q->update.no_node && q->update.no_node == q->job.id &&
		     now < q->update.at;
	v->state_ms = now - q->job.state_at;
	v->reason = q->job.reason ? q->job.reason : "";
	v->start_s = q->job.start_s;
	v->kill_wait_s = b->kill_wait_s;
	v->bound = q->bound.job && q->bound.job == q->job.id;
	v->taken = q->bound.taken && q->bound.taken == q->job.id;
	v->duplicate = q->job.duplicate;
	v->noted = (struct pods_told){
		.reason = queue_entry_tells_again(q) ? NULL : q->told.reason,
		.start_s = q->told.start_s,
		.age_ms = now - q->told.at};
}

/*
 * If the group's job has ended, and all live pods run by another one, which
 * Slurm does not know (any more), the group has no job.
 */
static void pass_over(struct group_observation *j)
{
	struct group_view *v = &j->view;

	if (v->job != PLACEHOLDER_ENDED || !v->pods.live ||
	    v->pods.by_earlier_job != v->pods.live)
		return;
	v->job = PLACEHOLDER_NONE;
	v->job_id = 0;
}

/*
 * Kubernetes ends the pods of a Job, JobSet or LeaderWorkerSet that goes. Those
 * of other groups run on when their object goes or is made anew.
 */
static bool pods_outlive_object(enum workload_kind kind)
{
	return kind == WORKLOAD_GROUP || kind == WORKLOAD_WORKLOAD ||
	       kind == WORKLOAD_PODGROUP || kind == WORKLOAD_VOLCANO;
}

/*
 * If the job was made for a former object of that name, the group has no job.
 */
static void disown(const struct queue_entry *q, struct group_observation *j)
{
	struct group_view *v = &j->view;
	const struct group_counts *p = &v->pods;
	const char *uid = j->order.id.of.uid;

	if (pods_outlive_object(j->order.id.of.kind) &&
	    p->live > p->by_earlier_job + p->moved)
		return;
	if (v->job == PLACEHOLDER_UNKNOWN || !*uid || !*q->job.uid ||
	    !strcmp(uid, q->job.uid))
		return;
	v->end = PLACEHOLDER_NOT_ENDED;
	if (v->job == PLACEHOLDER_NONE)
		return;
	v->duplicate = job_is_active(q) && v->job != PLACEHOLDER_COMPLETING
			       ? q->job.id
			       : 0;
	v->duplicate_held = v->duplicate && group_view_is_held(v);
	v->job = PLACEHOLDER_NONE;
	v->job_id = 0;
}

/* True while a node where pods run may still come to Slurm, for a while. */
static bool awaits_node(struct queue_entry *q,
			const struct group_observation *j)
{
	const struct group_view *v = &j->view;

	if (!v->early || q->early.unclaimed ||
	    (v->job != PLACEHOLDER_NONE && !v->by_us))
		return false;
	queue_entry_lacks_job(q);
	return early_jobless(q);
}

/* Find out where live pods run, in case Slurm has to be told. */
static void see_places(struct bridge *b, struct queue_entry *q,
		       const struct pod_group *g, struct group_observation *j)
{
	struct err err = {0};
	int rc;

	if (!j->view.pods.live || job_runs(q) || j->view.requeued)
		return;
	rc = job_spec_places(&b->specs, g, &j->order.places, &err);
	if (!rc)
		return;
	snprintf(j->not_yet, sizeof(j->not_yet), "%.200s", err.msg);
	j->partly_seen |= rc == -ENOMEM || !inventory_ready(b->inventory) ||
			  (rc == -EAGAIN && awaits_node(q, j));
}

/* True if pods run without a job, and may have lost it. */
static bool needs_job(const struct group_observation *j)
{
	const struct group_view *v = &j->view;

	return v->pods.live && v->early && j->order.places &&
	       (v->job == PLACEHOLDER_NONE || v->by_us);
}

/*
 * Note whether running pods may have lost their job, while what another job is
 * made by is not in view yet. The bridge begins for them when it is, or a list
 * that takes its time would cost them their lives.
 */
static void judge_loss(struct queue_entry *q, struct group_observation *j)
{
	struct group_view *v = &j->view;

	v->loss_unclear = j->partly_seen && v->early && v->pods.live &&
			  (v->job == PLACEHOLDER_NONE || v->by_us);
	if (v->job == PLACEHOLDER_UNKNOWN)
		return;
	queue_entry_loss_unclear(q, v->loss_unclear);
}

/*
 * True if pods of this job may exist unseen, so that it is not cancelled, nor
 * ended, for want of them: there are too many pods to see all of them, or some
 * cannot be read, or it may be the wrong API server.
 */
static bool may_be_left_out(struct bridge *b, const struct queue_entry *q,
			    const struct pod_group *g,
			    const struct group_counts *p)
{
	if (!job_is_active(q))
		return false;
	if (!g || !g->n)
		return lost_has(b, q) ||
		       (!q->sight.seen &&
			pod_groups_left_out(b->groups, q->key));
	return g->partial && !p->gated && !p->waiting && !p->live &&
	       p->leaving == p->away;
}

/* Decide by a view that is too old: only pods of an ended job are deleted. */
static void judge_stale(struct bridge *b, const struct queue_entry *q,
			const struct pod_group *g, struct group_observation *j)
{
	if (g && g->n)
		count_pods(b, q, g, j);
	group_decide_stale(&j->view, &j->plan);
}

/* Decide for a job whose pods are not in view: only pods in view are told. */
static void judge_other_scheduler(struct bridge *b, const struct queue_entry *q,
				  const struct pod_group *g,
				  struct group_observation *j)
{
	j->view.pods_known = true;
	if (g && g->n)
		count_pods(b, q, g, j);
	group_decide(&j->view, &j->plan);
}

/* True if there are pods that would be deleted if there were no job. */
static bool may_delete(const struct group_view *v)
{
	return v->pods.live || v->pods.leaving;
}

void group_observe(struct bridge *b, struct queue_entry *q, struct pod_group *g,
		   struct group_observation *j)
{
	struct group_view *v = &j->view;
	bool first, unseen, moved;

	see_job(b, q, j);
	if (b->view.old) {
		judge_stale(b, q, g, j);
		return;
	}
	if (v->other_scheduler) {
		/* All that can be seen of the group was seen. */
		q->sight.looked = true;
		judge_other_scheduler(b, q, g, j);
		return;
	}
	v->pods_known = true;
	first = early_begins(q, v->job);
	v->early = early_is(b, q, g);
	see_launch(b, q, v);
	v->gang = g ? workload_is_gang(&g->of) : pod_groups_key_is_gang(q->key);
	v->members = g ? g->of.members : 0;
	if (g && g->n) {
		q->sight.seen = true;
		count_pods(b, q, g, j);
		/*
		 * The time of a forgotten job, or of orphans, runs from the
		 * first look.
		 */
		if (first && v->pods.live) {
			queue_entry_job_anew(q);
			v->state_ms = 0;
		}
		v->pods_known = !q->early.undecided || !may_delete(v);
		v->outside = may_delete(v) && !namespace_entry(&b->whose, g);
		moved = find_moved(b, g, q, j);
		pass_over(j);
		find_strays(b, q, g, j);
		q->whereabouts.misplaced |= moved;
		find_grown(b, q, g, j);
		see_places(b, q, g, j);
		if ((v->pods.waiting || v->pods.gated || needs_job(j)) &&
		    v->job != PLACEHOLDER_UNKNOWN) {
			judge_order(b, q, g, j);
			disown(q, j);
		}
	}
	if (q->refused.words && !*j->refusal && !job_is_active(q) &&
	    !strcmp(q->refused.options_digest, j->order.id.options_digest) &&
	    clock_ms() < q->refused.submit_at)
		snprintf(j->refusal, sizeof(j->refusal), "%.500s",
			 q->refused.words);
	v->refusal = *j->refusal ? j->refusal : NULL;
	v->not_yet = *j->not_yet ? j->not_yet : NULL;
	judge_loss(q, j);
	v->changed = !v->refusal && !v->not_yet &&
		     *j->order.id.options_digest &&
		     updates_are_due(b, q, &j->order);
	v->anew = v->changed &&
		  strncmp(j->order.id.options_digest, q->job.options_digest,
			  JOB_OPTIONS_DIGEST_OWN) != 0;
	v->holds = j->order.p.hold == PLACEHOLDER_HOLD;
	v->duplicate_bound = j->duplicate_bound;
	unseen = may_be_left_out(b, q, g, &v->pods);
	v->pods_known &= !unseen;
	lasting_look(b, q, g, j);
	group_decide(v, &j->plan);
	if (!strcmp(j->plan.row, "elsewhere"))
		queue_entry_loses_job(q); /* the next look may be late */
	if (strcmp(j->plan.row, "unknown size") != 0)
		j->too_many = NULL; /* pods are told something else */
	if (unseen)
		group_decision_again(&j->plan, UNSEEN_AGAIN_MS);
	/* Nothing else has the group looked at again for fitting nodes. */
	if (j->slow && !j->plan.again_ms)
		group_decision_again(&j->plan, FIT_SLOW_MS);
}
