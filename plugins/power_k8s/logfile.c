/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

static int fd = -1;
static const char *program = "";

static void sink(enum log_level level, const char *line)
{
	char text[2400], date[40];
	int64_t ms = clock_real_ms();
	time_t now = (time_t)(ms / 1000);
	const char *kind = level <= LOG_LEVEL_WARN ? log_level_name(level) : "";
	struct tm tm;
	int n;

	fprintf(stderr, "%s: %s%s%s\n", program, kind, *kind ? ": " : "", line);
	if (fd < 0)
		return;
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S",
		 localtime_r(&now, &tm));
	n = snprintf(text, sizeof(text), "[%s.%03d] %s[%d]: %s%s%s\n", date,
		     (int)(ms % 1000), program, (int)getpid(), kind,
		     *kind ? ": " : "", line);
	if (n >= (int)sizeof(text)) {
		n = (int)sizeof(text) - 1;
		text[n - 1] = '\n';
	}
	if (write(fd, text, (size_t)n) < 0)
		return; /* a full disk must not stop nodes */
}

void logfile_open(const char *name, const char *path)
{
	program = name;
	log_set_sink(sink);
	if (!path)
		return;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY,
		  0640);
	if (fd < 0)
		log_warn("cannot write the log file %s: %s", path,
			 strerror(errno));
}

void logfile_syslog(const char *name, const char *text)
{
	syslog(LOG_DAEMON | LOG_ERR, "%s: %s", name, text);
}

void logfile_close(void)
{
	log_set_sink(NULL);
	if (fd >= 0)
		close(fd);
	fd = -1;
}
