/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pod_ensure and pod_remove against a server that fails on demand. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fault.h"
#include "nodes/pod/manifest.h"
#include "nodes/pod/pod_op.h"
#include "nodes/pod/refusal.h"
#include "nodes/reconcile/node_decide.h"
#include "pod_op_fixture.h"
#include "syntax/wellknown.h"

#define CLUSTER "test"
#define MANY 200

static struct cluster_config cluster = {.name = (char *)"c",
					.ns = (char *)"ns"};
static struct nodeset set = {
	.name = (char *)"s",
	.cluster = &cluster,
	.resources = RESOURCES_TEMPLATE,
	.container = (char *)WK_CONTAINER,
};

/* Fill in an op for a node; nothing is started. */
static void prepare(struct own_op *w, struct kube_client *c, const char *node)
{
	const struct node_facts facts = {.name = node};
	_cleanup_manifest_ struct manifest m = {0};
	struct err err = {0};

	own_op_clear(w);
	set.template =
		t_parse("{\"spec\":{\"containers\":[{\"name\":\"slurmd\"}]}}");
	if (manifest_make(CLUSTER, &set, &facts, &m, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	json_object_put(set.template);
	set.template = NULL;
	w->node = strdup(node);
	w->body = strdup(json_object_to_json_string(m.pod_json));
	w->op.opt = (struct pod_op_options){
		.client = c,
		.set = &set,
		.node = w->node,
		.cluster = CLUSTER,
		.body = w->body,
		.body_len = strlen(w->body),
		.since_ms = clock_real_ms(),
		.deadline_ms = clock_ms() + WAIT_MS,
		.on_done = on_op,
		.arg = w,
	};
	str_copy(w->op.opt.hash, m.hash, sizeof(w->op.opt.hash));
}

static void ensure(struct own_op *w)
{
	pod_ensure(&w->op);
	fault_await(w->op.opt.client, &w->done);
}

static void remove_pod(struct own_op *w)
{
	pod_remove(&w->op);
	fault_await(w->op.opt.client, &w->done);
}

/*
 * Put a pod of node n1 there: `hash` NULL is the wanted one; `meta`, `rest`
 * are further members of metadata and of the pod, each with a comma before.
 */
static void seed(const struct own_op *w, const char *node_label,
		 const char *hash, const char *meta, const char *rest)
{
	fault_change("'pods':[{'metadata':{'name':'n1','uid':'old','labels':{"
		     "'" WK_LABEL_CLUSTER "':'" CLUSTER "',"
		     "'" WK_LABEL_NODE "':'%s','" WK_LABEL_HASH "':'%s'}%s},"
		     "'spec':{'containers':[{'name':'slurmd'}]}%s}]",
		     node_label, hash ? hash : w->op.opt.hash, meta, rest);
}

#define ENDING ",'deletionTimestamp':'2026-01-01T00:00:00Z'"
#define ENDED                                                                  \
	",'status':{'phase':'Running','containerStatuses':[{'name':"           \
	"'slurmd','state':{'terminated':{'exitCode':0}}}]}"
#define RUNNING                                                                \
	",'status':{'phase':'Running','containerStatuses':[{'name':"           \
	"'slurmd','state':{'running':{}}}]}"

static bool is_there(const char *name, const char *uid)
{
	_cleanup_json_ json_object *o = fault_stats();

	return str_eq(jx_str(o, "pods", name), uid);
}

/*
 * --- ensure, while somebody else may be making it. (The API server counts
 * quotas before it looks whether there is such a name.)
 */

static void ensure_beside(struct own_op *w, const char *hash)
{
	w->op.opt.look_first = true;
	if (hash)
		seed(w, "n1", *hash ? hash : NULL, "", RUNNING);
	ensure(w);
}

static void what_another_one_has_made_is_not_asked_for_again(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'method':'POST','do':'status','code':403}]");
	prepare(&w, l.client, "n1");
	ensure_beside(&w, "");
	T_INT(w.op.outcome, POD_OP_ADOPTED);
	T_STR(w.op.uid, "old");
	T_INT(fault_requests("POST", PODS), 0);
}

static void what_nobody_has_made_is_made(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("%s", "");
	prepare(&w, l.client, "n1");
	ensure_beside(&w, NULL);
	T_INT(w.op.outcome, POD_OP_CREATED);
	T_INT(fault_requests("GET", PODS), 1);
	T_INT(fault_requests("POST", PODS), 1);
}

