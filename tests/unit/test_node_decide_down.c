/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that are powered down, or power down, or are DOWN. */
#include "node_decide_fixture.h"

static void who_reads_of_a_power_up_that_failed_sees_its_features(void)
{
	static const struct {
		enum node_action slurm;
		bool failed;
		feature_set set;
		const char *words;
	} rows[] = {
		{NODE_REQUEUE, true, 3, WK_WITH_FEATURES "jax,fast: denied"},
		{NODE_REQUEUE, true, 2, WK_WITH_FEATURES "fast: denied"},
		{NODE_REQUEUE, true, 0, "denied"},
		{NODE_REQUEUE, false, 3, "denied"},
		{NODE_DOWN, true, 3, "denied"},
	};
	struct feature v[] = {{.name = (char *)"jax"},
			      {.name = (char *)"fast"}};
	const struct features all = {v, 2};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct node_decision p = {.slurm = rows[i].slurm,
					  .failed = rows[i].failed,
					  .words = "denied"};

		t_row("%zu", i);
		node_decide_features(&all, rows[i].set, &p);
		T_STR(p.words, rows[i].words);
	}
}

/* --- powered down */

static void an_orphan_of_a_node_that_is_powered_down_is_deleted(void)
{
	struct node_view v = node(NODE_POWERED_DOWN);
	struct node_decision p;

	v.pod = &well;
	v.node.power_for = 20000;
	p = PLAN(&v, NODE_KEEP, POD_DELETE, "orphan");
	T_STR(p.words, "Slurm has its node powered down");
	T_OK(!p.failed);
	v.node.power_for = 15000;
	NOT_YET(&v, 5000);
	v.node.power_for = LONG_AGO;
	v.pod_for = 19999; /* k8s_suspend may be about to */
	NOT_YET(&v, 1);
	v.pod_for = LONG_AGO;
	v.pod = &leaving;
	NOT_YET(&v, 20000);
}

/* As after a kill -9 between Slurm's saves of jobs and of nodes. */
static void a_pod_with_a_job_of_slurms_is_no_orphan(void)
{
	struct node_view v = node(NODE_POWERED_DOWN);

	v.pod = &well;
	v.node.busy = true;
	NOTHING(&v);
	v.node.busy = false;
	PLAN(&v, NODE_KEEP, POD_DELETE, "orphan");
}

/* Each job would wait for it in vain, go back, and the next one get the node.
 */
static void a_node_whose_old_pod_does_not_go_takes_no_jobs(void)
{
	static const enum node_power powers[] = {NODE_POWERED_DOWN,
						 NODE_POWERING_DOWN};

	for (size_t i = 0; i < T_COUNT(powers); i++) {
		struct node_view v = node(powers[i]);
		struct node_decision p;

		t_row("%zu", i);
		v.pod = &leaving;
		v.ending_for = 19000;
		NOT_YET(&v, 1000);
		v.ending_for = 20000;
		v.node.power_for = 0; /* at once, when it is powered down */
		p = PLAN(&v, NODE_DRAIN, POD_LEAVE, "pod stays");
		T_STR(p.words, "its old pod is still being deleted");
		T_OK(!p.failed);
		v.cooling = true;
		PLAN(&v, NODE_DRAIN, POD_LEAVE, "pod stays");
		v.live = false;
		v.cooling = false;
		NOTHING(&v);
		v.live = true;
		v.node.drained = true;
		v.node.reason = "k8s: its old pod is still being deleted";
		NOTHING(&v);
		v.node.reason = ADMINS;
		NOTHING(&v);
		v.node.drained = false;
		v.node.down = true;
		v.node.reason = RESUME_TIMEOUT;
		NOTHING(&v);
	}
}

static void a_job_that_waits_for_the_old_pod_is_left_in_peace(void)
{
	struct node_view v = node(NODE_POWERED_DOWN);

	v.pod = &leaving;
	v.ending_for = LONG_AGO;
	v.node.busy = true;
	NOTHING(&v);
	v = node(NODE_POWERING_UP);
	v.pod = &leaving;
	v.ending_for = LONG_AGO;
	NOTHING(&v);
}

static void its_drain_ends_with_the_pod(void)
{
	struct node_view v = drained(NODE_POWERED_DOWN,
				     "k8s: its old pod is still being deleted");

	v.pod = &leaving;
	v.ending_for = LONG_AGO;
	NOTHING(&v);
	v.pod = NULL;
	v.live = false; /* it may be there */
	NOTHING(&v);
	v.live = true;
	PLAN(&v, NODE_IDLE, POD_LEAVE, "cooled down");
	v.node.power = NODE_POWERING_DOWN;
	PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
}

