/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 1. Every node gets its manifest; a node that is unknown or has no nodeset
 *    fails its gang before anything is created for it.
 * 2. All pods are made at once, as far as the client's window allows. From
 *    the first failure in a gang on nothing more is started for it.
 * 3. The jobs of gangs that failed go back to the queue.
 * 4. Their pods are deleted by UID, unless another gang wants the node.
 * 5. Their nodes become idle and powered down.
 */
#include "start.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "gang.h"
#include "giveback.h"
#include "model/manifest.h"

#define ROLLBACK_MS 30000 /* beyond the deadline, to clean up */

struct start {
	struct power_run *run;
	struct gangs gangs;
	struct pod_op *ops; /* one for each node */
	struct manifest *manifests;
	size_t open; /* ops under way */
};

static size_t index_of(const struct start *s, const struct pod_op *op)
{
	return (size_t)(op - s->ops);
}

static void node_failed(struct start *s, struct pod_op *op)
{
	power_report(op);
	gangs_fail(&s->gangs, index_of(s, op));
}

static void refuse(struct start *s, struct pod_op *op, const struct err *why)
{
	op->outcome = POD_OP_FAILED;
	op->refused = true;
	op->err = *why;
	node_failed(s, op);
}

static void on_started(struct pod_op *op)
{
	struct start *s = op->arg;

	s->open--;
	if (op->outcome == POD_OP_FAILED)
		node_failed(s, op);
	else
		power_report(op);
}

/* What an earlier power-up has said about nodes that now have their pods. */
static void clear_comments(struct start *s)
{
	struct err err = {0};

	for (size_t i = 0; i < s->run->nodes.n; i++)
		if (s->ops[i].outcome != POD_OP_FAILED &&
		    s->ops[i].outcome != POD_OP_NEW &&
		    ctl_node_comment(s->run->slurm_nodes, s->ops[i].node, "",
				     &err))
			log_warn("%s: %s", s->ops[i].node, err.msg);
}

static int prepare(struct start *s, size_t i, bool fresh, struct err *err)
{
	struct power_run *run = s->run;
	const char *node = run->nodes.names[i];
	struct pod_op *op = &s->ops[i];
	struct manifest *m = &s->manifests[i];
	struct ctl_node facts;
	int rc;

	op->node = node;
	op->set = config_nodeset_of(run->config, node);
	if (!op->set)
		return err_set(err, -EINVAL, "node %s is in no nodeset of %s",
			       node, run->config->path);
	if (!ctl_nodes_find(run->slurm_nodes, node, &facts))
		return err_set(err, -EINVAL, "Slurm has no node %s", node);
	rc = manifest_make(run->cluster, op->set,
			   &(struct node_facts){.name = node,
						.cpus = facts.cpus,
						.memory_mib = facts.memory_mib,
						.gres = facts.gres},
			   m, err);
	if (rc)
		return rc;
	op->client = run->dry_run ? NULL : power_client(run, op->set, err);
	if (!run->dry_run && !op->client)
		return err ? err->code : -EIO;
	op->cluster = run->cluster;
	op->body = json_object_to_json_string_length(
		m->pod_json, JSON_C_TO_STRING_PLAIN, &op->body_len);
	str_copy(op->hash, m->hash, sizeof(op->hash));
	op->since_ms = run->since_ms;
	op->deadline_ms = run->deadline_ms;
	op->node_up = facts.power == CTL_UP;
	op->fresh = fresh;
	op->on_done = on_started;
	op->arg = s;
	return 0;
}

static int print_manifests(struct start *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->run->nodes.n; i++) {
		if (!s->manifests[i].pod_json) {
			rc = 1;
			continue;
		}
		printf("%s\n", json_object_to_json_string_ext(
				       s->manifests[i].pod_json,
				       JSON_C_TO_STRING_PRETTY |
					       JSON_C_TO_STRING_SPACED |
					       JSON_C_TO_STRING_NOSLASHESCAPE));
	}
	return rc;
}

/*
 * Start ops in order, not far ahead of the wire, so that a gang refused early
 * does not cost a POST for each of its nodes.
 */
static void start_all(struct start *s)
{
	const size_t ahead = 300;

	for (size_t i = 0; i < s->run->nodes.n; i++) {
		struct pod_op *op = &s->ops[i];

		if (op->outcome != POD_OP_NEW || !gangs_want(&s->gangs, i))
			continue;
		s->open++;
		pod_ensure(op);
		while (s->open >= ahead) {
			size_t keep = s->open;

			for (size_t c = 0; c < s->run->config->n_clusters; c++)
				if (s->run->clients[c])
					kube_client_step(s->run->clients[c],
							 keep > ahead ? 0 : 5);
		}
	}
	power_loop(s->run, &s->open);
}

