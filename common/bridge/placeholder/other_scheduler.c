/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that were made for another schedulerName than k8s.yaml has by now, by
 * mistake or on purpose. Only pods of the present name are in view: the pods of
 * these jobs may wait or run unseen. So nothing is done about these jobs (row
 * "pods unknown") until the name is what it was, or Slurm ends them.
 */
#include "base/log.h"
#include "bridge/placeholder/placeholder.h"

static bool is_of_other_scheduler(const struct queue_entry *q)
{
	return q->job.other_scheduler && job_is_active(q);
}

static void tell(const struct bridge *b, const struct queue_entry *one,
		 size_t n)
{
	const struct known_placeholder *k = NULL;

	HASH_FIND(hh, b->jobs.identities, &one->job.id, sizeof(one->job.id), k);
	log_error("cluster %s: %zu jobs were made for pods with another "
		  "schedulerName than \"%s\", which k8s.yaml has now: job %u, "
		  "for one, for \"%s\". Their pods are not seen, so nothing is "
		  "done about these jobs and pods. If k8s.yaml is wrong put it "
		  "right, and run \"scontrol reconfigure\": all goes on. If it "
		  "is right end them, by scancel and kubectl delete",
		  b->cluster->name, n, b->bridge->scheduler,
		  (unsigned)one->job.id, k && k->other ? k->other : "");
}

void other_scheduler_look(struct bridge *b)
{
	const struct queue_entry *one = NULL;
	size_t n = 0;

	if (b->other_scheduler.load == b->jobs.load)
		return;
	b->other_scheduler.load = b->jobs.load;
	for (const struct queue_entry *q = b->queue; q; q = q->hh.next) {
		if (!is_of_other_scheduler(q))
			continue;
		one = q;
		n++;
	}
	if (n > b->other_scheduler.n)
		tell(b, one, n);
	else if (n || !b->other_scheduler.n)
		return;
	else
		log_info("cluster %s: no job is left of those that were made "
			 "for another schedulerName than \"%s\"",
			 b->cluster->name, b->bridge->scheduler);
	b->other_scheduler.n = n;
}

bool other_scheduler_has_nodes(void *b, uint32_t job_id)
{
	const struct queue_entry *q = placeholders_queued_of(b, job_id);

	return q && is_of_other_scheduler(q) &&
	       !placeholder_waits(q->job.state);
}
