/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics: what is counted, for Prometheus (docs/metrics.md). One static table
 * (table.c) has all of them; what is counted lies in it as atomics. To count
 * needs no memory, lock or I/O: any thread may, also one of a program, where
 * nobody reads it. Values begin at 0 with the process, and never go back when
 * an engine ends and the next one begins.
 *
 * `a` and `b` are the values of the first and the second label: an index in
 * their closed list, as the enums below name them, or what metrics_name()
 * returned; 0 where the metric has no such label. What is out of the list is
 * not counted.
 */
#ifndef SLURMK8S_METRICS_METRICS_H
#define SLURMK8S_METRICS_METRICS_H

#include <stdint.h>

#include "base/buf.h"

/* In the order of docs/metrics.md and of the file. */
enum metric {
	METRIC_BUILD,
	METRIC_LEASE_HELD,
	METRIC_LEASE_ACQUIRED,
	METRIC_SLURM_VIEW,
	METRIC_KUBE_VIEW,
	METRIC_PASS,
	METRIC_LAST_PASS,
	METRIC_API_REQUESTS,
	METRIC_API_TIME,
	METRIC_API_RETRIES,
	METRIC_WATCH_RESTARTS,
	METRIC_NODES,
	METRIC_NODES_SET_ASIDE,
	METRIC_WORKER_PODS,
	METRIC_NODE_START,
	METRIC_NODE_START_PHASE,
	METRIC_FAILOVERS,
	METRIC_PARTITION_JOBS,
	METRIC_PARTITION_NODES,
	METRIC_NODESET_JOBS,
	METRIC_BRIDGE_VIEW,
	METRIC_BRIDGE_GROUPS,
	METRIC_BRIDGE_PODS,
	METRIC_BRIDGE_OLDEST,
	METRIC_BRIDGE_JOBS,
	METRIC_BRIDGE_REQUESTS,
	METRIC_BRIDGE_BIND,
	METRIC_BRIDGE_REFUSALS,
	METRICS
};

/* verb: a watch comes last, as it has no duration. */
enum metrics_verb {
	METRICS_GET,
	METRICS_LIST,
	METRICS_CREATE,
	METRICS_UPDATE,
	METRICS_PATCH,
	METRICS_DELETE,
	METRICS_TIMED_VERBS,
	METRICS_WATCH = METRICS_TIMED_VERBS,
	METRICS_VERBS
};

/* code: the HTTP status; those that say more than their class by themselves. */
enum metrics_code {
	METRICS_2XX,
	METRICS_3XX,
	METRICS_401,
	METRICS_403,
	METRICS_404,
	METRICS_409,
	METRICS_429,
	METRICS_4XX,
	METRICS_5XX,
	METRICS_NO_ANSWER,
	METRICS_CODES
};

/* reason of a watch that is begun anew */
enum metrics_restart {
	METRICS_CLOSED,
	METRICS_EXPIRED,
	METRICS_BROKEN,
	METRICS_SILENT,
	METRICS_ASKED,
	METRICS_RESTARTS
};

enum metrics_thread { METRICS_ENGINE, METRICS_BRIDGE, METRICS_THREADS };

enum metrics_objects { METRICS_KUBE_NODES, METRICS_KUBE_PODS, METRICS_OBJECTS };

/* state of a node */
enum metrics_node {
	METRICS_POWERED_DOWN,
	METRICS_POWERING_UP,
	METRICS_UP,
	METRICS_POWERING_DOWN,
	METRICS_DRAINED,
	METRICS_DOWN,
	METRICS_NODE_STATES
};

/* state of a job that has not ended */
enum metrics_slurm_job {
	METRICS_JOB_PENDING,
	METRICS_JOB_CONFIGURING,
	METRICS_JOB_RUNNING,
	METRICS_JOB_SUSPENDED,
	METRICS_JOB_COMPLETING,
	METRICS_SLURM_JOB_STATES
};

/* phase of a pod, in the order of enum pod_phase */
#define METRICS_POD_PHASES 5

