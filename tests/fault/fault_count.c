/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is counted of requests, by what a server that fails has answered. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "fault.h"
#include "kube/verbs.h"
#include "metrics/metrics.h"

#define REQUESTS "slurm_k8s_api_requests_total"
#define DURATION "slurm_k8s_api_request_duration_seconds"

/* The value of a series; -1: it is not there. */
static long value(const char *series)
{
	_cleanup_buf_ struct buf out = BUF_INIT(METRICS_TEXT_MAX);
	char line[200];
	const char *at;
	long n = -1;

	snprintf(line, sizeof(line), "\n%s ", series);
	if (!T_OK(!metrics_render(&out)))
		return -1;
	at = strstr(buf_str(&out), line);
	if (at)
		sscanf(at + strlen(line), "%ld", &n);
	return n;
}

static void each_try_counts_by_its_answer(void)
{
	struct kube_client_options o = {.retry_base_ms = 10};
	const struct kube_request get = {.method = "GET", .path = PODS "/x"};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(&o);

	/* One reset libcurl answers by itself, by a new connection. */
	fault_script("'rules':[{'do':'status','code':500},"
		     "{'do':'status','code':429},{'do':'reset','times':2}]");
	fault_call(l.client, &get, &g);
	T_INT(g.http, 404);
	T_INT(value(REQUESTS "{verb=\"get\",code=\"5xx\"}"), 1);
	T_INT(value(REQUESTS "{verb=\"get\",code=\"429\"}"), 1);
	T_INT(value(REQUESTS "{verb=\"get\",code=\"none\"}"), 1);
	T_INT(value(REQUESTS "{verb=\"get\",code=\"404\"}"), 1);
	T_INT(value(REQUESTS "{verb=\"get\",code=\"2xx\"}"), 0);
	T_INT(value(DURATION "_count{verb=\"get\"}"), 3);
	T_INT(value("slurm_k8s_api_retries_total"), 3);
}

static void each_verb_counts_by_itself(void)
{
	static const struct {
		const char *method, *name;
	} rows[] = {{"POST", "create"},
		    {"PUT", "update"},
		    {"PATCH", "patch"},
		    {"DELETE", "delete"}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct kube_request r = {.method = rows[i].method,
					       .path = PODS "/x"};
		_cleanup_got_ struct got g = {0};
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		char series[100];

		t_row("%s", rows[i].method);
		fault_script("'rules':[{'do':'status','code':422}]");
		fault_call(l.client, &r, &g);
		snprintf(series, sizeof(series),
			 REQUESTS "{verb=\"%s\",code=\"4xx\"}", rows[i].name);
		T_INT(value(series), 1);
		snprintf(series, sizeof(series), DURATION "_count{verb=\"%s\"}",
			 rows[i].name);
		T_INT(value(series), 1);
	}
}

static void a_request_that_is_never_sent_does_not_count(void)
{
	const long before = value(REQUESTS "{verb=\"get\",code=\"none\"}");
	const struct kube_request r = {
		.method = "GET", .path = PODS, .deadline_ms = clock_ms() - 1};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[]");
	fault_call(l.client, &r, &g);
	T_OK(g.rc != 0);
	T_INT(value(REQUESTS "{verb=\"get\",code=\"none\"}"), before);
}

T_MAIN("fault_count", T(each_try_counts_by_its_answer),
       T(each_verb_counts_by_itself),
       T(a_request_that_is_never_sent_does_not_count))
