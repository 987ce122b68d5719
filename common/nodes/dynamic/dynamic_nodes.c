/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that are not in slurm.conf: those that a nodeset creates and Slurm
 * does not know are created, and ours that no nodeset has any more are deleted
 * when they are powered down. dynamic_decide.h decides.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/dynamic/dynamic_decide.h"
#include "nodes/dynamic/dynamic_nodes.h"
#include "slurm/ctl_create.h"
#include "slurm/ctl_required.h"
#include "slurm/ctl_reserved.h"
#include "syntax/hostlist.h"

#define LOOK_MS 10000
#define SOON_MS 1000 /* pause until lease and pods are looked for */
#define BATCH 1000   /* nodes in one RPC: slurmctld holds its locks for it */
#define DELETE_BATCH 64

/*
 * Lists of all jobs may take a 20th of the time; after one by which nodes stay
 * the next one waits for a minute.
 */
#define JOBS_SHARE 20
#define JOBS_AGAIN_MS 60000

/* Log words that are new, and try again, later after each failure. */
static void failed(struct create_backoff *c, const char *what,
		   const char *words)
{
	int64_t ms;

	if (dynamic_refused(c, words, clock_ms(), &ms))
		log_error("%s: %s; again after %lld s, and more seldom", what,
			  words, (long long)ms / 1000);
}

static void worked(struct nodes *nodes, struct create_backoff *c)
{
	dynamic_worked(c);
	nodes_ask_again(nodes);
	nodes->dynamic.at = 0; /* another batch may follow */
}

/* --- those that are missing */

/*
 * List up to BATCH missing nodes; the caller frees. NULL: none, or no memory.
 */
static char *missing_of(struct nodes *nodes, const struct nodeset *set,
			size_t *n)
{
	_cleanup_hostlist_ struct hostlist all = {0};
	char *missing[BATCH];
	struct ctl_node node;

	*n = 0;
	if (hostlist_expand(set->nodes, &all, NULL))
		return NULL;
	for (size_t i = 0; i < all.n && *n < BATCH; i++) {
		struct dynamic_view v = {.wanted = &set->create,
					 .in_nodeset = true};

		v.known = ctl_nodes_find(nodes->slurm.all, all.names[i], &node);
		if (dynamic_decide(&v) == CREATE_NEW)
			missing[(*n)++] = all.names[i];
	}
	return *n ? ctl_hostlist_of(missing, *n) : NULL;
}

static void create_for(struct nodes *nodes, const struct nodeset *set,
		       struct create_backoff *c)
{
	_cleanup_free_ char *list = NULL, *line = NULL, *what = NULL;
	struct err err = {0};
	size_t n;

	switch (dynamic_turn(c, cluster_held(cluster_of(nodes, set)),
			     clock_ms())) {
	case CREATE_NOT_YET:
		return;
	case CREATE_SOON:
		nodes->dynamic.at = clock_ms() + SOON_MS;
		return;
	case CREATE_MAY:
		break;
	}
	list = missing_of(nodes, set, &n);
	/* No node is missing: an answer was lost, or others made the nodes. */
	if (!n) {
		dynamic_worked(c);
		return;
	}
	line = list ? create_nodes_line(&set->create, list) : NULL;
	what = list ? str_printf("nodeset %s: nodes %.200s", set->name, list)
		    : NULL;
	if (!line || !what)
		return;
	if (ctl_nodes_create(line, &err)) {
		failed(c, what, err.msg);
		nodes_ask_again(nodes); /* somebody may have made one */
		return;
	}
	log_info("%s: created, %zu", what, n);
	c->cpus = set->create.cpus;
	c->memory_mib = set->create.memory_mib;
	worked(nodes, c);
}

/* --- those that are to go */

/* True if no cluster has a pod of this node, and all are in view. */
static bool is_podless(struct nodes *nodes, const char *name)
{
	char pod[DNS_LABEL_MAX + 1];
	bool none = true;

	name_pod_of_node(name, pod);
	for (size_t i = 0; none && i < nodes->config->n_clusters; i++) {
		struct worker_pods *cache = watch_pods(nodes->links[i]);
		const struct worker_pod_entry *seen;

		if (!watch_is_live(nodes->links[i]))
			return false;
		worker_pods_lock(cache);
		seen = worker_pods_find(cache, pod);
		none = !seen || seen->gone;
		worker_pods_unlock(cache);
	}
	return none;
}

/*
 * True if the node was created anew for this size: what Slurm says of it may
 * differ from what it was created with.
 */
static bool was_replaced(struct nodes *nodes, const struct nodeset *set,
			 const char *name)
{
	const struct node_state *m = node_state_find(nodes, name);

	return m && set && m->replaced.cpus == set->create.cpus &&
	       m->replaced.memory_mib == set->create.memory_mib;
}

