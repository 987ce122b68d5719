/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define LOG_LINE_MAX 2048

static const char *const names[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARN] = "warning",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

static void sink_stderr(enum log_level level, const char *line)
{
	if (level <= LOG_LEVEL_WARN)
		fprintf(stderr, "%s: %s\n", names[level], line);
	else
		fprintf(stderr, "%s\n", line);
}

static _Atomic(log_sink_fn) sink = sink_stderr;
static _Atomic int max_level = LOG_LEVEL_INFO;

void log_set_sink(log_sink_fn fn)
{
	sink = fn ? fn : sink_stderr;
}

void log_set_level(enum log_level level)
{
	max_level = (int)level;
}

int log_level_parse(const char *word)
{
	for (int i = LOG_LEVEL_ERROR; i <= LOG_LEVEL_DEBUG; i++)
		if (!strcmp(word, names[i]))
			return i;
	return -1;
}

const char *log_level_name(enum log_level level)
{
	return names[level];
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char line[LOG_LINE_MAX];
	log_sink_fn fn = sink;
	va_list ap;

	if ((int)level > max_level)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	str_sanitize(line);
	fn(level, line);
}
