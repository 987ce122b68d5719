/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs' log: standard error, which slurmctld throws away, and a file.
 * One write per line, so that programs that run at once do not mix lines. Main
 * thread of a program.
 */
#ifndef SLURMK8S_POWER_LOGFILE_H
#define SLURMK8S_POWER_LOGFILE_H

/*
 * Send log lines to both. `program` and its text stay the caller's. `path`
 * NULL: standard error only; a file that cannot be opened is a warning.
 */
void logfile_open(const char *program, const char *path);
/* Close the file; lines then go to standard error only. */
void logfile_close(void);

/* Log an error by syslog(3), when there is no file yet. */
void logfile_syslog(const char *program, const char *text);

#endif
