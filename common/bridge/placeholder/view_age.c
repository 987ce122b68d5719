/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the bridge's view of Kubernetes is new enough to act by. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"
#include "bridge/placeholder/placeholder.h"
#include "metrics/metrics.h"

#define UNSEEN_TOLD_MS 60000

static void tell_stale(const struct bridge *b, const struct view_age *age)
{
	char since[CLOCK_RFC3339_MAX];

	clock_write_rfc3339(clock_real_ms() - age->ms, since);
	log_error("cluster %s: the bridge knows %s only as they were at %s, "
		  "%" PRId64 " s ago (staleAfter: %" PRId64 " s): no job is "
		  "submitted, changed or cancelled, and no pod is bound, until "
		  "it sees them again; pods of jobs that have ended are "
		  "deleted after a look at each",
		  b->cluster->name, view_part_name(age->of), since,
		  age->ms / 1000, b->bridge->stale_after_ms / 1000);
}

/*
 * Log that all is seen again, and have all groups looked at, as if they had
 * begun to lack something only now.
 */
static void tell_fresh(struct bridge *b)
{
	static const struct group_since nothing;

	log_info("cluster %s: the bridge sees all of Kubernetes again, after "
		 "%" PRId64 " s",
		 b->cluster->name, (clock_ms() - b->view.old_at) / 1000);
	for (struct queue_entry *q = b->queue; q; q = q->hh.next) {
		queue_entry_lacks(q, &nothing);
		queue_entry_act_again(q);
		queue_entry_touch(b, q);
	}
	pod_groups_touch_all(b->groups);
}

void heartbeat(struct bridge *b)
{
	int64_t late;

	if (!b->ages)
		return;
	freshness_bridge_beats(b->ages);
	late = heartbeat_late(&b->ages->link_at, &b->view.late_told_at);
	if (late)
		log_error("cluster %s: the thread that talks to the API server "
			  "has not come round for %" PRId64 " s: nothing is "
			  "bound, deleted or told meanwhile",
			  b->cluster->name, late / 1000);
}

void view_bindings_unseen(struct bridge *b, uint32_t job_id, size_t pods)
{
	const int64_t now = clock_ms();

	if (!b->ages)
		return;
	freshness_relist(b->ages);
	if (b->view.unseen_told_at &&
	    now - b->view.unseen_told_at < UNSEEN_TOLD_MS)
		return;
	b->view.unseen_told_at = now;
	log_warn("cluster %s: %zu pods of job %u were bound 10 s ago or more, "
		 "and are not seen on their nodes: all bridged pods are listed "
		 "anew",
		 b->cluster->name, pods, (unsigned)job_id);
}

bool view_check_age(struct bridge *b)
{
	struct view_age age;
	bool stale;

	if (!b->ages)
		return true;
	freshness_age(b->ages, &age);
	metrics_set(METRIC_BRIDGE_VIEW, 0, 0, age.ms);
	stale = view_is_stale(&age, b->bridge->stale_after_ms);
	if (stale == b->view.old)
		return !stale;
	b->view.old = stale;
	if (stale) {
		b->view.old_at = clock_ms();
		tell_stale(b, &age);
	} else {
		tell_fresh(b);
	}
	return !stale;
}
