/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the planner wants, done: Slurm's updates in as few RPCs as there are
 * different words, the pods by their cluster's thread.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/jobs/steps_turn.h"
#include "nodes/reconcile/confirm.h"
#include "nodes/reconcile/node_limit.h"
#include "nodes/reconcile/node_metrics.h"
#include "nodes/reconcile/reconcile.h"
#include "nodes/reconcile/requeue_decide.h"
#include "slurm/ctl_reader.h"
#include "syntax/node_reason.h"

#define RECORDS_MAX 50 /* RPCs in one pass, for records in Extra */
#define REFUSED_MS 3600000
#define LIST_MAX (4u * 1024 * 1024)
/*
 * What is planned was looked at twice a moment ago. What is not done so long
 * after that is planned anew: slurmctld may be slow, and nodes come up and get
 * jobs meanwhile.
 */
#define TELL_MS 1500
#define TELL_MIN_MS 500 /* least time, after a slow list of jobs */
#define ACT_MS 2500

static int by_kind(const void *a, const void *b)
{
	const struct action *x = a, *y = b;

	if (x->plan.slurm != y->plan.slurm)
		return x->plan.slurm < y->plan.slurm ? -1 : 1;
	if (x->plan.clears_reason != y->plan.clears_reason)
		return x->plan.clears_reason ? -1 : 1;
	return strcmp(x->plan.words, y->plan.words);
}

static bool sends_back(const struct action *a)
{
	return a->plan.slurm == NODE_REQUEUE || a->plan.slurm == NODE_DOWN ||
	       a->plan.slurm == NODE_DOWN_ONLY;
}

static bool ends_jobs(const struct action *a)
{
	return sends_back(a) || a->plan.slurm == NODE_POWER_OFF;
}

/*
 * True if Slurm is to be told without a list of jobs; a record in Extra can
 * wait.
 */
static bool needs_no_jobs(const struct action *a)
{
	return !sends_back(a) && a->plan.slurm != NODE_KEEP &&
	       a->plan.slurm != NODE_RECORD;
}

/* --- pods */

/*
 * When Slurm last said that the node was down, epoch, ms: the pod of its
 * power-up is not older. (k8s_resume may have made it, and it is not in view
 * yet.)
 */
static int64_t down_at_ms(const struct node_state *m)
{
	return clock_real_ms() - (clock_ms() - m->power.down_at);
}

/* True if the node is not as it was when its action was planned. */
static bool has_changed(const struct action *a, const struct ctl_node *now)
{
	return node_power_of(now->power) != a->memo->power.now ||
	       (a->plan.early &&
		(!now->busy || now->ending || now->drained || now->down));
}

static void create(struct nodes *nodes, const struct action *a)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *one = NULL;
	struct node_state *m = a->memo;
	struct manifest made = {0};
	struct ctl_node node;
	struct err err = {0};

	/* The job may have changed features since all nodes were read. */
	if (m->allocated_at && nodes->slurm.at <= m->allocated_at &&
	    ctl_nodes_load_one(m->name, &one, &err)) {
		log_debug("%s", err.msg);
		return;
	}
	if (!ctl_nodes_find(one ? one : nodes->slurm.all, m->name, &node) ||
	    (one && has_changed(a, &node)))
		return;
	if (manifest_of(nodes, a->set, &node, &made, &err)) {
		log_error("%s: %s", m->name, err.msg);
		return;
	}
	attempts_created(&m->tried, clock_ms());
	node_requests_create(requests_of(nodes, a->set), a->set, m->name,
			     jx_take_text(steal_ptr(made.pod_json)), made.hash,
			     down_at_ms(m), a->plan.early);
	manifest_clear(&made);
	/*
	 * k8s_resume clears these words, and may not be started for this node.
	 */
	if (a->plan.early && node_reason_is_ours(node.comment))
		ctl_node_try(m->name, CTL_SET_COMMENT, "");
}

