/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/jobspec/binpack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct bin {
	int64_t room[BINS_DIMS];
};

/* How many of these the room is enough for; at most `max`. */
static uint32_t fitting(const int64_t *room, const int64_t *need, uint32_t max)
{
	for (int d = 0; d < BINS_DIMS; d++)
		if (need[d] > 0 && room[d] / need[d] < max)
			max = (uint32_t)(room[d] / need[d]);
	return max;
}

static uint32_t put(struct bin *b, const struct binpack_kind *k, uint32_t left)
{
	const uint32_t n = fitting(b->room, k->need, left);

	for (int d = 0; d < BINS_DIMS; d++)
		b->room[d] -= n * k->need[d];
	return n;
}

/* How full the bin is with one more: the greatest share of its dimensions. */
static double with(const struct bin *used, const struct binpack_kind *k,
		   const int64_t *cap)
{
	double most = 0;

	for (int d = 0; d < BINS_DIMS; d++) {
		const double all = (double)used->room[d] + (double)k->need[d];

		if (cap[d] > 0 && all / (double)cap[d] > most)
			most = all / (double)cap[d];
	}
	return most;
}

/* The part of a bin that it takes, of what it needs most of. */
static double share_of(const struct binpack_kind *k, const int64_t *cap)
{
	static const struct bin empty;

	return with(&empty, k, cap);
}

static bool is_before(const struct binpack_kind *a,
		      const struct binpack_kind *b, const int64_t *cap)
{
	const double x = share_of(a, cap), y = share_of(b, cap);

	return x > y ||
	       (x >= y && memcmp(a->need, b->need, sizeof(a->need)) > 0);
}

/* Sort by insertion: there are few kinds. */
static void sort(struct binpack_kind *kinds, size_t n, const int64_t *cap)
{
	for (size_t i = 1; i < n; i++) {
		const struct binpack_kind k = kinds[i];
		size_t j = i;

		for (; j && is_before(&k, &kinds[j - 1], cap); j--)
			kinds[j] = kinds[j - 1];
		kinds[j] = k;
	}
}

/* Put all of a kind into bins that are there, then into new ones. */
static void put_all(const struct binpack_kind *k, const int64_t *cap,
		    struct bin *bins, uint32_t *n)
{
	uint32_t left = k->n;

	for (uint32_t i = 0; left; i++) {
		if (i == *n) {
			for (int d = 0; d < BINS_DIMS; d++)
				bins[i].room[d] = cap[d];
			++*n;
		}
		left -= put(&bins[i], k, left);
	}
}

int binpack_count(struct binpack_kind *kinds, size_t n_kinds,
		  const int64_t cap[BINS_DIMS], uint32_t *out)
{
	_cleanup_free_ struct bin *bins = NULL;
	size_t all = 0;

	*out = 0;
	for (size_t i = 0; i < n_kinds; i++) {
		if (!fitting(cap, kinds[i].need, 1))
			return -EINVAL;
		all += kinds[i].n;
	}
	bins = calloc(all + 1, sizeof(*bins));
	if (!bins)
		return -ENOMEM;
	sort(kinds, n_kinds, cap);
	for (size_t i = 0; i < n_kinds; i++)
		put_all(&kinds[i], cap, bins, out);
	return 0;
}

/* Put one into the bin that is the least full then. */
static int spread_one(struct bin *used, uint32_t n,
		      const struct binpack_kind *k, const int64_t *cap)
{
	struct bin *best = used;
	double least = with(used, k, cap);

	for (uint32_t i = 1; i < n; i++) {
		const double full = with(&used[i], k, cap);

		if (full >= least)
			continue;
		least = full;
		best = &used[i];
	}
	for (int d = 0; d < BINS_DIMS; d++)
		if (__builtin_add_overflow(best->room[d], k->need[d],
					   &best->room[d]) ||
		    best->room[d] > INT64_MAX / 2)
			return -E2BIG;
	return 0;
}

static int spread_all(struct binpack_kind *kinds, size_t n_kinds,
		      uint32_t n_bins, const int64_t cap[BINS_DIMS],
		      int64_t out[BINS_DIMS])
{
	_cleanup_free_ struct bin *used = NULL;
	uint64_t all = 0;

	for (size_t i = 0; i < n_kinds; i++)
		all += kinds[i].n;
	if (!n_bins || all * n_bins > BINS_STEPS_MAX)
		return -E2BIG;
	used = calloc(n_bins, sizeof(*used));
	if (!used)
		return -ENOMEM;
	sort(kinds, n_kinds, cap);
	for (size_t i = 0; i < n_kinds; i++)
		for (uint32_t j = 0; j < kinds[i].n; j++)
			if (spread_one(used, n_bins, &kinds[i], cap))
				return -E2BIG;
	for (int d = 0; d < BINS_DIMS; d++) {
		out[d] = 0;
		for (uint32_t i = 0; i < n_bins; i++)
			if (used[i].room[d] > out[d])
				out[d] = used[i].room[d];
	}
	return 0;
}

uint32_t binpack_least(const struct binpack_kind *kinds, size_t n_kinds,
		       const int64_t cap[BINS_DIMS])
{
	uint32_t least = UINT32_MAX;

	for (int d = 0; d < BINS_DIMS; d++) {
		uint32_t n = 0;

		for (size_t i = 0; i < n_kinds; i++)
			if (kinds[i].need[d] > cap[d] / 2)
				n += kinds[i].n;
		if (cap[d] && n < least)
			least = n;
	}
	return least ? least : 1;
}

int binpack_enlarged(struct binpack_kind *kinds, size_t n_kinds,
		     uint32_t n_bins, const int64_t cap[BINS_DIMS],
		     int64_t out[BINS_DIMS])
{
	uint32_t n = 0;
	int rc = spread_all(kinds, n_kinds, n_bins, cap, out);

	if (rc)
		return rc;
	for (int d = 0; d < BINS_DIMS; d++)
		if (out[d] < cap[d])
			out[d] = cap[d];
	rc = binpack_count(kinds, n_kinds, out, &n);
	return rc ? rc : n > n_bins ? -ENOSPC : 0;
}
