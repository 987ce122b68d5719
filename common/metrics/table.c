/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All metrics: docs/metrics.md has the same ones, which a test compares. */
#include "metrics/table.h"

#include <stddef.h>

static const char *const verbs[] = {
	[METRICS_GET] = "get",	     [METRICS_LIST] = "list",
	[METRICS_CREATE] = "create", [METRICS_UPDATE] = "update",
	[METRICS_PATCH] = "patch",   [METRICS_DELETE] = "delete",
	[METRICS_WATCH] = "watch"};
static const char *const codes[] = {
	[METRICS_2XX] = "2xx", [METRICS_3XX] = "3xx",
	[METRICS_401] = "401", [METRICS_403] = "403",
	[METRICS_404] = "404", [METRICS_409] = "409",
	[METRICS_429] = "429", [METRICS_4XX] = "4xx",
	[METRICS_5XX] = "5xx", [METRICS_NO_ANSWER] = "none"};
static const char *const restarts[] = {[METRICS_CLOSED] = "closed",
				       [METRICS_EXPIRED] = "expired",
				       [METRICS_BROKEN] = "failed",
				       [METRICS_SILENT] = "silent",
				       [METRICS_ASKED] = "asked"};
static const char *const threads[] = {
	[METRICS_ENGINE] = "engine", [METRICS_BRIDGE] = "bridge"};
static const char *const objects[] = {
	[METRICS_KUBE_NODES] = "nodes", [METRICS_KUBE_PODS] = "pods"};
static const char *const node_states[] = {
	[METRICS_POWERED_DOWN] = "powered_down",
	[METRICS_POWERING_UP] = "powering_up",
	[METRICS_UP] = "up",
	[METRICS_POWERING_DOWN] = "powering_down",
	[METRICS_DRAINED] = "drained",
	[METRICS_DOWN] = "down"};
static const char *const slurm_jobs[] = {
	[METRICS_JOB_PENDING] = "pending",
	[METRICS_JOB_CONFIGURING] = "configuring",
	[METRICS_JOB_RUNNING] = "running",
	[METRICS_JOB_SUSPENDED] = "suspended",
	[METRICS_JOB_COMPLETING] = "completing"};
static const char *const pod_phases[] = {"unknown", "pending", "running",
					 "succeeded", "failed"};
static const char *const start_phases[] = {[METRICS_CREATED] = "created",
					   [METRICS_SCHEDULED] = "scheduled",
					   [METRICS_STARTED] = "started",
					   [METRICS_REGISTERED] = "registered"};
/* The rows of node_decide() that take a node from its jobs. */
static const char *const failovers[] = {
	"cannot start",	    "given back",   "host lost", "not registered",
	"not responding",   "not started",  "pod ended", "pod gone",
	"slurmd restarted", "unschedulable"};
static const char *const group_states[] = {[METRICS_GROUP_GATED] = "gated",
					   [METRICS_GROUP_REFUSED] = "refused",
					   [METRICS_GROUP_UNSUBMITTED] =
						   "unsubmitted",
					   [METRICS_GROUP_LIMITED] = "limited",
					   [METRICS_GROUP_QUEUED] = "queued",
					   [METRICS_GROUP_UNBOUND] = "unbound",
					   [METRICS_GROUP_RUNNING] = "running",
					   [METRICS_GROUP_ENDING] = "ending"};
static const char *const pod_states[] = {[METRICS_POD_GATED] = "gated",
					 [METRICS_POD_WAITING] = "waiting",
					 [METRICS_POD_RUNNING] = "running"};
static const char *const job_events[] = {[METRICS_SUBMITTED] = "submitted",
					 [METRICS_CANCELLED] = "cancelled",
					 [METRICS_COMPLETED] = "completed"};
static const char *const request_kinds[] = {"delete", "bind", "note", "group",
					    "event"};
static const char *const results[] = {[METRICS_DONE] = "done",
				      [METRICS_PAST] = "past",
				      [METRICS_FAILED] = "failed"};
