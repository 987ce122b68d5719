/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A nodeset whose pods cannot start gets a rest before Slurm may try again:
 * longer with each failure in a row.
 */
#include <stdio.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/engine_internal.h"

struct cooling *cooling_of(struct engine *e, const struct nodeset *set)
{
	return &e->cooling[set - e->config->nodesets];
}

bool cooling_now(struct engine *e, const struct nodeset *set)
{
	return cooling_of(e, set)->until > clock_ms();
}

void cooling_failure(struct engine *e, const struct nodeset *set,
		     const char *words)
{
	struct cooling *c = cooling_of(e, set);
	int64_t ms;
	int n;

	if (cooling_now(e, set))
		return;
	if (c->failures < 64)
		c->failures++;
	ms = backoff_doubled(set->failover.cool_down_ms, c->failures - 1,
			     set->failover.cool_down_max_ms);
	if (!ms)
		return;
	c->until = clock_ms() + ms;
	n = snprintf(c->words, sizeof(c->words),
		     "nodeset %.253s cools down: ", set->name);
	str_shorten(c->words + n, words, sizeof(c->words) - (size_t)n);
	log_warn("nodeset %s cools down for %lld s: %s", set->name,
		 (long long)(ms + 999) / 1000, words);
}

void cooling_success(struct engine *e, const struct nodeset *set)
{
	struct cooling *c = cooling_of(e, set);

	c->failures = 0;
	c->until = 0;
}
