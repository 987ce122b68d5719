/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log lines through one sink. The default sink is standard error. Programs
 * also write to a file; plugins set a sink that hands on to Slurm's log.
 * Any thread. Control characters never get through.
 */
#ifndef SLURMK8S_BASE_LOG_H
#define SLURMK8S_BASE_LOG_H

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
};

typedef void (*log_sink_fn)(enum log_level level, const char *line);

void log_set_sink(log_sink_fn fn); /* NULL: standard error again */
void log_set_level(enum log_level level);
/* an enum log_level, or -1: no such word */
int log_level_parse(const char *word);
const char *log_level_name(enum log_level level);

/*
 * Log one line, cut at 2 KiB, if its level is at or above what log_set_level()
 * said (at first LOG_LEVEL_INFO). Calls the sink in the caller's thread: so the
 * sink must be safe in any.
 */
void log_line(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
