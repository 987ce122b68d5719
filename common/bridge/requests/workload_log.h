/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the bridge says of pods in the log: of each workload (a Job with its
 * pods, say) and reason one line a minute, and then how many more there were.
 * Who creates pods must not be able to fill slurmctld's disk. One thread at a
 * time.
 */
#ifndef SLURMK8S_BRIDGE_REQUESTS_WORKLOAD_LOG_H
#define SLURMK8S_BRIDGE_REQUESTS_WORKLOAD_LOG_H

#include "base/log.h"
#include "objects/workload.h"

#define SAY_MS 60000	  /* until a line may be said again */
#define SAY_MAX 1000	  /* lines in that time; others are counted */
#define SAY_WORDS_MAX 600 /* bytes of a reason */

struct workload_logs; /* NULL: nothing was said yet */

/*
 * Log "bridge: Job ns/name: WORDS" now, or later as a number of such lines. *s
 * is made if it is NULL; without memory nothing is logged.
 */
void log_workload(struct workload_logs **s, enum log_level level,
		  const struct workload *of, const char *words);

/*
 * Log how many lines were not said, a minute after each was. Cheap: call it
 * often.
 */
void log_workload_rest(struct workload_logs **s);

/* Free it; what was not said is not logged. NULL: nothing. */
void workload_logs_free(struct workload_logs *s);

#endif
