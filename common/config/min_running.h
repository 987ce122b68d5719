/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many nodes of a nodeset are to run, whether jobs want them or not:
 * minRunning and minRunningSchedule of k8s.yaml(5). Pure: no I/O, no clock. Any
 * thread.
 */
#ifndef SLURMK8S_CONFIG_MIN_RUNNING_H
#define SLURMK8S_CONFIG_MIN_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/err.h"
#include "json/yaml.h"

#define MIN_RUNNING_WINDOWS_MAX 32

/*
 * Hours of a week in which so many nodes run. Minutes are those of the day, 0
 * to 1440; with `to` not above `from` it ends on the next day.
 */
struct min_running_window {
	uint8_t days; /* bit 0: it begins on a Sunday, as tm_wday has it */
	uint16_t from, to;
	uint32_t nodes;
};

/* {0}: none. `where` is owned. */
struct min_running {
	uint32_t nodes; /* at any time */
	struct min_running_window windows[MIN_RUNNING_WINDOWS_MAX];
	size_t n_windows;
	char *where; /* for errors: "k8s.yaml:8:5: nodeset 'cpu': minRunning";
			NULL: nothing is wanted */
};

/*
 * Read both keys of the mapping `nodeset_map` of the nodeset `nodeset`, which
 * has `n_nodes` nodes. 0; -EINVAL with file:line:column; -ENOMEM. The caller
 * clears *out in any case.
 */
int min_running_read(const struct yaml *y, ynode nodeset_map,
		     const char *nodeset, size_t n_nodes,
		     struct min_running *out, struct err *err);

/* Free what it owns. */
void min_running_clear(struct min_running *m);

/*
 * How many nodes are to run at this time of the week: the most of all that
 * applies.
 */
uint32_t min_running_at(const struct min_running *m, const struct tm *local);

#endif
