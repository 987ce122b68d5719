/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pods that their author has made so that they cannot be read as a whole; what
 * the API server says is the test's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bridge/reconcile/group_decide.h"
#include "pod_groups_fixture.h"

/* The only pod: of the group a, as a label says. */
struct form {
	const char *meta, *spec, *status; /* more of these; NULL: nothing */
	const char *cpu;		  /* that it requests; NULL: "1" */
};

static const char *or_none(const char *text)
{
	return text ? text : "";
}

/* JSON with those tolerations. The caller frees. */
static char *text_of(const struct form *f, const char *tolerations)
{
	return str_printf(
		"{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"uid\":"
		"\"b-2\",\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"a\""
		"}%s},\"spec\":{\"schedulerName\":\"s\",\"containers\":[{"
		"\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"%s\"}}"
		"}],\"tolerations\":[%s]%s},\"status\":{\"phase\":\"Running\""
		"%s}}",
		or_none(f->meta), f->cpu ? f->cpu : "1", tolerations,
		or_none(f->spec), or_none(f->status));
}

static void read_whole(const struct form *f)
{
	_cleanup_free_ char *text = text_of(f, "");
	_cleanup_json_ json_object *o = t_parse(text);

	pods.to.on_object(pods.to.arg, o);
}

/* It has grown by so many tolerations that no parser takes it. */
static void read_part(const struct form *f)
{
	_cleanup_free_ char *many = t_repeat("{},", JX_PARTS_MAX);
	_cleanup_free_ char *all = str_printf("%s{}", many);
	_cleanup_free_ char *text = text_of(f, all);
	const struct object_id id = {.name = "p",
				     .ns = "ns",
				     .uid = "b-2",
				     .node = "n1",
				     .unreadable = true,
				     .text = text,
				     .text_len = strlen(text)};
	json_object *whole = NULL;

	T_INT(jx_parse(text, strlen(text), &whole, NULL), -EBADMSG);
	pods.to.on_oversized(pods.to.arg, &id, true);
}

/* What we have written on it, before its binding and with that. */
#define BOUND_BY(job, group)                                                   \
	",\"conditions\":[{\"type\":\"slurm-k8s.io/job\",\"status\":\"True\"," \
	"\"message\":\"" job "\"},{\"type\":\"slurm-k8s.io/node\",\"status\":" \
	"\"True\",\"message\":\"n1\"},{\"type\":\"slurm-k8s.io/group\","       \
	"\"status\":\"True\",\"message\":\"" group "\"}]"
#define BOUND BOUND_BY("12", "PodGroup ns a")
#define ON_N1 ",\"nodeName\":\"n1\""
#define RUNS                                                                   \
	",\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"running\":{}}}]"

static const struct form waits, runs = {.spec = ON_N1, .status = BOUND RUNS};

/* Pods of all groups. */
static size_t count(struct pod_groups *v)
{
	size_t n = 0;

	for (struct pod_group *g = pod_groups_first(v); g; g = g->hh.next)
		n += g->n;
	return n;
}

/* It runs there by job 12, whose pod it was. */
static void stands(struct pod_groups *v)
{
	const struct group_pod *m = pod_groups_pod(v, "b-2");

	T_NEED(m);
	T_STR(m->pod->node, "n1");
	T_INT(m->pod->job_id, 12);
	T_OK(m->pod->sure && !m->pod->ended && !m->pod->deleting);
	T_STR(m->pod->group, "PodGroup ns a");
	T_STR(m->group->of.name, "a");
	T_INT(m->shape->need.cpu_milli, 1000);
	T_INT(m->class, PODS_RUNNING);
	T_INT(count(v), 1);
}

/* What is done about it when job 12 is over, or is so. */
static const char *row_of(struct pod_groups *v, enum placeholder_state job,
			  enum group_action *action)
{
	struct group_view view = {.job = job,
				  .end = PLACEHOLDER_CANCELLED,
				  .job_id = 12,
				  .made_for = 1,
				  .pods_known = true,
				  .members = 1,
				  .kill_wait_s = 30,
				  .room = true};
	static struct group_decision out;

