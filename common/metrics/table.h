/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of all metrics, for this room. It does not change; any thread. */
#ifndef SLURMK8S_METRICS_TABLE_H
#define SLURMK8S_METRICS_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "metrics/metrics.h"

enum metrics_type { METRICS_COUNTER, METRICS_GAUGE, METRICS_HISTOGRAM };

#define METRICS_LABELS_MAX 2
#define METRICS_BOUNDS_MAX 16

/* A label: its values are a closed list, or names that come later. */
struct metrics_label {
	const char *name; /* NULL: the metric has no such label */
	const char *const *values;
	unsigned int n; /* how many values; or how many names, and "other" */
	enum metrics_names names;
};

/* A metric. Its series lie in cells, the second label's values side by side. */
struct metrics_info {
	const char *name, *help;
	enum metrics_type type;
	bool seconds; /* what is counted is ms, what is written seconds */
	struct metrics_label labels[METRICS_LABELS_MAX];
	/* upper bounds of all buckets of a histogram but the last, ms */
	const int64_t *bounds;
	unsigned int n_bounds;
	_Atomic int64_t *cells;
	unsigned int n_cells;
};

extern const struct metrics_info metrics_table[METRICS];

/* The cells of one series: a histogram has its buckets there, and the sum. */
static inline unsigned int metrics_width(const struct metrics_info *m)
{
	return m->type == METRICS_HISTOGRAM ? m->n_bounds + 2 : 1;
}

/* How many values a label has; 1 if there is none. */
static inline unsigned int metrics_values(const struct metrics_info *m,
					  unsigned int label)
{
	return m->labels[label].name ? m->labels[label].n : 1;
}

/* The cells of a series; NULL: it has no such label's value. */
static inline _Atomic int64_t *metrics_series(const struct metrics_info *m,
					      unsigned int a, unsigned int b)
{
	const unsigned int n = metrics_values(m, 1);

	if (a >= metrics_values(m, 0) || b >= n)
		return NULL;
	return m->cells + (a * n + b) * metrics_width(m);
}

#endif
