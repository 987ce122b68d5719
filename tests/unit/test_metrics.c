/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values are the process's: a test looks at a metric that no other has. */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "metrics/table.h"
#include "t.h"

/* All metrics as text; the caller frees. */
static char *rendered(void)
{
	struct buf out = BUF_INIT(METRICS_TEXT_MAX);

	T_INT(metrics_render(&out), 0);
	return out.data;
}

static void check_has(struct t_at at, const char *part, bool wanted)
{
	_cleanup_free_ char *text = rendered();

	t_has(at, text, part, wanted);
}
#define HAS(part) check_has(T_HERE, part, true)
#define LACKS(part) check_has(T_HERE, part, false)

static bool is_name(const char *s)
{
	for (; islower((unsigned char)*s) || isdigit((unsigned char)*s) ||
	       *s == '_';
	     s++)
		;
	return !*s;
}

static void each_name_follows_the_conventions(void)
{
	for (int i = 0; i < METRICS; i++) {
		const struct metrics_info *m = &metrics_table[i];
		const bool total = str_ends(m->name, "_total");

		t_row("%d: %s", i, m->name);
		T_OK(is_name(m->name) && str_starts(m->name, "slurm_k8s_"));
		T_OK(total == (m->type == METRICS_COUNTER));
		T_OK(m->seconds == str_ends(m->name, "_seconds"));
		T_OK(m->help && str_ends(m->help, "."));
		T_OK(!strpbrk(m->help, "\\\n"));
		for (int k = 0; k < i; k++)
			T_OK(strcmp(m->name, metrics_table[k].name) != 0);
	}
}

static void each_metric_has_room_for_its_series(void)
{
	for (int i = 0; i < METRICS; i++) {
		const struct metrics_info *m = &metrics_table[i];

		t_row("%s", m->name);
		T_INT(m->n_cells, metrics_values(m, 0) * metrics_values(m, 1) *
					  metrics_width(m));
		T_OK(m->n_bounds <= METRICS_BOUNDS_MAX);
		T_OK(!m->n_bounds == (m->type != METRICS_HISTOGRAM));
		T_OK(m->type != METRICS_HISTOGRAM || !m->labels[1].name);
		for (unsigned int b = 1; b < m->n_bounds; b++)
			T_OK(m->bounds[b - 1] < m->bounds[b]);
		for (int l = 0; l < METRICS_LABELS_MAX; l++) {
			const struct metrics_label *x = &m->labels[l];

			T_OK(!x->name ||
			     (is_name(x->name) && strcmp(x->name, "le") != 0));
			T_OK(!x->name || !x->values == !!x->names);
			for (unsigned int v = 0; x->values && v < x->n; v++)
				T_OK(x->values[v] != NULL);
		}
	}
}

static void a_counter_counts(void)
{
	HAS("slurm_k8s_api_requests_total{verb=\"patch\",code=\"409\"} 0\n");
	metrics_count(METRIC_API_REQUESTS, METRICS_PATCH, METRICS_409);
	metrics_count(METRIC_API_REQUESTS, METRICS_PATCH, METRICS_409);
	HAS("slurm_k8s_api_requests_total{verb=\"patch\",code=\"409\"} 2\n");
	HAS("slurm_k8s_api_requests_total{verb=\"patch\",code=\"404\"} 0\n");
	HAS("slurm_k8s_api_requests_total{verb=\"delete\",code=\"409\"} 0\n");
	metrics_count(METRIC_API_RETRIES, 0, 0);
	HAS("# TYPE slurm_k8s_api_retries_total counter\n"
	    "slurm_k8s_api_retries_total 1\n");
}

static void what_is_out_of_a_list_is_not_counted(void)
{
	_cleanup_free_ char *before = rendered();
	_cleanup_free_ char *after = NULL;

	metrics_count(METRIC_API_REQUESTS, METRICS_VERBS, 0);
	metrics_count(METRIC_API_REQUESTS, 0, METRICS_CODES);
	metrics_count(METRIC_FAILOVERS,
		      metrics_index(METRIC_FAILOVERS, 0, "no such row"), 0);
	metrics_count(METRIC_API_RETRIES, 1, 0);
	metrics_time(METRIC_API_TIME, METRICS_WATCH, 1);
	metrics_set(METRIC_BRIDGE_PODS, METRICS_POD_STATES, 0, 1);
	metrics_set(METRIC_BRIDGE_PODS, 0, 1, 1);
	after = rendered();
	T_STR(after, before);
}

