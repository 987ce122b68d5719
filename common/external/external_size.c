/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "external/external_size.h"

#include <string.h>

#include "base/str.h"
#include "syntax/gres.h"

/*
 * Length of the next item, which may have commas between parentheses:
 * "gpu:2(S:0,1)".
 */
static size_t next_gres(const char **list)
{
	const char *end;
	int depth = 0;

	*list += strspn(*list, ",");
	for (end = *list; *end && (*end != ',' || depth); end++) {
		depth += *end == '(';
		depth -= *end == ')' && depth;
	}
	return (size_t)(end - *list);
}

/*
 * True if `b` has another number of a gres that `a` names; with `fewer`: a
 * smaller one.
 */
static bool differs(const char *a, const char *b, bool fewer)
{
	const char *item = a;
	size_t len;

	for (; (len = next_gres(&item)); item += len) {
		size_t n = strcspn(item, ":(,");
		char kind[EXTERNAL_NODE_GRES_MAX + 1];
		uint64_t has, is;

		if (n >= sizeof(kind))
			return true;
		memcpy(kind, item, n);
		kind[n] = '\0';
		has = gres_count(a, kind);
		is = gres_count(b, kind);
		if (fewer ? is < has : is != has)
			return true;
	}
	return false;
}

bool external_size_has_same_counts(const char *a, const char *b)
{
	return !differs(a, b, false);
}

bool external_size_has_fewer(const char *a, const char *b)
{
	return differs(a, b, true);
}

bool external_size_is_notable(uint64_t a, uint64_t b)
{
	const uint64_t diff = a > b ? a - b : b - a;

	return diff && diff >= a / EXTERNAL_SIZE_NOTABLE;
}

/* --- since when */

static void note(struct external_size_change *c, uint64_t has, uint64_t is,
		 int64_t now)
{
	const bool less = is < has;

	if (is == has) {
		c->since = 0;
		return;
	}
	if (!c->since || c->less != less) {
		*c = (struct external_size_change){
			.since = now, .less = less, .nearest = is};
		return;
	}
	if (less ? is > c->nearest : is < c->nearest)
		c->nearest = is;
}

static void note_gres(struct external_size_change *c, const char *has,
		      const char *is, int64_t now)
{
	const bool less = external_size_has_fewer(has, is);

	if (!less && external_size_has_same_counts(is, has))
		c->since = 0;
	else if (!c->since || c->less != less)
		*c = (struct external_size_change){.since = now, .less = less};
}

static bool has_lasted(const struct external_size_change *c, int64_t now,
		       int64_t lasts_ms)
{
	return c->since && now - c->since >= lasts_ms;
}

static int64_t gres_lasts(const struct external_size_change *gres,
			  int64_t lasts_ms)
{
	return !gres->less && lasts_ms > EXTERNAL_SIZE_DEVICES_MS
		       ? EXTERNAL_SIZE_DEVICES_MS
		       : lasts_ms;
}

/* --- what Slurm is to be told */

/* "gpu:2(S:0-1),nic:1": without what Slurm has added */
static void copy_gres(char out[EXTERNAL_NODE_GRES_MAX + 1], const char *text)
{
	size_t n = 0;
	int depth = 0;

	for (; *text && n < EXTERNAL_NODE_GRES_MAX; text++) {
		depth += *text == '(';
		if (!depth)
			out[n++] = *text;
		depth -= *text == ')' && depth;
	}
	out[n] = '\0';
}

/*
 * True if it is worth a renewal. Less always is: Slurm promises what is not
 * there.
 */
static bool is_worth_it(const struct external_size_change *c, uint64_t has)
{
	return c->less || external_size_is_notable(has, c->nearest);
}

void external_size_look(struct external_size *s,
			struct external_node_shape *shape,
			const struct external_size_has *has, int64_t now,
			int64_t lasts_ms)
{
	const char *gres = has->gres ? has->gres : "";
	bool cpus, memory, devices, worth;

	note(&s->cpus, has->cpus, shape->cpus, now);
	note(&s->memory_mib, has->memory_mib, shape->memory_mib, now);
	note_gres(&s->gres, gres, shape->gres, now);
	cpus = has_lasted(&s->cpus, now, lasts_ms);
	memory = has_lasted(&s->memory_mib, now, lasts_ms);
	devices = has_lasted(&s->gres, now, gres_lasts(&s->gres, lasts_ms));
	worth = devices || (cpus && is_worth_it(&s->cpus, has->cpus)) ||
		(memory && is_worth_it(&s->memory_mib, has->memory_mib));
	shape->cpus = worth && cpus ? (uint32_t)s->cpus.nearest : has->cpus;
	shape->memory_mib =
		worth && memory ? s->memory_mib.nearest : has->memory_mib;
	if (!worth || !devices)
		copy_gres(shape->gres, gres);
}

static void sooner(int64_t *at, const struct external_size_change *c,
		   int64_t now, int64_t lasts_ms)
{
	const int64_t due = c->since + lasts_ms;

	if (c->since && due > now && (!*at || due < *at))
		*at = due;
}

int64_t external_size_next(const struct external_size *s, int64_t now,
			   int64_t lasts_ms)
{
	int64_t at = 0;

	sooner(&at, &s->cpus, now, lasts_ms);
	sooner(&at, &s->memory_mib, now, lasts_ms);
	sooner(&at, &s->gres, now, gres_lasts(&s->gres, lasts_ms));
	return at;
}

/* --- how often */

int64_t external_size_renew_at(const struct external_size_renewals *r,
			       int64_t now)
{
	int64_t first = now;

	for (size_t i = 0; i < EXTERNAL_SIZE_RENEWALS_MAX; i++) {
		const int64_t free_at =
			r->at[i] ? r->at[i] + EXTERNAL_SIZE_RENEWALS_MS : 0;

		if (free_at <= now)
			return now;
		if (first == now || free_at < first)
			first = free_at;
	}
	return first;
}

bool external_size_renew(struct external_size_renewals *r, int64_t now)
{
	for (size_t i = 0; i < EXTERNAL_SIZE_RENEWALS_MAX; i++) {
		if (r->at[i] && r->at[i] + EXTERNAL_SIZE_RENEWALS_MS > now)
			continue;
		r->at[i] = now;
		return true;
	}
	return false;
}
