/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps Kubernetes nodes with the label and Slurm's external nodes in step;
 * hybrid ones are drained and undrained only. external/external_node.h decides,
 * and external_actions.c does it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "config/features.h"
#include "external/external_actions.h"
#include "external/external_memo.h"
#include "external/external_nodes.h"
#include "external/external_size.h"
#include "slurm/ctl_external.h"
#include "slurm/ctl_placeholder.h"

#define STEP_MS 500 /* from a change to the next step */
#define STEP_ALL_MS 10000
#define DO_MS 2500	/* how long the actions of a step may take */
#define SETTLED_MS 2000 /* a shape unchanged for so long is settled */
#define UNMADE_MS 2000	/* pause of renewals while nodes are unmade */

void external_nodes_free(struct external_nodes *e)
{
	promised_nodes_end(e);
	external_memos_free(e);
	ctl_nodes_free(e->slurm.nodes);
}

/* Until when an action is not to be tried (monotonic); 0: it may be. */
static int64_t rests_until(struct external_nodes *e, const char *name,
			   enum external_node_do what)
{
	struct external_node_memo *m;
	int64_t until;

	HASH_FIND_STR(e->memos, name, m);
	until = m ? m->until : 0;
	if (m && what == EXTERNAL_NODE_DELETE && m->removal.named_until > until)
		until = m->removal.named_until;
	/* A new one, or one that jobs may name, is not made to wait. */
	if (m && what == EXTERNAL_NODE_CREATE && *m->words && !m->deleted &&
	    e->creations.at > until)
		until = e->creations.at;
	return clock_ms() < until ? until : 0;
}

/* --- planning, under the lock of the hosts */

/*
 * What Slurm is to be told of a node. -ENOSPC: pods of others leave nothing, or
 * what they use cannot be counted.
 */
static int shape_of(struct external_nodes *e, const struct inventory_node *x,
		    struct external_node_shape *out, struct err *err)
{
	const struct bridge_config *k = e->bridge;
	struct gresmap map[BRIDGE_RESOURCES_MAX];
	const struct external_node_rules rules = {
		.gres = map,
		.n_gres = k->resources.n,
		.labels = (const char *const *)k->features.v,
		.n_labels = k->features.n,
	};
	struct pod_requests used;
	struct err why = {0};
	int rc;

	for (size_t i = 0; i < k->resources.n; i++)
		map[i] = (struct gresmap){.resource = k->resources.v[i].key,
					  .gres = k->resources.v[i].value};
	if (*x->why_not)
		return err_set(err, -EINVAL, "%s", x->why_not);
	if (inventory_node_taken(x, e->job_has_nodes, e->arg, &used, &why))
		used.cpu_milli = INT64_MAX;
	rc = external_node_shape_of(&x->view, &used, &rules, out, err);
	if (rc == -ENOSPC && why.code)
		err_copy(err, &why);
	return rc;
}

/*
 * Copy what Slurm says of a node. `labelled`: the site says that it takes pods.
 */
static void see_slurm(const struct ctl_node *node, bool labelled,
		      struct external_node_view *v)
{
	v->known = true;
	v->external = node->external;
	v->hybrid = !node->external && labelled;
	v->idle = !node->busy;
	v->reserved = node->reserved;
	v->emptied = node->emptied;
	v->drained = node->drained;
	v->down = node->down;
	v->failing = node->failing;
	v->changing = node->rebooting || node->power == CTL_POWERING_DOWN;
	v->lost = node->no_respond || node->power == CTL_POWERED_DOWN;
	v->reason = node->reason;
	v->reason_for_ms = clock_real_ms() - node->reason_ms;
	v->features = node->features;
	v->gres = node->gres;
	v->cpus = node->cpus;
	v->memory_mib = node->memory_mib;
	v->topology = node->topology;
}

/*
 * Until when an action is not to be done (monotonic); 0: it is to be done now.
 */
static int64_t action_rests_until(struct external_nodes *e, const char *name,
				  enum external_node_do what,
				  enum external_need need)
{
	const int64_t now = clock_ms(), until = rests_until(e, name, what);
	int64_t at = now;

