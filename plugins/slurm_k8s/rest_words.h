/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a node rests that cools down, for people. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_REST_WORDS_H
#define SLURMK8S_TOOL_REST_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

#define REST_WORDS_MAX 256

/*
 * Write of a drained node how long its rest is, and until when it lasts at the
 * latest: `reason` (may be NULL) and `reason_ms` (epoch; 0 or less: not known)
 * are Slurm's, `now_ms` is the time (epoch). Which of the doubled rests it is
 * stands in slurmctld's log alone. False: it does not cool down.
 */
bool rest_words(const struct failover *rules, const char *reason,
		int64_t reason_ms, int64_t now_ms, char out[REST_WORDS_MAX]);

#endif