static void a_quota_that_the_other_ones_pod_has_used_up_is_no_refusal(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'method':'GET','do':'status','code':404},"
		     "{'method':'POST','do':'status','code':403}]");
	prepare(&w, l.client, "n1");
	ensure_beside(&w, "");
	T_INT(w.op.outcome, POD_OP_ADOPTED);
	T_STR(w.op.uid, "old");
	T_INT(w.op.err.code, 0);
}

/* An old one is deleted; before another is asked for, somebody makes it. */
static void what_another_one_has_made_instead_of_an_old_one_is_a_new_one(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'method':'DELETE','do':'swap'},"
		     "{'method':'GET','skip':1,'do':'status','code':404},"
		     "{'method':'POST','do':'status','code':403}]");
	prepare(&w, l.client, "n1");
	seed(&w, "n1", NULL, "", ",'status':{'phase':'Failed'}");
	ensure_beside(&w, NULL);
	T_INT(w.op.outcome, POD_OP_REPLACED);
	T_INT(w.op.err.code, 0);
	T_OK(is_there("n1", w.op.uid));
}

static void a_quota_that_is_used_up_is_one(void)
{
	static const char *const there[] = {NULL, "feed"}; /* of no use */

	for (size_t i = 0; i < T_COUNT(there); i++) {
		_cleanup_own_op_ struct own_op w = {0};
		_cleanup_link_ struct fault_link l = fault_link(NULL);

		t_row("%zu", i);
		fault_script(
			"'rules':[{'method':'GET','do':'status','code':404},"
			"{'method':'POST','do':'status','code':403}]");
		prepare(&w, l.client, "n1");
		ensure_beside(&w, there[i]);
		T_INT(w.op.outcome, POD_OP_FAILED);
		T_OK(w.op.refused);
		T_INT(w.op.undecided, there[i] != NULL);
		T_HAS(w.op.err.msg, "403");
		T_INT(fault_requests("POST", PODS), 1);
		T_INT(fault_requests("GET", PODS), 2);
	}
}

/* --- ensure, and nothing in the way */

static void a_pod_is_created(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("%s", "");
	prepare(&w, l.client, "n1");
	ensure(&w);
	T_INT(w.op.outcome, POD_OP_CREATED);
	T_OK(*w.op.uid && is_there("n1", w.op.uid));
	T_OK(w.op.took_ms >= 0);
	T_INT(fault_requests(NULL, PODS), 1);
}

/* (a webhook may say so, for one) */
static void one_that_exists_and_is_not_there_is_asked_for_with_pauses(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'method':'POST','do':'status','code':409,"
		     "'reason':'AlreadyExists','times':1000000}]");
	prepare(&w, l.client, "n1");
	w.op.opt.deadline_ms = clock_ms() + 3000;
	ensure(&w);
	T_INT(w.op.outcome, POD_OP_FAILED);
	T_OK(fault_requests("POST", PODS) > 1);
	T_OK(fault_requests("POST", PODS) < 12);
}

static void a_lost_answer_is_found_again(void)
{
	static const char *const ways[] = {"lost", "half"};
	_cleanup_own_op_ struct own_op w = {0};

	for (int fresh = 0; fresh < 2; fresh++) {
		for (size_t i = 0; i < T_COUNT(ways); i++) {
			_cleanup_link_ struct fault_link l = fault_link(NULL);

			t_row("%s%s", fresh ? "fresh " : "", ways[i]);
			fault_script("'rules':[{'method':'POST','do':'%s'}]",
				     ways[i]);
			prepare(&w, l.client, "n1");
			w.op.opt.fresh = fresh;
			ensure(&w);
			T_INT(w.op.outcome, POD_OP_ADOPTED);
			T_OK(*w.op.uid && is_there("n1", w.op.uid));
			T_INT(fault_count("creates", "n1"), 1);
			T_INT(fault_count("deletes", "n1"), 0);
		}
	}
}

/* On a connection that was used before libcurl itself sends again. */
static void an_answer_lost_on_an_old_connection_is_too(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'method':'POST','skip':1,'do':'lost'}]");
	prepare(&w, l.client, "n0");
	ensure(&w);
	T_INT(w.op.outcome, POD_OP_CREATED);
	prepare(&w, l.client, "n1");
	ensure(&w);
	T_INT(w.op.outcome, POD_OP_ADOPTED);
	T_INT(fault_count("creates", "n1"), 1);
}

