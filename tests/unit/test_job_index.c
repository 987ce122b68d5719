/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When slurmctld is asked for all its jobs. It and the clock are the test's. */
#include <errno.h>
#include <stdlib.h>

#include "nodes/jobs/jobs.h"
#include "own_lists.h"
#include "t.h"

static int64_t now = 100000, load_ms;
static bool fails;
static unsigned int loads;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

int ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	now += load_ms;
	loads++;
	*out = NULL;
	return fails ? err_set(err, -EIO, "no answer") : 0;
}

void ctl_jobs_free(struct ctl_jobs *j)
{
	(void)j;
}

size_t ctl_jobs_count(const struct ctl_jobs *j)
{
	(void)j;
	return 0;
}

void ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn, void *arg)
{
	(void)j, (void)fn, (void)arg;
}

/* For so long jobs come and go on a node, and it is looked at each 10 ms. */
static unsigned int lists_in(int64_t ms)
{
	struct nodes *nodes = calloc(1, sizeof(*nodes));
	const int64_t end = now + ms;

	if (!nodes)
		abort();
	loads = 0;
	nodes->count.busy = 1;
	while (now < end) {
		job_index_expire(nodes);
		job_index_refresh(nodes);
		now += 10;
	}
	free(nodes);
	return loads;
}

/* (a slow slurmctld was asked without a pause, for what is only noted) */
static void lists_of_jobs_take_a_twentieth_of_the_time(void)
{
	static const struct {
		int64_t load_ms;
		bool fails;
		unsigned int most;
	} rows[] = {{1, false, 60},   {100, false, 29}, {1000, false, 3},
		    {1500, false, 2}, {5000, false, 2}, {0, true, 31},
		    {5000, true, 2}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		unsigned int n;

		t_row("%zu", i);
		load_ms = rows[i].load_ms;
		fails = rows[i].fails;
		n = lists_in(60000);
		T_OK(n <= rows[i].most);
		T_OK(n >= rows[i].most / 2);
	}
}

T_MAIN("job_index", T(lists_of_jobs_take_a_twentieth_of_the_time))