static void on_rolled_back(struct pod_op *op)
{
	size_t *open = op->arg;

	(*open)--;
	if (op->outcome == POD_OP_FAILED) {
		op->undecided = true;
		log_error("%s: cannot take its pod back: %s", op->node,
			  op->err.msg);
	} else {
		log_info("%s: pod %s/%s taken back, its gang failed", op->node,
			 op->set->cluster->ns, op->pod);
	}
}

static bool has_pod(const struct pod_op *op)
{
	return op->outcome == POD_OP_CREATED ||
	       op->outcome == POD_OP_REPLACED || op->outcome == POD_OP_ADOPTED;
}

/* Delete what failed gangs have and nobody else wants. */
static void roll_back(struct start *s, struct pod_op *undo)
{
	size_t open = 0;

	for (size_t i = 0; i < s->run->nodes.n; i++) {
		struct pod_op *op = &s->ops[i];

		if (gangs_want(&s->gangs, i) || !has_pod(op) || op->node_up)
			continue;
		undo[i] = *op;
		undo[i].deadline_ms = clock_ms() + ROLLBACK_MS;
		undo[i].since_ms = 0;
		undo[i].no_wait = true;
		undo[i].on_done = on_rolled_back;
		undo[i].arg = &open;
		open++;
		pod_remove(&undo[i]);
	}
	power_loop(s->run, &open);
	for (size_t i = 0; i < s->run->nodes.n; i++) {
		if (undo[i].outcome == POD_OP_NEW)
			continue;
		s->ops[i].outcome = POD_OP_FAILED;
		s->ops[i].undecided = undo[i].outcome == POD_OP_FAILED;
	}
}

/* Kubernetes' own words about the first failure of a gang. */
static const struct err *why_failed(const struct start *s, const struct gang *k)
{
	for (size_t i = 0; i < k->n; i++)
		if (s->ops[k->nodes[i]].err.code)
			return &s->ops[k->nodes[i]].err;
	return NULL;
}

/* Nodes that Slurm is not powering up (a run by hand) are none of ours. */
static bool is_ours_to_give(const struct start *s, size_t i)
{
	struct ctl_node facts;

	return !gangs_want(&s->gangs, i) &&
	       ctl_nodes_find(s->run->slurm_nodes, s->run->nodes.names[i],
			      &facts) &&
	       facts.power == CTL_POWERING_UP;
}

/* Of every gang that failed: the nodes that nobody else wants. */
static void give_back_begin(struct start *s, struct giveback *back)
{
	for (size_t i = 0; i < s->gangs.n; i++) {
		const struct gang *k = &s->gangs.v[i];
		const struct err *why = why_failed(s, k);

		if (!k->failed || !why)
			continue;
		back[i].slurm_nodes = s->run->slurm_nodes;
		back[i].job_id = k->job_id;
		for (size_t j = 0; j < k->n; j++) {
			if (is_ours_to_give(s, k->nodes[j]))
				giveback_add(&back[i],
					     s->run->nodes.names[k->nodes[j]]);
		}
		giveback_begin(&back[i], *why->words ? why->words : why->msg);
	}
}

static void give_back_end(struct start *s, struct giveback *back)
{
	for (size_t i = 0; i < s->gangs.n; i++) {
		const struct gang *k = &s->gangs.v[i];

		for (size_t j = 0; j < k->n; j++)
			back[i].undecided |= s->ops[k->nodes[j]].undecided;
		giveback_end(&back[i]);
		giveback_clear(&back[i]);
	}
}

static int run_all(struct start *s, bool fresh)
{
	struct power_run *run = s->run;
	_cleanup_free_ struct pod_op *undo =
		calloc(run->nodes.n, sizeof(*undo));
	_cleanup_free_ struct giveback *back =
		calloc(s->gangs.n, sizeof(*back));
	struct err err = {0};

	if (!undo || !back) {
		log_error("out of memory");
		return 1;
	}
	for (size_t i = 0; i < run->nodes.n; i++)
		if (prepare(s, i, fresh, &err))
			refuse(s, &s->ops[i], &err);
	if (run->dry_run)
		return print_manifests(s);
	start_all(s);
	give_back_begin(s, back);
	roll_back(s, undo);
	give_back_end(s, back);
	clear_comments(s);
	return power_summary(run, s->ops, run->nodes.n);
}

int start_pods(struct power_run *run, bool fresh)
{
	struct start s = {.run = run};
	struct err err = {0};
	int rc = 1;

	s.ops = calloc(run->nodes.n, sizeof(*s.ops));
	s.manifests = calloc(run->nodes.n, sizeof(*s.manifests));
	if (!s.ops || !s.manifests)
		log_error("out of memory");
	else if (gangs_make(&run->nodes, &run->file, &s.gangs, &err))
		log_error("%s", err.msg);
	else
		rc = run_all(&s, fresh);
	for (size_t i = 0; s.manifests && i < run->nodes.n; i++)
		manifest_clear(&s.manifests[i]);
	free(s.manifests);
	free(s.ops);
	gangs_clear(&s.gangs);
	return rc;
}