/* phase of a node's start: it ends with what it is called after */
enum metrics_start {
	METRICS_CREATED,
	METRICS_SCHEDULED,
	METRICS_STARTED,
	METRICS_REGISTERED,
	METRICS_START_PHASES
};

/* state of a group of bridged pods */
enum metrics_group {
	METRICS_GROUP_GATED,
	METRICS_GROUP_REFUSED,
	METRICS_GROUP_UNSUBMITTED,
	METRICS_GROUP_LIMITED,
	METRICS_GROUP_QUEUED,
	METRICS_GROUP_UNBOUND,
	METRICS_GROUP_RUNNING,
	METRICS_GROUP_ENDING,
	METRICS_GROUP_STATES
};

/* state of a bridged pod */
enum metrics_pod {
	METRICS_POD_GATED,
	METRICS_POD_WAITING,
	METRICS_POD_RUNNING,
	METRICS_POD_STATES
};

/* event of a placeholder job */
enum metrics_job {
	METRICS_SUBMITTED,
	METRICS_CANCELLED,
	METRICS_COMPLETED,
	METRICS_JOB_EVENTS
};

/* kind of a request of the bridge, in the order of enum bridge_request_what */
#define METRICS_REQUEST_KINDS 5

/* result of a request of the bridge */
enum metrics_result {
	METRICS_DONE,
	METRICS_PAST,
	METRICS_FAILED,
	METRICS_RESULTS
};

/* reason why a job of the bridge was not submitted */
enum metrics_refusal {
	METRICS_BY_SLURM,
	METRICS_BY_WISH,
	METRICS_SLURM_BUSY,
	METRICS_QUEUE_FULL,
	METRICS_TOO_MANY_JOBS,
	METRICS_TOO_MANY_NAMES,
	METRICS_TOO_MANY_SUBMISSIONS,
	METRICS_REFUSALS
};

/* Lists of names that are not known beforehand. */
enum metrics_names {
	METRICS_NO_NAMES,
	METRICS_CLUSTER_NAMES,
	METRICS_NODESET_NAMES,
	METRICS_PARTITION_NAMES,
	METRICS_VERSION,
	METRICS_SLURM_VERSION,
	METRICS_NAME_LISTS
};

#define METRICS_NAMES_MAX 64	 /* names in a list; the rest is "other" */
#define METRICS_NAME_MAX 64	 /* bytes of a name, with NUL */
#define METRICS_UNSET INT64_MIN	 /* a gauge that is not to be there */
#define METRICS_TEXT_MAX 1048576 /* bytes of what metrics_render() appends */

/* Count one more. */
void metrics_count(enum metric m, unsigned int a, unsigned int b);

/*
 * Take over how long something took, ms; less than 0, which clocks of two
 * machines may give, counts as 0.
 */
void metrics_time(enum metric m, unsigned int a, int64_t ms);

/*
 * Set a gauge; one of seconds is given in ms. METRICS_UNSET: it is left out of
 * the text.
 */
void metrics_set(enum metric m, unsigned int a, unsigned int b, int64_t value);

/* Set all series of a gauge to 0, or to METRICS_UNSET. */
void metrics_fill(enum metric m, int64_t value);

/*
 * The index of a text in the closed list of a label (0: the first one). It is
 * out of the list, so that it is not counted, if it is not there.
 */
unsigned int metrics_index(enum metric m, unsigned int label, const char *text);

/*
 * The index of a name in one of these lists, to which it is added: names that
 * come when it is full have one together, "other". A name stays as long as the
 * process. Takes a lock for a moment: not for what happens often.
 */
unsigned int metrics_name(enum metrics_names list, const char *name);

/*
 * Append all metrics as text for Prometheus (exposition format 0.0.4) to *out,
 * whose bound is to be METRICS_TEXT_MAX. Takes the lock of metrics_name(). 0;
 * or an error of buf_add(): what was appended then is of no use.
 */
int metrics_render(struct buf *out);

#endif
