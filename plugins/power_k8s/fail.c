/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 1. Look at the pods, and at the Events of those that say nothing themselves.
 * 2. Ask Slurm which of the nodes it wants after all: one may have registered
 *    just after its time was over.
 * 3. Delete by UID what was seen.
 * 4. Ask Slurm again: nodes whose pod is gone go back to idle, unless they are
 *    not down any more, or an administrator drained them while they powered up.
 *    (At ResumeTimeout Slurm itself sets such a node down and takes his DRAIN
 *    away, but leaves his words in the Reason, before its own.)
 */
#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/verbs.h"
#include "objects/worker_pod.h"
#include "syntax/node_reason.h"

/*
 * Pods whose Events are listed, at most: for each list the API server reads all
 * Events of the namespace.
 */
#define EVENT_LOOKS_MAX 20
#define LIST_MAX (16u * 1024 * 1024)

struct failed_node {
	struct pod_op op;
	struct fail *all;
	char words[PODVIEW_WORDS_MAX]; /* why it did not come up */
	bool over; /* no more is to be done, also after an error */
};

struct fail {
	struct power_run *run;
	struct failed_node *nodes;
	size_t open;
	size_t event_looks;
	int rc;
};

static void give_up(struct failed_node *f, const char *why)
{
	log_error("%s: %s", f->op.opt.node, why);
	f->over = true;
	f->all->rc = 1;
}

/* --- look */

static int on_event(void *arg, json_object *e)
{
	struct failed_node *f = arg;
	const char *reason = jx_str(e, "reason"), *msg = jx_str(e, "message");

	if (str_eq(jx_str(e, "type"), "Warning") && reason && msg) {
		_cleanup_free_ char *whole = str_printf("%s: %s", reason, msg);

		str_shorten(f->words, whole ? whole : msg, sizeof(f->words));
		str_sanitize(f->words);
	}
	return 0;
}

static void on_events(void *arg, const struct kube_result *res,
		      const char *version)
{
	struct failed_node *f = arg;

	(void)version;
	f->all->open--;
	if (res->rc)
		log_debug("%s", res->err->msg);
}

static void look_at_events(struct failed_node *f)
{
	_cleanup_free_ char *fields =
		str_printf("involvedObject.uid=%s", f->op.uid);
	struct kube_ref ref = {.api = KUBE_CORE_V1,
			       .ns = f->op.opt.set->cluster->ns,
			       .resource = "events"};
	struct kube_select sel = {.fields = fields};
	struct kube_list_reply to = {.on_item = on_event,
				     .on_done = on_events,
				     .arg = f,
				     .deadline_ms = f->op.opt.deadline_ms};

	if (!fields || f->all->event_looks++ >= EVENT_LOOKS_MAX)
		return;
	if (kube_list(f->op.opt.client, &ref, &sel, 0, &to))
		f->all->open++;
}

static void on_looked(void *arg, const struct kube_result *res)
{
	struct failed_node *f = arg;
	_cleanup_json_ json_object *o = NULL;
	struct worker_pod pod;

	f->all->open--;
	if (res->http == 404) {
		str_copy(f->words, "its pod is gone", sizeof(f->words));
	} else if (res->rc) {
		give_up(f, res->err->msg);
	} else if (jx_parse(res->body, res->len, &o, NULL) ||
		   worker_pod_of(o, f->op.opt.set->container, &pod)) {
		give_up(f, "the API server's answer is not a pod");
	} else {
		str_copy(f->op.uid, pod.uid, sizeof(f->op.uid));
		str_copy(f->words, pod.words, sizeof(f->words));
		if (!*f->words && !pod.slurmd_running)
			look_at_events(f);
	}
}

static void on_removed(struct pod_op *op)
{
	struct failed_node *f = op->opt.arg;

	f->all->open--;
	power_report(op);
	if (op->outcome == POD_OP_FAILED) {
		f->over = true; /* the node stays down: its pod may live */
		f->all->rc = 1;
	}
}

static int look_at_pod(struct failed_node *f, const char *node, struct err *err)
{
	struct power_run *run = f->all->run;
	char pod[DNS_LABEL_MAX + 1];
	struct kube_ref ref = {.api = KUBE_CORE_V1, .resource = "pods"};
	struct kube_reply to = {.on_done = on_looked,
				.arg = f,
				.deadline_ms = run->deadline_ms};
	struct pod_op_options opt = {
		.node = node,
		.set = config_nodeset_of(run->config, node),
		.cluster = run->site.cluster,
		.deadline_ms = run->deadline_ms,
		.no_wait = true,
		.on_done = on_removed,
		.arg = f};

	if (opt.set)
		opt.client = power_client(run, opt.set, err);
	else
		err_set(err, -EINVAL, "it is in no nodeset of %s",
			run->config->path);
	pod_op_prepare(&f->op, &opt);
	if (!opt.client)
		return err->code;
	name_pod_of_node(node, pod);
	ref.ns = opt.set->cluster->ns;
	ref.name = pod;
	if (!kube_get(opt.client, &ref, &to))
		return err_oom(err);
	f->all->open++;
	return 0;
}

