/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes have room for the pods of a job; the rest is the test's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/bridge_internal.h"
#include "bridge_fixture.h"
#include "t.h"

#define SENT_TO "n1"

/* The job that waits for room on n1, and another group with its job. */
static struct queued *mine, *theirs;
static struct bridge_group *group;
static bool enters;
static struct bridge_sent *sent;

struct queued *queued_find(struct bridge_thread *b, const char *key)
{
	(void)b;
	return strcmp(key, "theirs") ? mine : theirs;
}

struct bridge_group *bridge_seen_first(struct bridge_seen *v)
{
	(void)v;
	return group;
}

struct bridge_member *bridge_seen_pod(struct bridge_seen *v, const char *uid)
{
	struct bridge_member *m = group->members;

	(void)v;
	while (m && strcmp(m->pod->uid, uid) != 0)
		m = m->next;
	return m;
}

struct bridge_gone **bridge_seen_gone(struct bridge_seen *v)
{
	static struct bridge_gone *none;

	(void)v;
	return &none;
}

static const char *unread; /* the node of a pod that cannot be read; or NULL */

void bridge_seen_each_unread_node(const struct bridge_seen *v,
				  void (*on)(void *arg, const char *node),
				  void *arg)
{
	(void)v;
	if (unread)
		on(arg, unread);
}

/* (while it is not known whose the namespace is, it is not known to be) */
bool ns_is_others(struct bridge_thread *b, const struct bridge_group *g)
{
	(void)b;
	(void)g;
	return !enters;
}

int act_nodes(const struct queued *q, struct hostlist *out)
{
	return q->nodes ? hostlist_expand(q->nodes, out, NULL) : -EAGAIN;
}

void bridge_work_each_sent(struct bridge_work *w,
			   bool (*keep)(void *arg,
					const struct bridge_sent *one),
			   void *arg)
{
	(void)w;
	sent_each(&sent, keep, arg);
}

/* --- */

static struct queued *job(const char *key, enum bridge_job state,
			  uint32_t job_id)
{
	struct queued *q = calloc(1, sizeof(*q) + strlen(key) + 1);

	strcpy(q->key, key);
	q->job = state;
	q->job_id = job_id;
	return q;
}

/* The others' pods have job 7, which has this state. */
static void begin(struct bridge_thread *b, enum bridge_job state)
{
	*b = (struct bridge_thread){.hosts = fixture_hosts(2)};
	enters = true;
	mine = job("mine", BRIDGE_RUNNING, 9);
	mine->nodes = strdup("n1");
	theirs = job("theirs", state, state == BRIDGE_NONE ? 0 : 7);
	theirs->row = "looked at";
	theirs->nodes = strdup("n[1-2]");
	group = calloc(1, sizeof(*group) + sizeof("theirs"));
	strcpy(group->key, "theirs");
}

static void end(struct bridge_thread *b)
{
	fixture_no_pods(group);
	free(group);
	free(mine->nodes);
	free(mine);
	free(theirs->nodes);
	free(theirs);
	sent_free(&sent);
	stales_free(b);
	bridge_hosts_free(b->hosts);
}

static bool has_room(struct bridge_thread *b)
{
	b->stale_known = false;
	return room_for(b, mine);
}

/* Job 7 went back into the queue, and runs elsewhere now. */
static void nobody_gets_a_node_before_pods_astray_are_gone(void)
{
	struct bridge_thread b;

	begin(&b, BRIDGE_RUNNING);
	fixture_pod(group, "u1", "n1", 7);
	T_OK(has_room(&b));
	theirs->strays = true;
	group->members->astray = true;
	T_OK(!has_room(&b));
	group->members->pod->ended = true;
	T_OK(has_room(&b));
	end(&b);
}

/* Nobody knows whose it is, nor what it holds: not even a part of it is read.
 */
