/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the queue a namespace may have. */
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

static int64_t now = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

void queue_entry_touch(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	q->touched = true;
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	q->again_at = now + ms;
}

static struct namespace_config limits;
static struct bridge b;

static void begin(uint32_t jobs, uint32_t pods, uint32_t submits)
{
	now += 1000000;
	limits = (struct namespace_config){
		.max_jobs = jobs, .max_pods = pods, .submits_per_s = submits};
	b = (struct bridge){0};
}

static void end(void)
{
	struct queue_entry *q = NULL, *next = NULL;

	HASH_ITER(hh, b.queue, q, next)
	{
		HASH_DELETE(hh, b.queue, q);
		free(q);
	}
	quota_free(b.caps);
}

/* A group; it has no job yet. */
static struct queue_entry *add(const char *key)
{
	const size_t size = strlen(key) + 1;
	struct queue_entry *q = calloc(1, sizeof(*q) + size);

	memcpy(q->key, key, size);
	q->job = PLACEHOLDER_NONE;
	HASH_ADD_KEYPTR(hh, b.queue, q->key, size - 1, q);
	return q;
}

static struct queue_entry *queue_entry_of(const char *key)
{
	struct queue_entry *q;

	HASH_FIND_STR(b.queue, key, q);
	return q;
}

static char words[256];

/* What becomes of a job for so many pods; as nodes/reconcile/apply.c does it.
 */
static enum quota_say submit(struct queue_entry *q, uint32_t pods)
{
	const struct job_spec o = {.ns = &limits, .id.pods = pods};
	enum quota_say said;

	*words = '\0';
	q->touched = false;
	said = quota_ask(&b, q, &o, sizeof(words), words);
	if (said != QUOTA_GO)
		return said;
	quota_submitted(&b, q, &o);
	q->job = PLACEHOLDER_PENDING;
	q->made_for = pods;
	return said;
}

static void a_namespace_has_so_many_jobs(void)
{
	struct queue_entry *q[5], *other;

	begin(2, 100, 1000);
	q[0] = add("0 team u1");
	q[1] = add("2 team job ");
	q[2] = add("0 team u3");
	q[3] = add("0 team u4");
	other = add("0 team-b u5");
	T_INT(submit(q[0], 1), QUOTA_GO);
	T_INT(submit(q[1], 1), QUOTA_GO);
	T_INT(submit(q[2], 1), QUOTA_FULL);
	T_STR(words, "namespace team has as many jobs in Slurm's queue as it "
		     "may have: 2 (maxJobs in k8s.yaml)");
	T_INT(submit(q[3], 1), QUOTA_FULL);
	T_INT(submit(other, 1), QUOTA_GO);
	/* nothing has changed */
	quota_step(&b);
	T_OK(!q[2]->touched && !q[3]->touched);
	/* one job ends: one of those that wait may come, the first */
	q[0]->job = PLACEHOLDER_ENDED;
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(q[2]->touched && !q[3]->touched);
	T_INT(submit(q[2], 1), QUOTA_GO);
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(!q[3]->touched);
	T_INT(submit(q[3], 1), QUOTA_FULL);
	end();
}

static void jobs_of_a_former_engine_count(void)
{
	struct queue_entry *q;

	begin(1, 100, 1000);
	q = add("0 team u1");
	q->job = PLACEHOLDER_RUNNING;
	q->made_for = 1;
	T_INT(submit(add("0 team u2"), 1), QUOTA_FULL);
	end();
}