static struct create_backoff *backoff_of(struct nodes *nodes,
					 const struct nodeset *set)
{
	return &nodes->dynamic
			.backoff[set ? (size_t)(set - nodes->config->nodesets)
				     : nodes->config->n_nodesets];
}

/*
 * True if Slurm refuses nodes of the nodeset's present size (gres.conf may not
 * have it yet), or has one node of the nodeset to replace already, which shows
 * whether it takes that size: if not, the other nodes are still there.
 */
static bool is_refused(struct nodes *nodes, const struct nodeset *set)
{
	const struct create_backoff *c = backoff_of(nodes, set);

	return c->failures ||
	       (c->one && (c->cpus != set->create.cpus ||
			   c->memory_mib != set->create.memory_mib));
}

static enum create_do node_of(struct nodes *nodes, const struct ctl_node *node)
{
	const struct nodeset *set =
		config_nodeset_of(nodes->config, node->name);
	struct dynamic_view v = {
		.known = true,
		.dynamic = node->dynamic,
		.cloud = node->cloud,
		.asleep = node->power == CTL_POWERED_DOWN && !node->busy &&
			  !node->ending && !node->starting && !node->rebooting,
		.settled = !node->down && !node->drained,
		.reserved = node->reserved,
		.replaced = was_replaced(nodes, set, node->name),
		.refused = set && is_refused(nodes, set),
		.features = node->features,
		.cpus = node->cpus,
		.memory_mib = node->memory_mib,
		.in_nodeset = set,
		.wanted = set && set->create.wanted ? &set->create : NULL,
		.podless = true,
	};

	if (dynamic_decide(&v) == CREATE_KEEP)
		return CREATE_KEEP;
	/* A look for pods takes locks, so it comes last. */
	v.podless = is_podless(nodes, node->name);
	return dynamic_decide(&v);
}

/*
 * Decide by what slurmctld says now: it may have powered the node up meanwhile.
 */
static enum create_do node_now(struct nodes *nodes, const char *name)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *one = NULL;
	struct ctl_node node;

	if (ctl_nodes_load_one(name, &one, NULL) ||
	    !ctl_nodes_find(one, name, &node))
		return CREATE_KEEP;
	return node_of(nodes, &node);
}

/* Remember that a node is made anew, with the size that its nodeset has now. */
static void note_replaced(struct nodes *nodes, const char *name)
{
	const struct nodeset *set = config_nodeset_of(nodes->config, name);
	struct node_state *m = node_state_find(nodes, name);

	if (!m || !set)
		return;
	m->replaced.cpus = set->create.cpus;
	m->replaced.memory_mib = set->create.memory_mib;
}

/*
 * True if all clusters are in view. Asked before nodes are chosen, as it is
 * cheap, and after it, as choosing takes time.
 */
static bool all_live(struct nodes *nodes)
{
	for (size_t i = 0; i < nodes->config->n_clusters; i++)
		if (!watch_is_live(nodes->links[i]))
			return false;
	return true;
}

/*
 * Reservations and jobs that would lose a deleted node; loaded when there is a
 * node to delete.
 */
struct keepers {
	struct ctl_reserved *reserved;
	struct ctl_required *required;
	bool job; /* a job keeps one of the nodes */
};

static void keepers_clear(struct keepers *k)
{
	ctl_reserved_free(k->reserved);
	ctl_required_free(k->required);
}

static int ask_reservations(struct keepers *k, struct err *err)
{
	return k->reserved ? 0 : ctl_reserved_load(&k->reserved, err);
}

static int ask_jobs(struct nodes *nodes, struct keepers *k, struct err *err)
{
	const int64_t begin = clock_ms();
	int rc;

	if (k->required)
		return 0;
	if (begin < nodes->dynamic.jobs_at)
		return -EAGAIN;
	rc = ctl_required_load(nodes->reader, &k->required, err);
	nodes->dynamic.jobs_at = clock_ms() + (clock_ms() - begin) * JOBS_SHARE;
	return rc;
}

/*
 * True if the log is to say that nodes are kept: once for each nodeset as
 * k8s.yaml has it now.
 */
static bool is_news(struct nodes *nodes, const struct nodeset *set)
{
	struct create_backoff *c = backoff_of(nodes, set);
	const bool news = !c->kept;

	c->kept = true;
	return news;
}

/*
 * 1: a reservation would lose this node, or a job would end by its deletion.
 * Negative: slurmctld does not say it, with words, or is not to be asked now
 * (-EAGAIN).
 */
static int is_kept(struct nodes *nodes, struct keepers *k, const char *node,
		   struct err *err)
{
	const struct nodeset *set = config_nodeset_of(nodes->config, node);
	const char *what =
		set ? "of another size than k8s.yaml says" : "in no nodeset";
	const char *by;
	int rc = ask_reservations(k, err);