static void nobody_gets_a_node_with_a_pod_that_cannot_be_read(void)
{
	static const struct {
		const char *node;
		bool room;
	} rows[] = {{"n1", false}, {"n2", true}, {NULL, true}};
	struct bridge_thread b;

	begin(&b, BRIDGE_RUNNING);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		unread = rows[i].node;
		T_INT(has_room(&b), rows[i].room);
	}
	end(&b);
}

/* It was bound by the job of another group, whose CPUs may be given away. */
static void nobody_gets_a_node_before_pods_that_were_moved_are_gone(void)
{
	struct bridge_thread b;

	begin(&b, BRIDGE_RUNNING);
	fixture_pod(group, "u1", "n1", 5);
	theirs->strays = true;
	T_OK(has_room(&b));
	group->members->moved = true;
	T_OK(!has_room(&b));
	end(&b);
}

/*
 * slurmctld was started anew: a group may have pods that another job has bound,
 * or on nodes of others, which its first turn finds out.
 */
static void nothing_is_bound_before_each_group_with_pods_had_a_turn(void)
{
	static const struct {
		const char *row, *node;
		uint32_t job_id;
		bool room;
	} rows[] = {
		{NULL, "n2", 7, false},
		{"bind", "n2", 7, true},
		/* it waits, or somebody else has bound it */
		{NULL, "", 7, true},
		{NULL, "n2", 0, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge_thread b;

		t_row("%zu", i);
		begin(&b, BRIDGE_RUNNING);
		theirs->row = rows[i].row;
		fixture_pod(group, "u1", rows[i].node, rows[i].job_id);
		T_INT(has_room(&b), rows[i].room);
		theirs->row = "now";
		T_OK(has_room(&b));
		end(&b);
	}
}

/* It was put back, and is started again: its old pods may still be on n1. */
static void
before_it_is_known_where_a_job_is_its_pods_nodes_are_not_its_own(void)
{
	static const struct {
		enum bridge_job job;
		const char *nodes;
		bool requeued, room;
	} rows[] = {
		{BRIDGE_STARTING, NULL, true, false},
		{BRIDGE_STARTING, NULL, false, false},
		{BRIDGE_RUNNING, NULL, true, false},
		{BRIDGE_RUNNING, NULL, false, false},
		{BRIDGE_RUNNING, "n2", true, false},
		{BRIDGE_RUNNING, "n1", true, true},
		{BRIDGE_RUNNING, "n1", false, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge_thread b;

		t_row("%zu", i);
		begin(&b, rows[i].job);
		free(theirs->nodes);
		theirs->nodes = rows[i].nodes ? strdup(rows[i].nodes) : NULL;
		theirs->requeued = rows[i].requeued;
		fixture_pod(group, "u1", "n1", 7);
		T_INT(has_room(&b), rows[i].room);
		end(&b);
	}
}

/* Job 7 was made smaller, and had n1 before; its own turn may come later. */
static void nobody_gets_a_node_that_a_job_has_just_lost(void)
{
	static const struct {
		const char *nodes, *pod; /* of job 7 now */
		bool others, sent;
		bool room;
	} rows[] = {
		{"n2", "n1", true, false, false},
		{"n2", "n2", true, false, true},
		{"n[1-2]", "n1", true, false, true},
		/* (its nodes are the same: nobody asks) */
		{"n1", "n1", false, false, true},
		/* a pod that is on its way there */
		{"n2", "", true, true, false},
		{"n[1-2]", "", true, true, true},
		{"n[1-2]", "", false, true, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge_thread b;

		t_row("%zu", i);
		begin(&b, BRIDGE_RUNNING);
		free(theirs->nodes);
		theirs->nodes = strdup(rows[i].nodes);
		fixture_pod(group, "u1", rows[i].pod, *rows[i].pod ? 7 : 0);
		if (rows[i].sent)
			sent_note(&sent, "u1", SENT_TO, 7);
		if (rows[i].others)
			theirs->other_nodes_at = INT64_MAX;
		T_INT(has_room(&b), rows[i].room);
		end(&b);
	}
}

/* A pod that is on n1 by itself, or of whom nobody asked us, holds up no job.
 */
static void only_pods_of_a_job_that_does_not_run_hold_a_node(void)
{
	static const struct {
		enum bridge_job job;
		uint32_t marked;
		bool enters, room;
		const char *node;
		bool ours;
	} rows[] = {
		{BRIDGE_NONE, 0, true, true, "n1"},
		{BRIDGE_NONE, 5, false, true, "n1"},
		/* (its claim is forged: that is on the pod) */
		{BRIDGE_NONE, 5, false, false, "n1", true},
		{BRIDGE_NONE, 0, false, true, "n1"},
		{BRIDGE_NONE, 5, true, false, "n1"},
		{BRIDGE_NONE, 5, true, true, "n2"},
		{BRIDGE_ENDED, 7, true, false, "n1"},
		/* (the last job's are ours, though its namespace was taken out
		 * of k8s.yaml meanwhile) */
		{BRIDGE_ENDED, 7, false, false, "n1"},
		{BRIDGE_COMPLETING, 7, true, false, "n1"},
		{BRIDGE_SUSPENDED, 7, true, false, "n1"},
		{BRIDGE_PENDING, 7, true, false, "n1"},
		{BRIDGE_STARTING, 7, true, true, "n1"},
		{BRIDGE_RUNNING, 7, true, true, "n1"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge_thread b;

		t_row("%zu", i);
		begin(&b, rows[i].job);
		fixture_pod(group, "u1", rows[i].node, rows[i].marked)->ours =
			rows[i].ours;
		enters = rows[i].enters;
		T_INT(has_room(&b), rows[i].room);
		end(&b);
	}
}

/*
 * Job 7 was cancelled while a pod's binding was on its way, or carried out and
 * not in view yet: Slurm has given its CPUs to job 9.
 */
static void a_pod_may_be_where_its_binding_was_sent(void)
{
	static const struct {
		const char *uid, *node; /* of the pod in view */
		enum bridge_job job;
		uint32_t sent_for;
		bool room, kept;
		int64_t since; /* ms: in this state, after it was sent */
	} rows[] = {
		{"u1", "", BRIDGE_ENDED, 7, false, true},
		{"u1", "", BRIDGE_NONE, 7, false, true},
		{"u1", "", BRIDGE_PENDING, 7, false, true},
		{"u1", "", BRIDGE_SUSPENDED, 7, false, true},
		/* (another one of the same pod, which may be elsewhere) */
		{"u1", "", BRIDGE_RUNNING, 6, false, true},
		/* its CPUs are its own */
		{"u1", "", BRIDGE_RUNNING, 7, true, true},
		/* (it was put back, and has started anew) */
		{"u1", "", BRIDGE_RUNNING, 7, false, true, 1},
		/* the watch has told where it is, or that it is gone */
		{"u1", "n2", BRIDGE_RUNNING, 6, true, false},
		{"u2", "", BRIDGE_ENDED, 7, true, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge_thread b;

		t_row("%zu", i);
		begin(&b, rows[i].job);
		fixture_pod(group, rows[i].uid, rows[i].node, 0);
		sent_note(&sent, "u1", SENT_TO, rows[i].sent_for);
		theirs->state_at = sent->at + rows[i].since;
		T_INT(has_room(&b), rows[i].room);
		T_INT(sent != NULL, rows[i].kept);
		end(&b);
	}
}

T_MAIN("bridge_room", T(nobody_gets_a_node_with_a_pod_that_cannot_be_read),
       T(nothing_is_bound_before_each_group_with_pods_had_a_turn),
       T(before_it_is_known_where_a_job_is_its_pods_nodes_are_not_its_own),
       T(nobody_gets_a_node_that_a_job_has_just_lost),
       T(nobody_gets_a_node_before_pods_astray_are_gone),
       T(nobody_gets_a_node_before_pods_that_were_moved_are_gone),
       T(only_pods_of_a_job_that_does_not_run_hold_a_node),
       T(a_pod_may_be_where_its_binding_was_sent))
