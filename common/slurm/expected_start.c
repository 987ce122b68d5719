/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/expected_start.h"

#include <stdbool.h>

#include "base/clock.h"
#include "base/str.h"

#define HOUR_S ((int64_t)60 * 60)
#define DAY_S (24 * HOUR_S)
#define YEAR_S (365 * DAY_S)

static bool has_no_limit(const job_info_t *job)
{
	const uint32_t state = job->job_state & JOB_STATE_BASE;

	return job->time_limit == INFINITE &&
	       (state == JOB_RUNNING || state == JOB_SUSPENDED);
}

static void take_end(struct expected_starts *s, const char *partitions,
		     int64_t end)
{
	int64_t *first = &s->other;
	size_t i = 0;

	while (i < s->n && !str_eq(s->first[i].partitions, partitions))
		i++;
	if (i == s->n && partitions && s->n < EXPECTED_PARTITIONS_MAX) {
		s->first[s->n].partitions = partitions;
		s->first[s->n++].end = INT64_MAX;
	}
	if (i < s->n)
		first = &s->first[i].end;
	if (end < *first)
		*first = end;
}

void expected_starts_of(const job_info_msg_t *jobs, struct expected_starts *out)
{
	*out = (struct expected_starts){.now = clock_real_ms() / 1000,
					.other = INT64_MAX};
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const job_info_t *job = &jobs->job_array[i];
		const int64_t end = job->start_time + YEAR_S;

		if (has_no_limit(job) && end > out->now)
			take_end(out, job->partition, end);
	}
}

int64_t expected_start(const struct expected_starts *s, const job_info_t *job)
{
	int64_t end = s->other;

	if (job->state_reason == WAIT_TIME)
		return job->start_time;
	for (size_t i = 0; i < s->n; i++)
		if (s->first[i].end < end &&
		    str_lists_meet(s->first[i].partitions, job->partition))
			end = s->first[i].end;
	/* Backfill rounds; and its last look may have been some time ago. */
	return job->start_time < end - HOUR_S &&
			       job->start_time < s->now + YEAR_S - DAY_S
		       ? job->start_time
		       : 0;
}