static void a_node_that_is_down_when_powered_down_comes_back(void)
{
	static const char *const reasons[] = {OURS, RESUME_TIMEOUT,
					      NOT_RESPONDING, REBOOT_TIMED_OUT,
					      "POWER_DOWN_ASAP"};

	for (size_t i = 0; i < T_COUNT(reasons); i++) {
		struct node_view v = down(NODE_POWERED_DOWN, reasons[i]);

		t_row("%s", reasons[i]);
		v.node.power_for = 10000;
		PLAN(&v, NODE_RESUME, POD_LEAVE, "down~");
		v.node.power_for = 4000; /* ResumeFailProgram's turn */
		NOT_YET(&v, 6000);
		v.node.power_for = LONG_AGO;
		v.live = false;
		NOTHING(&v);
		v.live = true;
		v.pod = &well;
		PLAN(&v, NODE_KEEP, POD_DELETE, "orphan");
		v.pod = &leaving;
		NOTHING(&v);
	}
}

static void a_node_we_have_drained_is_undrained_when_it_has_cooled_down(void)
{
	struct node_view v = drained(NODE_POWERED_DOWN, OURS);

	PLAN(&v, NODE_IDLE, POD_LEAVE, "cooled down");
	v.cooling = true;
	NOTHING(&v);
}

/* (its slurmd, with a job of a slurmctld before, is gone with the pod) */
static void a_drain_of_slurm_s_ends_with_the_pod_that_was_its_cause(void)
{
	struct node_view v = drained(NODE_POWERED_DOWN, "Duplicate jobid");

	PLAN(&v, NODE_IDLE, POD_LEAVE, "drained by Slurm~");
	v.live = false;
	NOTHING(&v);
	v.live = true;
	v.pod = &leaving;
	NOTHING(&v);
	v = drained(NODE_POWERED_DOWN, "Kill task failed"); /* (look at it) */
	NOTHING(&v);
}

static void nodes_of_a_nodeset_that_cools_down_are_drained(void)
{
	struct node_view v = node(NODE_POWERED_DOWN);
	struct node_decision p;

	v.cooling = true;
	p = PLAN(&v, NODE_COOL, POD_LEAVE, "cooling down");
	T_STR(p.words, "nodeset cpu cools down: no room");
	v.pod = &well;
	PLAN(&v, NODE_KEEP, POD_DELETE, "orphan"); /* first */
}

static void cooling_down_does_not_drain_a_node_that_a_job_has(void)
{
	struct node_view v = node(NODE_POWERED_DOWN);

	v.cooling = true;
	v.node.busy = true;
	NOTHING(&v);
}

static void cooling_down_leaves_nodes_that_are_not_powered_down(void)
{
	struct node_view v = node(NODE_POWERING_UP);

	v.cooling = true;
	v.pod = &pending;
	NOTHING(&v);
	v = node(NODE_UP);
	v.cooling = true;
	v.pod = &well;
	NOTHING(&v);
}

/* --- powering down */

static void a_pod_that_outlives_the_power_down_is_deleted(void)
{
	struct node_view v = node(NODE_POWERING_DOWN);
	struct node_decision p;

	v.pod = &well;
	v.node.power_for = 5000;
	p = PLAN(&v, NODE_KEEP, POD_DELETE, "powering down");
	T_STR(p.words, "Slurm has its node powered down");
	v.node.power_for = 2000; /* SuspendProgram comes first */
	NOT_YET(&v, 3000);
	v.node.power_for = LONG_AGO;
	v.pod = &leaving;
	NOT_YET(&v, 20000);
}

static void a_node_without_its_pod_is_powered_down_at_once(void)
{
	static const char *const reasons[] = {NULL, "", OURS, RESUME_TIMEOUT,
					      NOT_RESPONDING};

	for (size_t i = 0; i < T_COUNT(reasons); i++) {
		struct node_view v = down(NODE_POWERING_DOWN, reasons[i]);
		struct node_decision p;

		t_row("%zu", i);
		v.node.power_for = 1000;
		p = PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
		T_STR(p.words, "");
		v.node.down = false;
		PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
		v.node.drained = reasons[i] && *reasons[i];
		PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
		v.node.power_for = 400;
		NOT_YET(&v, 600);
		v.node.power_for = LONG_AGO;
		v.live = false;
		NOTHING(&v);
	}
}

/* Only scontrol asks for a Reason, slurmctld does not. */
static void a_drain_without_a_reason_outlasts_a_power_down(void)
{
	static const char *const reasons[] = {NULL, "", ADMINS};

	for (size_t i = 0; i < T_COUNT(reasons); i++) {
		struct node_view v = drained(NODE_POWERING_DOWN, reasons[i]);

		t_row("%zu", i);
		NOTHING(&v);
		v.node.down = true;
		NOTHING(&v);
		v.node.power = NODE_POWERED_DOWN;
		NOTHING(&v);
		v.node.down = false;
		NOTHING(&v);
	}
}

static void a_slurmd_whose_pod_was_deleted_by_force_gets_time_to_end(void)
{
	struct node_view v = node(NODE_POWERING_DOWN);

	v.left_for = 5999;
	NOT_YET(&v, 1);
	v.left_for = 6000;
	PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
}

