/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How new what the bridge sees of Kubernetes is. The link's thread writes, the
 * bridge's thread reads; if the link's thread stands still the view gets old.
 * No lock.
 */
#ifndef SLURMK8S_CLUSTER_FRESHNESS_H
#define SLURMK8S_CLUSTER_FRESHNESS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "cluster/view_parts.h"
#include "kube/informer.h"

struct freshness {
	_Atomic int64_t at[VIEW_PARTS]; /* clock_boot_ms(), see view_parts */
	atomic_bool relist; /* bridged pods are to be listed anew; both write */
	/* clock_ms(): the thread came round last; 0: it has not begun */
	_Atomic int64_t link_at, bridge_at;
	/* The bridge's thread asks the name service just now. */
	atomic_bool asks_names;
};

#define BRIDGE_BEAT_MS 10000 /* a thread may be late by less */

/*
 * How late the thread is, in ms, that has come round last, or is due, at *at;
 * 0: nothing is to be logged, as it is late by less than BRIDGE_BEAT_MS, or was
 * logged within a minute. *told_at is the caller's: monotonic, 0 at first.
 */
int64_t heartbeat_late(const _Atomic int64_t *at, int64_t *told_at);

/*
 * Note how new a part of the view is, by its informer; NULL: it is not looked
 * at, and stays as it is. The link's thread.
 */
void freshness_put(struct freshness *f, enum view_part of,
		   const struct informer *in);

/* Note that the thread of the name has come round. That thread. */
void freshness_link_beats(struct freshness *f);
void freshness_bridge_beats(struct freshness *f);

/* Have bridged pods listed anew. Any thread. */
void freshness_relist(struct freshness *f);

/* True once after freshness_relist(). The link's thread. */
bool freshness_take_relist(struct freshness *f);

/* Tell which part is oldest now, and how old. Any thread. */
void freshness_age(struct freshness *f, struct view_age *out);

/*
 * How old a part of the view is, in ms; 0: it is not looked at, or nothing was
 * seen yet. Any thread.
 */
int64_t freshness_age_of(struct freshness *f, enum view_part of);

/*
 * The informer's view is as all was then (clock_boot_ms()), or newer; 0: no
 * watch is under way, or no list is complete. The informer's thread.
 */
int64_t view_at(const struct informer *in);

/*
 * True if `at`, of view_at(), is known, and less than stale_ms ago. Any thread.
 */
bool view_is_fresh(int64_t at, int64_t stale_ms);

#endif