static void nodes_observe(struct fail *all)
{
	for (size_t i = 0; i < all->run->nodes.n; i++) {
		struct failed_node *f = &all->nodes[i];
		struct err err = {0};

		f->all = all;
		if (look_at_pod(f, all->run->nodes.names[i], &err))
			give_up(f, err.msg);
	}
	power_loop(all->run, &all->open);
}

/* --- delete */

static bool is_to_resume(const struct ctl_nodes *now, const char *name)
{
	struct ctl_node node;

	return ctl_nodes_find(now, name, &node) && node.down &&
	       (node_reason_is_ours(node.reason) ||
		node_reason_is_slurms(node.reason));
}

static void remove_pod(struct failed_node *f, const struct ctl_nodes *now)
{
	/* The node's slurmd may have registered just after ResumeTimeout. */
	if (power_wants_pod(now, f->op.opt.node)) {
		give_up(f, "Slurm has it in use: its pod stays");
		return;
	}
	if (!*f->words)
		str_copy(f->words, "its slurmd never registered",
			 sizeof(f->words));
	if (f->all->run->dry_run) {
		printf("%s: would delete its pod in %s/%s%s: %s\n",
		       f->op.opt.node, f->op.opt.set->cluster->name,
		       f->op.opt.set->cluster->ns,
		       is_to_resume(now, f->op.opt.node)
			       ? " and resume the node"
			       : "",
		       f->words);
		f->over = true;
		return;
	}
	log_error("%s: did not come up within ResumeTimeout: %s",
		  f->op.opt.node, f->words);
	if (!*f->op.uid)
		return;
	f->all->open++;
	pod_remove(&f->op);
}

/* --- tell Slurm */

/*
 * Set the Comment of all nodes from `first` on that have its words, in one RPC.
 * `names` has room for all.
 */
static void comment_alike(struct fail *all, const struct ctl_nodes *now,
			  size_t first, char **names)
{
	const char *words = all->nodes[first].words;
	char reason[WK_REASON_MAX];
	struct err err = {0};
	size_t n = 0;

	for (size_t i = first; i < all->run->nodes.n; i++) {
		struct failed_node *f = &all->nodes[i];

		if (f->over || strcmp(f->words, words) != 0)
			continue;
		names[n++] = all->run->nodes.names[i];
		f->over = true;
	}
	ctl_reason(words, reason);
	if (ctl_nodes_comment(now, names, n, reason, &err))
		log_warn("%s%s: %s", names[0], n > 1 ? ", ..." : "", err.msg);
}

static void resume(struct fail *all, const struct ctl_nodes *now)
{
	_cleanup_buf_ struct buf list = BUF_INIT(LIST_MAX);

	for (size_t i = 0; i < all->run->nodes.n; i++) {
		const char *name = all->run->nodes.names[i];
		struct ctl_node node;

		if (all->nodes[i].over)
			continue;
		if (is_to_resume(now, name))
			buf_add_item(&list, name);
		else if (ctl_nodes_find(now, name, &node) && node.down)
			log_warn("%s: stays down, for its Reason is not ours: "
				 "%s",
				 name, node.reason ? node.reason : "");
	}
	if (list.len && ctl_node_try(list.data, CTL_RESUME, NULL))
		all->rc = 1;
}

static bool any_left(const struct fail *all)
{
	for (size_t i = 0; i < all->run->nodes.n; i++)
		if (!all->nodes[i].over)
			return true;
	return false;
}

static void tell_slurm(struct fail *all)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	_cleanup_free_ char **names = calloc(all->run->nodes.n, sizeof(*names));
	struct err err = {0};

	if (!any_left(all))
		return;
	if (ctl_nodes_load(&now, &err)) {
		log_error("%s", err.msg);
		all->rc = 1;
		return;
	}
	resume(all, now);
	for (size_t i = 0; names && i < all->run->nodes.n; i++)
		if (!all->nodes[i].over)
			comment_alike(all, now, i, names);
}

static void run_all(struct fail *all)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	struct err err = {0};

	nodes_observe(all);
	if (ctl_nodes_load(&now, &err)) {
		log_error("%s", err.msg);
		all->rc = 1;
		return;
	}
	for (size_t i = 0; i < all->run->nodes.n; i++)
		if (!all->nodes[i].over)
			remove_pod(&all->nodes[i], now);
	power_loop(all->run, &all->open);
	tell_slurm(all);
}

int fail_pods(struct power_run *run)
{
	struct fail all = {.run = run};

	all.nodes = calloc(run->nodes.n, sizeof(*all.nodes));
	if (!all.nodes) {
		log_error("out of memory");
		return 1;
	}
	run_all(&all);
	free(all.nodes);
	return all.rc;
}