static void note(struct nodes *nodes, const struct action *a,
		 const struct pod_view *pod)
{
	struct node_state *m = a->memo;
	const struct pod_jobs jobs = {
		.busy = m->busy,
		.ids = jobs_are_known(m) ? buf_str(&m->jobs.jobs) : NULL,
		.users = buf_str(&m->jobs.users),
		.accounts = buf_str(&m->jobs.accounts),
		.steps =
			nodes->steps.all ? buf_str(&m->steps.notes.text) : NULL,
		.steps_label = m->steps.notes.label,
		.rules = &nodes->config->jobs,
		.asked = m->jobs.asked,
	};

	steps_noted(&m->steps.pace, m->steps.sum, a->only_steps, clock_ms());
	pod_annotations_sent(&m->tried.noted, note_sum(m), clock_ms(),
			     node_requests_note(requests_of(nodes, a->set), pod,
						&jobs, a->only_steps));
}

/* What kubectl describe shall tell of what is done to this pod's node. */
static void tell_pod(struct nodes *nodes, const struct action *a)
{
	const struct pod_view pod = {.name = a->pod, .uid = a->uid};
	const struct node_decision *p = &a->plan;
	bool quiet = p->slurm == NODE_KEEP || p->slurm == NODE_RECORD;
	bool bad = sends_back(a) || p->kube == POD_DELETE ||
		   p->slurm == NODE_POWER_OFF;

	if (!*a->uid || !*p->row || (quiet && p->kube != POD_DELETE))
		return;
	node_requests_event(requests_of(nodes, a->set), &pod, bad, p->row,
			    *p->words ? p->words : p->row);
}

static void do_pod(struct nodes *nodes, const struct action *a)
{
	const struct pod_view pod = {.name = a->pod, .uid = a->uid};

	if (a->plan.kube == POD_LOOK) {
		if (node_requests_look(requests_of(nodes, a->set),
				       a->memo->name))
			attempts_looked(&a->memo->tried, clock_ms());
	} else if (a->plan.kube == POD_CREATE) {
		create(nodes, a);
	} else if (a->plan.kube == POD_NOTE) {
		note(nodes, a, &pod);
	} else if (a->plan.kube == POD_DELETE) {
		log_info("%s: pod %s is deleted (%s)%s%s", a->memo->name,
			 a->pod, a->plan.row, *a->plan.words ? ": " : "",
			 a->plan.words);
		attempts_deleted(&a->memo->tried, clock_ms());
		node_requests_delete(requests_of(nodes, a->set), &pod);
	}
}

/* --- Slurm */

static void tell(const char *list, const char *what,
		 const struct node_decision *p)
{
	log_warn("nodes %s: %s (%s): %s", list, what, p->row, p->words);
}

/* "active" or "active available" */
static void set_features(const char *list, const struct node_decision *p)
{
	char active[NODE_WORDS_MAX], *available;

	str_copy(active, p->words, sizeof(active));
	available = strchr(active, ' ');
	if (available)
		*available++ = '\0';
	log_info("nodes %s: active features are %s (%s)", list,
		 *active ? active : "none", p->row);
	ctl_node_features(list, active, available);
}

/*
 * With SchedulerParameters=extra_constraints an Extra must be JSON: then each
 * one would be refused, of each node, again and again.
 */
static void record(struct nodes *nodes, const char *list, const char *text)
{
	struct err err = {0};

	if (!ctl_node_update(list, CTL_SET_EXTRA, text, &err))
		return;
	nodes->apply.record_at = clock_ms() + REFUSED_MS;
	log_warn("nodes %s: their pods cannot be recorded in Extra, no more is "
		 "tried for an hour: %s",
		 list, err.msg);
}

/* All nodes, read now. NULL: slurmctld does not say, which is logged. */
static struct ctl_nodes *all_now(const char *list)
{
	struct ctl_nodes *now = NULL;
	struct err err = {0};

