/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rest_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "syntax/wellknown.h"

#define NODESET WK_REASON_PREFIX WK_REASON_NODESET
#define ALONE WK_REASON_PREFIX WK_REASON_ALONE

static bool rests(const char *reason)
{
	return reason &&
	       (str_starts(reason, ALONE) || (str_starts(reason, NODESET) &&
					      strstr(reason, WK_REASON_COOLS)));
}

/* As the engine's log has it. */
static int64_t seconds(int64_t ms)
{
	return (ms + 999) / 1000;
}

bool rest_words(const struct failover *rules, const char *reason,
		int64_t reason_ms, int64_t now_ms, char out[REST_WORDS_MAX])
{
	const int64_t most = rules->cool_down_max_ms;
	const int64_t first =
		rules->cool_down_ms < most ? rules->cool_down_ms : most;
	char end[CLOCK_RFC3339_MAX] = "";
	int n;

	/* without a rest the Reason is of an older configuration */
	if (!rests(reason) || first <= 0)
		return false;
	n = snprintf(out, REST_WORDS_MAX, "%" PRId64 " s after a failure",
		     seconds(first));
	if (first < most)
		n += snprintf(out + n, REST_WORDS_MAX - (size_t)n,
			      ", twice as long after each in a row, at most "
			      "%" PRId64 " s (slurmctld's log has which)",
			      seconds(most));
	if (reason_ms <= 0 || !clock_write_rfc3339(reason_ms + most, end))
		return true;
	if (reason_ms + most > now_ms)
		snprintf(out + n, REST_WORDS_MAX - (size_t)n, ": until %s%s",
			 end, first < most ? " at the latest" : "");
	else
		snprintf(out + n, REST_WORDS_MAX - (size_t)n,
			 ": over since %s, so an engine that acts ends the "
			 "drain",
			 end);
	return true;
}
