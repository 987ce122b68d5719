/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metrics/metrics.h"

#include <string.h>

#include "metrics/table.h"

static void add(_Atomic int64_t *cell, int64_t n)
{
	atomic_fetch_add_explicit(cell, n, memory_order_relaxed);
}

static void put(_Atomic int64_t *cell, int64_t value)
{
	atomic_store_explicit(cell, value, memory_order_relaxed);
}

/* The cells of a series of a metric that has this type; else NULL. */
static _Atomic int64_t *series(enum metric m, enum metrics_type type,
			       unsigned int a, unsigned int b)
{
	const struct metrics_info *i = &metrics_table[m];

	return i->type == type ? metrics_series(i, a, b) : NULL;
}

void metrics_count(enum metric m, unsigned int a, unsigned int b)
{
	_Atomic int64_t *cell = series(m, METRICS_COUNTER, a, b);

	if (cell)
		add(cell, 1);
}

void metrics_time(enum metric m, unsigned int a, int64_t ms)
{
	const struct metrics_info *i = &metrics_table[m];
	_Atomic int64_t *cells = series(m, METRICS_HISTOGRAM, a, 0);
	unsigned int bucket = 0;

	if (!cells)
		return;
	if (ms < 0)
		ms = 0;
	while (bucket < i->n_bounds && ms > i->bounds[bucket])
		bucket++;
	add(&cells[bucket], 1);
	add(&cells[i->n_bounds + 1], ms);
}

void metrics_set(enum metric m, unsigned int a, unsigned int b, int64_t value)
{
	_Atomic int64_t *cell = series(m, METRICS_GAUGE, a, b);

	if (cell)
		put(cell, value);
}

void metrics_fill(enum metric m, int64_t value)
{
	const struct metrics_info *i = &metrics_table[m];

	for (unsigned int k = 0; i->type == METRICS_GAUGE && k < i->n_cells;
	     k++)
		put(&i->cells[k], value);
}

unsigned int metrics_index(enum metric m, unsigned int label, const char *text)
{
	const struct metrics_label *l = &metrics_table[m].labels[label];

	for (unsigned int i = 0; l->values && i < l->n; i++)
		if (!strcmp(l->values[i], text))
			return i;
	return UINT32_MAX;
}
