/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How new what the bridge sees of Kubernetes is. The link's thread writes, the
 * bridge's thread reads; if the link's thread stands still the view gets old.
 */
#ifndef SLURMK8S_CLUSTER_FRESHNESS_H
#define SLURMK8S_CLUSTER_FRESHNESS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cluster/view_parts.h"
#include "kube/informer.h"

struct freshness {
	_Atomic int64_t at[VIEW_PARTS]; /* clock_boot_ms(), see bridge_sights */
	atomic_bool relist; /* bridged pods are to be listed anew; both */
	/* clock_ms(): the thread came round last; 0: it did not begin */
	_Atomic int64_t link_at, bridge_at;
	/* The bridge's thread asks the name service just now. */
	atomic_bool asks_names;
};

#define BRIDGE_BEAT_MS 10000 /* a thread that is so late: it is said */

/* How late the other one is, if that is to be said now; else 0. *told_at is the
 * caller's: monotonic, 0 at first. */
int64_t heartbeat_late(_Atomic int64_t *at, int64_t *told_at);

/* The link's thread. NULL: it is not looked at. */
void freshness_put(struct freshness *f, enum view_part of,
		   const struct informer *in);

/* Any thread: bridged pods are to be listed anew. */
void freshness_relist(struct freshness *f);

/* Any thread: what is oldest now. */
void freshness_age(struct freshness *f, struct view_age *out);

/*
 * What it shows is as it was then (clock_boot_ms()), or newer; 0: no watch is
 * under way.
 */
int64_t view_at(const struct informer *in);
/* That is not 0, and not that long ago. */
bool view_is_fresh(int64_t at, int64_t stale_ms);

#endif
