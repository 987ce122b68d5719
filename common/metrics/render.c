/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that labels have, and the text for Prometheus. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "metrics/table.h"

#define LABELS_MAX 512 /* bytes of all labels of a series, escaped */

/* Names that are added, never taken away; under the lock. */
struct name_list {
	unsigned int n;
	bool others; /* more came when it was full */
	char names[METRICS_NAMES_MAX][METRICS_NAME_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct name_list lists[METRICS_NAME_LISTS];

/*
 * How many names a list takes: one version of each kind; 64 clusters, nodesets
 * or partitions.
 */
static unsigned int room_of(enum metrics_names list)
{
	return list == METRICS_VERSION || list == METRICS_SLURM_VERSION
		       ? 1
		       : METRICS_NAMES_MAX;
}

static unsigned int find_or_add(struct name_list *l, unsigned int room,
				const char *name)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (!strcmp(l->names[i], name))
			return i;
	if (l->n == room) {
		l->others = true;
		return room;
	}
	memcpy(l->names[l->n], name, strlen(name) + 1);
	return l->n++;
}

unsigned int metrics_name(enum metrics_names list, const char *name)
{
	char cut[METRICS_NAME_MAX];
	unsigned int i;

	str_copy(cut, name, sizeof(cut));
	str_sanitize(cut);
	pthread_mutex_lock(&lock);
	i = find_or_add(&lists[list], room_of(list), cut);
	pthread_mutex_unlock(&lock);
	return i;
}

/* --- the text */

/* The text of a label's value; NULL: the label has no such name yet. */
static const char *value_of(const struct metrics_label *l, unsigned int i)
{
	const struct name_list *names = &lists[l->names];

	if (l->values)
		return l->values[i];
	if (i < names->n)
		return names->names[i];
	return i == room_of(l->names) && names->others ? "other" : NULL;
}

static int add_escaped(struct buf *out, const char *text)
{
	int rc = 0;

	for (; !rc && *text; text++) {
		if (*text == '\n')
			rc = buf_add(out, "\\n", 2);
		else if (*text == '\\' || *text == '"')
			rc = buf_addf(out, "\\%c", *text);
		else
			rc = buf_add(out, text, 1);
	}
	return rc;
}

/*
 * Write the labels of a series, without braces; "" if it has none. 1: one of
 * its names is not there.
 */
static int add_labels(const struct metrics_info *m, const unsigned int at[],
		      struct buf *out)
{
	int rc = 0;

	buf_reset(out);
	for (unsigned int i = 0; i < METRICS_LABELS_MAX; i++) {
		const struct metrics_label *l = &m->labels[i];
		const char *value = l->name ? value_of(l, at[i]) : "";

		if (!value)
			return 1;
		if (!l->name)
			continue;
		rc = buf_addf(out, "%s%s=\"", out->len ? "," : "", l->name);
		if (!rc)
			rc = add_escaped(out, value);
		if (!rc)
			rc = buf_add(out, "\"", 1);
		if (rc)
			return rc;
	}
	return 0;
}

static int64_t read_cell(const _Atomic int64_t *cell)
{
	return atomic_load_explicit(cell, memory_order_relaxed);
}

/* Write a value with its line's end: as it is, or ms as seconds. */
static int add_value(const struct metrics_info *m, int64_t value,
		     struct buf *out)
{
	const uint64_t abs = value < 0 ? -(uint64_t)value : (uint64_t)value;

	if (!m->seconds)
		return buf_addf(out, "%" PRId64 "\n", value);
	return buf_addf(out, "%s%" PRIu64 ".%03u\n", value < 0 ? "-" : "",
			abs / 1000, (unsigned int)(abs % 1000));
}

/* Write seconds as "%g" would, but with a point wherever slurmctld runs. */
static void seconds_of(int64_t ms, char out[32])
{
	size_t len = (size_t)snprintf(out, 32, "%" PRId64 ".%03d", ms / 1000,
				      (int)(ms % 1000));

	while (out[len - 1] == '0')
		len--;
	if (out[len - 1] == '.')
		len--;
	out[len] = '\0';
}

static int add_bucket(const struct metrics_info *m, const char *labels,
		      unsigned int i, int64_t n, struct buf *out)
{
	const char *comma = *labels ? "," : "";
	char le[32];

	if (i == m->n_bounds)
		return buf_addf(out, "%s_bucket{%s%sle=\"+Inf\"} %" PRId64 "\n",
				m->name, labels, comma, n);
	seconds_of(m->bounds[i], le);
	return buf_addf(out, "%s_bucket{%s%sle=\"%s\"} %" PRId64 "\n", m->name,
			labels, comma, le, n);
}

/* Buckets are counted apart, and written as Prometheus has them: cumulated. */
static int add_histogram(const struct metrics_info *m, const char *labels,
			 const _Atomic int64_t *cells, struct buf *out)
{
	const char *open = *labels ? "{" : "", *close = *labels ? "}" : "";
	int64_t n = 0;
	int rc = 0;

	for (unsigned int i = 0; !rc && i <= m->n_bounds; i++) {
		n += read_cell(&cells[i]);
		rc = add_bucket(m, labels, i, n, out);
	}
	if (!rc)
		rc = buf_addf(out, "%s_sum%s%s%s ", m->name, open, labels,
			      close);
	if (!rc)
		rc = add_value(m, read_cell(&cells[m->n_bounds + 1]), out);
	return rc ? rc
		  : buf_addf(out, "%s_count%s%s%s %" PRId64 "\n", m->name, open,
			     labels, close, n);
}

static int add_series(const struct metrics_info *m, const unsigned int at[],
		      struct buf *labels, struct buf *out)
{
	const _Atomic int64_t *cells = metrics_series(m, at[0], at[1]);
	const int64_t value = read_cell(cells);
	int rc;

	if (m->type == METRICS_GAUGE && value == METRICS_UNSET)
		return 0;
	rc = add_labels(m, at, labels);
	if (rc)
		return rc < 0 ? rc : 0;
	if (m->type == METRICS_HISTOGRAM)
		return add_histogram(m, buf_str(labels), cells, out);
	rc = labels->len ? buf_addf(out, "%s{%s} ", m->name, buf_str(labels))
			 : buf_addf(out, "%s ", m->name);
	return rc ? rc : add_value(m, value, out);
}

static int add_metric(const struct metrics_info *m, struct buf *labels,
		      struct buf *out)
{
	static const char *const types[] = {[METRICS_COUNTER] = "counter",
					    [METRICS_GAUGE] = "gauge",
					    [METRICS_HISTOGRAM] = "histogram"};
	unsigned int at[METRICS_LABELS_MAX];
	int rc = buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", m->name, m->help,
			  m->name, types[m->type]);

	for (at[0] = 0; !rc && at[0] < metrics_values(m, 0); at[0]++)
		for (at[1] = 0; !rc && at[1] < metrics_values(m, 1); at[1]++)
			rc = add_series(m, at, labels, out);
	return rc;
}

int metrics_render(struct buf *out)
{
	_cleanup_buf_ struct buf labels = BUF_INIT(LABELS_MAX);
	int rc = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; !rc && i < METRICS; i++)
		rc = add_metric(&metrics_table[i], &labels, out);
	pthread_mutex_unlock(&lock);
	return rc;
}