	if (what == EXTERNAL_NODE_RENEW && e->creations.unmade)
		at = now + UNMADE_MS;
	else if (what == EXTERNAL_NODE_RENEW && need != EXTERNAL_NEED_LOST)
		at = external_size_renew_at(&e->renewals, now);
	if (at > now)
		return at > until ? at : until;
	return until;
}

/*
 * True for an action that takes long, and may be refused for many nodes; no
 * node is lost while it waits.
 */
static bool makes(enum external_node_do what)
{
	return what == EXTERNAL_NODE_CREATE || what == EXTERNAL_NODE_RENEW ||
	       what == EXTERNAL_NODE_UPDATE;
}

/*
 * The place of the last renewal, if the new one comes before it. Renewals that
 * wait longest, and are needed most, come first, however many there are: else
 * whoever changes the sizes of some nodes again and again would keep others
 * from being made anew. NULL: there is none.
 */
static struct external_action *
place_for_renewal(struct external_actions *out,
		  const struct external_action *renewal)
{
	struct external_action *last = NULL;

	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].what == EXTERNAL_NODE_RENEW &&
		    (!last || external_renewal_is_before(last, &out->v[i])))
			last = &out->v[i];
	if (!last || !external_renewal_is_before(renewal, last))
		return NULL;
	external_action_clear(last);
	return last;
}

/* A place for an action like `d`. NULL: there is no room in this step. */
static struct external_action *place_for(struct external_actions *out,
					 const struct external_action *d)
{
	const bool full =
		out->n == EXTERNAL_ACTIONS_MAX ||
		(makes(d->what) && out->made >= EXTERNAL_ACTIONS_MAKE_MAX);

	if (full)
		return d->what == EXTERNAL_NODE_RENEW
			       ? place_for_renewal(out, d)
			       : NULL;
	out->made += makes(d->what);
	return &out->v[out->n++];
}

static bool is_placed_right(const struct external_node_view *v)
{
	return str_eq(v->shape->topology, v->topology ? v->topology : "");
}

static void add(struct external_nodes *e, const struct external_decision *plan,
		const char *name, const struct external_node_view *v,
		struct external_actions *out)
{
	struct external_action *d, next = {.what = plan->what};
	int64_t until;

	if (plan->what == EXTERNAL_NODE_KEEP) {
		if (*plan->words)
			external_node_log(e, name, plan->words);
		return;
	}
	if (plan->what == EXTERNAL_NODE_RENEW)
		next.since = external_memo_renews(e, name);
	next.external = !v->hybrid && !v->slurmd;
	next.failing = v->failing;
	next.alone = v->promised != NULL;
	next.need = v->lost	 ? EXTERNAL_NEED_LOST
		    : v->drained ? EXTERNAL_NEED_DRAINED
				 : EXTERNAL_NEED_SIZE;
	until = action_rests_until(e, name, plan->what, next.need);
	external_actions_later(out, until);
	d = until ? NULL : place_for(out, &next);
	if (!d)
		return;
	*d = next;
	str_copy(d->name, name, sizeof(d->name));
	str_copy(d->words, plan->words, sizeof(d->words));
	if (v->shape) {
		d->relabels =
			plan->what == EXTERNAL_NODE_UPDATE &&
			!features_same_list(v->shape->features, v->features);
		d->line = external_node_line(v->shape);
		d->features = strdup(v->shape->features);
		/*
		 * With "" Slurm takes the node out of what topology.yaml says,
		 * too (topology_g_add_rm_node()).
		 */
		if (!is_placed_right(v))
			d->topology = strdup(v->shape->topology);
	}
}

/*
 * True if the node is of no nodeset: one of a nodeset is a pod itself, never
 * ours to drain.
 */
static bool is_free(const struct external_nodes *e, const char *name)
{
	return !config_nodeset_of(e->config, name);
}

/*
 * A node that Slurm knows keeps its size, unless another one has lasted, also
 * if other pods leave no CPU of it, or what they leave is not known: else
 * whoever may create a pod would have it drained at once. (One that is drained
 * stays so, also when the engine begins, and has waited for nothing yet.)
 * False: nothing is left of it.
 */
