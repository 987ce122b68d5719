/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "bridge/requests/pod_patches.h"
#include "t.h"

static void is(struct t_at at, json_object *o, const char *want)
{
	_cleanup_json_ json_object *expected = t_parse(want);

	t_ok(at, json_object_equal(o, expected),
	     o ? json_object_to_json_string(o) : "no object");
	json_object_put(o);
}
#define IS(o, want) is(T_HERE, o, want)

static void a_binding_names_node_pod_and_job(void)
{
	const struct pod_ref pod = {"team", "train-0", "u-1"};

	IS(pod_patch_binding(&pod, "w-7", 12, false),
	   "{\"apiVersion\": \"v1\", \"kind\": \"Binding\","
	   " \"metadata\": {\"namespace\": \"team\", \"name\": \"train-0\","
	   "  \"uid\": \"u-1\", \"annotations\": {"
	   "  \"slinky.slurm.net/slurm-node\": \"w-7\","
	   "  \"slurm-k8s.io/job-id\": \"12\"}},"
	   " \"target\": {\"apiVersion\": \"v1\", \"kind\": \"Node\","
	   "  \"name\": \"w-7\"}}");
}

static void a_binding_may_tell_autoscalers_to_leave_the_machine(void)
{
	const struct pod_ref pod = {"team", "train-0", "u-1"};

	IS(pod_patch_binding(&pod, "w-7", 12, true),
	   "{\"apiVersion\": \"v1\", \"kind\": \"Binding\","
	   " \"metadata\": {\"namespace\": \"team\", \"name\": \"train-0\","
	   "  \"uid\": \"u-1\", \"annotations\": {"
	   "  \"slinky.slurm.net/slurm-node\": \"w-7\","
	   "  \"slurm-k8s.io/job-id\": \"12\","
	   "  \"cluster-autoscaler.kubernetes.io/safe-to-evict\": \"false\","
	   "  \"karpenter.sh/do-not-disrupt\": \"true\"}},"
	   " \"target\": {\"apiVersion\": \"v1\", \"kind\": \"Node\","
	   "  \"name\": \"w-7\"}}");
}

static void a_waiting_pod_is_told_why(void)
{
	const struct pod_patch note = {.job_id = 12,
				       .reason = "Unschedulable",
				       .message = "waits:\nResources",
				       .since_ms = 1000,
				       .queue = "waits"};

	IS(pod_patch_patch("u-1", &note),
	   "{\"metadata\": {\"uid\": \"u-1\", \"labels\": {"
	   "  \"slurm-k8s.io/job-id\": \"12\","
	   "  \"scheduler.slinky.slurm.net/slurm-jobid\": \"12\"},"
	   "  \"annotations\": {\"slurm-k8s.io/queue\": \"waits\"}},"
	   " \"status\": {\"conditions\": [{\"type\": \"PodScheduled\","
	   "  \"status\": \"False\", \"reason\": \"Unschedulable\","
	   "  \"message\": \"waits: Resources\","
	   "  \"lastTransitionTime\": \"1970-01-01T00:00:01Z\"}]}}");
}

static void a_pod_that_is_to_run_has_proof_of_its_job(void)
{
	const struct pod_patch note = {.job_id = 12,
				       .bound = true,
				       .node = "w-7",
				       .since_ms = 1000,
				       .queue = ""};

	IS(pod_patch_patch("u-1", &note),
	   "{\"metadata\": {\"uid\": \"u-1\", \"labels\": {"
	   "  \"slurm-k8s.io/job-id\": \"12\","
	   "  \"scheduler.slinky.slurm.net/slurm-jobid\": \"12\"},"
	   "  \"annotations\": {\"slurm-k8s.io/job-id\": \"12\","
	   "  \"slurm-k8s.io/queue\": null}},"
	   " \"status\": {\"conditions\": [{\"type\": \"slurm-k8s.io/job\","
	   "  \"status\": \"True\", \"reason\": \"Started\","
	   "  \"message\": \"12\","
	   "  \"lastTransitionTime\": \"1970-01-01T00:00:01Z\"},"
	   "  {\"type\": \"slurm-k8s.io/node\","
	   "  \"status\": \"True\", \"reason\": \"Started\","
	   "  \"message\": \"w-7\","
	   "  \"lastTransitionTime\": \"1970-01-01T00:00:01Z\"}]}}");
}