	if (ctl_nodes_load(&now, &err))
		log_error("%s: %s", list, err.msg);
	return now;
}

/*
 * As all_now(), for these nodes. For a single one slurmctld does not reckon
 * anew how much memory is allocated there (_slurm_rpc_dump_node_single()): an
 * idle node may seem to be busy.
 */
static struct ctl_nodes *nodes_now(const char *list)
{
	struct ctl_nodes *now = NULL;
	struct err err = {0};

	if (strchr(list, ','))
		return all_now(list);
	if (ctl_nodes_load_one(list, &now, &err))
		log_error("%s: %s", list, err.msg);
	return now;
}

struct as_it_is {
	const struct ctl_nodes *now;
	node_is_fn is;
};

static bool is_so(void *arg, const char *name)
{
	const struct as_it_is *by = arg;
	struct ctl_node node;

	return ctl_nodes_find(by->now, name, &node) && by->is(&node);
}

/*
 * Keep in `list`, which is written over, the nodes that are still as `is` says.
 */
static char *only(char *list, const struct ctl_nodes *now, node_is_fn is)
{
	str_list_keep(list, is_so, &(struct as_it_is){now, is});
	return list;
}

/*
 * DRAIN of a node that is powered down ends or requeues its jobs, and jobs may
 * have come since it was looked at.
 */
static void cool(char *list, const char *reason)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = nodes_now(list);

	if (now && *only(list, now, confirm_is_free))
		ctl_node_try(list, CTL_DRAIN, reason);
}

static void node_anew(struct nodes *nodes, struct action *a)
{
	a->plan = (struct node_decision){.row = ""};
	nodes_ask_again(nodes);
	nodes_look_now(nodes);
}

/*
 * Seconds have passed since these actions were planned. `list` is written over:
 * what is left of it are the nodes that still are as they are to be. The others
 * are planned anew. False: none is left. An RPC.
 */
static bool are_still(struct nodes *nodes, struct action *v, size_t n,
		      char *list, node_is_fn is)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now =
		v->plan.slurm == NODE_UNDRAIN ? all_now(list) : nodes_now(list);
	struct ctl_node node;

	for (size_t i = 0; i < n; i++) {
		if (!now || !ctl_nodes_find(now, v[i].memo->name, &node) ||
		    !is(&node))
			node_anew(nodes, &v[i]);
	}
	return now && *only(list, now, is);
}

/* Update nodes whose Reason is somebody else's, which they keep. */
static void keep(const char *list, enum ctl_node_update what)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = nodes_now(list);

	if (now)
		ctl_nodes_keep(now, list, what);
}

/*
 * Remember when these nodes were told to power down: look_drain() looks for a
 * drain that others set after that.
 */
static void note_told(struct action *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i].memo->reason.told_at = clock_ms();
}

/*
 * An RPC may have taken long, while another slurmctld has taken over: what is
 * left of a plan is its engine's to do, as after kill -9.
 */
static bool goes_on(struct nodes *nodes, const struct action *a)
{
	return !atomic_load(&nodes->stop) &&
	       cluster_held(cluster_of(nodes, a->set));
}

/*
 * Some RPCs for nodes with the same plan and words; `list` is written over.
 * False: Slurm has refused to take them from their jobs.
 */
static bool do_group(struct nodes *nodes, const struct node_decision *p,
		     struct action *v, size_t n, char *list)
{
	/* The text for ctl_node_update(): "" keeps the Reason. */
	const char *old = p->clears_reason ? NULL : "";
	char reason[WK_REASON_MAX];
	bool taken = true;

