/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/placeholder/placeholder_pace.h"

#include "base/clock.h"
#include "slurm/jobs_pace.h"

#define STATES_MS 250	   /* how jobs that are known are doing */
#define HURRY_STATES_MS 10 /* so often, after a submission, */
#define STATES_SHARE 10	   /* in at most this part of the time */
#define LIST_MS 5000	   /* the reasons of those that wait */
#define YOUNG_MS 10000	   /* a job without one is new, */
#define OLD_MS 10000	   /* or asked for so often */
#define STALE_MS 100	   /* something is known to have changed */
#define POLL_MS 500	   /* without that small RPC */
#define RETRY_MS 1000	   /* slurmctld does not answer */

bool placeholders_lack_a_reason(const struct bridge *b)
{
	const int64_t now = clock_ms();
	const bool often = now < b->jobs.reasons_at + OLD_MS;

	for (const struct queue_entry *q = b->queue; q; q = q->hh.next)
		if (q->job.state == PLACEHOLDER_PENDING && !q->job.reason &&
		    (!often || now - q->job.state_at < YOUNG_MS))
			return true;
	return false;
}

int64_t placeholders_list_at(const struct bridge *b)
{
	const int64_t share = b->jobs.load_took * JOBS_SHARE;
	int64_t gap = b->jobs.no_states ? POLL_MS : LIST_MS;

	if (!b->jobs.known)
		gap = RETRY_MS;
	else if (b->jobs.stale)
		gap = STALE_MS;
	return b->jobs.loaded_at
		       ? b->jobs.loaded_at + (gap > share ? gap : share)
		       : 0;
}

int64_t placeholders_states_at(const struct bridge *b)
{
	const int64_t gap = b->jobs.states_at < b->jobs.hurry_until
				    ? HURRY_STATES_MS
				    : STATES_MS;
	const int64_t share = b->jobs.states_took * STATES_SHARE;

	return b->jobs.states_at + (gap > share ? gap : share);
}

int64_t placeholders_next(const struct bridge *b)
{
	const int64_t list = placeholders_list_at(b);
	const int64_t states = placeholders_states_at(b);

	if (b->jobs.no_states || !b->jobs.n_active || !b->jobs.known)
		return list;
	return list < states ? list : states;
}