	group_view_count(&view.pods, pod_groups_pod(v, "b-2")->pod, 12);
	group_decide(&view, &out);
	*action = out.action;
	return out.row;
}

/* (its job's end gave it a second job, and it was never deleted) */
static void one_that_waited_and_is_bound_by_now_goes_with_its_job(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);
	enum group_action action;

	read_whole(&waits);
	T_OK(!pod_groups_pod(v, "b-2")->shape->refusal);
	T_STR(row_of(v, PLACEHOLDER_RUNNING, &action), "bind");
	read_part(&runs);
	stands(v);
	/* (what it asked for of nodes is what it was) */
	T_OK(!pod_groups_pod(v, "b-2")->shape->refusal);
	T_STR(row_of(v, PLACEHOLDER_RUNNING, &action), "running");
	T_STR(row_of(v, PLACEHOLDER_ENDED, &action), "ended");
	T_INT(action, GROUP_DELETE_PODS);
}

/* (slurmctld was started anew: nothing was known of it but its namespace) */
static void one_that_was_never_read_whole_goes_with_its_job(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);
	enum group_action action;

	pods.to.on_list(pods.to.arg);
	read_part(&runs);
	pods.to.on_synced(pods.to.arg);
	stands(v);
	T_OK(!pod_groups_left_out(v, "0 ns u"));
	T_HAS(pod_groups_pod(v, "b-2")->shape->refusal, "as a whole");
	T_STR(row_of(v, PLACEHOLDER_ENDED, &action), "ended");
	T_INT(action, GROUP_DELETE_PODS);
	/* the next list has it; then it can be read again */
	pods.to.on_list(pods.to.arg);
	read_part(&runs);
	pods.to.on_synced(pods.to.arg);
	stands(v);
	read_whole(&runs);
	stands(v);
	T_OK(!pod_groups_pod(v, "b-2")->shape->refusal);
	pods.to.on_list(pods.to.arg);
	pods.to.on_synced(pods.to.arg);
	T_INT(count(v), 0);
}

/* Nobody knows what it wants of nodes: its author is told. */
static void one_that_waits_and_was_never_read_whole_is_refused(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);
	const struct group_pod *m;

	read_part(&waits);
	m = pod_groups_pod(v, "b-2");
	T_NEED(m);
	T_STR(m->pod->node, "");
	T_HAS(m->shape->refusal, "as a whole");
	read_whole(&waits);
	T_OK(!pod_groups_pod(v, "b-2")->shape->refusal);
	/* from then on it is what it was */
	read_part(&waits);
	T_OK(!pod_groups_pod(v, "b-2")->shape->refusal);
}