static void a_pod_that_is_to_run_says_whose_job_that_is(void)
{
	const struct pod_patch note = {.job_id = 12,
				       .bound = true,
				       .node = "w-7",
				       .group = "Job ns j 1-1",
				       .by = "slurm/slurm-k8s-a",
				       .queue = ""};

	IS(pod_patch_patch("u-1", &note),
	   "{\"metadata\": {\"uid\": \"u-1\", \"labels\": {"
	   "  \"slurm-k8s.io/job-id\": \"12\","
	   "  \"scheduler.slinky.slurm.net/slurm-jobid\": \"12\"},"
	   "  \"annotations\": {\"slurm-k8s.io/job-id\": \"12\","
	   "  \"slurm-k8s.io/queue\": null}},"
	   " \"status\": {\"conditions\": [{\"type\": \"slurm-k8s.io/job\","
	   "  \"status\": \"True\", \"reason\": \"Started\","
	   "  \"message\": \"12\"},"
	   "  {\"type\": \"slurm-k8s.io/node\","
	   "  \"status\": \"True\", \"reason\": \"Started\","
	   "  \"message\": \"w-7\"},"
	   "  {\"type\": \"slurm-k8s.io/group\","
	   "  \"status\": \"True\", \"reason\": \"Started\","
	   "  \"message\": \"Job ns j 1-1\"},"
	   "  {\"type\": \"slurm-k8s.io/bound-by\","
	   "  \"status\": \"True\", \"reason\": \"Started\","
	   "  \"message\": \"slurm/slurm-k8s-a\"}]}}");
}

static void a_pod_that_others_have_bound_has_none(void)
{
	const struct pod_patch note = {.bound = true};

	IS(pod_patch_patch("u-1", &note),
	   "{\"metadata\": {\"uid\": \"u-1\", \"labels\": {"
	   "  \"slurm-k8s.io/job-id\": null,"
	   "  \"scheduler.slinky.slurm.net/slurm-jobid\": null},"
	   "  \"annotations\": {\"slurm-k8s.io/job-id\": null}},"
	   " \"status\": {\"conditions\": [{\"type\": \"slurm-k8s.io/job\","
	   "  \"status\": \"False\", \"reason\": \"BoundByOthers\","
	   "  \"message\": \"0\"},"
	   "  {\"type\": \"slurm-k8s.io/node\","
	   "  \"status\": \"False\", \"reason\": \"BoundByOthers\","
	   "  \"message\": \"\"},"
	   "  {\"type\": \"slurm-k8s.io/group\","
	   "  \"status\": \"False\", \"reason\": \"BoundByOthers\","
	   "  \"message\": \"\"},"
	   "  {\"type\": \"slurm-k8s.io/bound-by\","
	   "  \"status\": \"False\", \"reason\": \"BoundByOthers\","
	   "  \"message\": \"\"}]}}");
}

static void a_pod_without_a_job_loses_its_id(void)
{
	const struct pod_patch note = {.reason = "Unschedulable"};

	IS(pod_patch_patch("u-1", &note),
	   "{\"metadata\": {\"uid\": \"u-1\", \"labels\": {"
	   "  \"slurm-k8s.io/job-id\": null,"
	   "  \"scheduler.slinky.slurm.net/slurm-jobid\": null}},"
	   " \"status\": {\"conditions\": [{\"type\": \"PodScheduled\","
	   "  \"status\": \"False\", \"reason\": \"Unschedulable\","
	   "  \"message\": \"\"}]}}");
}

static void a_pod_that_slurm_takes_away_is_a_disruption_target(void)
{
	_cleanup_json_ json_object *o =
		pod_patch_disruption("u-1", "job 7 was\npreempted", 1000);
	_cleanup_json_ json_object *want = t_parse(
		"{\"metadata\": {\"uid\": \"u-1\"}, \"status\": "
		"{\"conditions\": "
		"[{\"type\": \"DisruptionTarget\", \"status\": \"True\", "
		"\"reason\": \"PreemptionByScheduler\", \"message\": "
		"\"Slurm: job 7 was preempted\", \"lastTransitionTime\": "
		"\"1970-01-01T00:00:01Z\"}]}}");

	T_OK(o && json_object_equal(o, want));
}

T_MAIN("pod_patches", T(a_pod_that_slurm_takes_away_is_a_disruption_target),
       T(a_binding_names_node_pod_and_job),
       T(a_binding_may_tell_autoscalers_to_leave_the_machine),
       T(a_waiting_pod_is_told_why),
       T(a_pod_that_is_to_run_has_proof_of_its_job),
       T(a_pod_that_is_to_run_says_whose_job_that_is),
       T(a_pod_that_others_have_bound_has_none),
       T(a_pod_without_a_job_loses_its_id))
