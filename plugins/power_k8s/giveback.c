/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DRAIN on a node that is powering up makes Slurm requeue its jobs at once
 * and keeps new ones away. POWER_DOWN_FORCE ends the power-up: with its next
 * scan Slurm has the nodes powering down and runs SuspendProgram. RESUME then
 * makes them powered down without waiting for SuspendTimeout; not when a pod
 * may have been made unseen: SuspendProgram needs its time to delete it.
 */
#include "giveback.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/notify.h"
#include "base/str.h"

#define POWER_DOWN_MS 15000
#define LIST_MAX (16u * 1024 * 1024)

struct giveback_kill {
	UT_hash_handle hh;
	int failed;
	char name[];
};

struct giveback_kills {
	struct giveback_kill *by_name;
	bool lossy; /* out of memory: some nodes are missing */
};

static bool is_killed(const struct giveback_kills *k, const char *node)
{
	struct giveback_kill *x;

	HASH_FIND_STR(k->by_name, node, x);
	return x != NULL;
}

static void add_kill(void *arg, const char *node)
{
	struct giveback_kills *k = arg;
	const size_t size = strlen(node) + 1;
	struct giveback_kill *x;

	if (is_killed(k, node))
		return;
	x = calloc(1, sizeof(*x) + size);
	if (!x) {
		k->lossy = true;
		return;
	}
	memcpy(x->name, node, size);
	HASH_ADD_KEYPTR(hh, k->by_name, x->name, size - 1, x);
	if (!x->failed)
		return;
	k->lossy = true;
	free(x);
}

struct giveback_kills *giveback_kills_of(const struct ctl_jobs *jobs)
{
	struct giveback_kills *k = calloc(1, sizeof(*k));

	if (k)
		ctl_jobs_drain_kills(jobs, add_kill, k);
	if (!k || !k->lossy)
		return k;
	giveback_kills_free(k);
	return NULL;
}

void giveback_kills_free(struct giveback_kills *k)
{
	struct giveback_kill *x = NULL, *next = NULL;

	if (!k)
		return;
	HASH_ITER(hh, k->by_name, x, next)
	{
		HASH_DELETE(hh, k->by_name, x);
		free(x);
	}
	free(k);
}

void giveback_add(struct giveback *g, const char *node)
{
	if (hostlist_expand(node, &g->nodes, NULL))
		log_error("%s: cannot be given back", node);
}

void giveback_clear(struct giveback *g)
{
	hostlist_clear(&g->nodes);
	free(g->list);
	free(g->reason);
	g->list = g->reason = NULL;
}

/* The nodes that can be drained without harm to anybody; NULL: none. */
static char *harmless(const struct giveback *g, const struct ctl_nodes *nodes,
		      const struct ctl_jobs *jobs,
		      const struct giveback_kills *kills)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LIST_MAX);
	struct ctl_node node;

	if (g->job_id && !ctl_job_requeueable(jobs, g->job_id))
		return NULL;
	for (size_t i = 0; i < g->nodes.n; i++) {
		const char *name = g->nodes.names[i];

		if (ctl_nodes_find(nodes, name, &node) &&
		    node.power == CTL_POWERING_UP && !node.drained &&
		    !is_killed(kills, name) && buf_add_item(&b, name))
			return NULL;
	}
	return steal_ptr(b.data);
}

static void comment(const struct giveback *g, const struct ctl_nodes *nodes)
{
	struct err err = {0};

	if (ctl_nodes_comment(nodes, g->nodes.names, g->nodes.n, g->reason,
			      &err))
		log_warn("%s", err.msg);
}

/* True if the nodes of `g` get the text `why` as their Comment. */
static bool is_to_say(const struct giveback *g, const char *why)
{
	return g->list && str_eq(g->reason, why);
}

/*
 * Set the Comment of the nodes of v[0] to v[n - 1], which are drained and have
 * one text, in one RPC.
 */
static void comment_alike(const struct giveback *v, size_t n,
			  const struct ctl_nodes *nodes)
{
	struct giveback all = {.reason = v->reason};
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += v[i].nodes.n;
	all.nodes.names = calloc(count, sizeof(*all.nodes.names));
	for (size_t i = 0; all.nodes.names && i < n; i++)
		for (size_t k = 0; v[i].list && k < v[i].nodes.n; k++)
			all.nodes.names[all.nodes.n++] = v[i].nodes.names[k];
	comment(&all, nodes);
	free(all.nodes.names);
}

