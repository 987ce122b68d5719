/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/jobs/blame.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "syntax/wellknown.h"

#define RUN " (run"
#define HELD "; held after"
#define RUN_MAX 40
#define END_MAX 100

bool blame_is(const char *words)
{
	if (words && str_starts(words, WK_REASON_PREFIX))
		words += strlen(WK_REASON_PREFIX);
	return words && (str_starts(words, BLAME_ENDED) ||
			 str_starts(words, BLAME_RESTARTED));
}

/* What both ends of a comment have, by which the run is found again. */
static void run_text(const char *before, uint32_t run, char out[RUN_MAX])
{
	snprintf(out, RUN_MAX, "%s %u", before, run);
}

void blame_note(enum blame blame, const char *words, uint32_t restarts,
		uint32_t job_id, char *out, size_t size)
{
	char run[RUN_MAX], end[END_MAX] = "";

	if (blame == BLAME_PAUSE) {
		run_text(RUN, restarts + 1, run);
		snprintf(end, sizeof(end), "%s)", run);
	} else if (blame == BLAME_HOLD) {
		run_text(HELD, restarts + 1, run);
		snprintf(end, sizeof(end), "%s runs: scontrol release %u", run,
			 job_id);
	}
	snprintf(out, size, "%.*s%s", (int)(size - sizeof(end)), words, end);
}

static bool says(const char *comment, const char *before, uint32_t run,
		 const char *after)
{
	char text[RUN_MAX];
	const char *at;

	run_text(before, run, text);
	at = strstr(comment, text);
	return at && str_starts(at + strlen(text), after);
}

/*
 * True if the job's run before this one ended its pod, too: a job may go back
 * for other causes, so two runs in a row are asked for. (The comment may also
 * be of this run: a job that has not gone back yet is planned, and told,
 * again.)
 */
static bool ended_last_time(const char *before, uint32_t restarts)
{
	return blame_is(before) && (says(before, RUN, restarts, ")") ||
				    says(before, HELD, restarts, " runs") ||
				    says(before, HELD, restarts + 1, " runs"));
}

enum blame blame_of(const char *words, const char *before, uint32_t restarts,
		    bool may_hold)
{
	if (!blame_is(words))
		return BLAME_NOBODY;
	return may_hold && restarts >= BLAME_HOLD_AT - 1 &&
			       ended_last_time(before, restarts)
		       ? BLAME_HOLD
		       : BLAME_PAUSE;
}