/* An administrator's drain, which Slurm has ended with the power-down's begin:
 * it would be back in service, with his Reason.
 */
static void a_drain_that_slurm_has_ended_is_set_again(void)
{
	struct node_view v = node(NODE_POWERING_DOWN);

	v.node.undrained = true;
	v.node.reason = ADMINS;
	PLAN(&v, NODE_DRAIN_AGAIN, POD_LEAVE, "drained by others");
	v.cooling = true;
	PLAN(&v, NODE_DRAIN_AGAIN, POD_LEAVE, "drained by others");
	v.node.undrained = false;
	v.node.drained = true;
	NOTHING(&v);
}

static void a_node_powered_down_while_cooling_is_drained_with_these_words(void)
{
	struct node_view v = node(NODE_POWERING_DOWN);
	struct node_decision p;

	v.cooling = true;
	p = PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
	T_STR(p.words, "nodeset cpu cools down: no room");
}

/* (a clean node needs none to be written over) */
static void what_is_to_be_resumed_tells_if_it_has_a_reason_to_lose(void)
{
	static const struct {
		const char *reason;
		bool clears;
	} rows[] = {{NULL, false},
		    {"", false},
		    {OURS, true},
		    {NOT_RESPONDING, true},
		    {ADMINS, false}};
	struct node_decision p;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct node_view v = node(NODE_POWERING_DOWN);

		t_row("%zu", i);
		v.node.reason = rows[i].reason;
		p = PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
		T_INT(p.clears_reason, rows[i].clears);
		if (!rows[i].clears)
			continue;
		v = down(NODE_POWERED_DOWN, rows[i].reason);
		p = PLAN(&v, NODE_RESUME, POD_LEAVE, "down~");
		T_OK(p.clears_reason);
	}
}

static void an_old_reason_of_a_node_neither_drained_nor_down_is_no_matter(void)
{
	struct node_view v = node(NODE_POWERING_DOWN);

	v.node.reason = ADMINS;
	PLAN(&v, NODE_RESUME, POD_LEAVE, "powered down");
}

/* --- up, and set down by Slurm */

/* From 24.11 on Slurm puts its words behind ours. */
static void a_node_that_we_had_drained_is_not_sooner_taken_for_silent(void)
{
	struct node_view v = down(NODE_UP, OURS " : Not responding");

	v.node.drained = true;
	v.pod = &well;
	v.node.no_respond = true;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "not responding");
	v.node.reason_ms = NOW - 50000;
	NOT_YET(&v, 10000);
	v.pod = NULL;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "down");
}

/* Slurm has written down when by a clock that was set back since. */
static void a_silence_of_the_future_counts_from_when_it_was_seen(void)
{
	struct node_view v = down(NODE_UP, NOT_RESPONDING);

	v.pod = &well;
	v.node.no_respond = true;
	v.node.reason_ms = v.now_ms + LONG_AGO;
	v.node.power_for = 59000;
	NOT_YET(&v, 1000);
	v.node.power_for = 60000;
	PLAN(&v, NODE_POWER_OFF, POD_LEAVE, "not responding");
}

T_MAIN("node_decide_down",
       T(a_silence_of_the_future_counts_from_when_it_was_seen),
       T(a_node_that_we_had_drained_is_not_sooner_taken_for_silent),
       T(an_orphan_of_a_node_that_is_powered_down_is_deleted),
       T(a_pod_with_a_job_of_slurms_is_no_orphan),
       T(a_node_whose_old_pod_does_not_go_takes_no_jobs),
       T(a_job_that_waits_for_the_old_pod_is_left_in_peace),
       T(its_drain_ends_with_the_pod),
       T(a_node_that_is_down_when_powered_down_comes_back),
       T(a_node_we_have_drained_is_undrained_when_it_has_cooled_down),
       T(a_drain_of_slurm_s_ends_with_the_pod_that_was_its_cause),
       T(nodes_of_a_nodeset_that_cools_down_are_drained),
       T(cooling_down_does_not_drain_a_node_that_a_job_has),
       T(cooling_down_leaves_nodes_that_are_not_powered_down),
       T(a_pod_that_outlives_the_power_down_is_deleted),
       T(a_node_without_its_pod_is_powered_down_at_once),
       T(a_drain_without_a_reason_outlasts_a_power_down),
       T(a_slurmd_whose_pod_was_deleted_by_force_gets_time_to_end),
       T(a_drain_that_slurm_has_ended_is_set_again),
       T(a_node_powered_down_while_cooling_is_drained_with_these_words),
       T(what_is_to_be_resumed_tells_if_it_has_a_reason_to_lose),
       T(an_old_reason_of_a_node_neither_drained_nor_down_is_no_matter),
       T(who_reads_of_a_power_up_that_failed_sees_its_features))
