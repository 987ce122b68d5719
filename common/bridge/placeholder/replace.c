/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job of which nothing can be made in Slurm any more gives way to another. */
#include "base/log.h"
#include "bridge/placeholder/placeholder.h"
#include "metrics/metrics.h"

#define AGAIN_MS 2000

void end_and_replace(struct bridge *b, struct queue_entry *q, const char *why)
{
	struct err err = {0};

	if (end_to_begin_anew(b, q, &err)) {
		log_warn("bridge: job %u: %s", q->job.id, err.msg);
		queue_entry_later(b, q, AGAIN_MS);
		return;
	}
	metrics_count(METRIC_BRIDGE_JOBS, METRICS_CANCELLED, 0);
	log_info("bridge: job %u is cancelled, and its pods get another one: "
		 "%s",
		 q->job.id, why);
}
