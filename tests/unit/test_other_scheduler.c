/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that were made for another schedulerName than k8s.yaml has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

static struct queue_entry *job; /* a placeholder; NULL: there is none */

struct queue_entry *placeholders_queued_of(struct bridge *b, uint32_t job_id)
{
	(void)b;
	return job && job->job.id == job_id ? job : NULL;
}

static const struct cluster_config prod = {.name = (char *)"prod"};
static const struct bridge_config named = {.scheduler = (char *)"slurm"};

/* A job of a group of its own; `other`: for pods of that schedulerName. */
static struct queue_entry *add_job(struct bridge *b, uint32_t job_id,
				   enum placeholder_state state,
				   const char *other)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 16);
	struct known_placeholder *k = calloc(1, sizeof(*k) + 1);

	snprintf(q->key, 16, "%u", job_id);
	q->job.state = state;
	q->job.id = k->job_id = job_id;
	q->job.other_scheduler = other;
	k->other = other ? strdup(other) : NULL;
	HASH_ADD_KEYPTR(hh, b->queue, q->key, strlen(q->key), q);
	HASH_ADD(hh, b->jobs.identities, job_id, sizeof(k->job_id), k);
	return q;
}

static void no_jobs(struct bridge *b)
{
	struct queue_entry *q = NULL, *next = NULL;
	struct known_placeholder *k = NULL, *next_k = NULL;

	HASH_ITER(hh, b->queue, q, next)
	{
		HASH_DELETE(hh, b->queue, q);
		free(q);
	}
	HASH_ITER(hh, b->jobs.identities, k, next_k)
	{
		HASH_DELETE(hh, b->jobs.identities, k);
		free(k->other);
		free(k);
	}
}

static const char *look(struct bridge *b, bool news)
{
	t_log_clear();
	b->jobs.load += news;
	other_scheduler_look(b);
	return t_log();
}

static void they_are_told_once_for_all_and_when_they_are_gone(void)
{
	struct bridge b = {.bridge = &named, .cluster = &prod};
	struct queue_entry *a, *c;

	add_job(&b, 1, PLACEHOLDER_RUNNING, NULL);
	T_STR(look(&b, true), "");
	a = add_job(&b, 2, PLACEHOLDER_RUNNING, "slumr");
	c = add_job(&b, 3, PLACEHOLDER_PENDING, "slumr");
	add_job(&b, 4, PLACEHOLDER_ENDED, "slumr");
	T_STR(look(&b, false), ""); /* (no list has them yet) */
	T_HAS(look(&b, true),
	      "cluster prod: 2 jobs were made for pods with another "
	      "schedulerName than \"slurm\", which k8s.yaml has now: job 3, "
	      "for one, for \"slumr\".");
	T_HAS(t_log(), "\"scontrol reconfigure\"");
	T_HAS(t_log(), "scancel and kubectl delete");
	T_STR(look(&b, true), "");
	c->job.state = PLACEHOLDER_ENDED;
	T_STR(look(&b, true), "");
	a->job.state = PLACEHOLDER_NONE;
	T_HAS(look(&b, true), "no job is left of those");
	T_STR(look(&b, true), "");
	a->job.state = PLACEHOLDER_COMPLETING;
	T_HAS(look(&b, true), "1 jobs were made");
	no_jobs(&b);
}

/* (what such a job has does not make its node smaller:
 * test_external_nodes_others.c) */
static void only_those_that_have_nodes_count(void)
{
	static const struct {
		enum placeholder_state state;
		bool other, has;
	} rows[] = {
		{PLACEHOLDER_RUNNING, true, true},
		{PLACEHOLDER_SUSPENDED, true, true},
		{PLACEHOLDER_STARTING, true, true},
		{PLACEHOLDER_COMPLETING, true, true},
		/* the pod runs on without it */
		{PLACEHOLDER_ENDED, true, false},
		{PLACEHOLDER_PENDING, true, false},
		/* another Slurm cluster's, of the same number */
		{PLACEHOLDER_RUNNING, false, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge b = {.bridge = &named, .cluster = &prod};

		t_row("%zu", i);
		job = add_job(&b, 7, rows[i].state,
			      rows[i].other ? "slumr" : NULL);
		T_INT(other_scheduler_has_nodes(&b, 7), rows[i].has);
		T_OK(!other_scheduler_has_nodes(&b, 8));
		no_jobs(&b);
		job = NULL;
	}
}

T_MAIN("other_scheduler", T(they_are_told_once_for_all_and_when_they_are_gone),
       T(only_those_that_have_nodes_count))