static void refusals_are_told_in_their_words(void)
{
	static const struct {
		const char *rule;
		int rc;
		const char *words;
		bool refused;
		int64_t ms; /* to its deadline */
	} rows[] = {
		{"'code':403,'message':'exceeded quota: gpus'", -EACCES,
		 "exceeded quota: gpus", true, WAIT_MS},
		{"'code':422,'message':'spec.x: Invalid value'", -EINVAL,
		 "spec.x: Invalid value", true, WAIT_MS},
		{"'code':404,'message':'namespaces not found'", -ENOENT,
		 "namespaces not found", true, WAIT_MS},
		{"'code':500,'message':'etcd','times':1000", -EIO,
		 "given up after", false, 2000},
		{"'code':429,'times':1000", -EAGAIN, "given up after", false,
		 2000},
	};
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].rule);
		fault_script("'rules':[{'do':'status',%s}]", rows[i].rule);
		prepare(&w, l.client, "n1");
		w.op.opt.deadline_ms = clock_ms() + rows[i].ms;
		ensure(&w);
		T_INT(w.op.outcome, POD_OP_FAILED);
		T_ERR(w.op.err.code, &w.op.err, rows[i].rc, rows[i].words);
		T_HAS(w.op.err.msg, "POST " PODS);
		T_INT(w.op.refused, rows[i].refused);
	}
}

static void a_failure_says_that_a_pod_may_exist(void)
{
	static const char *const rules[] = {
		"{'do':'lost','times':1000}",
		"{'method':'POST','do':'lost'},{'do':'hang','s':60}",
		"{'do':'garbage'}",
	};
	_cleanup_own_op_ struct own_op w = {0};

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);

		t_row("%s", rules[i]);
		fault_script("'rules':[%s]", rules[i]);
		prepare(&w, l.client, "n1");
		w.op.opt.deadline_ms = clock_ms() + 3000;
		ensure(&w);
		T_INT(w.op.outcome, POD_OP_FAILED);
		T_OK(w.op.undecided);
		T_OK(!w.op.refused);
		T_INT(fault_count("creates", "n1"), 1);
	}
}

/* --- ensure, and a pod is there already: every fate */

static void fates(void)
{
	static const struct {
		const char *what, *node, *hash, *meta, *rest;
		bool node_up, fresh;
		enum pod_outcome outcome;
		int deletes;
		bool stays; /* the pod that was there */
	} rows[] = {
		{"the wanted one", "n1", NULL, "", "", false, false,
		 POD_OP_ADOPTED, 0, true},
		{"it runs, and is new", "n1", NULL, "", RUNNING, false, false,
		 POD_OP_ADOPTED, 0, true},
		{"another node's", "n2", NULL, "", "", false, false,
		 POD_OP_FAILED, 0, true},
		{"another node's, ended", "n2", NULL, ENDING, ENDED, false,
		 true, POD_OP_FAILED, 0, true},
		{"ending", "n1", NULL, ENDING, RUNNING, false, false,
		 POD_OP_CREATED, 0, false},
		{"ended, but the kubelet has still to clean up", "n1", NULL,
		 ENDING, ENDED, false, false, POD_OP_CREATED, 0, false},
		{"stale hash", "n1", "feed", "", "", false, false,
		 POD_OP_REPLACED, 1, false},
		{"stale hash, but the node is in use", "n1", "feed", "",
		 RUNNING, true, false, POD_OP_ADOPTED, 0, true},
		{"failed", "n1", NULL, "", ",'status':{'phase':'Failed'}", true,
		 false, POD_OP_REPLACED, 1, false},
		{"of an earlier power-up", "n1", NULL, "",
		 RUNNING ",'ageSeconds':60", false, false, POD_OP_REPLACED, 1,
		 false},
		{"of before the reboot", "n1", NULL, "",
		 RUNNING ",'ageSeconds':60", true, true, POD_OP_REPLACED, 1,
		 false},
	};
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].what);
		fault_script("'looks':2");
		prepare(&w, l.client, "n1");
		w.op.opt.node_up = rows[i].node_up;
		w.op.opt.fresh = rows[i].fresh;
		seed(&w, rows[i].node, rows[i].hash, rows[i].meta,
		     rows[i].rest);
		ensure(&w);
		T_INT(w.op.outcome, rows[i].outcome);
		T_INT(fault_count("deletes", "n1"), rows[i].deletes);
		T_INT(is_there("n1", "old"), rows[i].stays);
		T_INT(fault_count("creates", "n1"), !rows[i].stays);
		if (rows[i].outcome != POD_OP_FAILED) {
			T_OK(is_there("n1", w.op.uid));
			continue;
		}
		T_ERR(w.op.err.code, &w.op.err, -EEXIST, "pod ns/n1");
		T_OK(w.op.refused);
	}
}