static void a_metric_of_another_type_is_left_alone(void)
{
	_cleanup_free_ char *before = rendered();
	_cleanup_free_ char *after = NULL;

	metrics_count(METRIC_BRIDGE_PODS, 0, 0);
	metrics_count(METRIC_NODE_START, 0, 0);
	metrics_set(METRIC_API_RETRIES, 0, 0, 77);
	metrics_time(METRIC_API_RETRIES, 0, 77);
	metrics_fill(METRIC_API_REQUESTS, 77);
	after = rendered();
	T_STR(after, before);
}

static void a_text_is_found_in_its_list(void)
{
	T_INT(metrics_index(METRIC_FAILOVERS, 0, "cannot start"), 0);
	T_INT(metrics_index(METRIC_API_REQUESTS, 1, "5xx"), METRICS_5XX);
	T_OK(metrics_index(METRIC_NODES, 0, "cpu") >= METRICS_NAMES_MAX + 1);
}

static void a_gauge_is_set_and_may_be_left_out(void)
{
	metrics_set(METRIC_BRIDGE_PODS, METRICS_POD_WAITING, 0, 3);
	HAS("slurm_k8s_bridge_pods{state=\"waiting\"} 3\n");
	metrics_set(METRIC_BRIDGE_PODS, METRICS_POD_WAITING, 0, METRICS_UNSET);
	LACKS("slurm_k8s_bridge_pods{state=\"waiting\"}");
	HAS("slurm_k8s_bridge_pods{state=\"running\"} 0\n");
	metrics_fill(METRIC_BRIDGE_PODS, 0);
	HAS("slurm_k8s_bridge_pods{state=\"waiting\"} 0\n");
}

