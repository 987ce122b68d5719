/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes have room for the pods of a job; the rest is the test's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/reconcile/reconcile.h"
#include "bridge_fixture.h"
#include "t.h"

#define SENT_TO "n1"

/* The job that waits for room on n1, and another group with its job. */
static struct queue_entry *mine, *theirs;
static struct pod_group *group;
static bool enters;
static struct sent_binding *sent;

struct queue_entry *queue_entry_find(struct bridge *b, const char *key)
{
	(void)b;
	return strcmp(key, "theirs") ? mine : theirs;
}

struct pod_group *pod_groups_first(struct pod_groups *v)
{
	(void)v;
	return group;
}

struct group_pod *pod_groups_pod(struct pod_groups *v, const char *uid)
{
	struct group_pod *m = group->members;

	(void)v;
	while (m && strcmp(m->pod->uid, uid) != 0)
		m = m->next;
	return m;
}

static struct gone_pods *gone; /* or NULL */

struct gone_pods **pod_groups_gone(struct pod_groups *v)
{
	(void)v;
	return &gone;
}

static const char *unread; /* the node of a pod that cannot be read; or NULL */

void pod_groups_each_unread_node(const struct pod_groups *v,
				 void (*on)(void *arg, const char *node),
				 void *arg)
{
	(void)v;
	if (unread)
		on(arg, unread);
}

/* (while it is not known whose the namespace is, it is not known to be) */
bool ns_is_others(const struct namespace_sources *by, const struct pod_group *g)
{
	(void)by;
	(void)g;
	return !enters;
}

int allocation_nodes(const struct queue_entry *q, struct hostlist *out)
{
	return q->nodes.names ? hostlist_expand(q->nodes.names, out, NULL)
			      : -EAGAIN;
}

void bridge_requests_each_sent(struct bridge_requests *w,
			       bool (*keep)(void *arg,
					    const struct sent_binding *one),
			       void *arg)
{
	(void)w;
	sent_binding_each(&sent, keep, arg);
}

/* --- */

static struct queue_entry *job(const char *key, enum placeholder_state state,
			       uint32_t job_id)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + strlen(key) + 1);

	strcpy(q->key, key);
	q->job.state = state;
	q->job.id = job_id;
	return q;
}

/* The others' pods have job 7, which has this state. */
static void begin(struct bridge *b, enum placeholder_state state)
{
	*b = (struct bridge){.inventory = fixture_hosts(2)};
	enters = true;
	mine = job("mine", PLACEHOLDER_RUNNING, 9);
	mine->nodes.names = strdup("n1");
	theirs = job("theirs", state, state == PLACEHOLDER_NONE ? 0 : 7);
	theirs->sight.looked = true;
	theirs->nodes.names = strdup("n[1-2]");
	group = calloc(1, sizeof(*group) + sizeof("theirs"));
	strcpy(group->key, "theirs");
}

static void end(struct bridge *b)
{
	fixture_no_pods(group);
	free(group);
	free(mine->nodes.names);
	free(mine);
	free(theirs->nodes.names);
	free(theirs);
	sent_binding_free(&sent);
	occupied_nodes_free(b);
	inventory_free(b->inventory);
}

static bool late; /* what is there should have ended long ago */

static bool has_room(struct bridge *b)
{
	b->occupied.known = false;
	return nodes_are_free(b, mine, &late);
}

/* Job 7 went back into the queue, and runs elsewhere now. */
static void nobody_gets_a_node_before_misplaced_pods_are_gone(void)
{
	struct bridge b;

	begin(&b, PLACEHOLDER_RUNNING);
	fixture_pod(group, "u1", "n1", 7);
	T_OK(has_room(&b));
	theirs->whereabouts.misplaced = true;
	group->members->look.misplaced = true;
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
	struct bridge b;

	begin(&b, PLACEHOLDER_RUNNING);
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
	struct bridge b;

	begin(&b, PLACEHOLDER_RUNNING);
	fixture_pod(group, "u1", "n1", 5);
	theirs->whereabouts.misplaced = true;
	T_OK(has_room(&b));
	group->members->look.moved = true;
	T_OK(!has_room(&b));
	end(&b);
}

/*
 * slurmctld was started anew: a group may have pods that another job has bound,
 * or on nodes of others, which its first look finds out. Those on other nodes
 * do not wait for that: a namespace may have thousands of groups, whose looks
 * take long.
 */