/* Between our look and our delete the stale pod became a newer one. */
static void a_newer_pod_is_looked_at_again(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'method':'DELETE','do':'swap'}]");
	prepare(&w, l.client, "n1");
	seed(&w, "n1", NULL, "", ",'status':{'phase':'Failed'}");
	ensure(&w);
	T_INT(w.op.outcome, POD_OP_REPLACED);
	T_INT(fault_requests("DELETE", "n1"), 1);
	T_INT(fault_count("deletes", "n1"), 0);
	T_OK(!is_there("n1", "old") && is_there("n1", w.op.uid));
}

static void a_replacement_survives_faults(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'method':'DELETE','do':'lost'},"
		     "{'method':'GET','do':'status','code':500},"
		     "{'method':'GET','do':'half'},"
		     "{'method':'POST','skip':1,'do':'lost'}]");
	prepare(&w, l.client, "n1");
	seed(&w, "n1", "feed", "", RUNNING);
	ensure(&w);
	T_INT(w.op.outcome, POD_OP_REPLACED);
	T_INT(fault_count("creates", "n1"), 1);
	T_OK(!is_there("n1", "old") && is_there("n1", w.op.uid));
}

/*
 * Looks are 0.1 s apart, and each time half as much again: after 3.2 s comes
 * the last before this, so that none is under way then, if they are not slow.
 */
#define ENDING_MS 4600

static void a_pod_that_never_ends_is_waited_for_until_the_deadline(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'looks':100000");
	prepare(&w, l.client, "n1");
	seed(&w, "n1", NULL, ENDING, RUNNING);
	w.op.opt.deadline_ms = clock_ms() + ENDING_MS;
	ensure(&w);
	T_INT(w.op.outcome, POD_OP_FAILED);
	T_ERR(w.op.err.code, &w.op.err, -ETIMEDOUT, "still ending");
	T_OK(refusal_is_of_one_node(w.op.err.msg)); /* the engine knows it */
	T_OK(!w.op.refused);
	T_OK(fault_requests(NULL, PODS) < 20);
}

/* A finalizer keeps the object: not a reason to ask without a pause. */
static void a_finalizer_is_waited_for_with_patience(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	for (int removing = 0; removing < 2; removing++) {
		t_row("%s", removing ? "remove" : "ensure");
		fault_script("'looks':100000");
		prepare(&w, l.client, "n1");
		seed(&w, "n1", NULL, ENDING ",'finalizers':['x/y']", ENDED);
		w.op.opt.deadline_ms = clock_ms() + ENDING_MS;
		if (removing)
			remove_pod(&w);
		else
			ensure(&w);
		T_INT(w.op.outcome, POD_OP_FAILED);
		T_ERR(w.op.err.code, &w.op.err, -ETIMEDOUT, "still ending");
		T_OK(fault_requests(NULL, PODS) < 40);
	}
}

/* --- remove */

static void removing_is_idempotent(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("%s", "");
	prepare(&w, l.client, "n1");
	remove_pod(&w);
	T_INT(w.op.outcome, POD_OP_ABSENT);
	prepare(&w, l.client, "n1");
	ensure(&w);
	T_INT(w.op.outcome, POD_OP_CREATED);
	for (int i = 0; i < 2; i++) {
		prepare(&w, l.client, "n1");
		remove_pod(&w);
		T_INT(w.op.outcome, i ? POD_OP_ABSENT : POD_OP_DELETED);
		T_INT(fault_count("deletes", "n1"), 1);
	}
	T_OK(is_there("n1", NULL));
}