static bool see_size(struct external_nodes *e, const char *name,
		     const struct ctl_node *node,
		     struct external_node_shape *shape,
		     struct external_actions *out)
{
	const struct external_size_has has = {node->cpus, node->memory_mib,
					      node->gres};
	const int64_t now = clock_ms(), lasts = e->bridge->resize_after_ms;
	struct external_node_memo *m = external_memo_of(e, name);
	struct external_size none = {0};
	struct external_size *size = m ? &m->size : &none;

	if (!shape->cpus) {
		if (node->drained)
			return false;
		shape->memory_mib = node->memory_mib;
		str_copy(shape->gres, node->gres ? node->gres : "",
			 sizeof(shape->gres));
	}
	external_size_look(size, shape, &has, now, lasts);
	external_actions_later(out, external_size_next(size, now, lasts));
	return shape->cpus > 0;
}

/*
 * Only a node that no other Slurm cluster has becomes one of Slurm's, or stays
 * it. False: that is not known yet.
 */
static bool is_ours(struct external_nodes *e, const struct inventory_node *x,
		    bool known, struct external_node_view *v, struct err *why)
{
	const char *value = kube_node_label(&x->view, WK_CLAIM_NODE);
	char words[CLAIM_WORDS_MAX];

	if (!x->bridge) {
		if (!known)
			claims_give_back(e->claims, x->name, value,
					 x->view.claimed_by);
		return true;
	}
	switch (claims_node(e->claims, x->name, value, x->view.claimed_by,
			    words)) {
	case CLAIMS_OURS:
		return true;
	/* known: Slurm has had it since before there were claims */
	case CLAIMS_UNKNOWN:
		return known;
	case CLAIMS_OTHERS:
		break;
	}
	err_set(why, -EEXIST, "%s", words);
	v->shape = NULL;
	v->why_not = why->msg;
	return true;
}

/*
 * Another Kubernetes node is Slurm's node of its name (a machine that was
 * replaced, say, and is powered on once more): what it is says nothing of that
 * Slurm node, and must not end its jobs.
 */
static bool is_anothers_name(struct external_nodes *e, struct inventory_node *x)
{
	if (*x->slurm || !inventory_of_slurm(e->inventory, x->name))
		return false;
	/* The memo of that name is for words about the Slurm node. */
	if (x->bridge && !x->told_why_not)
		log_warn("bridge: Kubernetes node %s is no node of Slurm's: %s",
			 x->name, x->why_not);
	x->told_why_not |= x->bridge;
	return true;
}

/*
 * Decide about a node. False: something is not known yet, and the node is
 * looked at again.
 */
static bool decide(struct external_nodes *e, const char *name,
		   struct external_node_view *v, struct external_decision *plan,
		   struct external_actions *out)
{
	int64_t later;

	*plan = external_decide(v);
	if (!plan->if_not_promised)
		return true;
	later = promised_node_by(e, name, &v->promised);
	external_actions_later(out, later);
	if (v->promised)
		*plan = external_decide(v);
	return !later;
}

static void look_at_host(struct external_nodes *e, struct inventory_node *x,
			 struct external_actions *out)
{
	const int64_t now = clock_ms();
	struct external_node_shape shape;
	struct ctl_node node;
	struct err err = {0};
	struct external_node_view v = {
		.host = x->seen ? &x->view : NULL,
		.unready_ms = disruption_lost_for(e, x->unready_at),
		.settled = now - x->changed_at >= SETTLED_MS,
	};
	const char *name = *x->slurm ? x->slurm : x->name;
	struct external_node_memo *m = NULL;
	struct external_decision plan;
	bool ours = true;
	int rc = -EINVAL;