	ctl_reason(p->words, reason);
	switch (p->slurm) {
	case NODE_KEEP:
		break;
	case NODE_REQUEUE:
	case NODE_POWER_OFF:
		return false; /* see send_back(), power_off() */
	case NODE_DOWN:
		tell(list, "down", p);
		taken = !ctl_node_try(list, CTL_DOWN, reason);
		if (taken && goes_on(nodes, v))
			ctl_node_try(list, CTL_POWER_DOWN_FORCE, NULL);
		break;
	case NODE_RESUME:
		log_info("nodes %s: powered down (%s)", list, p->row);
		/*
		 * IDLE first: RESUME of a node that is down or drained makes
		 * Slurm wait for its slurmd. If they are to rest they are
		 * drained at once, but those that a job has got by RESUME.
		 */
		ctl_node_try(list, CTL_IDLE, old);
		if (goes_on(nodes, v) && !ctl_node_try(list, CTL_RESUME, old) &&
		    *p->words && goes_on(nodes, v))
			cool(list, reason);
		break;
	case NODE_IDLE:
		log_info("nodes %s: no longer drained (%s)", list, p->row);
		ctl_node_try(list, CTL_IDLE, NULL);
		break;
	case NODE_DOWN_ONLY:
		tell(list, "down", p);
		keep(list, CTL_DOWN);
		break;
	case NODE_DRAIN:
		tell(list, "drained", p);
		taken = !ctl_node_try(list, CTL_DRAIN, reason);
		break;
	case NODE_DRAIN_AGAIN:
		log_info("nodes %s: drained again (%s), by the Reason that "
			 "they have",
			 list, p->row);
		keep(list, CTL_DRAIN);
		break;
	case NODE_UNDRAIN:
		log_info("nodes %s: no longer drained (%s)", list, p->row);
		ctl_node_try(list, CTL_UNDRAIN, NULL);
		break;
	case NODE_COOL:
		cool(list, reason);
		break;
	case NODE_RECORD:
		record(nodes, list, *p->words ? reason : "");
		return true;
	case NODE_SET_FEATURES:
		set_features(list, p);
		break;
	case NODE_RECYCLE:
		log_info("nodes %s: power down (%s): %s", list, p->row,
			 p->words);
		if (!ctl_node_try(list, CTL_POWER_DOWN, NULL))
			note_told(v, n);
		break;
	}
	nodes_ask_again(nodes);
	return taken;
}

static void comment(struct nodes *nodes, const char *node, const char *words)
{
	char text[WK_REASON_MAX];
	struct err err = {0};

	ctl_reason(words, text);
	if (ctl_node_comment(nodes->slurm.all, node, text, &err))
		log_warn("%s: %s", node, err.msg);
}

/* Nodes whose jobs cannot all be requeued: only their pods are replaced. */
static void spare(struct nodes *nodes, struct action *a)
{
	log_warn("%s: a job there cannot be requeued, so only its pod is "
		 "replaced (%s): %s",
		 a->memo->name, a->plan.row, a->plan.words);
	comment(nodes, a->memo->name, a->plan.words);
	attempts_create_later(&a->memo->tried, clock_ms());
	attempts_acted(&a->memo->tried, NODE_REQUEUE, clock_ms());
	a->plan.slurm = NODE_KEEP;
	a->spared = true;
}

static void tell_job(const struct given_up *v, size_t k,
		     const struct ctl_jobs *jobs)
{
	char all[NODE_WORDS_MAX + 100], text[WK_REASON_MAX];
	const uint32_t id = v->jobs[k].id;
	struct err err = {0};

	/* What is too long loses its middle. */
	blame_note(v->jobs[k].blame, v->jobs[k].on->words, v->jobs[k].restarts,
		   id, all, sizeof(all));
	ctl_reason(all, text);
	if (ctl_job_comment(jobs, id, text, &err))
		log_warn("job %u: %s", id, err.msg);
}

static void follow(struct nodes *nodes, const struct given_up *v)
{
	for (size_t i = 0; i < v->n_told; i++)
		switch (given_up_job(v, i)) {
		case BACK_BEGINS:
			requeued_add(nodes, v->jobs[i].id,
				     v->jobs[i].on->begin_s);
			break;
		case BACK_HELD:
			requeued_hold(nodes, v->jobs[i].id);
			break;
		case BACK_WAITS:
			requeued_add(nodes, v->jobs[i].id, REQUEUED_NEVER);
			break;
		case BACK_NOT:
			break;
		}
}