static void times_are_written_as_seconds(void)
{
	static const struct {
		int64_t ms;
		const char *line;
	} rows[] = {
		{0, "slurm_k8s_slurm_view_age_seconds 0.000\n"},
		{7, "slurm_k8s_slurm_view_age_seconds 0.007\n"},
		{61234, "slurm_k8s_slurm_view_age_seconds 61.234\n"},
		{-1500, "slurm_k8s_slurm_view_age_seconds -1.500\n"},
		{INT64_MAX,
		 "slurm_k8s_slurm_view_age_seconds 9223372036854775.807\n"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		metrics_set(METRIC_SLURM_VIEW, 0, 0, rows[i].ms);
		HAS(rows[i].line);
	}
}

static void a_histogram_is_cumulated(void)
{
	static const int64_t times[] = {-5, 0, 1000, 1001, 600000, 600001};

	for (size_t i = 0; i < T_COUNT(times); i++)
		metrics_time(METRIC_NODE_START, 0, times[i]);
	HAS("# TYPE slurm_k8s_node_start_duration_seconds histogram\n"
	    "slurm_k8s_node_start_duration_seconds_bucket{le=\"1\"} 3\n"
	    "slurm_k8s_node_start_duration_seconds_bucket{le=\"2\"} 4\n");
	HAS("slurm_k8s_node_start_duration_seconds_bucket{le=\"300\"} 4\n"
	    "slurm_k8s_node_start_duration_seconds_bucket{le=\"600\"} 5\n"
	    "slurm_k8s_node_start_duration_seconds_bucket{le=\"+Inf\"} 6\n"
	    "slurm_k8s_node_start_duration_seconds_sum 1202.002\n"
	    "slurm_k8s_node_start_duration_seconds_count 6\n");
	metrics_time(METRIC_API_TIME, METRICS_GET, 7);
	HAS("duration_seconds_bucket{verb=\"get\",le=\"0.005\"} 0\n"
	    "slurm_k8s_api_request_duration_seconds_bucket{verb=\"get\","
	    "le=\"0.01\"} 1\n");
	HAS("slurm_k8s_api_request_duration_seconds_sum{verb=\"get\"} 0.007\n");
}

static void names_come_later_and_are_escaped(void)
{
	unsigned int a, b;

	LACKS("slurm_k8s_lease_held{");
	a = metrics_name(METRICS_CLUSTER_NAMES, "a\"b\\c\nd");
	b = metrics_name(METRICS_CLUSTER_NAMES, "plain");
	T_OK(a != b);
	T_INT(metrics_name(METRICS_CLUSTER_NAMES, "a\"b\\c\nd"), a);
	metrics_set(METRIC_LEASE_HELD, b, 0, 1);
	HAS("slurm_k8s_lease_held{cluster=\"a\\\"b\\\\c d\"} 0\n"
	    "slurm_k8s_lease_held{cluster=\"plain\"} 1\n");
	LACKS("slurm_k8s_lease_held{cluster=\"other\"}");
}

static void what_no_utf8_has_never_gets_through(void)
{
	metrics_name(METRICS_VERSION, "1.0\xff");
	metrics_name(METRICS_SLURM_VERSION, "22.05");
	metrics_set(METRIC_BUILD, 0, 0, 1);
	HAS("slurm_k8s_build_info{version=\"1.0?\",slurm=\"22.05\"} 1\n");
}

/* The worst that the text can be: all names are there, as long as they may be.
 */
static void more_names_than_there_is_room_for_are_other(void)
{
	_cleanup_free_ char *text = NULL;
	char name[100];

	for (int i = 0; i < 2000; i++) {
		unsigned int at;

		snprintf(name, sizeof(name), "%062d\"", i);
		metrics_name(METRICS_CLUSTER_NAMES, name);
		at = metrics_name(METRICS_NODESET_NAMES, name);
		T_OK(at == (i < METRICS_NAMES_MAX ? (unsigned int)i
						  : METRICS_NAMES_MAX));
		metrics_set(METRIC_NODES, at, METRICS_UP, i);
	}
	HAS("slurm_k8s_nodes{nodeset=\"other\",state=\"up\"} 1999\n");
	HAS("slurm_k8s_nodes{nodeset=\"other\",state=\"down\"} 0\n");
	for (int i = 0; i < METRICS; i++)
		metrics_fill((enum metric)i, INT64_MIN + 1);
	text = rendered();
	T_NEED(text != NULL);
	T_OK(strlen(text) < METRICS_TEXT_MAX / 2);
	for (int i = 0; i < METRICS; i++)
		metrics_fill((enum metric)i, 0);
}

static void a_name_that_is_too_long_is_cut(void)
{
	_cleanup_free_ char *name = t_repeat("x", 5000);

	T_INT(metrics_name(METRICS_VERSION, name), 1);
	T_INT(metrics_name(METRICS_NODESET_NAMES, name), METRICS_NAMES_MAX);
}

static void a_text_that_has_no_room_is_an_error(void)
{
	for (size_t max = 0; max < 20000; max += 977) {
		_cleanup_buf_ struct buf out = BUF_INIT(max);

		T_INT(metrics_render(&out), -EMSGSIZE);
		T_OK(out.len <= max);
	}
}

#define ROUNDS 20000

static void *count_much(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		metrics_count(METRIC_WATCH_RESTARTS, METRICS_ASKED, 0);
		metrics_time(METRIC_BRIDGE_BIND, 0, 1000);
	}
	return arg;
}

static void nothing_is_lost_when_threads_count_at_once(void)
{
	pthread_t threads[4];

	for (size_t i = 0; i < T_COUNT(threads); i++)
		T_NEED(!pthread_create(&threads[i], NULL, count_much, NULL));
	for (int i = 0; i < 5; i++)
		free(rendered());
	for (size_t i = 0; i < T_COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	HAS("slurm_k8s_watch_restarts_total{reason=\"asked\"} 80000\n");
	HAS("slurm_k8s_bridge_pod_bind_duration_seconds_sum 80000.000\n"
	    "slurm_k8s_bridge_pod_bind_duration_seconds_count 80000\n");
}

T_MAIN("metrics", T(each_name_follows_the_conventions),
       T(each_metric_has_room_for_its_series), T(a_counter_counts),
       T(what_is_out_of_a_list_is_not_counted),
       T(a_metric_of_another_type_is_left_alone),
       T(a_text_is_found_in_its_list), T(a_gauge_is_set_and_may_be_left_out),
       T(times_are_written_as_seconds), T(a_histogram_is_cumulated),
       T(names_come_later_and_are_escaped),
       T(what_no_utf8_has_never_gets_through),
       T(more_names_than_there_is_room_for_are_other),
       T(a_name_that_is_too_long_is_cut),
       T(a_text_that_has_no_room_is_an_error),
       T(nothing_is_lost_when_threads_count_at_once))