static void a_namespace_has_so_many_pods(void)
{
	struct queue_entry *first, *gang, *one;

	begin(100, 10, 1000);
	first = add("2 team a ");
	gang = add("2 team b ");
	one = add("0 team u1");
	T_INT(submit(first, 12), QUOTA_GO); /* (it would never come in) */
	T_INT(submit(one, 1), QUOTA_FULL);
	T_STR(words, "namespace team has as many pods in Slurm's queue as it "
		     "may have: 10 (maxPods in k8s.yaml)");
	T_INT(submit(gang, 10), QUOTA_FULL);
	first->made_for = 9;
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(one->touched && !gang->touched);
	T_INT(submit(one, 1), QUOTA_GO);
	first->job = one->job = PLACEHOLDER_ENDED;
	now += QUOTA_LOOK_MS;
	quota_step(&b);
	T_OK(gang->touched);
	T_INT(submit(gang, 10), QUOTA_GO);
	end();
}

static void submissions_have_turns(void)
{
	const int burst = 10 * QUOTA_BURST_MS / 1000;
	struct queue_entry *q[128], *other;
	char key[32];
	int n = 0;

	begin(1000, 1000, 10);
	for (int i = 0; i < 128; i++) {
		snprintf(key, sizeof(key), "0 team u%d", i);
		q[i] = add(key);
	}
	other = add("0 team-b u");
	while (n < 128 && submit(q[n], 1) == QUOTA_GO)
		n++;
	T_INT(n, burst);
	T_STR(words, "namespace team submits as many jobs as it may: 10 a "
		     "second (submitsPerSecond in k8s.yaml)");
	T_INT(submit(other, 1), QUOTA_GO);
	T_INT(submit(q[n + 1], 1), QUOTA_RATE);
	T_INT(q[n]->slot_at, now + 100);
	T_INT(q[n + 1]->slot_at, now + 200);
	/* (its turn stays the same) */
	now += 50;
	T_INT(submit(q[n], 1), QUOTA_RATE);
	now += 50;
	T_INT(submit(q[n + 1], 1), QUOTA_RATE);
	T_INT(submit(q[n], 1), QUOTA_GO);
	now += 100;
	T_INT(submit(q[n + 1], 1), QUOTA_GO);
	T_INT(submit(q[n + 2], 1), QUOTA_RATE);
	end();
}

/* Thousands of pods are created, and deleted while they wait for their turn. */
static void who_goes_away_gives_its_turn_back(void)
{
	const int burst = 10 * QUOTA_BURST_MS / 1000;
	struct queue_entry *q[128], *other;
	char key[32];

	begin(1000, 1000, 10);
	for (int i = 0; i < 128; i++) {
		snprintf(key, sizeof(key), "0 team u%d", i);
		q[i] = add(key);
		T_INT(submit(q[i], 1), i < burst ? QUOTA_GO : QUOTA_RATE);
	}
	T_INT(q[127]->slot_at, now + (128 - burst) * 100);
	other = add("0 team-b u");
	other->slot_at = now + 7777; /* (of another namespace) */
	for (int i = burst + 1; i < 127; i++) {
		quota_leave(&b, q[i]);
		HASH_DELETE(hh, b.queue, q[i]);
		free(q[i]);
	}
	quota_step(&b);
	T_INT(q[burst]->slot_at, now + 100);
	T_INT(q[127]->slot_at, now + 200);
	T_INT(q[127]->again_at, now + 200);
	T_INT(other->slot_at, now + 7777);
	now += 200;
	T_INT(submit(q[127], 1), QUOTA_GO);
	T_INT(submit(q[burst], 1), QUOTA_GO);
	/* and who comes then has the next */
	T_INT(submit(add("0 team v"), 1), QUOTA_RATE);
	T_INT(queue_entry_of("0 team v")->slot_at, now + 100);
	/* also where all have gone */
	quota_leave(&b, queue_entry_of("0 team v"));
	quota_step(&b);
	T_INT(submit(add("0 team w"), 1), QUOTA_RATE);
	T_INT(queue_entry_of("0 team w")->slot_at, now + 100);
	end();
}

T_MAIN("quota", T(a_namespace_has_so_many_jobs),
       T(jobs_of_a_former_engine_count), T(a_namespace_has_so_many_pods),
       T(submissions_have_turns), T(who_goes_away_gives_its_turn_back))
