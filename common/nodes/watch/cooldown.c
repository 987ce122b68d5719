/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A nodeset whose pods cannot start gets a rest before Slurm may try again:
 * longer with each failure in a row. What fails in a guise only (features) says
 * nothing of the others: then that guise's jobs wait, and its nodes do not. Nor
 * does what is refused a job for what it has chosen, which waits by itself
 * (nodes/pod/refusal.h), or what is refused one node, which rests alone.
 */
#include <stdio.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/engine_internal.h"
#include "nodes/pod/refusal.h"

#define GOOD_MS 60000 /* so long it counts that a pod has come up */
#define NODE_WORDS "its pod cannot be made, its Comment says why"

struct cooling *cooling_of(struct engine *e, const struct nodeset *set)
{
	return &e->cooling[set - e->config->nodesets];
}

/* (without features: the first; when there are too many: the last) */
static struct guise *guise_of(struct cooling *c, feature_set worn)
{
	struct guise *g = c->guises;

	while (g->worn != worn && g < c->guises + c->n_others)
		g++;
	if (g->worn == worn || c->n_others == GUISES_MAX - 1)
		return g;
	g = &c->guises[++c->n_others];
	g->worn = worn;
	return g;
}

static bool rests(const struct guise *g)
{
	return g->until > clock_ms();
}

bool cooling_now(struct engine *e, const struct nodeset *set)
{
	return rests(cooling_of(e, set)->guises);
}

const char *cooling_words(struct engine *e, const struct nodeset *set,
			  const struct memo *m)
{
	struct cooling *c = cooling_of(e, set);

	if (rests(c->guises))
		return c->words;
	return rests(&m->alone) ? NODE_WORDS : NULL;
}

/* 0: it is not to rest, by k8s.yaml. */
static int64_t begin_rest(struct guise *g, const struct nodeset *set)
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

static void rest_all(struct engine *e, const struct nodeset *set,
		     const char *words)
{
	struct cooling *c = cooling_of(e, set);
	int64_t ms;
	int n;

	ms = rests(c->guises) ? 0 : begin_rest(c->guises, set);
	if (!ms)
		return;
	n = snprintf(c->words, sizeof(c->words),
		     "nodeset %.253s cools down: ", set->name);
	str_shorten(c->words + n, words, sizeof(c->words) - (size_t)n);
	log_warn("nodeset %s cools down for %lld s: %s", set->name,
		 (long long)(ms + 999) / 1000, words);
}

static void rest_node(struct engine *e, const struct nodeset *set,
		      const char *node, const char *words)
{
	struct memo *m;
	int64_t ms;

	HASH_FIND_STR(e->memos, node, m);
	ms = !m || rests(&m->alone) ? 0 : begin_rest(&m->alone, set);
	if (ms)
		log_warn("%s: cools down for %lld s: %s", node,
			 (long long)(ms + 999) / 1000, words);
}

/*
 * (Jobs are refused as often as there are any: so also beside nodes that come
 * up the nodeset rests. But then others need not wait for longer and longer.)
 */
void cooling_refused(struct engine *e, const struct nodeset *set,
		     const char *node, const char *words)
{
	struct cooling *c = cooling_of(e, set);

	if (refusal_wait_s(words))
		return;
	if (refusal_is_of_one_node(words)) {
		rest_node(e, set, node, words);
		return;
	}
	if (c->up_at > c->guises->since && !rests(c->guises))
		c->guises->failures = 0;
	rest_all(e, set, words);
}

void cooling_failure(struct engine *e, const struct nodeset *set,
		     feature_set worn, const char *words)
{
	struct cooling *c = cooling_of(e, set);
	struct guise *g = guise_of(c, worn);
	int64_t ms;

	/* (one machine, or one answer of a registry, is not the nodeset) */
	if (rests(c->guises) || rests(g) ||
	    (g->up_at && clock_ms() - g->up_at < GOOD_MS))
		return;
	if (!worn) {
		rest_all(e, set, words);
		return;
	}
	ms = begin_rest(g, set);
	if (ms)
		log_warn("nodeset %s: jobs of this guise wait for %lld s: %s",
			 set->name, (long long)(ms + 999) / 1000, words);
}

/*
 * (Its drain keeps a nodeset that rests from jobs. A guise has none, nor has
 * what does not rest: there the jobs themselves have to wait.)
 */
int64_t cooling_begin_s(struct engine *e, const struct nodeset *set,
			feature_set worn)
{
	struct cooling *c = cooling_of(e, set);
	const struct guise *g = guise_of(c, worn);

	if (rests(c->guises) ||
	    !backoff_doubled(set->failover.cool_down_ms, 0,
			     set->failover.cool_down_max_ms))
		return FOLLOW_NOW;
	if (!rests(g))
		return FOLLOW_NEVER;
	return (clock_real_ms() + g->until - clock_ms() + 999) / 1000;
}

void cooling_success(struct engine *e, const struct nodeset *set,
		     feature_set worn, int64_t began)
{
	struct cooling *c = cooling_of(e, set);
	struct guise *g = guise_of(c, worn);

	c->up_at = g->up_at = clock_ms();
	/* (what was on its way before says nothing of what failed since) */
	if (rests(g) && began < g->since)
		return;
	g->failures = 0;
	g->until = 0;
}
