/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per node: look at the pod -> (no words there: look at its Events) ->
 * delete it by UID -> tell Slurm. The steps are callbacks that run one after
 * another for each node, and side by side for all nodes.
 */
#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "kube/verbs.h"
#include "model/podview.h"
#include "model/wellknown.h"

struct failed_node {
	struct pod_op op;
	struct fail *all;
	char words[512];
};

struct fail {
	struct power_run *run;
	struct failed_node *nodes;
	size_t open;
	int rc;
};

static void tell_slurm(struct failed_node *f)
{
	char reason[WK_REASON_MAX];
	struct err err = {0};

	ctl_reason(f->words, reason);
	if (ctl_node_update(f->op.node, CTL_RESUME, NULL, &err) ||
	    ctl_node_comment(f->all->run->slurm_nodes, f->op.node, reason,
			     &err)) {
		log_error("%s: %s", f->op.node, err.msg);
		f->all->rc = 1;
	}
}

static void on_removed(struct pod_op *op)
{
	struct failed_node *f = op->arg;

	f->all->open--;
	log_error("%s: did not come up within ResumeTimeout: %s", op->node,
		  f->words);
	power_report(op);
	if (op->outcome == POD_OP_FAILED)
		f->all->rc = 1; /* the node stays down: its pod may live */
	else
		tell_slurm(f);
}

static void remove_pod(struct failed_node *f)
{
	if (!*f->words)
		str_copy(f->words, "its slurmd never registered",
			 sizeof(f->words));
	pod_remove(&f->op);
}

static int on_event(void *arg, json_object *e)
{
	struct failed_node *f = arg;
	const char *reason = jx_str(e, "reason"), *msg = jx_str(e, "message");

	if (str_eq(jx_str(e, "type"), "Warning") && reason && msg) {
		snprintf(f->words, sizeof(f->words), "%s: %s", reason, msg);
		str_sanitize(f->words);
	}
	return 0;
}

static void on_events(void *arg, const struct kube_result *res,
		      const char *version)
{
	(void)version;
	if (res->rc)
		log_debug("%s", res->err->msg);
	remove_pod(arg);
}

static void look_at_events(struct failed_node *f, const char *uid)
{
	_cleanup_free_ char *fields = str_printf("involvedObject.uid=%s", uid);
	struct kube_ref ref = {.api = KUBE_CORE_V1,
			       .ns = f->op.set->cluster->ns,
			       .resource = "events"};
	struct kube_select sel = {.fields = fields};
	struct kube_list_reply to = {.on_item = on_event,
				     .on_done = on_events,
				     .arg = f,
				     .deadline_ms = f->op.deadline_ms};

	if (!fields || kube_list(f->op.client, &ref, &sel, 0, &to))
		remove_pod(f);
}

static void on_looked(void *arg, const struct kube_result *res)
{
	struct failed_node *f = arg;
	_cleanup_json_ json_object *o = NULL;
	struct podview pod;

	if (res->http == 404) {
		str_copy(f->words, "its pod is gone", sizeof(f->words));
	} else if (res->rc) {
		str_copy(f->words, res->err->msg, sizeof(f->words));
	} else if (!jx_parse(res->body, res->len, &o, NULL) &&
		   !podview_of(o, f->op.set->container, &pod)) {
		str_copy(f->words, pod.words, sizeof(f->words));
		if (!*f->words && !pod.slurmd_running) {
			look_at_events(f, pod.uid);
			return;
		}
	}
	remove_pod(f);
}

/* Run by hand on a node that did come up. */
static bool is_in_use(const struct power_run *run, const char *node)
{
	struct ctl_node facts;

	return ctl_nodes_find(run->slurm_nodes, node, &facts) &&
	       facts.power == CTL_UP && !facts.down;
}

static int look_at_pod(struct failed_node *f, const char *node)
{
	struct power_run *run = f->all->run;
	char pod[DNS_LABEL_MAX + 1];
	struct kube_ref ref = {.api = KUBE_CORE_V1, .resource = "pods"};
	struct kube_reply to = {.on_done = on_looked,
				.arg = f,
				.deadline_ms = run->deadline_ms};
	struct err err = {0};

	f->op = (struct pod_op){.node = node,
				.cluster = run->cluster,
				.deadline_ms = run->deadline_ms,
				.on_done = on_removed,
				.arg = f};
	f->op.set = config_nodeset_of(run->config, node);
	if (is_in_use(run, node))
		err_set(&err, -EBUSY, "Slurm has it in use: its pod stays");
	else if (!f->op.set)
		err_set(&err, -EINVAL, "node %s is in no nodeset of %s", node,
			run->config->path);
	else
		f->op.client = power_client(run, f->op.set, &err);
	if (!f->op.client) {
		log_error("%s: %s", node, err.msg);
		return -1;
	}
	if (run->dry_run) {
		printf("%s: would delete its pod in %s/%s and resume the "
		       "node\n",
		       node, f->op.set->cluster->name, f->op.set->cluster->ns);
		f->all->open--;
		return 0;
	}
	name_pod_of_node(node, pod);
	ref.ns = f->op.set->cluster->ns;
	ref.name = pod;
	return kube_get(f->op.client, &ref, &to) ? 0 : -1;
}

int fail_pods(struct power_run *run)
{
	struct fail all = {.run = run};

	all.nodes = calloc(run->nodes.n, sizeof(*all.nodes));
	if (!all.nodes) {
		log_error("out of memory");
		return 1;
	}
	for (size_t i = 0; i < run->nodes.n; i++) {
		struct failed_node *f = &all.nodes[i];

		f->all = &all;
		all.open++;
		if (look_at_pod(f, run->nodes.names[i])) {
			all.open--;
			all.rc = 1;
		}
	}
	power_loop(run, &all.open);
	free(all.nodes);
	return all.rc;
}
