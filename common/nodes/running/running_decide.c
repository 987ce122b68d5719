/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/running/running_decide.h"

/* In the order in which nodes are taken. */
enum standing {
	KEPT_BY_ADMIN, /* runs whatever we do */
	KEPT_BY_US,
	RUNS,
	SLEEPS,
	UNFIT, /* does not count, and cannot be started now */
};

bool running_counts(const struct running_view *v)
{
	return v->usable && (v->starting || v->power == NODE_UP ||
			     v->power == NODE_POWERING_UP);
}

static enum standing standing_of(const struct running_view *v)
{
	if (!running_counts(v))
		return v->usable && v->power == NODE_POWERED_DOWN &&
				       v->may_start
			       ? SLEEPS
			       : UNFIT;
	if (v->ours)
		return KEPT_BY_US;
	return v->excepted ? KEPT_BY_ADMIN : RUNS;
}

static void take(const struct running_view *v, struct running_decision *d)
{
	d->keep = !v->excepted;
	d->start = standing_of(v) == SLEEPS;
	d->release = false;
}

void running_decide(const struct running_view *v, size_t n, uint32_t wanted,
		    struct running_decision *out)
{
	uint32_t taken = 0;

	for (size_t i = 0; i < n; i++)
		out[i] = (struct running_decision){.release = v[i].ours};
	for (enum standing s = KEPT_BY_ADMIN; s < UNFIT; s++)
		for (size_t i = 0; i < n && taken < wanted; i++)
			if (standing_of(&v[i]) == s) {
				take(&v[i], &out[i]);
				taken++;
			}
}
