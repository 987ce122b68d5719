/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job's AdminComment says which pods it is for, and Slurm's operators may
 * write another one over it: scancel --admin-comment (25.11 and later) does so
 * before it signals the job. What this engine knows of such a job holds until
 * it is gone. The next engine cannot know it, and takes it for somebody else's.
 */
#include "base/log.h"
#include "bridge/placeholder/placeholder.h"

/*
 * False if Slurm has given the number of the job to another one. A requeue
 * counts as a submission, too.
 */
static bool is_the_same(const struct known_placeholder *k,
			const struct placed *p)
{
	return !k->listed ||
	       (k->user == p->uid && (k->submit == p->submit || p->restarts));
}

static bool is_over(const struct placed_status *s)
{
	return s->state == PLACED_ENDED || s->state == PLACED_COMPLETING;
}

bool overwritten_is_ours(struct known_placeholder *k, const struct placed *p)
{
	if (!*k->key || !is_the_same(k, p))
		return false;
	/* A job_submit plugin may overwrite each job's: see cancel_lost(). */
	k->lost = !k->listed && !is_over(&p->status);
	if (!k->lost && !is_over(&p->status))
		log_warn("bridge: the AdminComment of job %u was overwritten "
			 "(scontrol update, scancel --admin-comment): it said "
			 "which pods the job is for. The bridge goes on with "
			 "it, but a slurmctld that is started anew takes it "
			 "for somebody else's, and then its pods get another "
			 "job or are deleted: let it end before, or scancel it",
			 (unsigned)k->job_id);
	return true;
}

/*
 * The job of the group's first running pod: mostly all have one job. 0: no pod
 * runs.
 */
static uint32_t job_of_pods(struct bridge *b, const char *key)
{
	const struct pod_group *g;
	const struct group_pod *m;
	uint32_t job_id;

	pod_groups_lock(b->groups);
	g = pod_groups_find(b->groups, key);
	m = g ? g->members : NULL;
	while (m && !pod_runs(m->pod))
		m = m->next;
	job_id = m ? m->pod->job_id : 0;
	pod_groups_unlock(b->groups);
	return job_id;
}

void overwritten_tell(struct bridge *b, const struct queue_entry *q,
		      const char *row)
{
	char group[BRIDGE_KEY_MAX];
	uint32_t job_id;

	if (strcmp(row, "lost") != 0 && strcmp(row, "orphan?") != 0)
		return;
	job_id = job_of_pods(b, q->key);
	if (!job_id || !ctl_placeholders_is_other(b->jobs.list, job_id))
		return;
	pod_groups_mark(q->key, group);
	log_error("bridge: %s: its pods run by job %u, and Slurm's job of that "
		  "number has another AdminComment than the bridge wrote: it "
		  "is taken for somebody else's, and these pods get another "
		  "job or are deleted. If it is theirs, on their nodes "
		  "(scontrol show job %u), scancel it, or it holds them until "
		  "its time limit",
		  group, (unsigned)job_id, (unsigned)job_id);
}