/*
 * Take out of the failed power-ups those whose jobs cannot go back into the
 * queue, and write the reason on the jobs of the others. The reason comes
 * first, because the next engine goes by it: a node whose job has none by `end`
 * keeps its job for now.
 */
static void spare_and_tell(struct nodes *nodes, struct actions *a,
			   struct given_up *v, const struct ctl_jobs *jobs,
			   int64_t end)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->v[i].plan.slurm != NODE_REQUEUE ||
		    !given_up_spares(v, a->v[i].memo->name))
			continue;
		if (clock_ms() < end)
			spare(nodes, &a->v[i]);
		else
			node_anew(nodes, &a->v[i]);
	}
	while (v->n_told < v->n_jobs && clock_ms() < end)
		tell_job(v, v->n_told++, jobs);
	if (v->n_told == v->n_jobs)
		return;
	for (size_t i = 0; i < a->n; i++)
		if (given_up_lacks_words(v, a->v[i].memo->name))
			node_anew(nodes, &a->v[i]);
}

/*
 * Ask who is on the nodes of failed power-ups and on lost nodes. What cannot
 * be requeued is spared on the former; on the latter it is lost already. It is
 * asked for now, for jobs may have come since any other list.
 */
static void prepare_requeue(struct nodes *nodes, struct actions *a,
			    struct given_up *v, int64_t end)
{
	_cleanup_(ctl_jobs_freep) struct ctl_jobs *jobs = NULL;
	struct ctl_read read = {0};
	struct err err = {0};
	bool any = false;
	int64_t least;

	for (size_t i = 0; i < a->n; i++) {
		if (!sends_back(&a->v[i]))
			continue;
		any = true;
		given_up_add(v, a->v[i].memo->name, a->v[i].plan.words,
			     a->v[i].begin_s,
			     a->v[i].plan.slurm == NODE_REQUEUE);
	}
	if (!any)
		return;
	if (ctl_reader_jobs(nodes->reader, &jobs, &read, &err)) {
		log_error("%s", err.msg);
		for (size_t i = 0; i < a->n; i++)
			if (sends_back(&a->v[i]))
				a->v[i].plan =
					(struct node_decision){.row = ""};
		return;
	}
	ctl_jobs_on_nodes(jobs, given_up_count, v);
	ctl_jobs_on_nodes(jobs, given_up_take, v);
	least = clock_ms() + TELL_MIN_MS;
	spare_and_tell(nodes, a, v, jobs, end > least ? end : least);
}

/*
 * Nodes for which jobs are to be asked for come first, and where slurmctld is
 * slow there may be enough of them for many passes. So when they have made
 * other nodes late, these others have the next pass in which there are nodes of
 * both kinds.
 */
static bool leave_to_others(struct nodes *nodes, struct actions *a)
{
	bool others = false;

	for (size_t i = 0; i < a->n; i++)
		others |= needs_no_jobs(&a->v[i]);
	if (!nodes->apply.others || !others)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (sends_back(&a->v[i])) {
			node_anew(nodes, &a->v[i]);
			nodes->apply.others = false;
		}
	return true;
}

/* Count a failure: of a pod, or else one that k8s_resume has seen. */
static void note_failure(struct nodes *nodes, const struct action *x)
{
	if (x->plan.slurm == NODE_REQUEUE)
		cooldown_failure(nodes, x->set, x->memo->features,
				 x->plan.words);
	else
		cooldown_refused(nodes, x->set, x->memo->name, x->plan.words);
}

