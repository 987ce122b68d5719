/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All metrics, for tests/tools/check_metrics.py: as a file that an engine has
 * written, with something in each series, or, with --table, as rows of
 * docs/metrics.md.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "metrics/table.h"

static const char *const types[] = {[METRICS_COUNTER] = "counter",
				    [METRICS_GAUGE] = "gauge",
				    [METRICS_HISTOGRAM] = "histogram"};

static void print_label(const struct metrics_label *l, const char *before)
{
	printf("%s`%s`", before, l->name);
	for (unsigned int i = 0; l->values && i < l->n; i++)
		printf("%s%s", i ? ", " : ": ", l->values[i]);
}

static void print_row(const struct metrics_info *m)
{
	printf("| `%s` | %s | ", m->name, types[m->type]);
	for (int i = 0; i < METRICS_LABELS_MAX; i++)
		if (m->labels[i].name)
			print_label(&m->labels[i], i ? "; " : "");
	printf(" | %s |\n", m->help);
}

static void fill_in(void)
{
	metrics_name(METRICS_CLUSTER_NAMES, "main");
	metrics_name(METRICS_NODESET_NAMES, "cpu");
	metrics_name(METRICS_PARTITION_NAMES, "batch");
	metrics_name(METRICS_VERSION, SLURMK8S_VERSION);
	metrics_name(METRICS_SLURM_VERSION, "24.11.5");
	for (int i = 0; i < METRICS; i++) {
		const struct metrics_info *m = &metrics_table[i];

		metrics_fill((enum metric)i, 1000);
		for (unsigned int a = 0; a < metrics_values(m, 0); a++) {
			metrics_time((enum metric)i, a, 700);
			for (unsigned int b = 0; b < metrics_values(m, 1); b++)
				metrics_count((enum metric)i, a, b);
		}
	}
	metrics_set(METRIC_BUILD, 0, 0, 1);
	metrics_set(METRIC_LEASE_HELD, 0, 0, 1);
}

int main(int argc, char **argv)
{
	_cleanup_buf_ struct buf out = BUF_INIT(METRICS_TEXT_MAX);

	if (argc > 1 && !strcmp(argv[1], "--table")) {
		for (int i = 0; i < METRICS; i++)
			print_row(&metrics_table[i]);
		return 0;
	}
	fill_in();
	if (metrics_render(&out))
		return 1;
	return fputs(buf_str(&out), stdout) < 0;
}
