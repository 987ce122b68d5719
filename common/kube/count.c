/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts requests to the API server: common/metrics/. */
#include <string.h>

#include "base/clock.h"
#include "kube/call.h"
#include "metrics/metrics.h"

static enum metrics_verb verb_of(const struct kube_request *r)
{
	/* A page may come as a stream, too, and so does what a probe reads. */
	if (r->page)
		return METRICS_LIST;
	if (r->on_open)
		return METRICS_WATCH;
	if (!strcmp(r->method, "POST"))
		return METRICS_CREATE;
	if (!strcmp(r->method, "PUT"))
		return METRICS_UPDATE;
	if (!strcmp(r->method, "PATCH"))
		return METRICS_PATCH;
	if (!strcmp(r->method, "DELETE"))
		return METRICS_DELETE;
	return METRICS_GET;
}

static enum metrics_code code_of(int http)
{
	switch (http) {
	case 401:
		return METRICS_401;
	case 403:
		return METRICS_403;
	case 404:
		return METRICS_404;
	case 409:
		return METRICS_409;
	case 429:
		return METRICS_429;
	default:
		return http < 200   ? METRICS_NO_ANSWER
		       : http < 300 ? METRICS_2XX
		       : http < 400 ? METRICS_3XX
		       : http < 500 ? METRICS_4XX
				    : METRICS_5XX;
	}
}

void kube_call_count(const struct kube_call *k, int http)
{
	const enum metrics_verb verb = verb_of(&k->req);

	metrics_count(METRIC_API_REQUESTS, verb, code_of(http));
	if (verb != METRICS_WATCH && http)
		metrics_time(METRIC_API_TIME, verb, clock_ms() - k->sent_at);
}
