/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of a job whose node is lost: slurmctld and what follows jobs are
 * the test's.
 */
#include <stdio.h>
#include <string.h>

#include "nodes_apply_fixture.h"

static const struct ctl_occupant *there;  /* on cpu-1 */
static const struct ctl_occupant *beside; /* or NULL */
static char comment[WK_REASON_MAX];	  /* that the job was given */
static uint32_t followed;
static int64_t begins;

/* --- Slurm */

int ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	(void)err;
	*out = (struct ctl_jobs *)comment;
	return 0;
}

void ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn, void *arg)
{
	(void)j;
	fn(arg, there);
	if (beside)
		fn(arg, beside);
}

int ctl_job_comment(const struct ctl_jobs *j, uint32_t job_id, const char *text,
		    struct err *err)
{
	(void)j, (void)err;
	T_INT(job_id, there->job_id);
	str_copy(comment, text, sizeof(comment));
	return 0;
}

int ctl_node_try(const char *nodes, enum ctl_node_update what, const char *text)
{
	(void)what, (void)text;
	T_STR(nodes, "cpu-1");
	return 0;
}

void ctl_reason(const char *words, char out[WK_REASON_MAX])
{
	snprintf(out, WK_REASON_MAX, "k8s: %s", words);
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n;
	return see_node(name, out);
}

/* --- the rest of the engine */

void requeued_add(struct nodes *e, uint32_t job_id, int64_t begin_s)
{
	(void)e;
	followed = begin_s == REQUEUED_NEVER ? 0 : job_id;
	begins = begin_s;
}

/* --- */

/* That is done for these words. */
static void act(struct node_decision plan, const char *words)
{
	struct node_state *m = calloc(1, sizeof(*m) + sizeof("cpu-1"));
	struct action one = {.memo = m, .plan = plan};
	struct actions a = {.v = &one, .n = 1};
	struct nodes *e = calloc(1, sizeof(*e));

	if (!m || !e)
		abort();
	memcpy(m->name, "cpu-1", sizeof("cpu-1"));
	m->features = 4;
	str_copy(one.plan.words, words, sizeof(one.plan.words));
	one.plan.row = "pod ended";
	followed = held = refused = 0;
	failed = 0;
	*comment = '\0';
	nodes_apply(e, &a);
	free(e);
	free(m);
}

/* Its node is lost. */
static void lose(const char *words)
{
	act((struct node_decision){.slurm = NODE_DOWN}, words);
}

static void a_job_runs_again_at_once_unless_it_may_have_ended_its_pod(void)
{
	struct ctl_occupant job = {
		.node = "cpu-1", .job_id = 17, .requeueable = true};

	there = &job;
	lose("its pod is gone");
	T_INT(followed, 17);
	T_INT(held, 0);
	T_STR(comment, "k8s: its pod is gone");
	lose("its pod has ended: slurmd: OOMKilled");
	T_INT(followed, 0);
	T_INT(held, 0);
	T_STR(comment, "k8s: its pod has ended: slurmd: OOMKilled (run 1)");
}

static void the_third_run_in_a_row_is_the_last_one(void)
{
	struct ctl_occupant job = {.node = "cpu-1",
				   .job_id = 17,
				   .requeueable = true,
				   .admin_comment =
					   "k8s: its pod has ended: x (run 2)",
				   .restarts = 2};

	there = &job;
	lose("slurmd's container was restarted: slurmd: OOMKilled");
	T_INT(followed, 0);
	T_INT(held, 17);
	T_STR(comment,
	      "k8s: slurmd's container was restarted: slurmd: OOMKilled; held "
	      "after 3 runs: scontrol release 17");
	lose("its pod is gone");
	T_INT(followed, 17);
	T_INT(held, 0);
	/* an administrator's word counts more */
	job.held = true;
	lose("its pod has ended: slurmd: OOMKilled");
	T_INT(held, 0);
}

/* Which of them has ended slurmd nobody knows. */
static void who_is_not_alone_on_its_node_is_not_held(void)
{
	struct ctl_occupant job = {.node = "cpu-1",
				   .job_id = 17,
				   .requeueable = true,
				   .admin_comment =
					   "k8s: its pod has ended: x (run 2)",
				   .restarts = 2};
	struct ctl_occupant other = {.node = "cpu-1", .job_id = 18};

	there = &job;
	beside = &other;
	lose("slurmd's container was restarted: slurmd: OOMKilled");
	T_INT(followed, 0);
	T_INT(held, 0);
	T_STR(comment, "k8s: slurmd's container was restarted: slurmd: "
		       "OOMKilled (run 3)");
	other.node = "cpu-2";
	lose("slurmd's container was restarted: slurmd: OOMKilled");
	T_INT(held, 17);
	beside = NULL;
}

static void a_job_of_a_pod_that_failed_begins_when_its_features_may(void)
{
	struct ctl_occupant job = {
		.node = "cpu-1", .job_id = 17, .requeueable = true};

	there = &job;
	act((struct node_decision){.slurm = NODE_REQUEUE, .failed = true},
	    "no image");
	T_INT(failed, 4);
	T_INT(refused, 0);
	T_INT(followed, 17);
	T_INT(begins, 400);
	act((struct node_decision){.slurm = NODE_REQUEUE}, "host lost");
	T_INT(failed, 0);
	T_INT(begins, REQUEUED_NOW);
	act((struct node_decision){.slurm = NODE_POWER_OFF, .failed = true},
	    "quota");
	T_INT(failed, 0);
	T_INT(refused, 1);
	T_STR(refused_node, "cpu-1");
}

T_MAIN("nodes_apply_jobs",
       T(a_job_runs_again_at_once_unless_it_may_have_ended_its_pod),
       T(the_third_run_in_a_row_is_the_last_one),
       T(who_is_not_alone_on_its_node_is_not_held),
       T(a_job_of_a_pod_that_failed_begins_when_its_features_may))
