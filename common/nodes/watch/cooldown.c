/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A nodeset whose pods cannot start gets a rest before Slurm may try again:
 * longer with each failure in a row. What fails only with some features says
 * nothing of the others: then jobs with these wait, and its nodes do not. Nor
 * does what is refused a job for what it has chosen, which waits by itself
 * (nodes/pod/refusal.h), or what is refused one node, which rests alone.
 */
#include <stdio.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/pod/refusal.h"
#include "nodes/watch/nodes.h"
#include "syntax/wellknown.h"

#define GOOD_MS 60000 /* how long a pod that has come up counts */

struct cooldown *cooldown_of(struct nodes *nodes, const struct nodeset *set)
{
	return &nodes->cooling[set - nodes->config->nodesets];
}

/*
 * The failures of pods with these features: pods without any have the first
 * entry, and when there are too many sets, all others have the last one.
 */
static struct feature_failures *failures_of(struct cooldown *c,
					    feature_set active)
{
	struct feature_failures *g = c->by_features;

	while (g->active != active && g < c->by_features + c->n_others)
		g++;
	if (g->active == active || c->n_others == BY_FEATURES_MAX - 1)
		return g;
	g = &c->by_features[++c->n_others];
	g->active = active;
	return g;
}

static bool rests(const struct feature_failures *g)
{
	return g->until > clock_ms();
}

bool cooldown_now(struct nodes *nodes, const struct nodeset *set)
{
	return rests(cooldown_of(nodes, set)->by_features);
}

const char *cooldown_words(struct nodes *nodes, const struct nodeset *set,
			   const struct node_state *m)
{
	struct cooldown *c = cooldown_of(nodes, set);

	if (rests(c->by_features))
		return c->words;
	return rests(&m->alone) ? WK_REASON_ALONE : NULL;
}

/* Begin a rest; returns how long, in ms. 0: none, by k8s.yaml. */
static int64_t begin_rest(struct feature_failures *g, const struct nodeset *set)
{
	int64_t ms;

	if (g->failures < 64)
		g->failures++;
	ms = backoff_doubled(set->failover.cool_down_ms, g->failures - 1,
			     set->failover.cool_down_max_ms);
	g->since = clock_ms();
	g->until = ms ? g->since + ms : 0;
	return ms;
}

static void rest_all(struct nodes *nodes, const struct nodeset *set,
		     const char *words)
{
	struct cooldown *c = cooldown_of(nodes, set);
	int64_t ms;
	int n;

	ms = rests(c->by_features) ? 0 : begin_rest(c->by_features, set);
	if (!ms)
		return;
	n = snprintf(c->words, sizeof(c->words),
		     WK_REASON_NODESET "%.253s" WK_REASON_COOLS, set->name);
	str_shorten(c->words + n, words, sizeof(c->words) - (size_t)n);
	log_warn("nodeset %s cools down for %lld s: %s", set->name,
		 (long long)(ms + 999) / 1000, words);
}

static void rest_node(struct nodes *nodes, const struct nodeset *set,
		      const char *node, const char *words)
{
	struct node_state *m;
	int64_t ms;

	m = node_state_find(nodes, node);
	ms = !m || rests(&m->alone) ? 0 : begin_rest(&m->alone, set);
	if (ms)
		log_warn("%s: cools down for %lld s: %s", node,
			 (long long)(ms + 999) / 1000, words);
}

/*
 * Jobs are refused as often as there are any, so the nodeset rests even when
 * other nodes come up meanwhile. But then its rests do not grow.
 */
void cooldown_refused(struct nodes *nodes, const struct nodeset *set,
		      const char *node, const char *words)
{
	struct cooldown *c = cooldown_of(nodes, set);

	if (refusal_wait_s(words))
		return;
	if (refusal_is_of_one_node(words)) {
		rest_node(nodes, set, node, words);
		return;
	}
	if (c->up_at > c->by_features->since && !rests(c->by_features))
		c->by_features->failures = 0;
	rest_all(nodes, set, words);
}

void cooldown_failure(struct nodes *nodes, const struct nodeset *set,
		      feature_set active, const char *words)
{
	struct cooldown *c = cooldown_of(nodes, set);
	struct feature_failures *g = failures_of(c, active);
	int64_t ms;

	/*
	 * Others come up: one machine, or an answer of a registry, has failed.
	 */
	if (rests(c->by_features) || rests(g) ||
	    (g->up_at && clock_ms() - g->up_at < GOOD_MS))
		return;
	if (!active) {
		rest_all(nodes, set, words);
		return;
	}
	ms = begin_rest(g, set);
	if (ms)
		log_warn("nodeset %s: jobs with these features wait for %lld "
			 "s: %s",
			 set->name, (long long)(ms + 999) / 1000, words);
}

/*
 * A nodeset that rests is drained, which keeps jobs away. Features have no
 * drain, nor has a nodeset that does not rest: there the jobs themselves have
 * to wait.
 */
int64_t cooldown_begin_s(struct nodes *nodes, const struct nodeset *set,
			 feature_set active)
{
	struct cooldown *c = cooldown_of(nodes, set);
	const struct feature_failures *g = failures_of(c, active);

	if (rests(c->by_features) ||
	    !backoff_doubled(set->failover.cool_down_ms, 0,
			     set->failover.cool_down_max_ms))
		return REQUEUED_NOW;
	if (!rests(g))
		return REQUEUED_NEVER;
	return (clock_real_ms() + g->until - clock_ms() + 999) / 1000;
}

void cooldown_success(struct nodes *nodes, const struct nodeset *set,
		      feature_set active, int64_t began)
{
	struct cooldown *c = cooldown_of(nodes, set);
	struct feature_failures *g = failures_of(c, active);

	c->up_at = g->up_at = clock_ms();
	/*
	 * A start that began before the rest says nothing of what failed since.
	 */
	if (rests(g) && began < g->since)
		return;
	g->failures = 0;
	g->until = 0;
}