static void what_has_become_of_it_is_seen(void)
{
	static const struct {
		struct form form;
		bool ended, deleting;
		int exit_code;
		uint32_t grace_s, job_id;
		const char *group;
	} rows[] = {
		{{.spec = ON_N1 ",\"terminationGracePeriodSeconds\":7",
		  .status = BOUND RUNS},
		 false,
		 false,
		 0,
		 7,
		 12,
		 "PodGroup ns a"},
		{{.meta = ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\","
			  "\"deletionGracePeriodSeconds\":86400",
		  .spec = ON_N1,
		  .status = BOUND RUNS},
		 false,
		 true,
		 0,
		 86400,
		 12,
		 "PodGroup ns a"},
		/* (the phase is never set again, of one that is deleted) */
		{{.meta = ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"",
		  .spec = ON_N1 ",\"restartPolicy\":\"Never\"",
		  .status = BOUND ",\"containerStatuses\":[{\"name\":\"c\","
				  "\"state\":{\"terminated\":{\"exitCode\":3,"
				  "\"reason\":\"Error\"}}}]"},
		 true,
		 true,
		 0,
		 30,
		 12,
		 "PodGroup ns a"},
		{{.spec = ON_N1,
		  .status = ",\"phase\":\"Failed\"" BOUND
			    ",\"containerStatuses\":[{\"name\":\"c\","
			    "\"state\":{\"terminated\":{\"exitCode\":3,"
			    "\"reason\":\"Error\"}}}]"},
		 true,
		 false,
		 3,
		 30,
		 12,
		 "PodGroup ns a"},
		/* by the job of another group; or by others */
		{{.spec = ON_N1, .status = BOUND_BY("12", "Pod ns x") RUNS},
		 false,
		 false,
		 0,
		 30,
		 12,
		 "Pod ns x"},
		{{.spec = ON_N1, .status = RUNS}, false, false, 0, 30, 0, ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);
		const struct bridged_pod *p;

		t_row("%zu", i);
		if (i % 2)
			read_whole(&waits);
		read_part(&rows[i].form);
		p = pod_groups_pod(v, "b-2")->pod;
		T_STR(p->node, "n1");
		T_INT(p->ended, rows[i].ended);
		T_INT(p->deleting, rows[i].deleting);
		T_INT(p->exit_code, rows[i].exit_code);
		T_INT(p->grace_s, rows[i].grace_s);
		T_INT(p->job_id, rows[i].job_id);
		T_STR(p->group, rows[i].group);
	}
}

/* (else whoever resizes it so takes what its job does not have) */
static void one_that_was_resized_asks_for_what_it_has_now(void)
{
	static const struct form more = {.meta = ",\"generation\":2",
					 .spec = ON_N1,
					 .status = BOUND RUNS,
					 .cpu = "64"};
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);
	const struct group_pod *m;

	read_whole(&runs);
	read_part(&more);
	m = pod_groups_pod(v, "b-2");
	T_OK(m->pod->respecced);
	T_INT(m->shape->need.cpu_milli, 64000);
	T_STR(m->group->of.name, "a");
}

/*
 * Its labels, or its owners, were changed while no engine ran: it stays what it
 * was bound as. (Else it was deleted, although its job ran.)
 */
static void one_that_we_have_bound_is_of_the_group_that_we_bound(void)
{
	static const struct {
		const char *status, *key;
	} rows[] = {
		{BOUND, "3 ns a "},
		{BOUND_BY("12", "PodGroup ns b"), "3 ns b "},
		{BOUND_BY("12", "SchedulingPodGroup ns b"), "1 ns b "},
		{BOUND_BY("12", "Workload ns w part/3"), "2 ns w part/3"},
		{BOUND_BY("12", "LeaderWorkerSet ns l 2"), "4 ns l 2"},
		{BOUND_BY("12", "JobSet ns s"), "5 ns s "},
		{BOUND_BY("12", "Job ns j 1-2"), "6 ns j 1-2"},
		{BOUND_BY("12", "Pod ns b-2"), "0 ns b-2"},
		/* those are no groups that it can be of */
		{BOUND_BY("12", "Pod ns x"), "3 ns a "},
		{BOUND_BY("12", "PodGroup other b"), "3 ns a "},
		{BOUND_BY("12", "ReplicaSet ns r"), "3 ns a "},
		{BOUND_BY("12", "Cow ns r"), "3 ns a "},
		{BOUND_BY("12", "PodGroup ns"), "3 ns a "},
		{BOUND_BY("12", "PodGroup ns b "), "3 ns a "},
		{BOUND_BY("12", "PodGroup  ns b"), "3 ns a "},
		{BOUND_BY("12", "Job ns j"), "3 ns a "},
		{BOUND_BY("12", "Job ns j 1-2 more"), "3 ns a "},
		{BOUND_BY("12", ""), "3 ns a "},
		/* nor does it say so if we have not bound it */
		{BOUND_BY("x", "PodGroup ns b"), "3 ns a "},
	};

	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);
		const struct form f = {.spec = i % 2 ? ON_N1 : NULL,
				       .status = rows[i / 2].status};

		t_row("%zu", i);
		read_whole(&f);
		T_NEED(pod_groups_pod(v, "b-2"));
		T_STR(pod_groups_pod(v, "b-2")->group->key,
		      i % 2 ? rows[i / 2].key : "3 ns a ");
		T_INT(count(v), 1);
	}
}

