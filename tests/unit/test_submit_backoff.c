/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's queue is full: how often it is asked. slurmctld is the test's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

#define MANY 10000

static int64_t now = 1000000;
static struct bridge b;
static size_t has, may_have; /* jobs in Slurm's queue */
static size_t tries, refusals;
static struct job_spec order;
static struct queue_entry *bad; /* it gets in never (DenyOnLimit) */

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

void queue_entry_touch(struct bridge *t, struct queue_entry *q)
{
	(void)t;
	q->look.touched = true;
}

static struct queue_entry *add(const char *ns, int i)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + 64);

	snprintf(q->key, 64, "0 %s uid-%d", ns, i);
	q->job.state = PLACEHOLDER_NONE;
	q->look.touched = true;
	HASH_ADD_KEYPTR(hh, b.queue, q->key, strlen(q->key), q);
	return q;
}

static void begin(size_t limit)
{
	b = (struct bridge){0};
	order = (struct job_spec){0};
	has = tries = refusals = 0;
	may_have = limit;
	bad = NULL;
	now += 1000000;
}

static void end(void)
{
	struct queue_entry *q = NULL, *next = NULL;

	HASH_ITER(hh, b.queue, q, next)
	{
		HASH_DELETE(hh, b.queue, q);
		free(q);
	}
	submit_backoffs_free(&b);
}

/* As bridge/reconcile/apply.c does it. */
static void submit(struct queue_entry *q)
{
	struct err err = {0};

	if (submit_backoff_holds(&b, q, &order, &err)) {
		T_INT(err.code, -EAGAIN);
		T_STR(err.msg, "full");
		return;
	}
	tries++;
	if (has >= may_have || q == bad) {
		refusals++;
		err_set(&err, -EDQUOT, "full");
		T_OK(submit_backoff_begin(&b, q, &order, &err));
		return;
	}
	has++;
	q->job.state = PLACEHOLDER_PENDING;
	submit_backoff_passed(&b, q, &order);
}

static void step(void)
{
	submit_backoffs_step(&b);
	for (struct queue_entry *q = b.queue; q; q = q->hh.next) {
		if (!q->look.touched)
			continue;
		q->look.touched = false;
		if (q->job.state == PLACEHOLDER_NONE)
			submit(q);
	}
	now += 100;
}

static void a_full_queue_is_asked_more_and_more_seldom(void)
{
	begin(100);
	for (int i = 0; i < MANY; i++)
		add("team", i);
	for (int i = 0; i < 6000; i++) /* ten minutes */
		step();
	T_INT(has, 100);
	/* (each of them tried each half a minute: these try each 5 s, as they
	 * never did, and then one does each minute) */
	T_OK(refusals > 5 && refusals < 200);
	end();
}

static void when_there_is_room_all_get_in_soon(void)
{
	const struct queue_entry *ended;

	begin(1);
	for (int i = 0; i < 1000; i++)
		add("team", i);
	for (int i = 0; i < 3000; i++)
		step();
	ended = b.queue;
	T_INT(has, 1);
	may_have = 501;
	submit_backoff_wake(&b, ended);
	tries = refusals = 0;
	for (int i = 0; i < 30; i++) /* 3 s */
		step();
	T_INT(has, 501);
	T_OK(refusals < 5);
	/* nobody waits: nothing is left of it */
	may_have = MANY;
	for (int i = 0; i < 1000; i++)
		step();
	T_INT(has, 1000);
	T_OK(!b.limits.backoffs);
	end();
}

static void other_namespaces_and_users_go_on(void)
{
	struct queue_entry *q;
	struct err err = {0};

	begin(0);
	q = add("team-a", 1);
	add("team-b", 2);
	submit(q);
	T_OK(submit_backoff_holds(&b, q, &order, &err));
	T_OK(!submit_backoff_holds(&b, q->hh.next, &order, &err));
	order.options.v[JOB_OPTION_ACCOUNT].text = (char *)"other";
	T_OK(!submit_backoff_holds(&b, q, &order, &err));
	order.options.v[JOB_OPTION_ACCOUNT].text = NULL;
	/* (nor does the end of their jobs say anything) */
	now += 500;
	submit_backoff_wake(&b, q->hh.next);
	now += 400;
	q->look.touched = false;
	submit_backoffs_step(&b);
	T_OK(!q->look.touched);
	end();
}

static void one_that_never_gets_in_keeps_nobody_out(void)
{
	begin(MANY);
	bad = add("team", 0);
	for (int i = 1; i < 50; i++)
		add("team", i);
	for (int i = 0; i < 600; i++)
		step();
	T_INT(has, 49);
	/* one that comes later waits for a few seconds at most */
	for (int i = 0; i < 6000; i++)
		step();
	add("team", 50);
	for (int i = 0; i < 60; i++)
		step();
	T_INT(has, 50);
	T_OK(refusals < 60);
	end();
}

T_MAIN("submit_backoff", T(a_full_queue_is_asked_more_and_more_seldom),
       T(when_there_is_room_all_get_in_soon),
       T(other_namespaces_and_users_go_on),
       T(one_that_never_gets_in_keeps_nobody_out))
