/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does the engine's thread come round? It writes; the threads of clusters look,
 * as nobody else would see it wait. All zero at first.
 */
#ifndef SLURMK8S_CLUSTER_ENGINE_BEAT_H
#define SLURMK8S_CLUSTER_ENGINE_BEAT_H

#include <stdatomic.h>
#include <stdint.h>

/* What it may wait for. */
enum engine_waits { ENGINE_WAITS_SLURMCTLD, ENGINE_READS_FILES, ENGINE_NAMES };

struct engine_beat {
	_Atomic int64_t
		at; /* clock_ms(): it is due then; 0: it did not begin */
	_Atomic int64_t told_at; /* by any cluster's thread; 0: never */
	atomic_int waits;	 /* enum engine_waits */
};

/* It has come round, and is to do so again in `ms`, or soon after. */
void engine_beat_put(struct engine_beat *b, int64_t ms);

/*
 * Say in the log, once a minute, that it is late by BRIDGE_BEAT_MS or more. Any
 * thread; of several one says it.
 */
void engine_beat_look(struct engine_beat *b);

#endif