	if (rc)
		return rc;
	by = ctl_reserved_by(k->reserved, node);
	if (by) {
		if (is_news(nodes, set))
			log_warn(
				"node %s: %s, but it stays as it is while "
				"reservation %.100s names it, and so do others "
				"that are named by one: Slurm would take them "
				"out of it, and delete it with its last node",
				node, what, by);
		return 1;
	}
	rc = ask_jobs(nodes, k, err);
	by = rc ? NULL : ctl_required_by(k->required, node);
	if (!by)
		return rc;
	k->job = true;
	if (is_news(nodes, set))
		log_warn(
			"node %s: %s, but it stays as it is while %s has it "
			"in its ReqNodeList, and so do others that a job "
			"requires: without such a node Slurm ends the job when "
			"it is started or reads slurm.conf again",
			node, what, by);
	return 1;
}

/*
 * 1: the node may be deleted, by what slurmctld says now; 0: it stays.
 * Negative: slurmctld does not say.
 */
static int may_delete(struct nodes *nodes, struct create_backoff *c,
		      struct keepers *k, const struct ctl_node *node)
{
	enum create_do what = node->name && node->dynamic ? node_of(nodes, node)
							  : CREATE_KEEP;
	struct err err = {0};
	int rc;

	if (what == CREATE_KEEP)
		return 0;
	rc = is_kept(nodes, k, node->name, &err);
	if (rc < 0 && rc != -EAGAIN)
		failed(c, "nodes of another size, or in no nodeset, stay",
		       err.msg);
	return rc < 0 ? rc : !rc && node_now(nodes, node->name) == what;
}

/*
 * Write up to DELETE_BATCH nodes that may be deleted into `names`, which
 * borrows; return how many. Negative: it is not known which.
 */
static int to_delete(struct nodes *nodes, struct create_backoff *c,
		     char *names[DELETE_BATCH])
{
	struct keepers k = {0};
	struct ctl_node node;
	int n = 0, rc = 0;

	for (size_t i = 0; n < DELETE_BATCH && rc >= 0 &&
			   ctl_nodes_at(nodes->slurm.all, i, &node);
	     i++) {
		rc = may_delete(nodes, c, &k, &node);
		if (rc <= 0)
			continue;
		names[n++] = (char *)node.name;
		backoff_of(nodes, config_nodeset_of(nodes->config, node.name))
			->one = true;
	}
	if (k.required && (k.job || !n)) {
		const int64_t at = clock_ms() + JOBS_AGAIN_MS;

		if (nodes->dynamic.jobs_at < at)
			nodes->dynamic.jobs_at = at;
	}
	keepers_clear(&k);
	return rc < 0 ? rc : n;
}

static void delete_ours(struct nodes *nodes, struct create_backoff *c)
{
	_cleanup_free_ char *list = NULL;
	char *names[DELETE_BATCH];
	struct err err = {0};
	int n;

	if (dynamic_turn(c, all_live(nodes), clock_ms()) != CREATE_MAY)
		return;
	for (size_t i = 0; i < nodes->config->n_nodesets; i++)
		nodes->dynamic.backoff[i].one = false;
	n = to_delete(nodes, c, names);
	list = n > 0 && all_live(nodes) ? ctl_hostlist_of(names, (size_t)n)
					: NULL;
	if (!list)
		return;
	nodes_ask_again(nodes);
	if (ctl_nodes_delete(list, &err)) {
		_cleanup_free_ char *what = str_printf("nodes %.200s", list);

		failed(c, what ? what : "nodes", err.msg);
		return;
	}
	for (int i = 0; i < n; i++)
		note_replaced(nodes, names[i]);
	log_info("nodes %.200s: deleted, %d: in no nodeset, or of another "
		 "size",
		 list, n);
	worked(nodes, c);
}

void dynamic_nodes_step(struct nodes *nodes)
{
	if (!ctl_creates_nodes() || !nodes->slurm.all || nodes->slurm.stale ||
	    !dynamic_is_due(nodes->dynamic.at, nodes->dynamic.seen,
			    ctl_nodes_count(nodes->slurm.all), clock_ms()))
		return;
	nodes->dynamic.at = clock_ms() + LOOK_MS;
	nodes->dynamic.seen = ctl_nodes_count(nodes->slurm.all);
	for (size_t i = 0; i < nodes->config->n_nodesets; i++)
		if (nodes->config->nodesets[i].create.wanted)
			create_for(nodes, &nodes->config->nodesets[i],
				   &nodes->dynamic.backoff[i]);
	delete_ours(nodes, &nodes->dynamic.backoff[nodes->config->n_nodesets]);
}