/* Tell the engine, if there is one, which makes the job eligible soon. */
static void ring(struct giveback *g)
{
	_cleanup_free_ char *text = NULL;

	text = str_printf(WK_SAY_REFUSED "%s %s",
			  g->node ? g->node : g->nodes.names[0],
			  g->reason + strlen(WK_REASON_PREFIX));
	g->told = text && !notify_ring(g->notify_name, text);
}

/*
 * Write the words of a refusal. The job may have chosen what was refused: then
 * it waits by itself, as the words say (refusal.h). A trouble of one node alone
 * makes no job wait: the job may have other nodes.
 */
static void reason_of(const struct giveback *g, const char *why,
		      const struct ctl_jobs *jobs, char text[WK_REASON_MAX])
{
	char noted[WK_REASON_MAX + ERR_MSG_MAX];

	if (!g->job_id || !g->refused || refusal_is_of_one_node(why) ||
	    !ctl_job_requeueable(jobs, g->job_id)) {
		ctl_reason(why, text);
		return;
	}
	refusal_note(&g->what, ctl_job_says(jobs, g->job_id), why, noted,
		     sizeof(noted));
	ctl_reason(noted, text);
}

void giveback_begin(struct giveback *g, const char *why,
		    const struct ctl_nodes *nodes, const struct ctl_jobs *jobs,
		    const struct giveback_kills *kills)
{
	char text[WK_REASON_MAX];
	struct err err = {0};

	if (!g->nodes.n)
		return;
	reason_of(g, why, jobs, text);
	g->reason = strdup(text);
	g->list = harmless(g, nodes, jobs, kills);
	if (!g->reason)
		return;
	if (g->job_id && ctl_job_comment(jobs, g->job_id, text, &err))
		log_warn("job %u: %s", g->job_id, err.msg);
	if (!g->list) {
		comment(g, nodes);
		log_warn("%s%s: left to ResumeTimeout, for job %u or another "
			 "one there cannot be requeued: %s",
			 g->nodes.names[0], g->nodes.n > 1 ? ", ..." : "",
			 g->job_id, text);
	} else if (ctl_node_try(g->list, CTL_DRAIN, text)) {
		free(steal_ptr(g->list));
	} else if (g->job_id) {
		log_warn("job %u goes back to the queue, nodes %s to idle: %s",
			 g->job_id, g->list, text);
	} else {
		log_warn("nodes %s go back to idle: %s", g->list, text);
	}
	if (g->list)
		ring(g);
}

/*
 * How a node that was given back becomes powered down, in the order in which it
 * is done: END_AT_ONCE waits for Slurm, and the snapshot that the others go by
 * would grow old meanwhile.
 */
enum end {
	END_BY_ENGINE,
	END_SLOWLY,  /* SuspendProgram needs its time: a pod may be there */
	END_AT_ONCE, /* powered down as soon as Slurm allows */
};

static enum end end_of(const struct giveback *g)
{
	if (g->told)
		return END_BY_ENGINE;
	return g->undecided ? END_SLOWLY : END_AT_ONCE;
}

/*
 * The drained nodes of v[0] to v[n - 1] that end as `how`, as one list; NULL:
 * there are none, or out of memory. The caller frees.
 */
static char *join(const struct giveback *v, size_t n, enum end how)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LIST_MAX);

	for (size_t i = 0; i < n; i++)
		if (v[i].list && end_of(&v[i]) == how &&
		    buf_add_item(&b, v[i].list))
			return NULL;
	return steal_ptr(b.data);
}

/*
 * True if the node is as giveback_begin() left it: no job is there, and nobody
 * has changed it since.
 */
static bool is_as_drained(const struct ctl_node *node, const char *reason)
{
	return node->power == CTL_POWERING_UP && node->drained &&
	       str_eq(node->reason, reason);
}

