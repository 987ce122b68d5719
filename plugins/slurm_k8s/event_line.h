/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a log that are about a node, job or pod. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_EVENT_LINE_H
#define SLURMK8S_TOOL_EVENT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What lines are to be about; all zero: anything. Borrowed. */
struct event_topic {
	const char *name; /* a node, or a pod: "NAMESPACE/NAME"; NULL: none */
	const uint32_t *jobs; /* sorted: slurmctld's own numbers */
	size_t n_jobs;
};

/*
 * True if we have written this line, and it names the node (also within a
 * hostlist), the pod, or one of the jobs (as "job 5", "jobs 3,5" or "JobId=5").
 * No list is expanded: it takes as long as the line is long, however many names
 * its hostlists have.
 */
bool event_line_is_about(const char *line, const struct event_topic *topic);

#endif
