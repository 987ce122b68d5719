/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done to bridged pods one by one, with a clock that the test moves.
 * Each file uses a part of it. */
#ifndef SLURMK8S_TESTS_FAULT_FAULT_BINDINGS_H
#define SLURMK8S_TESTS_FAULT_FAULT_BINDINGS_H

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bridge/requests/bridge_requests_internal.h"
#include "fault.h"
#include "metrics/metrics.h"

static bool may_act, told;
static int64_t later;  /* ms that the clock is ahead */
static int64_t frozen; /* it stands here, if not 0 */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return (frozen ? frozen : __real_clock_ms()) + later;
}

static void asked(void *arg)
{
	(void)arg;
}

static bool may(void *arg)
{
	(void)arg;
	return may_act;
}

static void failed(void *arg)
{
	(void)arg;
	told = true;
}

static struct bridge_requests *requests_of(unsigned int at_once)
{
	const struct bridge_requests_options opt = {.cluster = "c",
						    .at_once = at_once,
						    .asked = asked,
						    .may = may,
						    .failed = failed};
	struct bridge_requests *w = bridge_requests_new(&opt);

	T_OK(w != NULL);
	may_act = true;
	told = false;
	return w;
}

/* How many requests are under way? */
static size_t n_begun(const struct bridge_requests *w)
{
	return requests_begun(w->queue, 0, BRIDGE_REQUEST_EVENT);
}

/* Until nothing is under way any more. */
static void do_all(struct bridge_requests *w, struct kube_client *c)
{
	const int64_t end = clock_ms() + WAIT_MS;

	do {
		while (kube_client_step(c, 50) && clock_ms() < end)
			;
		bridge_requests_begin(w, c);
	} while (n_begun(w) && clock_ms() < end);
	T_INT(kube_client_step(c, 0), 0);
}

static const struct pod_ref one = {"ns", "p1", "u1", .created_ms = 1},
			    two = {"ns", "p2", "u2"};

/* How many bindings were counted. */
static unsigned int n_bound(void)
{
	static const char line[] =
		"\nslurm_k8s_bridge_pod_bind_duration_seconds_count ";
	struct buf text = BUF_INIT(METRICS_TEXT_MAX);
	const char *at;
	unsigned int n = 0;

	T_INT(metrics_render(&text), 0);
	at = strstr(buf_str(&text), line);
	T_OK(at && sscanf(at + strlen(line), "%u", &n) == 1);
	buf_free(&text);
	return n;
}

#define GOOD                                                                   \
	"'rules':[{'path':'binding|status|events','do':'raw','code':201,"      \
	"'body':'{}','times':1000}]"

#define TELLS                                                                  \
	"{'path':'status|events','do':'raw','code':201,'body':'{}','times':"   \
	"99}"
#define POD(uid, meta, spec)                                                   \
	"'pods':[{'metadata':{'name':'p1','uid':'" uid "'" meta "},"           \
	"'spec':{" spec "}}],"
#define BY_7 ",'annotations':{'slurm-k8s.io/job-id':'7'}"

#endif