static void note_failures(struct nodes *nodes, struct actions *a)
{
	bool sent_back = false;

	for (size_t i = 0; i < a->n; i++) {
		struct action *x = &a->v[i];

		if (!x->plan.failed)
			continue;
		if (!x->memo->tried.failure_counted)
			note_failure(nodes, x);
		sent_back |= !x->memo->tried.failure_counted &&
			     x->plan.slurm != NODE_REQUEUE;
		x->memo->tried.failure_counted = true;
		if (x->plan.slurm == NODE_REQUEUE)
			x->begin_s = cooldown_begin_s(nodes, x->set,
						      x->memo->features);
	}
	if (sent_back)
		requeued_sent_back(nodes);
}

static bool same_group(const struct action *x, const struct action *y)
{
	return x->plan.slurm == y->plan.slurm &&
	       x->plan.clears_reason == y->plan.clears_reason &&
	       !strcmp(x->plan.words, y->plan.words);
}

/*
 * The power-up of these nodes has failed: their jobs back, and power down.
 * Since that was planned a slurmd may have registered, and its job may run,
 * which POWER_DOWN_FORCE would end, but DRAIN does not. Such a node stays
 * drained until it is idle (row "left drained"). Its job is followed
 * nevertheless, as DRAIN of another node of the job sends it back. The list of
 * jobs that was asked for may have taken seconds: a node that has come up, or
 * that an administrator has drained, before DRAIN stays as it is.
 */
static void send_back(struct nodes *nodes, const struct node_decision *p,
		      struct action *v, size_t n, char *list)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	char reason[WK_REASON_MAX];
	struct ctl_node node;

	ctl_reason(p->words, reason);
	tell(list, "their jobs go back to the queue", p);
	nodes_ask_again(nodes);
	if (!ctl_node_try(list, CTL_DRAIN, reason))
		now = nodes_now(list);
	for (size_t i = 0; i < n; i++) {
		if (!now || !ctl_nodes_find(now, v[i].memo->name, &node) ||
		    !confirm_powers_up(&node))
			node_anew(nodes, &v[i]);
	}
	if (now && *only(list, now, confirm_powers_up) && goes_on(nodes, v))
		ctl_nodes_power_down_new(now, list);
}

static bool power_off(struct nodes *nodes, const struct node_decision *p,
		      const char *list)
{
	nodes_ask_again(nodes);
	log_info("nodes %s: power down (%s)%s%s", list, p->row,
		 *p->words ? ": " : "", p->words);
	return !ctl_node_try(list, CTL_POWER_DOWN_FORCE, NULL);
}

/*
 * True if it is too late for an action. The first actions for which jobs were
 * asked for are done in any case, so that each pass gets somewhere; all others
 * can be done by the next pass.
 */
static bool is_late(const struct action *a, bool some, int64_t end)
{
	return (some || !sends_back(a)) && clock_ms() >= end;
}

/* Act on nodes with the same plan; `list` is written over. */
static void do_some(struct nodes *nodes, struct action *v, size_t n,
		    struct given_up *g, char *list)
{
	const struct node_decision p = v->plan;
	const node_is_fn is = confirm_of(&p);
	bool taken = true;

	if (is && (!are_still(nodes, v, n, list, is) || !goes_on(nodes, v)))
		taken = false; /* none is left, or it is another's to do */
	else if (p.slurm == NODE_REQUEUE)
		send_back(nodes, &p, v, n, list);
	else if (p.slurm == NODE_POWER_OFF)
		taken = power_off(nodes, &p, list);
	else
		taken = do_group(nodes, &p, v, n, list);
	/* A node that has changed is planned anew; its jobs go on. */
	for (size_t i = 0; i < n; i++) {
		if (taken && v[i].plan.slurm == p.slurm)
			node_metrics_acted(&v[i].plan);
		if (p.slurm == NODE_REQUEUE || v[i].plan.slurm == p.slurm)
			given_up_done(g, v[i].memo->name);
	}
}