/* kubectl delete job --cascade=orphan (of two keys in JSON the last counts) */
static void a_gang_outlives_its_job(void)
{
#define ORPHAN                                                                 \
	",\"labels\":{},\"annotations\":{\"job.slurm-k8s.io/gang\":\"true\"}"
	static const struct form bound = {.meta = ORPHAN,
					  .spec = ON_N1,
					  .status = BOUND_BY("12",
							     "Job ns j 1-2")},
				 waits_still = {.meta = ORPHAN};
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

	read_whole(&waits_still);
	T_STR(pod_groups_pod(v, "b-2")->group->key, "0 ns b-2");
	T_HAS(pod_groups_pod(v, "b-2")->shape->refusal, "of a Job or JobSet");
	pod_groups_free(steal_ptr(v));
	v = seen_begin(NULL);
	read_whole(&bound);
	T_STR(pod_groups_pod(v, "b-2")->group->key, "6 ns j 1-2");
	T_OK(!pod_groups_pod(v, "b-2")->shape->refusal);
}

/* --- not even in part */

static void unread(const char *node, const char *phase)
{
	struct object_id id = {.name = "p", .ns = "ns", .uid = "b-2"};

	str_copy(id.node, node, sizeof(id.node));
	str_copy(id.phase, phase, sizeof(id.phase));
	pods.to.on_oversized(pods.to.arg, &id, true);
}

static void add_node(void *arg, const char *node)
{
	str_copy(arg, node, 10);
}

/* "": it keeps none from others */
static const char *kept_node(struct pod_groups *v)
{
	static char node[10];

	*node = '\0';
	pod_groups_each_unread_node(v, add_node, node);
	return node;
}

/* It is not bound again, and gets no other job; its node is no other's. */
static void one_that_is_bound_by_nobody_knows_whom_is_nobodys(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

	read_whole(&waits);
	unread("", "Pending");
	T_INT(count(v), 1);
	T_STR(kept_node(v), "");
	unread("n1", "Pending");
	T_INT(count(v), 0);
	T_STR(kept_node(v), "n1");
	/* the next list has it */
	pods.to.on_list(pods.to.arg);
	unread("n1", "Running");
	pods.to.on_synced(pods.to.arg);
	T_STR(kept_node(v), "n1");
	unread("n1", "Failed");
	T_STR(kept_node(v), "");
	unread("n1", "Running");
	/* it can be read again */
	read_part(&runs);
	stands(v);
	T_STR(kept_node(v), "");
	unread("n1", "Running");
	stands(v);
	T_STR(kept_node(v), "");
}

static void one_that_was_never_seen_keeps_its_node_until_it_is_gone(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

	pods.to.on_list(pods.to.arg);
	unread("n1", "Running");
	pods.to.on_synced(pods.to.arg);
	T_INT(count(v), 0);
	T_STR(kept_node(v), "n1");
	pods.to.on_list(pods.to.arg);
	pods.to.on_synced(pods.to.arg);
	T_STR(kept_node(v), "");
}

T_MAIN("pod_reading", T(a_gang_outlives_its_job),
       T(one_that_we_have_bound_is_of_the_group_that_we_bound),
       T(one_that_is_bound_by_nobody_knows_whom_is_nobodys),
       T(one_that_was_never_seen_keeps_its_node_until_it_is_gone),
       T(one_that_waited_and_is_bound_by_now_goes_with_its_job),
       T(one_that_was_never_read_whole_goes_with_its_job),
       T(one_that_waits_and_was_never_read_whole_is_refused),
       T(what_has_become_of_it_is_seen),
       T(one_that_was_resized_asks_for_what_it_has_now))