static const char *const refusals[] = {
	[METRICS_BY_SLURM] = "slurm",
	[METRICS_BY_WISH] = "request",
	[METRICS_SLURM_BUSY] = "slurm_busy",
	[METRICS_QUEUE_FULL] = "queue_full",
	[METRICS_TOO_MANY_JOBS] = "too_many_jobs",
	[METRICS_TOO_MANY_NAMES] = "too_many_names",
	[METRICS_TOO_MANY_SUBMISSIONS] = "too_many_submissions"};

static const int64_t requests_ms[] = {5,   10,	 25,   50,   100,   250,
				      500, 1000, 2500, 5000, 10000, 30000};
static const int64_t passes_ms[] = {1,	 5,   10,   25,	  50,	100,
				    250, 500, 1000, 2500, 5000, 10000};
static const int64_t starts_ms[] = {1000,   2000,   5000,   10000, 15000,
				    20000,  30000,  45000,  60000, 90000,
				    120000, 180000, 300000, 600000};
static const int64_t binds_ms[] = {500,	   1000,    2500,     5000,
				   10000,  30000,   60000,    300000,
				   900000, 3600000, 14400000, 86400000};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define CELLS(n) .cells = (_Atomic int64_t[n]){0}, .n_cells = (unsigned int)(n)
#define OF(what, list)                                                         \
	{                                                                      \
		.name = (what), .values = (list), .n = COUNT(list)             \
	}
#define NAMED(what, list)                                                      \
	{                                                                      \
		.name = (what), .n = METRICS_NAMES_MAX + 1, .names = (list)    \
	}
#define ONE(what, list)                                                        \
	{                                                                      \
		.name = (what), .n = 2, .names = (list)                        \
	}
#define NAMES (METRICS_NAMES_MAX + 1)
#define BUCKETS(list) .bounds = (list), .n_bounds = COUNT(list)
#define TIMES(list, series)                                                    \
	.type = METRICS_HISTOGRAM, .seconds = true, BUCKETS(list),             \
	CELLS((series) * (COUNT(list) + 2))

_Static_assert(COUNT(verbs) == METRICS_VERBS, "verbs");
_Static_assert(COUNT(codes) == METRICS_CODES, "codes");
_Static_assert(COUNT(pod_phases) == METRICS_POD_PHASES, "phases");
_Static_assert(COUNT(request_kinds) == METRICS_REQUEST_KINDS, "kinds");
_Static_assert(COUNT(starts_ms) <= METRICS_BOUNDS_MAX, "bounds");

