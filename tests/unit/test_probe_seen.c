/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "probe_seen.h"
#include "t.h"

static const struct failover patience = {.unschedulable_after_ms = 60000,
					 .not_started_after_ms = 30000};

static int see(struct probe_seen *s, int64_t at, const char *pod)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"p\", \"uid\": \"u\"}, %s}", pod);
	_cleanup_json_ json_object *o = t_parse(text);

	return probe_seen_pod(s, o, "slurmd", at);
}

#define ON "\"spec\": {\"nodeName\": \"k-1\"}, "
#define STATUS(phase, state)                                                   \
	"\"status\": {\"phase\": \"" phase "\", \"podIP\": \"10.0.0.9\", "     \
	"\"containerStatuses\": [{\"name\": \"log\", \"state\": {}}, "         \
	"{\"name\": \"slurmd\", \"state\": " state "}]}"
#define WAITING(reason)                                                        \
	ON STATUS("Pending", "{\"waiting\": {\"reason\": \"" reason "\"}}")
#define RUNNING                                                                \
	ON STATUS("Running",                                                   \
		  "{\"running\": {\"startedAt\": \"2026-01-02T03:04:05Z\"}}")
#define ENDED(started, message)                                                \
	ON STATUS("Succeeded",                                                 \
		  "{\"terminated\": {\"exitCode\": 0, \"startedAt\": "         \
		  "\"" started "\", \"message\": \"" message "\"}}")

static void a_pod_is_seen_to_start_and_end(void)
{
	struct probe_seen s;

	probe_seen_begin(&s, 100);
	T_INT(see(&s, 200, "\"status\": {\"phase\": \"Pending\"}"), 0);
	T_INT(s.scheduled_ms, -1);
	T_STR(probe_seen_why(&s), "no scheduler has looked at it");
	T_INT(see(&s, 300, WAITING("ContainerCreating")), 0);
	T_INT(s.scheduled_ms, 300);
	T_INT(s.started_ms, -1);
	T_STR(s.kube_node, "k-1");
	T_STR(probe_seen_why(&s), "kubelet does not say why");
	T_INT(see(&s, 400, RUNNING), 0);
	T_INT(see(&s, 500, RUNNING), 0);
	T_INT(s.scheduled_ms, 300);
	T_INT(s.started_ms, 400);
	T_STR(s.ip, "10.0.0.9");
	T_OK(!s.ended);
	T_INT(see(&s, 600, ENDED("2026-01-02T03:04:05Z", "probe x\\nend\\n")),
	      0);
	T_OK(s.ended);
	T_INT(s.started_ms, 400);
	T_STR(s.message, "probe x\nend\n");
}

static void one_look_may_miss_that_it_ran(void)
{
	struct probe_seen s;

	probe_seen_begin(&s, 100);
	T_INT(see(&s, 600, ENDED("2026-01-02T03:04:05Z", "")), 0);
	T_INT(s.started_ms, 600);
	/* what could not be started at all did not run */
	probe_seen_begin(&s, 100);
	T_INT(see(&s, 600, ENDED("1970-01-01T00:00:00Z", "no /bin/sh")), 0);
	T_INT(s.started_ms, -1);
	T_OK(s.ended);
}

static void hostile_pods_are_bounded(void)
{
	static const char *const others[] = {
		"\"status\": 1", "\"status\": {\"containerStatuses\": {}}",
		"\"status\": {\"containerStatuses\": [null, 3, []]}",
		"\"status\": {\"podIP\": []}, \"spec\": {\"nodeName\": 3}"};
	_cleanup_free_ char *junk = t_repeat("x\\u001b", 5000);
	_cleanup_free_ char *text = str_printf(
		"\"spec\": {\"nodeName\": \"%s\"}, \"status\": {\"podIP\": "
		"\"%s\", \"containerStatuses\": [{\"name\": \"slurmd\", "
		"\"state\": {\"terminated\": {\"message\": \"%s\", "
		"\"startedAt\": \"%s\"}}}]}",
		junk, junk, junk, junk);
	_cleanup_json_ json_object *none = t_parse("{}");
	struct probe_seen s;

	probe_seen_begin(&s, 100);
	T_INT(probe_seen_pod(&s, none, "slurmd", 1), -EINVAL);
	T_INT(probe_seen_pod(&s, NULL, "slurmd", 1), -EINVAL);
	for (size_t i = 0; i < T_COUNT(others); i++) {
		t_row("%zu", i);
		T_INT(see(&s, 200, others[i]), 0);
		T_INT(s.started_ms, -1);
		T_OK(!s.ended);
		T_STR(s.ip, "");
	}
	T_INT(see(&s, 200, text), 0);
	T_INT(strlen(s.ip), sizeof(s.ip) - 1);
	T_LACKS(s.ip, "\033");
	T_INT(strlen(s.message), PROBE_MESSAGE_MAX - 1);
}

