/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pods leave a group of the built-in API; the rest is the test's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

static struct pod_group *groups;
static struct queue_entry *jobs;
static const char *object; /* the group's; or NULL */
static int cannot;	   /* ... because of that */

struct queue_entry *queue_entry_find(struct bridge *b, const char *key)
{
	struct queue_entry *q = NULL;

	(void)b;
	HASH_FIND_STR(jobs, key, q);
	return q;
}

struct queue_entry *queue_entry_get(struct bridge *b, const char *key)
{
	struct queue_entry *q = queue_entry_find(b, key);

	if (!q) {
		q = calloc(1, sizeof(*q) + strlen(key) + 1);
		strcpy(q->key, key);
		HASH_ADD_KEYPTR(hh, jobs, q->key, strlen(q->key), q);
	}
	return q;
}

static void forget_jobs(void)
{
	struct queue_entry *q = NULL, *next = NULL;

	HASH_ITER(hh, jobs, q, next)
	{
		HASH_DELETE(hh, jobs, q);
		free(q);
	}
}

void queue_entry_touch(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	q->look.touched = true;
}

struct pod_group *pod_groups_first(struct pod_groups *v)
{
	(void)v;
	return groups;
}

void pod_group_key(const struct workload *of, char out[BRIDGE_KEY_MAX])
{
	snprintf(out, BRIDGE_KEY_MAX, "%d %s", (int)of->kind, of->name);
}

void pod_groups_apart(struct pod_groups *v, struct group_pod *m)
{
	(void)v;
	DL_DELETE(m->group->members, m);
	m->group->n--;
	bridged_pod_free(m->pod);
	free(m->besides);
	free(m);
}

int owners_get(struct owners *o, enum workload_kind kind, const char *ns,
	       const char *name, json_object **out, struct err *err)
{
	(void)o;
	(void)ns;
	(void)name;
	T_OK(kind == WORKLOAD_GROUP || kind == WORKLOAD_WORKLOAD);
	if (!object)
		return err_set(err, cannot, "it is not seen");
	*out = t_parse(object);
	return 0;
}

/* A group of two pods, p0 and p1, that are a Job's besides, or alone. */
static struct pod_group *group(enum workload_kind kind,
			       enum workload_kind besides)
{
	struct pod_group *g = calloc(1, sizeof(*g) + 2);

	strcpy(g->key, "g");
	g->of = (struct workload){
		.kind = kind, .ns = "ns", .name = "g", .part = "a"};
	for (int i = 0; i < 2; i++) {
		struct group_pod *m = calloc(1, sizeof(*m));

		m->group = g;
		m->besides = calloc(1, sizeof(*m->besides));
		m->besides->kind = besides;
		snprintf(m->besides->name, sizeof(m->besides->name), "p%d",
			 besides == WORKLOAD_POD ? i : 0);
		DL_APPEND(g->members, m);
		g->n++;
	}
	HASH_ADD_KEYPTR(hh, groups, g->key, 1, g);
	return g;
}

static void clear(struct pod_group **g)
{
	while ((*g)->members)
		pod_groups_apart(NULL, (*g)->members);
	HASH_DELETE(hh, groups, *g);
	free(*g);
}
#define _cleanup_group_ __attribute__((cleanup(clear)))

#define PODGROUP(name, policy)                                                 \
	"{\"metadata\": {\"name\": \"" name "\", \"namespace\": \"ns\", "      \
	"\"uid\": \"9\"}, \"spec\": {\"schedulingPolicy\": {" policy "}}}"

