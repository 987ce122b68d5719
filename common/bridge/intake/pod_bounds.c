/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/pod_bounds.h"

#include "base/log.h"

static size_t max_of(enum pod_bounds_class of)
{
	static const size_t max[PODS_CLASSES] = {
		[PODS_WAITING] = BRIDGE_PODS_MAX,
		[PODS_OUTSIDE] = BRIDGE_OUTSIDE_MAX,
		[PODS_RUNNING] = BRIDGE_RUNNING_MAX,
		[PODS_ENDED] = BRIDGE_ENDED_MAX,
	};

	return max[of];
}

void pod_bounds_move(struct pod_bounds *b, enum pod_bounds_class *is,
		     enum pod_bounds_class to)
{
	if (*is != PODS_UNCOUNTED)
		b->n[*is]--;
	if (to != PODS_UNCOUNTED)
		b->n[to]++;
	*is = to;
}

/*
 * Pods change their class while they are in view. What is more than its bound
 * takes the room of those that wait, so that all together are bounded.
 */
static size_t count(const struct pod_bounds *b, enum pod_bounds_class of)
{
	size_t n = b->n[of];

	for (int c = 0; c < PODS_CLASSES && of == PODS_WAITING; c++) {
		const size_t max = max_of((enum pod_bounds_class)c);

		if (c != PODS_WAITING && b->n[c] > max)
			n += b->n[c] - max;
	}
	return n;
}

bool pod_bounds_room(const struct pod_bounds *b, enum pod_bounds_class of)
{
	return count(b, of) < max_of(of);
}

bool pod_bounds_again(const struct pod_bounds *b, enum pod_bounds_class of)
{
	return count(b, of) <= max_of(of) / 10 * 9;
}

void pod_bounds_tell(const char *c, enum pod_bounds_class of)
{
	const size_t max = max_of(of);

	if (of == PODS_OUTSIDE)
		log_warn("cluster %s: more than %zu pods wait for Slurm in "
			 "namespaces that may not use it: the rest is not told",
			 c, max);
	else if (of == PODS_RUNNING)
		log_error("cluster %s: more than %zu pods run by Slurm's jobs: "
			  "the rest is not seen, and their jobs are left as "
			  "they are, before some of them are gone",
			  c, max);
	else if (of == PODS_ENDED)
		log_error("cluster %s: more than %zu pods for Slurm have "
			  "ended: the rest is not seen, and their jobs are "
			  "left as they are, before some of them are deleted",
			  c, max);
	else
		log_error("cluster %s: more than %zu pods wait for Slurm: the "
			  "rest is not seen before some of them are gone",
			  c, max);
}