static void nobody_gets_a_node_with_pods_that_were_not_looked_at(void)
{
	static const struct {
		bool looked;
		const char *node;
		uint32_t job_id;
		bool room;
	} rows[] = {
		{false, "n1", 7, false},
		{true, "n1", 7, true},
		{false, "n2", 7, true},
		/* it waits, or somebody else has bound it */
		{false, "", 7, true},
		{false, "n1", 0, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;

		t_row("%zu", i);
		begin(&b, PLACEHOLDER_RUNNING);
		theirs->sight.looked = rows[i].looked;
		fixture_pod(group, "u1", rows[i].node, rows[i].job_id);
		T_INT(has_room(&b), rows[i].room);
		theirs->sight.looked = true;
		T_OK(has_room(&b));
		end(&b);
	}
}

/* It was put back, and is started again: its old pods may still be on n1. */
static void
before_it_is_known_where_a_job_is_its_pods_nodes_are_not_its_own(void)
{
	static const struct {
		enum placeholder_state job;
		const char *nodes;
		bool requeued, room;
	} rows[] = {
		{PLACEHOLDER_STARTING, NULL, true, false},
		{PLACEHOLDER_STARTING, NULL, false, false},
		{PLACEHOLDER_RUNNING, NULL, true, false},
		{PLACEHOLDER_RUNNING, NULL, false, false},
		{PLACEHOLDER_RUNNING, "n2", true, false},
		{PLACEHOLDER_RUNNING, "n1", true, true},
		{PLACEHOLDER_RUNNING, "n1", false, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;

		t_row("%zu", i);
		begin(&b, rows[i].job);
		free(theirs->nodes.names);
		theirs->nodes.names =
			rows[i].nodes ? strdup(rows[i].nodes) : NULL;
		theirs->job.requeued = rows[i].requeued;
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
		struct bridge b;

		t_row("%zu", i);
		begin(&b, PLACEHOLDER_RUNNING);
		free(theirs->nodes.names);
		theirs->nodes.names = strdup(rows[i].nodes);
		fixture_pod(group, "u1", rows[i].pod, *rows[i].pod ? 7 : 0);
		if (rows[i].sent)
			sent_binding_note(&sent, "u1", SENT_TO, 7);
		if (rows[i].others)
			theirs->nodes.others_at = INT64_MAX;
		T_INT(has_room(&b), rows[i].room);
		end(&b);
	}
}

/* (k8s.yaml has its namespace no more, and its first look is still to come) */
static void a_pod_that_we_have_bound_holds_its_node_before_the_first_look(void)
{
	static const struct {
		const char *by;
		bool room;
	} rows[] = {{"us", false}, {"them", true}, {"", true}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;

		t_row("%zu", i);
		begin(&b, PLACEHOLDER_NONE);
		b.bound_by = "us";
		theirs->sight.looked = enters = false;
		fixture_pod(group, "u1", "n1", 5)->pod->by = rows[i].by;
		T_INT(has_room(&b), rows[i].room);
		end(&b);
	}
}

/* A pod that is on n1 by itself, or of whom nobody asked us, holds up no job.
 */
static void only_pods_of_a_job_that_does_not_run_hold_a_node(void)
{
	static const struct {
		enum placeholder_state job;
		uint32_t marked;
		bool enters, room;
		const char *node;
		bool ours;
	} rows[] = {
		{PLACEHOLDER_NONE, 0, true, true, "n1"},
		{PLACEHOLDER_NONE, 5, false, true, "n1"},
		/* (its claim is forged: that is on the pod) */
		{PLACEHOLDER_NONE, 5, false, false, "n1", true},
		{PLACEHOLDER_NONE, 0, false, true, "n1"},
		{PLACEHOLDER_NONE, 5, true, false, "n1"},
		{PLACEHOLDER_NONE, 5, true, true, "n2"},
		{PLACEHOLDER_ENDED, 7, true, false, "n1"},
		/* (the last job's are ours, though its namespace was taken out
		 * of k8s.yaml meanwhile) */
		{PLACEHOLDER_ENDED, 7, false, false, "n1"},
		{PLACEHOLDER_COMPLETING, 7, true, false, "n1"},
		{PLACEHOLDER_SUSPENDED, 7, true, false, "n1"},
		{PLACEHOLDER_PENDING, 7, true, false, "n1"},
		{PLACEHOLDER_STARTING, 7, true, true, "n1"},
		{PLACEHOLDER_RUNNING, 7, true, true, "n1"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;

		t_row("%zu", i);
		begin(&b, rows[i].job);
		fixture_pod(group, "u1", rows[i].node, rows[i].marked)
			->look.ours = rows[i].ours;
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
		enum placeholder_state job;
		uint32_t sent_for;
		bool room, kept;
		int64_t since; /* ms: in this state, after it was sent */
	} rows[] = {
		{"u1", "", PLACEHOLDER_ENDED, 7, false, true},
		{"u1", "", PLACEHOLDER_NONE, 7, false, true},
		{"u1", "", PLACEHOLDER_PENDING, 7, false, true},
		{"u1", "", PLACEHOLDER_SUSPENDED, 7, false, true},
		/* (another one of the same pod, which may be elsewhere) */
		{"u1", "", PLACEHOLDER_RUNNING, 6, false, true},
		/* its CPUs are its own */
		{"u1", "", PLACEHOLDER_RUNNING, 7, true, true},
		/* (it was put back, and has started anew) */
		{"u1", "", PLACEHOLDER_RUNNING, 7, false, true, 1},
		/* the watch has told where it is, or that it is gone */
		{"u1", "n2", PLACEHOLDER_RUNNING, 6, true, false},
		{"u2", "", PLACEHOLDER_ENDED, 7, true, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;

		t_row("%zu", i);
		begin(&b, rows[i].job);
		fixture_pod(group, rows[i].uid, rows[i].node, 0);
		sent_binding_note(&sent, "u1", SENT_TO, rows[i].sent_for);
		theirs->job.state_at = sent->at + rows[i].since;
		T_INT(has_room(&b), rows[i].room);
		T_INT(sent != NULL, rows[i].kept);
		end(&b);
	}
}

#define KEPT_MS (30000 + BRIDGE_KEPT_MS)

static const char *kept(struct bridge *b)
{
	b->kill_wait_s = 30;
	b->occupied.kept_at = 0;
	kept_nodes_look(b);
	T_OK(b->occupied.kept_at > clock_ms());
	T_OK(!inventory_find(b->inventory, "n2")->kept_by);
	T_OK(!inventory_find(b->inventory, "n2")->overdue);
	return inventory_find(b->inventory, "n1")->kept_by;
}

/* (its process is in the kernel, and cannot be killed) */
static void a_node_is_kept_by_a_pod_that_does_not_end(void)
{
	static const struct {
		enum placeholder_state job;
		bool deleting, ended;
		bool begins, kept; /* its time; and it is over */
		bool requeued, misplaced, by_us;
	} rows[] = {
		/* put back, or made smaller, and the API server refuses */
		{PLACEHOLDER_PENDING, false, false, true, true, true},
		{PLACEHOLDER_RUNNING, false, false, true, true, true, true},
		{PLACEHOLDER_RUNNING, false, false, false, true, false, true},
		/* we began it anew: its pods get another one */
		{PLACEHOLDER_ENDED, false, false, false, true, false, false,
		 true},
		{PLACEHOLDER_ENDED, true, false, true, true},
		{PLACEHOLDER_COMPLETING, true, false, true, true},
		/* (the API server refuses to delete it) */
		{PLACEHOLDER_ENDED, false, false, true, true},
		{PLACEHOLDER_PENDING, true, false, true, true},
		{PLACEHOLDER_NONE, true, false, true, true},
		/* by its old time: its job is forgotten */
		{PLACEHOLDER_NONE, false, false, false, true},
		/* it may get a job, which needs that very node */
		{PLACEHOLDER_PENDING, false, false, false, true},
		{PLACEHOLDER_SUSPENDED, false, false, false, true},
		{PLACEHOLDER_RUNNING, true, false, false, false},
		{PLACEHOLDER_ENDED, true, true, false, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		struct group_pod *m;

		t_row("%zu", i);
		begin(&b, rows[i].job);
		m = fixture_pod(group, "u1", "n1", 7);
		m->pod->deleting = rows[i].deleting;
		m->pod->ended = rows[i].ended;
		theirs->job.requeued = rows[i].requeued;
		theirs->job.by_us = rows[i].by_us;
		theirs->whereabouts.misplaced = m->look.misplaced =
			rows[i].misplaced;
		if (rows[i].misplaced) {
			free(theirs->nodes.names);
			theirs->nodes.names = strdup("n2");
		}
		T_OK(!kept(&b));
		T_INT(m->overdue.since != 0, rows[i].begins);
		T_INT(inventory_find(b.inventory, "n1")->overdue,
		      rows[i].begins);
		has_room(&b);
		T_OK(!late);
		m->overdue.since = clock_ms() - KEPT_MS + 20000;
		T_OK(!kept(&b));
		m->overdue.since = clock_ms() - KEPT_MS - 1000;
		T_STR(kept(&b), rows[i].kept ? "ns/p" : NULL);
		has_room(&b);
		T_INT(late, rows[i].kept);
		m->pod->ended = true;
		T_OK(!kept(&b));
		T_INT(m->overdue.since, 0);
		end(&b);
	}
}

/* (Slurm has lost its job, and k8s.yaml has its namespace no more) */
static void a_node_is_kept_by_a_pod_that_no_job_is_made_for(void)
{
	static const struct {
		enum placeholder_state state;
		uint32_t marked;
		bool by_us;
	} rows[] = {
		{PLACEHOLDER_NONE, 5, false},
		/* the pod is of an older one */
		{PLACEHOLDER_ENDED, 5, false},
		{PLACEHOLDER_ENDED, 7, true},
	};

	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		const bool out = i % 2;
		struct bridge b;
		struct group_pod *m;

		t_row("%zu", i);
		begin(&b, rows[i / 2].state);
		theirs->job.by_us = rows[i / 2].by_us;
		m = fixture_pod(group, "u1", "n1", rows[i / 2].marked);
		m->look.ours = true;
		enters = !out;
		T_OK(!kept(&b));
		T_INT(m->overdue.since != 0, out);
		m->overdue.since -= out ? KEPT_MS + 1000 : 0;
		T_STR(kept(&b), out ? "ns/p" : NULL);
		/* it may enter again: it may get a job, which needs that node
		 */
		enters = true;
		T_OK(!kept(&b));
		T_INT(m->overdue.since, 0);
		end(&b);
	}
}

/* (small jobs that end one after the other: there is always one) */
static void a_node_is_kept_by_one_pod_and_not_by_many(void)
{
	struct bridge b;
	struct group_pod *m;

	begin(&b, PLACEHOLDER_ENDED);
	for (int i = 0; i < 4; i++) {
		const int64_t at = clock_ms() - (i + 1) * 25000;

		m = fixture_pod(group, i % 2 ? "u1" : "u2", "n1", 7);
		m->pod->deleting = true;
		m->overdue.since = at;
		T_OK(!has_room(&b));
		T_INT(late, i == 3);
		T_INT(kept(&b) != NULL, i == 3);
		if (i < 2)
			m->pod->ended = true;
	}
	end(&b);
}

static void a_node_is_kept_by_what_is_gone_as_long_as_that_may_run(void)
{
	static const struct {
		int64_t left_ms;
		bool kept;
	} rows[] = {{KEPT_MS + 20000, true}, {KEPT_MS - 1000, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b;
		struct gone_pods *x = calloc(1, sizeof(*x) + 3);

		t_row("%zu", i);
		begin(&b, PLACEHOLDER_RUNNING);
		strcpy(x->node, "n1");
		strcpy(x->ns, "ns");
		strcpy(x->name, "gone");
		x->until = clock_boot_ms() + rows[i].left_ms;
		HASH_ADD_KEYPTR(hh, gone, x->node, 2, x);
		T_STR(kept(&b), rows[i].kept ? "ns/gone" : NULL);
		HASH_DELETE(hh, gone, x);
		free(x);
		gone = NULL;
		T_OK(!kept(&b));
		end(&b);
	}
}

static void a_node_is_kept_by_a_pod_that_cannot_be_read_for_long(void)
{
	struct bridge b;
	struct occupied_node *s;

	begin(&b, PLACEHOLDER_RUNNING);
	unread = "n1";
	for (int looks = 0; looks < 2; looks++) {
		T_OK(!kept(&b));
		HASH_FIND_STR(b.occupied.nodes, "n1", s);
		T_NEED(s && s->unread_since);
	}
	s->unread_since -= KEPT_MS + 1000;
	T_HAS(kept(&b), "cannot be read");
	unread = NULL;
	T_OK(!kept(&b));
	end(&b);
}

T_MAIN("node_room", T(a_node_is_kept_by_a_pod_that_does_not_end),
       T(a_node_is_kept_by_one_pod_and_not_by_many),
       T(a_node_is_kept_by_a_pod_that_no_job_is_made_for),
       T(a_node_is_kept_by_what_is_gone_as_long_as_that_may_run),
       T(a_node_is_kept_by_a_pod_that_cannot_be_read_for_long),
       T(nobody_gets_a_node_with_a_pod_that_cannot_be_read),
       T(nobody_gets_a_node_with_pods_that_were_not_looked_at),
       T(before_it_is_known_where_a_job_is_its_pods_nodes_are_not_its_own),
       T(nobody_gets_a_node_that_a_job_has_just_lost),
       T(nobody_gets_a_node_before_misplaced_pods_are_gone),
       T(nobody_gets_a_node_before_pods_that_were_moved_are_gone),
       T(only_pods_of_a_job_that_does_not_run_hold_a_node),
       T(a_pod_may_be_where_its_binding_was_sent),
       T(a_pod_that_we_have_bound_holds_its_node_before_the_first_look))