/* True if there was no time for some nodes that need no list of jobs. */
static bool do_groups(struct nodes *nodes, struct actions *a,
		      struct given_up *v, int64_t end)
{
	int records = 0;
	bool some = false, others_late = false;

	for (size_t i = 0, next; i < a->n; i = next) {
		_cleanup_buf_ struct buf list = BUF_INIT(LIST_MAX);
		size_t n = 0;

		/* Records in Extra come last, and can wait. */
		if (a->v[i].plan.slurm == NODE_RECORD &&
		    (++records > RECORDS_MAX ||
		     clock_ms() < nodes->apply.record_at))
			break;
		if (is_late(&a->v[i], some, end)) {
			others_late |= needs_no_jobs(&a->v[i]);
			if (a->v[i].plan.slurm != NODE_KEEP)
				node_anew(nodes, &a->v[i]);
			next = i + 1;
			continue;
		}
		for (next = i; next < a->n && same_group(&a->v[i], &a->v[next]);
		     next++) {
			struct node_state *m = a->v[next].memo;

			/* RPCs take time, and the lease may be lost. */
			if (a->v[i].plan.slurm == NODE_KEEP ||
			    !cluster_held(cluster_of(nodes, a->v[next].set)))
				continue;
			attempts_acted(&m->tried, a->v[i].plan.slurm,
				       clock_ms());
			if (buf_add_item(&list, m->name))
				break;
			if (++n == CTL_ENDS_MAX && ends_jobs(&a->v[i])) {
				next++;
				break;
			}
		}
		if (list.len && !atomic_load(&nodes->stop)) {
			do_some(nodes, a->v + i, next - i, v, list.data);
			some = true;
		}
		if (next == i)
			next++;
	}
	return others_late;
}

/*
 * True if only the node's pod is to be made or deleted, by what was known a
 * while ago: Slurm may have powered the node up, or its slurmd may have
 * registered, so that a job runs in that very pod.
 */
static bool needs_look(const struct action *a, bool late)
{
	return a->plan.slurm == NODE_KEEP &&
	       (a->plan.kube == POD_DELETE || a->plan.kube == POD_CREATE) &&
	       (a->spared || late);
}

/* Plan nodes anew that have changed since their action was planned. An RPC. */
static void look_again(struct nodes *nodes, struct actions *a, int64_t end)
{
	_cleanup_buf_ struct buf list = BUF_INIT(LIST_MAX);
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	const bool late = clock_ms() >= end;
	struct ctl_node node;

	for (size_t i = 0; i < a->n; i++)
		if (needs_look(&a->v[i], late))
			buf_add_item(&list, a->v[i].memo->name);
	if (!list.len)
		return;
	now = nodes_now(list.data);
	for (size_t i = 0; i < a->n; i++) {
		const struct node_state *m = a->v[i].memo;

		if (needs_look(&a->v[i], late) &&
		    (!now || !ctl_nodes_find(now, m->name, &node) ||
		     node_power_of(node.power) != m->power.now))
			node_anew(nodes, &a->v[i]);
	}
}

void nodes_apply(struct nodes *nodes, struct actions *a)
{
	struct given_up *v = calloc(1, sizeof(*v));
	int64_t begin;

	if (!v)
		return;
	note_failures(nodes, a);
	begin = clock_ms();
	if (!leave_to_others(nodes, a))
		prepare_requeue(nodes, a, v, begin + TELL_MS);
	if (a->n)
		qsort(a->v, a->n, sizeof(*a->v), by_kind);
	if (do_groups(nodes, a, v, begin + ACT_MS) && v->by_node)
		nodes->apply.others = true;
	follow(nodes, v);
	look_again(nodes, a, begin + ACT_MS);
	for (size_t i = 0; i < a->n && !atomic_load(&nodes->stop); i++) {
		tell_pod(nodes, &a->v[i]);
		do_pod(nodes, &a->v[i]);
	}
	given_up_clear(v);
	free(v);
}
