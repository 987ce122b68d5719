/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job that was put back, and a pod that does not go: its node has died. */
#include <string.h>

#include "bridge/reconcile/group_decide.h"
#include "t.h"

#define PODS(...)                                                              \
	{                                                                      \
		__VA_ARGS__                                                    \
	}

static struct group_view view(enum placeholder_state job, uint32_t made_for)
{
	return (struct group_view){
		.job = job,
		.job_id = 42,
		.made_for = made_for,
		.members = made_for,
		.gang = made_for > 1,
		.requeued = true,
		.reason = "",
		.kill_wait_s = 30,
		.pods_known = true,
		.room = true,
	};
}

/* Slurm has started it elsewhere: it held that node until its time limit. */
static void a_job_whose_only_pod_leaves_holds_no_node(void)
{
	static const struct {
		enum placeholder_state job;
		struct group_counts pods;
		enum group_action action;
		const char *row;
	} rows[] = {
		{PLACEHOLDER_PENDING, PODS(.leaving = 1), GROUP_CANCEL,
		 "pods gone"},
		{PLACEHOLDER_HELD, PODS(.leaving = 1), GROUP_CANCEL,
		 "pods gone"},
		{PLACEHOLDER_STARTING, PODS(.leaving = 1, .away = 1),
		 GROUP_CANCEL, "pods gone"},
		{PLACEHOLDER_RUNNING, PODS(.leaving = 1, .away = 1),
		 GROUP_CANCEL, "pods gone"},
		{PLACEHOLDER_SUSPENDED, PODS(.leaving = 1, .away = 1),
		 GROUP_CANCEL, "pods gone"},
		/* the job has that node, or it is not known where it is */
		{PLACEHOLDER_RUNNING, PODS(.leaving = 1), GROUP_KEEP,
		 "running"},
		{PLACEHOLDER_STARTING, PODS(.leaving = 1), GROUP_KEEP,
		 "starting"},
		/* it has to be deleted anew first */
		{PLACEHOLDER_PENDING, PODS(.leaving = 1, .leaving_s = 31),
		 GROUP_DELETE_PODS, "requeued"},
		{PLACEHOLDER_RUNNING,
		 PODS(.leaving = 1, .away = 1, .lingering = 1, .leaving_s = 31),
		 GROUP_DELETE_PODS, "misplaced"},
	};
	struct group_decision d;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct group_view v = view(rows[i].job, 1);

		t_row("%zu", i);
		v.pods = rows[i].pods;
		group_decide(&v, &d);
		T_INT(d.action, rows[i].action);
		T_STR(d.row, rows[i].row);
		if (d.action == GROUP_CANCEL)
			T_INT(d.job_id, 42);
	}
}

/* (its controller makes new ones, and the old one is none of these) */
static void a_gang_starts_whole_beside_a_pod_that_does_not_go(void)
{
	static const struct {
		enum placeholder_state job;
		struct group_counts pods;
		int64_t short_ms;
		enum group_action action;
		const char *row;
		uint32_t n;
	} rows[] = {
		{PLACEHOLDER_PENDING, PODS(.leaving = 1), 0, GROUP_WAIT,
		 "leaving"},
		{PLACEHOLDER_RUNNING,
		 PODS(.leaving = 1, .away = 1, .waiting = 4), 0, GROUP_BIND,
		 "bind", 4},
		{PLACEHOLDER_RUNNING,
		 PODS(.leaving = 4, .away = 4, .waiting = 4), 0, GROUP_BIND,
		 "bind", 4},
		/* on a node that it has: there its room is taken */
		{PLACEHOLDER_RUNNING, PODS(.leaving = 1, .waiting = 4), 0,
		 GROUP_BIND, "bind", 3},
		/* it has not started with those */
		{PLACEHOLDER_RUNNING,
		 PODS(.leaving = 1, .away = 1, .waiting = 3), 0, GROUP_WAIT,
		 "no longer complete?"},
		{PLACEHOLDER_RUNNING, PODS(.leaving = 4, .away = 4), 0,
		 GROUP_WAIT, "no longer complete?"},
		{PLACEHOLDER_RUNNING, PODS(.leaving = 4, .away = 4), 30000,
		 GROUP_CANCEL, "no longer complete"},
		/* with three it goes on, and gets the fourth */
		{PLACEHOLDER_RUNNING,
		 PODS(.leaving = 1, .away = 1, .live = 3, .waiting = 1), 0,
		 GROUP_BIND, "bind", 1},
	};
	struct group_decision d;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct group_view v = view(rows[i].job, 4);

		t_row("%zu", i);
		v.pods = rows[i].pods;
		v.short_ms = rows[i].short_ms;
		group_decide(&v, &d);
		T_INT(d.action, rows[i].action);
		T_STR(d.row, rows[i].row);
		T_INT(d.n, rows[i].n);
	}
}

/*
 * Slurm has failed its job with the node, or put it back, and that node does
 * not answer: it may be off for weeks.
 */
static void a_gang_without_a_job_gets_one_beside_a_pod_that_does_not_go(void)
{
	static const struct {
		enum placeholder_state job;
		struct group_counts pods;
		enum group_action action;
		const char *row;
	} rows[] = {
		{PLACEHOLDER_ENDED, PODS(.leaving = 1, .away = 1, .waiting = 4),
		 GROUP_SUBMIT, "submit"},
		{PLACEHOLDER_NONE, PODS(.leaving = 1, .away = 1, .waiting = 4),
		 GROUP_SUBMIT, "submit"},
		{PLACEHOLDER_PENDING,
		 PODS(.leaving = 1, .away = 1, .waiting = 4), GROUP_NOTE,
		 "note"},
		/* one whose node answers goes soon */
		{PLACEHOLDER_ENDED, PODS(.leaving = 2, .away = 1, .waiting = 4),
		 GROUP_WAIT, "leaving"},
		{PLACEHOLDER_PENDING,
		 PODS(.leaving = 2, .away = 1, .waiting = 4), GROUP_WAIT,
		 "leaving"},
		/* a StatefulSet makes a new one when the old one is gone */
		{PLACEHOLDER_ENDED, PODS(.leaving = 1, .away = 1, .waiting = 3),
		 GROUP_WAIT, "leaving"},
		{PLACEHOLDER_PENDING,
		 PODS(.leaving = 1, .away = 1, .waiting = 3), GROUP_WAIT,
		 "leaving"},
		{PLACEHOLDER_PENDING, PODS(.leaving = 4, .away = 4), GROUP_WAIT,
		 "leaving"},
	};
	struct group_decision d;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct group_view v = view(rows[i].job, 4);

		t_row("%zu", i);
		v.pods = rows[i].pods;
		v.state_ms = 60000;
		v.end = rows[i].job == PLACEHOLDER_ENDED ? PLACEHOLDER_NODE_FAIL
							 : 0;
		group_decide(&v, &d);
		T_INT(d.action, rows[i].action);
		T_STR(d.row, rows[i].row);
		/* no event says that a node does not answer any more */
		T_OK(d.action != GROUP_WAIT || d.again_ms > 0);
	}
}

T_MAIN("group_decide_away",
       T(a_gang_without_a_job_gets_one_beside_a_pod_that_does_not_go),
       T(a_job_whose_only_pod_leaves_holds_no_node),
       T(a_gang_starts_whole_beside_a_pod_that_does_not_go))
