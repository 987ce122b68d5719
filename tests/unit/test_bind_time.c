/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a bridged pod waits for its node is counted when that is seen. */
#include "base/cleanup.h"
#include "base/str.h"
#include "metrics/metrics.h"
#include "pod_groups_fixture.h"
#include "syntax/wellknown.h"

#define CREATED_MS 1767323045000 /* 2026-01-02T03:04:05Z */

static int64_t now_ms;

int64_t __wrap_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void)
{
	return now_ms;
}

static void show(const char *uid, const char *created, const char *node,
		 bool ours)
{
	_cleanup_json_ json_object *o = NULL;
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p\", \"namespace\": \"ns\","
		"  \"uid\": \"%s\", \"creationTimestamp\": \"%s\"},"
		" \"spec\": {\"schedulerName\": \"s\", \"containers\": "
		"[{\"name\": \"c\"}]%s},"
		" \"status\": {\"phase\": \"Pending\", \"conditions\": [%s]}}",
		uid, created, node,
		ours ? "{\"type\": \"" WK_BRIDGE_CONDITION
		       "\", \"status\": \"True\", \"message\": \"7\"}"
		     : "");

	o = t_parse(text);
	pods.to.on_object(pods.to.arg, o);
}

static void check_sum(struct t_at at, const char *sum)
{
	_cleanup_buf_ struct buf out = BUF_INIT(METRICS_TEXT_MAX);

	t_int(at, metrics_render(&out), 0);
	t_has(at, buf_str(&out), sum, true);
}
#define SUM(text)                                                              \
	check_sum(T_HERE,                                                      \
		  "slurm_k8s_bridge_pod_bind_duration_seconds_sum " text "\n")

#define SINCE "2026-01-02T03:04:05Z"
#define ON ", \"nodeName\": \"n1\""

static void it_counts_once_when_our_binding_is_seen(void)
{
	_cleanup_seen_ __attribute__((unused)) struct pod_groups *v =
		seen_begin(NULL);

	now_ms = CREATED_MS + 1500;
	show("a", SINCE, "", false);
	show("a", SINCE, "", true);
	SUM("0.000");
	now_ms = CREATED_MS + 4000;
	show("a", SINCE, ON, true);
	SUM("4.000");
	now_ms = CREATED_MS + 9000;
	show("a", SINCE, ON, true);
	SUM("4.000");
}

static void what_others_bind_or_ran_before_does_not_count(void)
{
	_cleanup_seen_ __attribute__((unused)) struct pod_groups *v =
		seen_begin(NULL);

	show("b", SINCE, "", false);
	show("b", SINCE, ON, false);
	show("c", SINCE, ON, true);
	show("d", "never", "", false);
	show("d", "never", ON, true);
	SUM("4.000");
}

T_MAIN("bind_time", T(it_counts_once_when_our_binding_is_seen),
       T(what_others_bind_or_ran_before_does_not_count))