	if (!v.host || is_anothers_name(e, x))
		return;
	HASH_FIND_STR(e->memos, name, m);
	v.relabelled = m && m->relabelled;
	if (m && (x->bridge || x->view.unread))
		m->removal.gone_at = m->removal.named_at =
			m->removal.named_until = 0;
	if (x->view.unread)
		return;
	if (x->bridge)
		rc = shape_of(e, x, &shape, &err);
	v.shape = rc ? NULL : &shape;
	v.why_not = err.msg;
	v.kept_by = x->kept_by;
	v.overdue = x->overdue;
	if (ctl_nodes_find(e->slurm.nodes, name, &node)) {
		external_memo_is_there(m);
		v.slurmd = !node.external && is_free(e, name);
		see_slurm(&node, x->bridge && v.slurmd, &v);
		if (v.external && (!rc || rc == -ENOSPC) &&
		    see_size(e, name, &node, &shape, out))
			v.shape = &shape;
		if (v.external)
			ours = is_ours(e, x, true, &v, &err);
		if (v.external && !x->bridge)
			v.unready_ms = external_nodes_unwanted_for(e, name);
	} else if (ctl_external_known()) {
		ours = is_ours(e, x, false, &v, &err);
	} else {
		return;
	}
	if (!ours || !decide(e, name, &v, &plan, out))
		return;
	out->unmade += plan.what == EXTERNAL_NODE_CREATE && m && m->deleted;
	if (plan.what != EXTERNAL_NODE_RENEW)
		external_memo_renews_not(m);
	if (external_node_twice_ms(&v) > 0)
		external_actions_later(out, now + external_node_twice_ms(&v));
	add(e, &plan, name, &v, out);
}

/* Look at a node of ours in Slurm that Kubernetes has no more. */
static void look_at_orphan(struct external_nodes *e,
			   const struct ctl_node *node,
			   struct external_actions *out)
{
	struct external_node_view v = {0};
	struct external_decision plan;

	if (!disruption_is_orphan(e, node))
		return;
	see_slurm(node, false, &v);
	v.unready_ms = disruption_orphan_for(e, node);
	plan = external_decide(&v);
	add(e, &plan, node->name, &v, out);
}

/* Look at a hybrid node of which Kubernetes says no more whether it is well. */
static void look_at_left(struct external_nodes *e, const struct ctl_node *node,
			 struct external_actions *out)
{
	struct external_node_view v = {0};
	struct external_decision plan;

	v.unready_ms = is_free(e, node->name) ? hybrid_left_for(e, node) : 0;
	if (!v.unready_ms)
		return;
	see_slurm(node, true, &v);
	plan = external_decide(&v);
	add(e, &plan, node->name, &v, out);
}

static void look(struct external_nodes *e, struct external_actions *out)
{
	struct ctl_node node;

	inventory_lock(e->inventory);
	disruption_see(e);
	for (struct inventory_node *x = inventory_first(e->inventory); x;
	     x = x->hh.next)
		look_at_host(e, x, out);
	for (size_t i = 0; ctl_nodes_at(e->slurm.nodes, i, &node); i++) {
		look_at_orphan(e, &node, out);
		look_at_left(e, &node, out);
	}
	external_memos_forget_gone(e);
	inventory_unlock(e->inventory);
	e->creations.unmade = out->unmade;
}

static void step_by(struct external_nodes *e, int64_t at)
{
	if (e->step.at > at)
		e->step.at = at;
}

bool external_nodes_step(struct external_nodes *e)
{
	_cleanup_(external_actions_clear) struct external_actions actions = {0};
	const uint64_t version = inventory_version(e->inventory);
	const int64_t now = clock_ms();
	bool news, others;

	/* before slurmctld is asked, which may take its time to answer */
	e->step.nodes_at = now - e->nodes_age;
	news = slurm_nodes_refresh(e);
	others = slurm_nodes_changed(e, news);
	e->step.version += others;
	if (version != e->step.hosts_version) {
		e->step.hosts_version = version;
		news = true;
	}
	if (news)
		step_by(e, now + STEP_MS);
	/*
	 * By an old view what was done since it was read would be done once
	 * more.
	 */
	if (!e->slurm.nodes || !e->slurm.read_at || now < e->step.at ||
	    !inventory_ready(e->inventory) || !cluster_held(e->cluster))
		return others;
	e->step.at = now + STEP_ALL_MS;
	promised_nodes_begin(e);
	look(e, &actions);
	promised_nodes_end(e);
	/* reading the nodes may take longer */
	actions.end = clock_ms() + DO_MS;
	external_actions_do(e, &actions);
	external_actions_settle(e, &actions);
	if (actions.n)
		step_by(e, now + STEP_MS);
	if (actions.later)
		step_by(e, actions.later);
	return others;
}
