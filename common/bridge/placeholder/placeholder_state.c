/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/placeholder/placeholder_state.h"

uint32_t placeholder_kill_wait(uint32_t kill_wait_s)
{
	return kill_wait_s ? kill_wait_s : 1;
}

/*
 * The rank of a job among those of its group: jobs by which pods run come
 * first, then jobs that run, then jobs that wait, and last jobs that end or
 * have ended.
 */
static int rank_of(const struct duplicate_job *t)
{
	bool waits = placeholder_waits(t->job);
	bool runs = t->job == PLACEHOLDER_RUNNING ||
		    t->job == PLACEHOLDER_SUSPENDED ||
		    t->job == PLACEHOLDER_STARTING;

	if ((waits || runs) && t->bound)
		return 3;
	return runs ? 2 : waits;
}

bool placeholder_to_keep(const struct duplicate_job *a,
			 const struct duplicate_job *b)
{
	int x = rank_of(a), y = rank_of(b);

	if (x != y)
		return x > y;
	/* The later one of two ended jobs counts. */
	return x ? a->job_id < b->job_id : a->job_id > b->job_id;
}