/*
 * True if the node is in the power-down that we asked for. When that begins
 * Slurm takes the DRAIN away, but not the Reason; of a node that was to be
 * rebooted Slurm takes the Reason as well, so a node without a Reason is not
 * somebody else's.
 */
static bool is_as_ended(const struct ctl_node *node, const char *reason)
{
	return (node->ending || node->power == CTL_POWERING_DOWN) &&
	       (!node->reason || !*node->reason ||
		!strcmp(node->reason, reason));
}

typedef bool (*is_as_fn)(const struct ctl_node *node, const char *reason);

/* The nodes of g->list that are still as we left them; NULL: none. */
static char *untouched(const struct giveback *g, const struct ctl_nodes *now,
		       is_as_fn is_as_left)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LIST_MAX);
	_cleanup_hostlist_ struct hostlist h = {0};
	struct ctl_node node;

	if (!g->list || hostlist_expand(g->list, &h, NULL))
		return NULL;
	for (size_t i = 0; i < h.n; i++)
		if (ctl_nodes_find(now, h.names[i], &node) &&
		    is_as_left(&node, g->reason) &&
		    buf_add_item(&b, h.names[i]))
			return NULL;
	return steal_ptr(b.data);
}

static void keep_untouched(struct giveback *g, const struct ctl_nodes *now,
			   is_as_fn is_as_left)
{
	char *list = untouched(g, now, is_as_left);

	free(g->list);
	g->list = list;
}

static int wait_until_ending(const char *list)
{
	_cleanup_hostlist_ struct hostlist h = {0};
	struct err err = {0};
	int rc = hostlist_expand(list, &h, &err);

	if (!rc)
		rc = ctl_wait_powering_down(h.names, h.n, POWER_DOWN_MS, &err);
	if (rc)
		log_warn("%s: %s", list, err.msg);
	return rc;
}

/*
 * Make the last update, `what`, of the nodes that end as `how` and have been
 * told to power down.
 */
static void finish(struct giveback *v, size_t n, enum end how,
		   enum ctl_node_update what)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	_cleanup_free_ char *list = NULL;
	struct err err = {0};

	if (ctl_nodes_load(&now, &err)) {
		log_warn("nodes that power down wait for SuspendTimeout: %s",
			 err.msg);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (end_of(&v[i]) == how)
			keep_untouched(&v[i], now, is_as_ended);
	list = join(v, n, how);
	if (list)
		ctl_node_try(list, what, NULL);
}

static void power_down(struct giveback *v, size_t n, enum end how,
		       const struct ctl_nodes *now)
{
	_cleanup_free_ char *list = join(v, n, how);

	if (!list || ctl_nodes_power_down_new(now, list))
		return;
	if (how == END_SLOWLY)
		finish(v, n, how, CTL_UNDRAIN);
	else if (how == END_AT_ONCE)
		finish(v, n, how,
		       wait_until_ending(list) ? CTL_UNDRAIN : CTL_RESUME);
}

static void comment_all(const struct giveback *v, size_t n,
			const struct ctl_nodes *now)
{
	for (size_t i = 0, end; i < n; i = end) {
		/*
		 * Neighbours with one Reason, such as no engine, share an RPC.
		 */
		for (end = i + 1;
		     v[i].list && end < n && is_to_say(&v[end], v[i].reason);)
			end++;
		if (v[i].list)
			comment_alike(v + i, end - i, now);
	}
}

static bool any_drained(const struct giveback *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].list)
			return true;
	return false;
}

/*
 * Since giveback_begin() the engine, Slurm or an administrator may have gone
 * on: then a job may have the node again, which POWER_DOWN_FORCE would kill.
 * (The Comment comes first: on a node without DRAIN it would cost the Reason.)
 */
void giveback_end(struct giveback *v, size_t n)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	struct err err = {0};

	if (!any_drained(v, n))
		return;
	if (ctl_nodes_load(&now, &err)) {
		log_error("nodes that were drained are left to the engine, or "
			  "to ResumeTimeout: %s",
			  err.msg);
		return;
	}
	comment_all(v, n, now);
	for (size_t i = 0; i < n; i++)
		keep_untouched(&v[i], now, is_as_drained);
	for (enum end how = END_BY_ENGINE; how <= END_AT_ONCE; how++)
		power_down(v, n, how, now);
}
