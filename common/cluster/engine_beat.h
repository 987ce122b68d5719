/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the engine's thread comes round. It writes; the threads of clusters
 * look, as nobody else would see it wait. All zero at first. No lock.
 */
#ifndef SLURMK8S_CLUSTER_ENGINE_BEAT_H
#define SLURMK8S_CLUSTER_ENGINE_BEAT_H

#include <stdatomic.h>
#include <stdint.h>

/* What the engine's thread may wait for. */
enum engine_waits { ENGINE_WAITS_SLURMCTLD, ENGINE_READS_FILES, ENGINE_NAMES };

struct engine_beat {
	_Atomic int64_t
		at; /* clock_ms() at which it is due; 0: it has not begun */
	_Atomic int64_t told_at; /* last line in the log; 0: never */
	atomic_int waits;	 /* enum engine_waits */
};

/*
 * Note that the engine's thread has come round, and is to do so again in `ms`,
 * or soon after. The engine's thread.
 */
void engine_beat_put(struct engine_beat *b, int64_t ms);

/* Note what the engine's thread waits for from now on. That thread. */
void engine_beat_waits(struct engine_beat *b, enum engine_waits what);

/*
 * Log, at most once a minute, that the engine's thread is late by
 * BRIDGE_BEAT_MS or more. Any thread; of several one logs it.
 */
void engine_beat_look(struct engine_beat *b);

#endif
