/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long no job is submitted after one that was refused, or of no use. */
#include <stdlib.h>
#include <string.h>

#include "bridge/reconcile/reconcile.h"
#include "t.h"

static int64_t now = 1000000, later;
static unsigned int logged;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

void queue_entry_touch(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	(void)q;
}

void queue_entry_later(struct bridge *b, struct queue_entry *q, int64_t ms)
{
	(void)b;
	(void)q;
	later = ms;
}

void group_log(struct bridge *b, enum log_level level,
	       const struct workload *of, const char *words)
{
	(void)b;
	(void)level;
	(void)of;
	T_STR(words, "no");
	logged++;
}

/* (Slurm takes each job, and what it gives is of no use again) */
static void each_job_that_is_given_back_doubles_the_pause(void)
{
	static const int64_t ms[] = {60000,  120000, 240000,
				     480000, 600000, 600000};
	struct group_observation j = {0};
	struct bridge b = {0};
	struct queue_entry *q = calloc(1, sizeof(*q) + 1);

	logged = 0;
	for (size_t i = 0; i < T_COUNT(ms); i++) {
		t_row("%zu", i);
		group_given_back(&b, q, &j, "no");
		T_INT(later, ms[i]);
		T_INT(q->refused.submit_at, now + ms[i]);
		q->refused.failures = 0;
	}
	T_INT(logged, 1);
	/* one has run */
	q->refused.in_vain = 0;
	group_given_back(&b, q, &j, "no");
	T_INT(later, 60000);
	/* and Slurm refuses the next one */
	group_refused(&b, q, &j, "no");
	T_INT(later, 120000);
	free(q->refused.words);
	free(q);
}

T_MAIN("refused", T(each_job_that_is_given_back_doubles_the_pause))
