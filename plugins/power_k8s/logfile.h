/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs' log: standard error, which slurmctld throws away, and a file.
 * One write per line, so that programs that run at once do not mix lines.
 */
#ifndef SLURMK8S_POWER_LOGFILE_H
#define SLURMK8S_POWER_LOGFILE_H

/* `path` NULL: standard error only. A file that cannot be opened is a warning.
 */
void logfile_open(const char *program, const char *path);
void logfile_close(void);

/* An error from before there is a file. */
void logfile_syslog(const char *program, const char *text);

#endif
