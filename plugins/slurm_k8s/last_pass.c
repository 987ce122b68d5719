/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "last_pass.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "config/listen_address.h"
#include "metrics/metrics.h"
#include "served_metrics.h"

/* common/metrics/table.c and common/engine/measure.c write this series. */
#define SERIES "slurm_k8s_last_pass_timestamp_seconds{thread=\"engine\"} "
#define SECONDS_MAX 1e12 /* some 30000 years */

int64_t last_pass_of(const char *metrics)
{
	const char *line = metrics;
	char *end;
	double s;

	while (line && !str_starts(line, SERIES)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return -1;
	line += strlen(SERIES);
	s = strtod(line, &end);
	if (end == line || (*end && *end != '\n') || !isfinite(s) || s < 0 ||
	    s > SECONDS_MAX)
		return -1;
	return (int64_t)(s * 1000);
}

/*
 * Read the metrics. Returns where they come from; NULL: nowhere, with code and
 * words in err.
 */
static const char *read_metrics(const struct metrics_config *c, char **text,
				struct err *err)
{
	size_t len;

	if (c->listen && !served_metrics_read(c->listen, text, err))
		return c->listen;
	/* Where an address is given its error is kept, which helps more. */
	if (c->file && !fs_read_file(c->file, METRICS_TEXT_MAX, text, &len,
				     c->listen ? NULL : err))
		return c->file;
	return NULL;
}

int64_t last_pass_read(const struct metrics_config *c,
		       char words[LAST_PASS_WORDS_MAX])
{
	_cleanup_free_ char *text = NULL;
	const int64_t now = clock_real_ms();
	const char *from;
	struct err err = {0};
	int64_t at, ago;

	*words = '\0';
	if (!c->file && !c->listen)
		return -1;
	from = read_metrics(c, &text, &err);
	if (!from) {
		snprintf(words, LAST_PASS_WORDS_MAX,
			 err.code == -ECONNREFUSED || err.code == -ENOENT
				 ? "no engine of this host acts: %s"
				 : "its last pass is not known: %s",
			 err.msg);
		return -1;
	}
	at = last_pass_of(text);
	if (at < 0) {
		snprintf(words, LAST_PASS_WORDS_MAX,
			 "its last pass is not known: %s has none", from);
		return -1;
	}
	ago = now > at ? now - at : 0;
	/* Any user may listen at a port while no engine does. */
	snprintf(words, LAST_PASS_WORDS_MAX,
		 "its last pass was %" PRId64 " s ago, as %s%s has it",
		 ago / 1000,
		 *from == '/' || listen_path(from) ? "" : "whoever listens at ",
		 from);
	return ago;
}
