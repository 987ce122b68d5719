/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stop.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"

struct stop {
	struct power_run *run;
	struct pod_op *ops;
	size_t open;
	int refused;
};

static void on_found(struct pod_op *op)
{
	struct stop *s = op->opt.arg;

	s->open--;
	if (op->outcome != POD_OP_ADOPTED)
		power_report(op);
}

static void on_stopped(struct pod_op *op)
{
	struct stop *s = op->opt.arg;

	s->open--;
	power_report(op);
}

static void refuse(struct stop *s, struct pod_op *op, const struct err *why)
{
	pod_op_refuse(op, why);
	s->refused = 1;
	power_report(op);
}

static int prepare(struct stop *s, size_t i, struct err *err)
{
	struct power_run *run = s->run;
	const char *node = run->nodes.names[i];
	struct pod_op_options opt = {
		.node = node,
		.set = config_nodeset_of(run->config, node),
		.cluster = run->site.cluster,
		.deadline_ms = run->deadline_ms,
		.on_done = on_found,
		.arg = s};

	if (opt.set)
		opt.client = power_client(run, opt.set, err);
	else
		err_set(err, -EINVAL, "node %s is in no nodeset of %s", node,
			run->config->path);
	pod_op_prepare(&s->ops[i], &opt);
	return opt.client ? 0 : err->code;
}

static void find_all(struct stop *s)
{
	for (size_t i = 0; i < s->run->nodes.n; i++) {
		struct pod_op *op = &s->ops[i];
		struct err err = {0};

		if (prepare(s, i, &err)) {
			refuse(s, op, &err);
			continue;
		}
		s->open++;
		pod_find(op);
	}
	power_loop(s->run, &s->open);
}

static void remove_one(struct stop *s, struct pod_op *op,
		       const struct ctl_nodes *now)
{
	struct pod_op_options opt = op->opt;
	struct err err = {0};

	if (power_wants_pod(now, op->opt.node)) {
		err_set(&err, -EBUSY,
			"Slurm has node %s in use: its pod stays (scontrol "
			"update NodeName=%s State=POWER_DOWN takes it away)",
			op->opt.node, op->opt.node);
		refuse(s, op, &err);
	} else if (s->run->dry_run) {
		printf("%s: would delete its pod in %s/%s\n", op->opt.node,
		       op->opt.set->cluster->name, op->opt.set->cluster->ns);
	} else {
		opt.on_done = on_stopped;
		pod_op_prepare(op, &opt);
		s->open++;
		pod_remove(op);
	}
}

/*
 * Look for the pods, ask Slurm for its nodes, then delete the pods that were
 * seen: see pod_find().
 */
static void stop_all(struct stop *s)
{
	_cleanup_(ctl_nodes_freep) struct ctl_nodes *now = NULL;
	struct err err = {0};

	find_all(s);
	if (ctl_nodes_load(&now, &err)) {
		log_error("%s", err.msg);
		s->refused = 1;
		return;
	}
	for (size_t i = 0; i < s->run->nodes.n; i++)
		if (s->ops[i].outcome == POD_OP_ADOPTED)
			remove_one(s, &s->ops[i], now);
	power_loop(s->run, &s->open);
}

/* Set the nodes' Comment: slurmctld does not load the engine. */
static void comment_refused(struct power_run *run)
{
	char text[WK_REASON_MAX];
	struct err err = {0};

	ctl_reason(run->refused.msg, text);
	if (ctl_nodes_comment(run->slurm_nodes, run->nodes.names, run->nodes.n,
			      text, &err))
		log_warn("%s", err.msg);
}

int stop_pods(struct power_run *run)
{
	struct stop s = {.run = run};
	int rc;

	s.ops = calloc(run->nodes.n, sizeof(*s.ops));
	if (!s.ops) {
		log_error("out of memory");
		return 1;
	}
	stop_all(&s);
	rc = run->dry_run ? 0 : power_summary(run, s.ops, run->nodes.n);
	free(s.ops);
	if (run->refused.code && !run->dry_run) {
		comment_refused(run);
		rc = 1;
	}
	return rc | s.refused;
}
