/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "nodes/pod/pod_annotations.h"
#include "objects/disruption_budget.h"
#include "objects/pod_event.h"
#include "syntax/wellknown.h"
#include "t.h"

static void is(struct t_at at, json_object *o, const char *want)
{
	_cleanup_json_ json_object *expected = t_parse(want);

	t_ok(at, json_object_equal(o, expected),
	     o ? json_object_to_json_string(o) : "no object");
	json_object_put(o);
}
#define IS(o, want) is(T_HERE, o, want)

/* What autoscalers go by: its machine stays; it may go. */
#define KEEP                                                                   \
	"\"cluster-autoscaler.kubernetes.io/safe-to-evict\": \"false\","       \
	"\"karpenter.sh/do-not-disrupt\": \"true\""
#define GO                                                                     \
	"\"cluster-autoscaler.kubernetes.io/safe-to-evict\": \"true\","        \
	"\"karpenter.sh/do-not-disrupt\": null"

static void a_busy_pod_gets_a_label_and_tells_who_runs_there(void)
{
	const struct pod_jobs jobs = {.busy = true,
				      .ids = "7,8",
				      .users = "alice,bob",
				      .accounts = "chem"};

	IS(pod_annotations_patch("u-1", &jobs),
	   "{\"metadata\": {\"uid\": \"u-1\","
	   " \"labels\": {\"slurm-k8s.io/busy\": \"true\"},"
	   " \"annotations\": {" KEEP ","
	   "  \"slurm-k8s.io/job-ids\": \"7,8\","
	   "  \"slurm-k8s.io/users\": \"alice,bob\","
	   "  \"slurm-k8s.io/accounts\": \"chem\"}}}");
}

static void an_idle_pod_loses_them(void)
{
	const struct pod_jobs none = {
		.ids = "", .users = "", .steps = "", .steps_label = ""};

	IS(pod_annotations_patch("u-1", &none),
	   "{\"metadata\": {\"uid\": \"u-1\","
	   " \"labels\": {\"slurm-k8s.io/busy\": null,"
	   "  \"slurm-k8s.io/steps\": null},"
	   " \"annotations\": {" GO ","
	   "  \"slurm-k8s.io/job-ids\": null,"
	   "  \"slurm-k8s.io/users\": null, \"slurm-k8s.io/accounts\": null,"
	   "  \"slurm-k8s.io/steps\": null}}}");
}

static void who_runs_there_may_be_unknown(void)
{
	const struct pod_jobs unknown = {.busy = true};

	IS(pod_annotations_patch("u-1", &unknown),
	   "{\"metadata\": {\"uid\": \"u-1\","
	   " \"labels\": {\"slurm-k8s.io/busy\": \"true\"},"
	   " \"annotations\": {" KEEP "}}}");
}

static void steps_are_an_annotation_and_a_label(void)
{
	const struct pod_jobs jobs = {.busy = true,
				      .steps = "[{\"id\":\"7.0\"}]",
				      .steps_label = "7.0"};

	IS(pod_annotations_patch("u-1", &jobs),
	   "{\"metadata\": {\"uid\": \"u-1\","
	   " \"labels\": {\"slurm-k8s.io/busy\": \"true\","
	   "  \"slurm-k8s.io/steps\": \"7.0\"},"
	   " \"annotations\": {" KEEP ", \"slurm-k8s.io/steps\":"
	   "  \"[{\\\"id\\\":\\\"7.0\\\"}]\"}}}");
}

static void all_but_what_autoscalers_go_by_can_be_noted(void)
{
	const struct pod_jobs jobs = {.busy = true, .ids = "7"};
	json_object *o = pod_annotations_patch("u-1", &jobs);

	pod_annotations_drop_scale(o);
	IS(o, "{\"metadata\": {\"uid\": \"u-1\","
	      " \"labels\": {\"slurm-k8s.io/busy\": \"true\"},"
	      " \"annotations\": {"
	      "  \"slurm-k8s.io/job-ids\": \"7\","
	      "  \"slurm-k8s.io/users\": null,"
	      "  \"slurm-k8s.io/accounts\": null}}}");
}

/* What is sent at `now` may be sent again after so long. */
static int64_t pause_after(struct note_pace *p, uint32_t sum, int64_t now,
			   bool taken)
{
	pod_annotations_sent(p, sum, now, taken);
	T_OK(!pod_annotations_may_send(p, sum, p->after - 1));
	T_OK(pod_annotations_may_send(p, sum, p->after));
	T_OK(pod_annotations_may_send(p, sum + 1, now));
	return p->after - now;
}

static void a_note_that_does_not_stick_is_sent_more_and_more_seldom(void)
{
	static const int64_t pauses[] = {10,  20,  40,	80, 160,
					 320, 600, 600, 600};
	struct note_pace p = {0};

	T_OK(pod_annotations_may_send(&p, 0, 1));
	for (size_t i = 0; i < T_COUNT(pauses); i++) {
		t_row("%zu", i);
		T_INT(pause_after(&p, 7, 5000, true), pauses[i] * 1000);
	}
	T_INT(pause_after(&p, 8, 5000, true), 10000);
	/* (of what never got to the API server nothing is known) */
	T_INT(pause_after(&p, 8, 5000, false), 10000);
	T_INT(pause_after(&p, 8, 5000, false), 10000);
	T_INT(pause_after(&p, 8, 5000, true), 20000);
}

