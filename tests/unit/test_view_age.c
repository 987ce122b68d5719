/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the bridge stops deciding, and what happens when it begins again. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/reconcile/reconcile.h"
#include "t.h"

static size_t touched;
static bool all_touched;

void queue_entry_touch(struct bridge *b, struct queue_entry *q)
{
	(void)b;
	(void)q;
	touched++;
}

void pod_groups_touch_all(struct pod_groups *v)
{
	(void)v;
	all_touched = true;
}

static void it_says_when_it_stops_and_when_it_goes_on(void)
{
	static const struct bridge_config config = {.stale_after_ms = 60000};
	const struct cluster_config cluster = {.name = (char *)"c"};
	struct freshness ages = {0};
	struct bridge b = {
		.bridge = &config, .cluster = &cluster, .ages = &ages};
	struct queue_entry *q = calloc(1, sizeof(*q) + 2);

	strcpy(q->key, "q");
	q->since.short_at = 5;
	HASH_ADD_KEYPTR(hh, b.queue, q->key, 1, q);
	t_log_clear();
	T_OK(view_check_age(&b)); /* nothing was seen: others know that */
	atomic_store(&ages.at[VIEW_PODS], clock_boot_ms());
	atomic_store(&ages.at[VIEW_NODES], clock_boot_ms() - 59000);
	T_OK(view_check_age(&b));
	T_STR(t_log(), "");
	atomic_store(&ages.at[VIEW_NODES], clock_boot_ms() - 75000);
	for (int i = 0; i < 3; i++)
		T_OK(!view_check_age(&b));
	T_OK(b.view.old);
	T_HAS(t_log(), "cluster c: the bridge knows Kubernetes nodes only as "
		       "they were at ");
	T_HAS(t_log(), ", 75 s ago (staleAfter: 60 s): no job is submitted, "
		       "changed or cancelled, and no pod is bound");
	T_OK(!strstr(strstr(t_log(), "75 s ago") + 1, "75 s ago"));
	T_INT(touched, 0);
	t_log_clear();
	atomic_store(&ages.at[VIEW_NODES], clock_boot_ms());
	for (int i = 0; i < 3; i++)
		T_OK(view_check_age(&b));
	T_OK(!b.view.old);
	T_HAS(t_log(), "cluster c: the bridge sees all of Kubernetes again");
	/* all is looked at, and what was missing is not missing since then */
	T_INT(touched, 1);
	T_OK(all_touched);
	T_INT(q->since.short_at, 0);
	HASH_DEL(b.queue, q);
	free(q);
}

static void a_thread_that_does_not_come_round_is_said_once_a_minute(void)
{
	const struct cluster_config cluster = {.name = (char *)"c"};
	struct freshness ages = {0};
	struct bridge b = {.cluster = &cluster, .ages = &ages};

	t_log_clear();
	heartbeat(&b); /* it has not begun */
	T_OK(atomic_load(&ages.bridge_at) >= clock_ms() - 1000);
	atomic_store(&ages.link_at, clock_ms() - BRIDGE_BEAT_MS + 2000);
	heartbeat(&b);
	T_STR(t_log(), "");
	atomic_store(&ages.link_at, clock_ms() - BRIDGE_BEAT_MS - 2000);
	heartbeat(&b);
	T_HAS(t_log(), "cluster c: the thread that talks to the API server has "
		       "not come round for 12 s");
	t_log_clear();
	heartbeat(&b);
	T_STR(t_log(), "");
	b.view.late_told_at -= 60000;
	heartbeat(&b);
	T_HAS(t_log(), "has not come round for 12 s");
}

static void pods_that_are_not_seen_are_listed_anew_and_said(void)
{
	const struct cluster_config cluster = {.name = (char *)"c"};
	struct freshness ages = {0};
	struct bridge b = {.cluster = &cluster, .ages = &ages};

	t_log_clear();
	view_bindings_unseen(&b, 7, 3);
	T_OK(atomic_load(&ages.relist));
	T_HAS(t_log(), "cluster c: 3 pods of job 7 were bound 10 s ago or "
		       "more, and are not seen on their nodes");
	t_log_clear();
	atomic_store(&ages.relist, false);
	view_bindings_unseen(&b, 8, 1);
	T_OK(atomic_load(&ages.relist));
	T_STR(t_log(), "");
}

T_MAIN("view_age", T(a_thread_that_does_not_come_round_is_said_once_a_minute),
       T(pods_that_are_not_seen_are_listed_anew_and_said),
       T(it_says_when_it_stops_and_when_it_goes_on))
