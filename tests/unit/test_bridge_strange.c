/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that were made for another schedulerName than k8s.yaml has. */
#include "nodes_fixture.h"

static const struct cluster prod = {.name = (char *)"prod"};
static const struct bridge named = {.scheduler = (char *)"slurm"};

/* A job of a group of its own; `other`: for pods of that schedulerName. */
static struct queued *add_job(struct bridge_thread *b, uint32_t job_id,
			      enum bridge_job state, const char *other)
{
	struct queued *q = calloc(1, sizeof(*q) + 16);
	struct known_job *k = calloc(1, sizeof(*k) + 1);

	snprintf(q->key, 16, "%u", job_id);
	q->job = state;
	q->job_id = k->job_id = job_id;
	q->strange = other;
	k->other = other ? strdup(other) : NULL;
	HASH_ADD_KEYPTR(hh, b->queue, q->key, strlen(q->key), q);
	HASH_ADD(hh, b->known, job_id, sizeof(k->job_id), k);
	return q;
}

static void no_jobs(struct bridge_thread *b)
{
	struct queued *q = NULL, *next = NULL;
	struct known_job *k = NULL, *next_k = NULL;

	HASH_ITER(hh, b->queue, q, next)
	{
		HASH_DELETE(hh, b->queue, q);
		free(q);
	}
	HASH_ITER(hh, b->known, k, next_k)
	{
		HASH_DELETE(hh, b->known, k);
		free(k->other);
		free(k);
	}
}

static const char *look(struct bridge_thread *b, bool news)
{
	t_log_clear();
	b->load += news;
	strange_look(b);
	return t_log();
}

static void they_are_told_once_for_all_and_when_they_are_gone(void)
{
	struct bridge_thread b = {.bridge = &named, .cluster = &prod};
	struct queued *a, *c;

	add_job(&b, 1, BRIDGE_RUNNING, NULL);
	T_STR(look(&b, true), "");
	a = add_job(&b, 2, BRIDGE_RUNNING, "slumr");
	c = add_job(&b, 3, BRIDGE_PENDING, "slumr");
	add_job(&b, 4, BRIDGE_ENDED, "slumr");
	T_STR(look(&b, false), ""); /* (no list has them yet) */
	T_HAS(look(&b, true),
	      "cluster prod: 2 jobs were made for pods with another "
	      "schedulerName than \"slurm\", which k8s.yaml has now: job 3, "
	      "for one, for \"slumr\".");
	T_HAS(t_log(), "\"scontrol reconfigure\"");
	T_HAS(t_log(), "scancel and kubectl delete");
	T_STR(look(&b, true), "");
	c->job = BRIDGE_ENDED;
	T_STR(look(&b, true), "");
	a->job = BRIDGE_NONE;
	T_HAS(look(&b, true), "no job is left of those");
	T_STR(look(&b, true), "");
	a->job = BRIDGE_COMPLETING;
	T_HAS(look(&b, true), "1 jobs were made");
	no_jobs(&b);
}

/*
 * Its pod has another schedulerName now, and is no DaemonSet's: the node has
 * all that Slurm gave the job.
 */
static void what_such_a_job_has_does_not_make_its_node_smaller(void)
{
	static const struct {
		enum bridge_job state;
		bool strange, drained;
	} rows[] = {
		{BRIDGE_RUNNING, true, false},
		{BRIDGE_SUSPENDED, true, false},
		{BRIDGE_STARTING, true, false},
		{BRIDGE_COMPLETING, true, false},
		/* the pod runs on without it */
		{BRIDGE_ENDED, true, true},
		{BRIDGE_PENDING, true, true},
		/* another Slurm cluster's, of the same number */
		{BRIDGE_RUNNING, false, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge_thread b;

		t_row("%zu", i);
		begin(&b, 1);
		pass(&b, 5000);
		job = add_job(&b, 7, rows[i].state,
			      rows[i].strange ? "slumr" : NULL);
		put_bound(&b, 0, "7");
		slurm[0].busy = true;
		pass(&b, BRIDGE_RESIZE_MS + MINUTE);
		T_INT(slurm[0].drained, rows[i].drained);
		T_INT(slurm[0].cpus, 64);
		/* it ends: what runs on is counted, in its time */
		job->job = BRIDGE_ENDED;
		slurm[0].busy = false;
		pass(&b, BRIDGE_RESIZE_MS + 2 * MINUTE);
		T_INT(slurm[0].cpus, 56);
		no_jobs(&b);
		job = NULL;
		end(&b);
	}
}

T_MAIN("bridge_strange", T(they_are_told_once_for_all_and_when_they_are_gone),
       T(what_such_a_job_has_does_not_make_its_node_smaller))