static void notes_that_are_not_urgent_have_turns(void)
{
	struct note_turns t = {0};
	int64_t at = 0;

	for (int i = 0; i < POD_ANNOTATIONS_AT_ONCE; i++)
		T_OK(pod_annotations_turn(&t, 100000) <= 100000);
	for (int i = 1; i <= 100; i++)
		T_INT(at = pod_annotations_turn(&t, 100000), 100000 + i * 50);
	/* (who asks later is behind those) */
	T_INT(pod_annotations_turn(&t, 102000), at + 50);
	T_OK(pod_annotations_turn(&t, 200000) <= 200000);
	t = (struct note_turns){0};
	T_INT(pod_annotations_turn(&t, 5), 1);
}

static void an_event_says_what_was_done_to_the_pod_and_why(void)
{
	const struct pod_event e = {.ns = "slurm",
				    .pod = "cpu-1",
				    .uid = "u-1",
				    .warning = true,
				    .reason = "host lost",
				    .message = "Kubernetes node w-7 is lost",
				    .host = "ctl-1",
				    .at_ms = 1767323045678};

	IS(pod_event_make(&e),
	   "{\"apiVersion\": \"v1\", \"kind\": \"Event\","
	   " \"metadata\": {\"namespace\": \"slurm\","
	   "  \"generateName\": \"cpu-1.\"},"
	   " \"involvedObject\": {\"apiVersion\": \"v1\", \"kind\": \"Pod\","
	   "  \"namespace\": \"slurm\", \"name\": \"cpu-1\", \"uid\": \"u-1\"},"
	   " \"source\": {\"component\": \"slurm-k8s\", \"host\": \"ctl-1\"},"
	   " \"firstTimestamp\": \"2026-01-02T03:04:05Z\","
	   " \"lastTimestamp\": \"2026-01-02T03:04:05Z\", \"count\": 1,"
	   " \"type\": \"Warning\", \"reason\": \"HostLost\","
	   " \"message\": \"Kubernetes node w-7 is lost\"}");
}

static void texts_of_an_event_are_bounded(void)
{
	_cleanup_free_ char *text = t_repeat("x ~", 1000);
	const struct pod_event e = {.ns = "slurm",
				    .pod = "p",
				    .uid = "u",
				    .reason = text,
				    .message = text};
	_cleanup_json_ json_object *o = pod_event_make(&e);

	T_INT(strlen(jx_str(o, "message")), 1023);
	T_INT(strlen(jx_str(o, "reason")), 127);
	T_OK(!strchr(jx_str(o, "reason"), '~'));
	T_STR(jx_str(o, "type"), "Normal");
}

static void a_budget_allows_no_eviction_of_busy_pods(void)
{
	IS(disruption_budget_make("slurm-k8s-prod", "prod"),
	   "{\"apiVersion\": \"policy/v1\","
	   " \"kind\": \"PodDisruptionBudget\","
	   " \"metadata\": {\"name\": \"slurm-k8s-prod\"},"
	   " \"spec\": {\"minAvailable\": 2147483647,"
	   "  \"selector\": {\"matchLabels\":"
	   "   {\"slurm-k8s.io/cluster\": \"prod\","
	   "    \"slurm-k8s.io/busy\": \"true\"}}}}");
}

static void only_what_its_status_does_not_tell_is_a_warning(void)
{
	static const struct {
		const char *event, *words;
	} rows[] = {
		{"{\"reason\": \"FailedMount\", \"message\": \"no\\nroom\","
		 " \"firstTimestamp\": \"2026-01-02T03:04:05Z\","
		 " \"lastTimestamp\": \"2026-01-02T03:04:06Z\"}",
		 "FailedMount: no room"},
		{"{\"reason\": \"FailedCreatePodSandBox\"}",
		 "FailedCreatePodSandBox: "},
		{"{\"reason\": \"FailedPrepareDynamicResources\","
		 " \"message\": \"no driver\"}",
		 "FailedPrepareDynamicResources: no driver"},
		{"{\"reason\": \"Evicted\", \"message\": \"too much\"}",
		 "Evicted: too much"},
		{"{\"reason\": \"Killing\", \"message\": \"x\"}", NULL},
		{"{\"message\": \"x\"}", NULL},
		{"{}", NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = t_parse(rows[i].event);
		int64_t first, last;
		_cleanup_free_ char *words =
			pod_event_warning(o, &first, &last);

		t_row("%zu", i);
		T_INT(first, i ? -1 : 1767323045000);
		T_INT(last, i ? -1 : 1767323046000);
		T_STR(words, rows[i].words);
	}
}

T_MAIN("pod_annotations", T(a_busy_pod_gets_a_label_and_tells_who_runs_there),
       T(an_idle_pod_loses_them), T(who_runs_there_may_be_unknown),
       T(steps_are_an_annotation_and_a_label),
       T(all_but_what_autoscalers_go_by_can_be_noted),
       T(a_note_that_does_not_stick_is_sent_more_and_more_seldom),
       T(notes_that_are_not_urgent_have_turns),
       T(an_event_says_what_was_done_to_the_pod_and_why),
       T(texts_of_an_event_are_bounded),
       T(only_what_its_status_does_not_tell_is_a_warning),
       T(a_budget_allows_no_eviction_of_busy_pods))
