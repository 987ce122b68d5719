/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/engine_beat.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"
#include "cluster/freshness.h"

void engine_beat_put(struct engine_beat *b, int64_t ms)
{
	atomic_store(&b->at, clock_ms() + ms);
}

void engine_beat_waits(struct engine_beat *b, enum engine_waits what)
{
	atomic_store(&b->waits, what);
}

void engine_beat_look(struct engine_beat *b)
{
	static const char *const what[] = {
		[ENGINE_WAITS_SLURMCTLD] = "an answer of slurmctld",
		[ENGINE_READS_FILES] =
			"k8s.yaml, or a file that it names, which may be on "
			"a file system that hangs,",
		[ENGINE_NAMES] = "an answer of the name service of "
				 "slurmctld's host",
	};
	int64_t before = atomic_load(&b->told_at), told = before;
	const int64_t late = heartbeat_late(&b->at, &told);

	if (late && atomic_compare_exchange_strong(&b->told_at, &before, told))
		log_warn("the engine has waited for %s for %" PRId64
			 " s: meanwhile nodes whose pods are lost, or do not "
			 "start, are left as they are",
			 what[atomic_load(&b->waits)], late / 1000);
}
