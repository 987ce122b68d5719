/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/bounds.h"

#include "base/log.h"

static size_t max_of(enum bridge_class of)
{
	static const size_t max[BRIDGE_CLASSES] = {
		[BRIDGE_OF_WAITING] = BRIDGE_PODS_MAX,
		[BRIDGE_OF_OUTSIDE] = BRIDGE_OUTSIDE_MAX,
		[BRIDGE_OF_RUNNING] = BRIDGE_RUNNING_MAX,
		[BRIDGE_OF_ENDED] = BRIDGE_ENDED_MAX,
	};

	return max[of];
}

void bridge_bounds_move(struct bridge_bounds *b, enum bridge_class *is,
			enum bridge_class to)
{
	if (*is != BRIDGE_UNCOUNTED)
		b->n[*is]--;
	if (to != BRIDGE_UNCOUNTED)
		b->n[to]++;
	*is = to;
}

/*
 * Pods change their class while they are in view. What is more than its bound
 * takes the room of those that wait, so that all together are bounded.
 */
static size_t count(const struct bridge_bounds *b, enum bridge_class of)
{
	size_t n = b->n[of];

	for (int c = 0; c < BRIDGE_CLASSES && of == BRIDGE_OF_WAITING; c++) {
		const size_t max = max_of((enum bridge_class)c);

		if (c != BRIDGE_OF_WAITING && b->n[c] > max)
			n += b->n[c] - max;
	}
	return n;
}

bool bridge_bounds_room(const struct bridge_bounds *b, enum bridge_class of)
{
	return count(b, of) < max_of(of);
}

bool bridge_bounds_again(const struct bridge_bounds *b, enum bridge_class of)
{
	return count(b, of) <= max_of(of) / 10 * 9;
}

void bridge_bounds_tell(const char *c, enum bridge_class of)
{
	const size_t max = max_of(of);

	if (of == BRIDGE_OF_OUTSIDE)
		log_warn("cluster %s: more than %zu pods wait for Slurm in "
			 "namespaces that may not use it: the rest is not told",
			 c, max);
	else if (of == BRIDGE_OF_RUNNING)
		log_error("cluster %s: more than %zu pods run by Slurm's jobs: "
			  "the rest is not seen, and their jobs are left as "
			  "they are, before some of them are gone",
			  c, max);
	else if (of == BRIDGE_OF_ENDED)
		log_error("cluster %s: more than %zu pods for Slurm have "
			  "ended: the rest is not seen, and their jobs are "
			  "left as they are, before some of them are deleted",
			  c, max);
	else
		log_error("cluster %s: more than %zu pods wait for Slurm: the "
			  "rest is not seen before some of them are gone",
			  c, max);
}