static void removing_leaves_others_alone(void)
{
	static const struct {
		const char *what, *node, *uid;
	} rows[] = {
		{"another node's", "n2", ""},
		{"another node's, by UID", "n2", "old"},
		{"a newer one than meant", "n1", "older"},
	};
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].what);
		fault_script("%s", "");
		prepare(&w, l.client, "n1");
		seed(&w, rows[i].node, NULL, "", "");
		str_copy(w.op.uid, rows[i].uid, sizeof(w.op.uid));
		remove_pod(&w);
		T_OK(w.op.outcome != POD_OP_FAILED);
		T_INT(fault_requests("DELETE", ""), 0);
		T_OK(is_there("n1", "old"));
	}
}

/* The pod goes and another comes between our look and our delete. */
static void removing_never_hits_a_newer_pod(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'method':'DELETE','do':'swap'}]");
	prepare(&w, l.client, "n1");
	seed(&w, "n1", NULL, "", RUNNING);
	remove_pod(&w);
	T_INT(w.op.outcome, POD_OP_DELETED);
	T_STR(w.op.uid, "old");
	T_INT(fault_requests("DELETE", "n1"), 1);
	T_INT(fault_count("deletes", "n1"), 0);
	T_OK(!is_there("n1", "old") && !is_there("n1", NULL));
}

/* Its containers have ended: the rest is the kubelet's to clean up. */
static void removing_is_never_by_force(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'remains':true");
	prepare(&w, l.client, "n1");
	seed(&w, "n1", NULL, "", RUNNING);
	w.op.opt.deadline_ms = clock_ms() + ENDING_MS;
	remove_pod(&w);
	T_INT(w.op.outcome, POD_OP_FAILED);
	T_ERR(w.op.err.code, &w.op.err, -ETIMEDOUT, "still ending");
	T_INT(fault_count("deletes", "n1"), 1);
	T_OK(is_there("n1", "old"));
}

static void removing_survives_faults(void)
{
	static const char *const rules[] = {
		"{'method':'DELETE','do':'lost'}",
		"{'method':'DELETE','do':'half'}",
		"{'method':'DELETE','do':'status','code':429}",
		"{'method':'DELETE','do':'status','code':500,'times':3}",
		"{'method':'DELETE','do':'status','code':409}",
		"{'method':'DELETE','do':'garbage'}",
		"{'do':'reset','times':4}",
	};
	_cleanup_own_op_ struct own_op w = {0};

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);

		t_row("%s", rules[i]);
		fault_script("'rules':[%s]", rules[i]);
		prepare(&w, l.client, "n1");
		seed(&w, "n1", NULL, "", RUNNING);
		remove_pod(&w);
		T_INT(w.op.outcome, POD_OP_DELETED);
		T_STR(w.op.uid, "old");
		T_OK(is_there("n1", NULL));
	}
}

static void removing_without_the_right_fails(void)
{
	_cleanup_own_op_ struct own_op w = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'method':'DELETE','do':'status','code':403,"
		     "'message':'cannot delete'}]");
	prepare(&w, l.client, "n1");
	seed(&w, "n1", NULL, "", RUNNING);
	remove_pod(&w);
	T_INT(w.op.outcome, POD_OP_FAILED);
	T_ERR(w.op.err.code, &w.op.err, -EACCES, "cannot delete");
	T_OK(w.op.refused);
}

/* --- many */

static size_t wait_all(struct kube_client *c, struct own_op *w, size_t n)
{
	size_t failed = 0;

	for (size_t i = 0; i < n; i++) {
		fault_await(c, &w[i].done);
		failed += w[i].op.outcome == POD_OP_FAILED;
		if (w[i].op.outcome == POD_OP_FAILED)
			T_STR(w[i].op.err.msg, "");
	}
	return failed;
}

/* 1 - 0.9635^6 = 20 % of all answers */
#define EACH "'percent':3.65}"
#define TWENTY_PERCENT                                                         \
	"'seed':%d,'rules':[{'do':'status','code':500," EACH                   \
	",{'do':'status','code':503," EACH ",{'do':'status','code':429," EACH  \
	",{'do':'reset'," EACH ",{'do':'lost'," EACH ",{'do':'half'," EACH "]"

