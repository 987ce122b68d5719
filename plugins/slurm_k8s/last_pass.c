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

/* common/metrics/table.c and common/engine/measure.c write it */
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

/* -ECONNREFUSED: as none of this host acts there is neither. */
static int read_metrics(const struct metrics_config *c, char **text,
			const char **from, struct err *err)
{
	struct err of_file = {0};
	size_t len;
	int rc = -ENOENT;

	*from = c->listen;
	if (c->listen)
		rc = served_metrics_read(c->listen, text, err);
	if (!rc || !c->file)
		return rc;
	rc = fs_read_file(c->file, METRICS_TEXT_MAX, text, &len, &of_file);
	if (!rc)
		*from = c->file;
	else if (!c->listen)
		*err = of_file;
	else
		rc = err->code;
	return rc == -ENOENT ? -ECONNREFUSED : rc;
}

int64_t last_pass_read(const struct metrics_config *c,
		       char words[LAST_PASS_WORDS_MAX])
{
	_cleanup_free_ char *text = NULL;
	const int64_t now = clock_real_ms();
	const char *from;
	struct err err = {0};
	int64_t at, ago;
	int rc;

	*words = '\0';
	if (!c->file && !c->listen)
		return -1;
	rc = read_metrics(c, &text, &from, &err);
	if (rc) {
		snprintf(words, LAST_PASS_WORDS_MAX,
			 rc == -ECONNREFUSED ? "no engine of this host acts: %s"
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
		 *from == '/' || str_starts(from, LISTEN_UNIX)
			 ? ""
			 : "whoever listens at ",
		 from);
	return ago;
}