static void waiting_in_vain_ends_as_the_engine_does_it(void)
{
	static const struct {
		const char *pod, *warning;
		int64_t at;
		bool hopeless;
	} rows[] = {
		{"\"status\": {}", "", 900000, false},
		{"\"status\": {\"conditions\": [{\"type\": \"PodScheduled\", "
		 "\"status\": \"False\", \"reason\": \"Unschedulable\"}]}",
		 "", 59999, false},
		{"\"status\": {\"conditions\": [{\"type\": \"PodScheduled\", "
		 "\"status\": \"False\", \"reason\": \"Unschedulable\"}]}",
		 "", 60000, true},
		{WAITING("ContainerCreating"), "", 900000, false},
		{WAITING("ErrImagePull"), "", 900000, false},
		{WAITING("ImagePullBackOff"), "", 10, true},
		{WAITING("CreateContainerConfigError"), "", 10, true},
		{RUNNING, "odd", 900000, false},
	};
	struct probe_seen s;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		probe_seen_begin(&s, 0);
		T_INT(see(&s, 0, rows[i].pod), 0);
		str_copy(s.warning, rows[i].warning, sizeof(s.warning));
		T_INT(probe_seen_hopeless(&s, &patience, rows[i].at),
		      rows[i].hopeless);
	}
	probe_seen_begin(&s, 0);
	T_INT(see(&s, 5000, WAITING("ContainerCreating")), 0);
	str_copy(s.warning, "MountVolume failed", sizeof(s.warning));
	T_OK(!probe_seen_hopeless(&s, &patience, 34999));
	T_OK(probe_seen_hopeless(&s, &patience, 35000));
	T_STR(probe_seen_why(&s), "MountVolume failed");
}

static void events_tell_of_the_image_and_of_warnings(void)
{
	static const char text[] =
		"{\"items\": [null, {\"reason\": \"Scheduled\"}, {\"reason\": "
		"\"Pulling\", \"firstTimestamp\": \"2026-01-02T03:04:05Z\"}, "
		"{\"type\": \"Warning\", \"reason\": \"FailedScheduling\", "
		"\"message\": \"old\"}, {\"type\": \"Warning\", \"reason\": "
		"\"FailedMount\", \"message\": \"no\\u001b secret\"}, "
		"{\"reason\": \"Pulled\", \"firstTimestamp\": "
		"\"2026-01-02T03:04:25Z\", \"message\": \"Successfully pulled "
		"image\"}]}";
	static const char *const others[] = {
		"{}", "{\"items\": 3}",
		"{\"items\": [{\"reason\": \"Pulled\", \"firstTimestamp\": "
		"\"2026-01-02T03:04:25Z\"}]}",
		"{\"items\": [{\"reason\": \"Pulling\"}, {\"reason\": "
		"\"Pulled\"}]}"};
	_cleanup_json_ json_object *list = t_parse(text);
	struct probe_seen s;

	for (size_t i = 0; i < T_COUNT(others); i++) {
		_cleanup_json_ json_object *other = t_parse(others[i]);

		t_row("%zu", i);
		probe_seen_begin(&s, 0);
		probe_seen_events(&s, other);
		T_INT(s.pull_s, -1);
		T_STR(s.warning, "");
	}
	probe_seen_events(&s, list);
	T_INT(s.pull_s, 20);
	T_STR(s.warning, "FailedMount: no  secret");
}

T_MAIN("probe_seen", T(a_pod_is_seen_to_start_and_end),
       T(one_look_may_miss_that_it_ran), T(hostile_pods_are_bounded),
       T(waiting_in_vain_ends_as_the_engine_does_it),
       T(events_tell_of_the_image_and_of_warnings))