const struct metrics_info metrics_table[METRICS] = {
	[METRIC_BUILD] = {.name = "slurm_k8s_build_info",
			  .help = "Always 1: the versions of slurm-k8s, and of "
				  "the Slurm that it runs in.",
			  .type = METRICS_GAUGE,
			  .labels = {ONE("version", METRICS_VERSION),
				     ONE("slurm", METRICS_SLURM_VERSION)},
			  CELLS(2 * 2)},
	[METRIC_LEASE_HELD] =
		{.name = "slurm_k8s_lease_held",
		 .help = "1 if this engine may act on the Kubernetes cluster, "
			 "as the lease is its own; else 0.",
		 .type = METRICS_GAUGE,
		 .labels = {NAMED("cluster", METRICS_CLUSTER_NAMES)},
		 CELLS(NAMES)},
	[METRIC_LEASE_ACQUIRED] =
		{.name = "slurm_k8s_lease_acquired_total",
		 .help = "Leases that became this engine's: at its start, by a "
			 "take-over, or after a time without the API server.",
		 .type = METRICS_COUNTER,
		 CELLS(1)},
	[METRIC_SLURM_VIEW] =
		{.name = "slurm_k8s_slurm_view_age_seconds",
		 .help = "How old the list of Slurm's nodes is that the engine "
			 "goes by.",
		 .type = METRICS_GAUGE,
		 .seconds = true,
		 CELLS(1)},
	[METRIC_KUBE_VIEW] =
		{.name = "slurm_k8s_kube_view_age_seconds",
		 .help = "How old what the engine sees of a Kubernetes cluster "
			 "is; not there while it sees nothing.",
		 .type = METRICS_GAUGE,
		 .seconds = true,
		 .labels = {NAMED("cluster", METRICS_CLUSTER_NAMES),
			    OF("objects", objects)},
		 CELLS(NAMES *METRICS_OBJECTS)},
	[METRIC_PASS] = {.name = "slurm_k8s_pass_duration_seconds",
			 .help = "How long a thread took to come round once, "
				 "with what it waited for slurmctld.",
			 .labels = {OF("thread", threads)},
			 TIMES(passes_ms, METRICS_THREADS)},
	[METRIC_LAST_PASS] = {.name = "slurm_k8s_last_pass_timestamp_seconds",
			      .help = "When a thread last came round, in "
				      "seconds since 1970; "
				      "the engine's is when this was written.",
			      .type = METRICS_GAUGE,
			      .seconds = true,
			      .labels = {OF("thread", threads)},
			      CELLS(METRICS_THREADS)},
	[METRIC_API_REQUESTS] =
		{.name = "slurm_k8s_api_requests_total",
		 .help = "Requests to API servers, each try by itself, by how "
			 "it ended.",
		 .type = METRICS_COUNTER,
		 .labels = {OF("verb", verbs), OF("code", codes)},
		 CELLS(METRICS_VERBS *METRICS_CODES)},
	[METRIC_API_TIME] =
		{.name = "slurm_k8s_api_request_duration_seconds",
		 .help = "How long API servers took to answer a try; a page of "
			 "a list is one; no watches.",
		 .labels = {{.name = "verb",
			     .values = verbs,
			     .n = METRICS_TIMED_VERBS}},
		 TIMES(requests_ms, METRICS_TIMED_VERBS)},
	[METRIC_API_RETRIES] = {.name = "slurm_k8s_api_retries_total",
				.help = "Requests to API servers that were to "
					"be sent once more.",
				.type = METRICS_COUNTER,
				CELLS(1)},
	[METRIC_WATCH_RESTARTS] =
		{.name = "slurm_k8s_watch_restarts_total",
		 .help = "Watches that were begun anew, by why the one before "
			 "had ended.",
		 .type = METRICS_COUNTER,
		 .labels = {OF("reason", restarts)},
		 CELLS(METRICS_RESTARTS)},
	[METRIC_NODES] = {.name = "slurm_k8s_nodes",
			  .help = "Slurm nodes of nodesets, by what Slurm says "
				  "of them.",
			  .type = METRICS_GAUGE,
			  .labels = {NAMED("nodeset", METRICS_NODESET_NAMES),
				     OF("state", node_states)},
			  CELLS(NAMES *METRICS_NODE_STATES)},
	[METRIC_NODES_SET_ASIDE] =
		{.name = "slurm_k8s_nodes_set_aside",
		 .help = "Slurm nodes that are drained or down for a Reason of "
			 "slurm-k8s.",
		 .type = METRICS_GAUGE,
		 .labels = {NAMED("nodeset", METRICS_NODESET_NAMES)},
		 CELLS(NAMES)},
	[METRIC_WORKER_PODS] =
		{.name = "slurm_k8s_worker_pods",
		 .help = "Pods that are Slurm nodes, by their phase.",
		 .type = METRICS_GAUGE,
		 .labels = {NAMED("nodeset", METRICS_NODESET_NAMES),
			    OF("phase", pod_phases)},
		 CELLS(NAMES *METRICS_POD_PHASES)},
	[METRIC_NODE_START] =
		{.name = "slurm_k8s_node_start_duration_seconds",
		 .help = "How long nodes took to start, from their "
			 "power-up, or their pod's creation, to when "
			 "they were seen up.",
		 TIMES(starts_ms, 1)},
	[METRIC_NODE_START_PHASE] =
		{.name = "slurm_k8s_node_start_phase_duration_seconds",
		 .help = "How long a part of that took: until the pod was "
			 "created, scheduled, its container started, slurmd "
			 "registered.",
		 .labels = {OF("phase", start_phases)},
		 TIMES(starts_ms, METRICS_START_PHASES)},
	[METRIC_FAILOVERS] =
		{.name = "slurm_k8s_failovers_total",
		 .help = "Nodes that were taken from their jobs, or given up, "
			 "by the case.",
		 .type = METRICS_COUNTER,
		 .labels = {OF("reason", failovers)},
		 CELLS(COUNT(failovers))},
	[METRIC_PARTITION_JOBS] =
		{.name = "slurm_k8s_partition_jobs",
		 .help = "Slurm's jobs that have not ended, in each partition "
			 "that they are in, or wait for.",
		 .type = METRICS_GAUGE,
		 .labels = {NAMED("partition", METRICS_PARTITION_NAMES),
			    OF("state", slurm_jobs)},
		 CELLS(NAMES *METRICS_SLURM_JOB_STATES)},
	[METRIC_PARTITION_NODES] =
		{.name = "slurm_k8s_partition_nodes",
		 .help = "All of Slurm's nodes, in each partition that has "
			 "them.",
		 .type = METRICS_GAUGE,
		 .labels = {NAMED("partition", METRICS_PARTITION_NAMES),
			    OF("state", node_states)},
		 CELLS(NAMES *METRICS_NODE_STATES)},
	[METRIC_NODESET_JOBS] =
		{.name = "slurm_k8s_nodeset_jobs",
		 .help = "Slurm's jobs that have nodes of a nodeset.",
		 .type = METRICS_GAUGE,
		 .labels = {NAMED("nodeset", METRICS_NODESET_NAMES),
			    OF("state", slurm_jobs)},
		 CELLS(NAMES *METRICS_SLURM_JOB_STATES)},
	[METRIC_BRIDGE_VIEW] =
		{.name = "slurm_k8s_bridge_view_age_seconds",
		 .help = "How old the oldest part is of what the bridge sees "
			 "of its Kubernetes cluster.",
		 .type = METRICS_GAUGE,
		 .seconds = true,
		 CELLS(1)},
	[METRIC_BRIDGE_GROUPS] =
		{.name = "slurm_k8s_bridge_groups",
		 .help = "Groups of pods in Slurm's queue, by where they are.",
		 .type = METRICS_GAUGE,
		 .labels = {OF("state", group_states)},
		 CELLS(METRICS_GROUP_STATES)},
	[METRIC_BRIDGE_PODS] = {.name = "slurm_k8s_bridge_pods",
				.help = "Pods of these groups.",
				.type = METRICS_GAUGE,
				.labels = {OF("state", pod_states)},
				CELLS(METRICS_POD_STATES)},
	[METRIC_BRIDGE_OLDEST] =
		{.name = "slurm_k8s_bridge_oldest_seconds",
		 .help = "For how long the group that is in this state for the "
			 "longest time has been in it.",
		 .type = METRICS_GAUGE,
		 .seconds = true,
		 .labels = {OF("state", group_states)},
		 CELLS(METRICS_GROUP_STATES)},
	[METRIC_BRIDGE_JOBS] =
		{.name = "slurm_k8s_bridge_jobs_total",
		 .help = "Placeholder jobs that the bridge has submitted, "
			 "cancelled, or ended with their pods.",
		 .type = METRICS_COUNTER,
		 .labels = {OF("event", job_events)},
		 CELLS(METRICS_JOB_EVENTS)},
	[METRIC_BRIDGE_REQUESTS] =
		{.name = "slurm_k8s_bridge_requests_total",
		 .help = "Requests for bridged pods, by how they ended; past: "
			 "the pod was gone, or had a node.",
		 .type = METRICS_COUNTER,
		 .labels = {OF("kind", request_kinds), OF("result", results)},
		 CELLS(METRICS_REQUEST_KINDS *METRICS_RESULTS)},
	[METRIC_BRIDGE_BIND] =
		{.name = "slurm_k8s_bridge_pod_bind_duration_seconds",
		 .help = "How long bridged pods waited, from their creation to "
			 "when they were bound to a node.",
		 TIMES(binds_ms, 1)},
	[METRIC_BRIDGE_REFUSALS] =
		{.name = "slurm_k8s_bridge_refusals_total",
		 .help = "Times that a group's job was not submitted, by why.",
		 .type = METRICS_COUNTER,
		 .labels = {OF("reason", refusals)},
		 CELLS(METRICS_REFUSALS)},
};
