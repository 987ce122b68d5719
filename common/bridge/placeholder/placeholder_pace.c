/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/placeholder/placeholder_pace.h"

#include "base/clock.h"
#include "slurm/jobs_pace.h"

/* How long after the last time slurmctld is asked, in ms */
#define STATES_MS 250	   /* for the states of known jobs */
#define HURRY_STATES_MS 10 /* for these states, soon after a submission */
#define STATES_SHARE 10	   /* the time that asking took, so many times */
#define LIST_MS 5000	   /* for a list of all jobs */
/* A list tells why jobs wait. A missing reason is asked for while the job is
 * younger than YOUNG_MS, and for older jobs after OLD_MS. */
#define YOUNG_MS 10000
#define OLD_MS 10000
#define STALE_MS 100  /* for a list, if a job is known to have changed */
#define POLL_MS 500   /* for a list, if Slurm has no RPC for states */
#define RETRY_MS 1000 /* for a list, while slurmctld does not answer */

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
