/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a log that are about a node, job or pod. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_EVENT_LINE_H
#define SLURMK8S_TOOL_EVENT_LINE_H

#include <stdbool.h>

/*
 * True if we have written this line, and it names the node (also within a
 * hostlist), the job's id or the pod ("NAMESPACE/NAME"). NULL: any of our
 * lines.
 */
bool event_line_is_about(const char *line, const char *what);

#endif