static void with_the_basic_policy_each_is_what_it_is_without(void)
{
	static const struct {
		enum workload_kind kind;
		const char *object;
		int cannot;
		enum placeholder_state job;
		size_t stay;
		bool undecided;
		uint32_t job_id;
	} rows[] = {
		{WORKLOAD_GROUP, PODGROUP("g", "\"basic\": {}"), 0,
		 PLACEHOLDER_NONE, 0, false},
		{WORKLOAD_GROUP, PODGROUP("g", "\"basic\": {}"), 0,
		 PLACEHOLDER_ENDED, 0, false},
		/* its job says that it is a gang */
		{WORKLOAD_GROUP, PODGROUP("g", "\"basic\": {}"), 0,
		 PLACEHOLDER_RUNNING, 2, false},
		{WORKLOAD_GROUP, PODGROUP("g", "\"gang\": {\"minCount\": 2}"),
		 0, PLACEHOLDER_NONE, 2, false},
		/* what is refused is so as a group */
		{WORKLOAD_GROUP,
		 PODGROUP("g", "\"basic\": {}}, \"resourceClaims\": [1], "
			       "\"x\": {"),
		 0, PLACEHOLDER_NONE, 2, false},
		{WORKLOAD_GROUP, PODGROUP("h", "\"basic\": {}"), 0,
		 PLACEHOLDER_NONE, 2, false},
		{WORKLOAD_WORKLOAD,
		 "{\"metadata\": {\"name\": \"g\", \"namespace\": \"ns\", "
		 "\"uid\": \"9\"}, \"spec\": {\"podGroups\": [{\"name\": "
		 "\"a\", \"policy\": {\"basic\": {}}}]}}",
		 0, PLACEHOLDER_NONE, 0, false},
		{WORKLOAD_GROUP, NULL, -EAGAIN, PLACEHOLDER_NONE, 2, true},
		{WORKLOAD_GROUP, NULL, -EDQUOT, PLACEHOLDER_NONE, 2, true},
		/* one that has ended says so, too: its pods have to go */
		{WORKLOAD_GROUP, NULL, -EAGAIN, PLACEHOLDER_ENDED, 2, false, 7},
		{WORKLOAD_GROUP, NULL, -ENOENT, PLACEHOLDER_NONE, 2, false},
		{WORKLOAD_GROUP, NULL, -EOPNOTSUPP, PLACEHOLDER_NONE, 2, false},
		{WORKLOAD_JOBSET, NULL, -EAGAIN, PLACEHOLDER_NONE, 2, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_group_ struct pod_group *g =
			group(rows[i].kind, WORKLOAD_POD);
		struct queue_entry q = {.job.state = rows[i].job,
					.job.id = rows[i].job_id,
					.early.undecided = true};
		struct bridge b = {0};

		t_row("%zu", i);
		object = rows[i].object;
		cannot = rows[i].cannot;
		basic_by_object(&b, &q, g);
		T_INT(g->n, rows[i].stay);
		T_INT(q.early.undecided, rows[i].undecided);
		forget_jobs();
	}
}

/* (its object came into view long after the engine had begun) */
static void each_has_its_time_to_find_its_job_from_then_on(void)
{
	static const struct {
		bool undecided, begins, begin;
	} rows[] = {{true, false, true},
		    {false, true, true},
		    {false, false, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_group_ struct pod_group *g =
			group(WORKLOAD_GROUP, WORKLOAD_POD);
		struct queue_entry q = {.job.state = PLACEHOLDER_NONE,
					.early.undecided = rows[i].undecided,
					.early.begins = rows[i].begins};
		struct bridge b = {0};

		t_row("%zu", i);
		object = PODGROUP("g", "\"basic\": {}");
		cannot = 0;
		basic_by_object(&b, &q, g);
		T_INT(g->n, 0);
		T_INT(HASH_COUNT(jobs), rows[i].begin ? 2 : 0);
		for (struct queue_entry *x = jobs; x; x = x->hh.next)
			T_OK(x->early.begins);
		forget_jobs();
	}
}

/* (after a start: what Slurm has jobs of is older than our view) */
static void pods_that_have_a_job_are_what_it_says(void)
{
	static const struct {
		enum workload_kind kind, besides;
		const char *key; /* of the group that has a job */
		uint32_t job_id;
		size_t stay;
	} rows[] = {
		{WORKLOAD_GROUP, WORKLOAD_POD, "0 p1", 7, 1},
		{WORKLOAD_GROUP, WORKLOAD_POD, "0 p1", 0, 2},
		{WORKLOAD_GROUP, WORKLOAD_POD, "0 p2", 7, 2},
		{WORKLOAD_GROUP, WORKLOAD_JOB, "6 p0", 7, 0},
		{WORKLOAD_PODGROUP, WORKLOAD_POD, "0 p1", 7, 2},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_group_ struct pod_group *g =
			group(rows[i].kind, rows[i].besides);
		_cleanup_free_ struct queue_entry *q =
			calloc(1, sizeof(*q) + 8);
		struct bridge b = {0};

		t_row("%zu", i);
		strcpy(q->key, rows[i].key);
		q->job.id = rows[i].job_id;
		HASH_ADD_KEYPTR(hh, jobs, q->key, strlen(q->key), q);
		basic_by_jobs(&b);
		T_INT(g->n, rows[i].stay);
		HASH_DELETE(hh, jobs, q);
	}
}

/* (of what has ended only that is read which is in the queue) */
static void before_jobs_are_read_each_pod_is_in_the_queue(void)
{
	static const struct {
		enum workload_kind kind;
		size_t queued;
	} rows[] = {{WORKLOAD_GROUP, 2}, {WORKLOAD_PODGROUP, 0}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_group_ struct pod_group *g =
			group(rows[i].kind, WORKLOAD_POD);
		struct bridge b = {0};
		struct queue_entry *q;

		t_row("%zu", i);
		T_INT(g->n, 2);
		basic_expect_jobs(&b);
		T_INT(HASH_COUNT(jobs), rows[i].queued);
		for (q = jobs; q; q = q->hh.next)
			T_OK(q->look.touched);
		forget_jobs();
	}
}

T_MAIN("basic_groups", T(each_has_its_time_to_find_its_job_from_then_on),
       T(with_the_basic_policy_each_is_what_it_is_without),
       T(before_jobs_are_read_each_pod_is_in_the_queue),
       T(pods_that_have_a_job_are_what_it_says))
