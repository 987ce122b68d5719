/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a log that are about a node, job or pod. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_EVENT_LINE_H
#define SLURMK8S_TOOL_EVENT_LINE_H

#include <stdbool.h>

/*
 * True if we have written this line, and it names the node (also within a
 * hostlist), the job's id (as "job 5", "jobs 3,5" or "JobId=5") or the pod
 * ("NAMESPACE/NAME"). NULL: any of our lines. No list is expanded: it takes as
 * long as the line is long, however many names its hostlists have.
 */
bool event_line_is_about(const char *line, const char *what);

#endif