static void many_pods_and_every_fifth_answer_bad(void)
{
	static struct own_op w[MANY];
	_cleanup_json_ json_object *o = NULL;
	struct kube_counters n;
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script(TWENTY_PERCENT, 7);
	for (size_t i = 0; i < MANY; i++) {
		_cleanup_free_ char *node = str_printf("n%zu", i);

		prepare(&w[i], l.client, node);
		pod_ensure(&w[i].op);
	}
	T_INT(wait_all(l.client, w, MANY), 0);
	o = fault_stats();
	T_INT(json_object_object_length(jx_get(o, "pods")), MANY);
	for (size_t i = 0; i < MANY; i++) {
		T_INT(jx_int(jx_get(o, "creates", w[i].node), 0), 1);
		T_STR(jx_str(o, "pods", w[i].node), w[i].op.uid);
	}
	T_OK(jx_get(o, "deletes") &&
	     !json_object_object_length(jx_get(o, "deletes")));
	T_OK(jx_int(jx_get(o, "fired"), 0) >= MANY / 10);
	kube_client_counters(l.client, &n);
	T_OK(n.retries >= MANY / 20);

	/* and away with them */
	for (size_t i = 0; i < MANY; i++) {
		_cleanup_free_ char *node = str_printf("n%zu", i);

		prepare(&w[i], l.client, node);
		pod_remove(&w[i].op);
	}
	T_INT(wait_all(l.client, w, MANY), 0);
	json_object_put(o);
	o = fault_stats();
	T_INT(json_object_object_length(jx_get(o, "pods")), 0);
	T_INT(json_object_object_length(jx_get(o, "creates")), MANY);
	for (size_t i = 0; i < MANY; i++)
		own_op_clear(&w[i]);
}

/* Two programs want the same nodes at the same time. */
static void two_that_want_the_same_agree(void)
{
	static struct own_op w[2][20];
	size_t created = 0;
	_cleanup_link_ struct fault_link a = fault_link(NULL);
	_cleanup_link_ struct fault_link b = fault_link(NULL);
	int64_t end = clock_ms() + WAIT_MS;

	fault_script("%s", "");
	for (size_t i = 0; i < 20; i++) {
		_cleanup_free_ char *node = str_printf("n%zu", i);

		prepare(&w[0][i], a.client, node);
		prepare(&w[1][i], b.client, node);
		pod_ensure(&w[0][i].op);
		pod_ensure(&w[1][i].op);
	}
	while (kube_client_step(a.client, 5) + kube_client_step(b.client, 5) &&
	       clock_ms() < end)
		;
	for (size_t i = 0; i < 20; i++) {
		T_OK(w[0][i].done && w[1][i].done);
		T_STR(w[0][i].op.uid, w[1][i].op.uid);
		T_INT(fault_count("creates", w[0][i].node), 1);
		for (int j = 0; j < 2; j++) {
			created += w[j][i].op.outcome == POD_OP_CREATED;
			T_OK(w[j][i].op.outcome == POD_OP_CREATED ||
			     w[j][i].op.outcome == POD_OP_ADOPTED);
			own_op_clear(&w[j][i]);
		}
	}
	T_INT(created, 20);
}

T_MAIN("fault_pods", T(what_another_one_has_made_is_not_asked_for_again),
       T(what_nobody_has_made_is_made),
       T(a_quota_that_the_other_ones_pod_has_used_up_is_no_refusal),
       T(what_another_one_has_made_instead_of_an_old_one_is_a_new_one),
       T(a_quota_that_is_used_up_is_one), T(a_pod_is_created),
       T(one_that_exists_and_is_not_there_is_asked_for_with_pauses),
       T(a_lost_answer_is_found_again),
       T(an_answer_lost_on_an_old_connection_is_too),
       T(refusals_are_told_in_their_words),
       T(a_failure_says_that_a_pod_may_exist), T(fates),
       T(a_newer_pod_is_looked_at_again), T(a_replacement_survives_faults),
       T(a_pod_that_never_ends_is_waited_for_until_the_deadline),
       T(a_finalizer_is_waited_for_with_patience), T(removing_is_idempotent),
       T(removing_leaves_others_alone), T(removing_never_hits_a_newer_pod),
       T(removing_is_never_by_force), T(removing_survives_faults),
       T(removing_without_the_right_fails),
       T(many_pods_and_every_fifth_answer_bad), T(two_that_want_the_same_agree))
