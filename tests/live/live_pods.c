/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pod_ensure and pod_remove, on pods that can never be scheduled. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "live.h"
#include "nodes/pod/manifest.h"
#include "nodes/pod/pod_op.h"
#include "pod_op_fixture.h"
#include "syntax/wellknown.h"

#define CLUSTER "test"
#define MANY 50

static struct cluster_config cluster = {.name = (char *)"c"};
static struct nodeset set = {
	.name = (char *)"s",
	.cluster = &cluster,
	.resources = RESOURCES_TEMPLATE,
	.container = (char *)WK_CONTAINER,
};

/* Fill in an op for a node; pods of another `kind` have another hash. */
static void prepare(struct own_op *w, struct kube_client *c, const char *node,
		    const char *kind)
{
	const struct node_facts facts = {.name = node};
	_cleanup_free_ char *template = live_json(
		"{'metadata':{'annotations':{'kind':'%s'}},'spec':{"
		"'nodeSelector':{'slurm-k8s.io/no-such':'node'},"
		"'containers':[{'name':'slurmd','image':'localhost/none'}]}}",
		kind);
	_cleanup_manifest_ struct manifest m = {0};
	struct err err = {0};

	own_op_clear(w);
	cluster.ns = (char *)live_ns();
	set.template = t_parse(template);
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

static void ensure(struct own_op *w, struct kube_client *c, const char *node,
		   const char *kind)
{
	prepare(w, c, node, kind);
	pod_ensure(&w->op);
	live_await(c, &w->done);
}

/* uid NULL: whatever pod of ours is there. */
static void remove_pod(struct own_op *w, struct kube_client *c,
		       const char *node, const char *uid)
{
	prepare(w, c, node, "any");
	str_copy(w->op.uid, uid ? uid : "", sizeof(w->op.uid));
	pod_remove(&w->op);
	live_await(c, &w->done);
}

/* The pod of this name has this UID; NULL: there is none. */
static bool is_there(struct kube_client *c, const char *name, const char *uid)
{
	struct kube_ref pod = live_ref("pods", name);
	_cleanup_got_ struct got g = {0};
	int rc = live_get(c, &pod, &g);

	return uid ? str_eq(jx_str(g.o, "metadata", "uid"), uid)
		   : rc == -ENOENT;
}

static void a_pod_is_created_adopted_and_replaced(void)
{
	struct kube_ref pod = live_ref("pods", "n1");
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = live_link(NULL);
	_cleanup_own_op_ struct own_op w = {0};
	char first[64] = "";

	ensure(&w, l.client, "n1", "a");
	T_INT(w.op.outcome, POD_OP_CREATED);
	str_copy(first, w.op.uid, sizeof(first));
	T_OK(*first && is_there(l.client, "n1", first));
	/* the server took it as it was meant */
	T_INT(live_get(l.client, &pod, &g), 0);
	T_STR(jx_str(g.o, "metadata", "labels", WK_LABEL_NODE), "n1");
	T_STR(jx_str(g.o, "metadata", "labels", WK_LABEL_CLUSTER), CLUSTER);
	T_STR(jx_str(g.o, "metadata", "labels", WK_LABEL_HASH), w.op.opt.hash);
	ensure(&w, l.client, "n1", "a");
	T_INT(w.op.outcome, POD_OP_ADOPTED);
	T_STR(w.op.uid, first);
	ensure(&w, l.client, "n1", "b");
	T_INT(w.op.outcome, POD_OP_REPLACED);
	T_OK(strcmp(w.op.uid, first) != 0);
	T_OK(is_there(l.client, "n1", w.op.uid));
}

static void a_foreign_pod_is_left_alone(void)
{
	struct kube_ref all = live_ref("pods", NULL);
	_cleanup_free_ char *uid = NULL;
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = live_link(NULL);
	_cleanup_own_op_ struct own_op w = {0};

	T_NEED(!live_create(l.client, &all, &g,
			    "{'metadata':{'name':'n2'},'spec':{'nodeSelector':"
			    "{'slurm-k8s.io/no-such':'node'},'containers':[{"
			    "'name':'slurmd','image':'localhost/none'}]}}"));
	uid = strdup(jx_str(g.o, "metadata", "uid"));
	ensure(&w, l.client, "n2", "a");
	T_INT(w.op.outcome, POD_OP_FAILED);
	T_ERR(w.op.err.code, &w.op.err, -EEXIST, "/n2: there is a pod of this");
	T_OK(w.op.refused);
	remove_pod(&w, l.client, "n2", NULL);
	T_INT(w.op.outcome, POD_OP_ABSENT);
	T_OK(is_there(l.client, "n2", uid));
}

static void removing_means_one_uid(void)
{
	_cleanup_link_ struct live_link l = live_link(NULL);
	_cleanup_own_op_ struct own_op w = {0};
	char uid[64] = "";

	ensure(&w, l.client, "n3", "a");
	T_INT(w.op.outcome, POD_OP_CREATED);
	str_copy(uid, w.op.uid, sizeof(uid));
	remove_pod(&w, l.client, "n3", "another-uid");
	T_INT(w.op.outcome, POD_OP_DELETED); /* that one is gone */
	T_OK(is_there(l.client, "n3", uid));
	remove_pod(&w, l.client, "n3", uid);
	T_INT(w.op.outcome, POD_OP_DELETED);
	T_STR(w.op.uid, uid);
	T_OK(is_there(l.client, "n3", NULL));
	remove_pod(&w, l.client, "n3", NULL);
	T_INT(w.op.outcome, POD_OP_ABSENT);
}

/* What the server refuses for good is told in its words. */
static void a_bad_pod_is_refused(void)
{
	_cleanup_link_ struct live_link l = live_link(NULL);
	_cleanup_own_op_ struct own_op w = {0};

	prepare(&w, l.client, "n4", "a");
	free(w.body);
	w.body = live_json("{'metadata':{'name':'n4'},'spec':{}}");
	w.op.opt.body = w.body;
	w.op.opt.body_len = strlen(w.body);
	pod_ensure(&w.op);
	live_await(l.client, &w.done);
	T_INT(w.op.outcome, POD_OP_FAILED);
	T_ERR(w.op.err.code, &w.op.err, -EINVAL, "422 Invalid");
	T_HAS(w.op.err.words, "spec.containers: Required value");
	T_OK(w.op.refused && !w.op.undecided);
}

static void many_pods_come_and_go_at_once(void)
{
	struct own_op *w = calloc(MANY, sizeof(*w));
	_cleanup_link_ struct live_link l = live_link(NULL);
	struct kube_counters count;

	for (int removing = 0; w && removing < 2; removing++) {
		for (int i = 0; i < MANY; i++) {
			_cleanup_free_ char *node = str_printf("many-%d", i);

			prepare(&w[i], l.client, node, "a");
			if (removing)
				pod_remove(&w[i].op);
			else
				pod_ensure(&w[i].op);
		}
		for (int i = 0; i < MANY; i++) {
			live_await(l.client, &w[i].done);
			T_INT(w[i].op.outcome,
			      removing ? POD_OP_DELETED : POD_OP_CREATED);
		}
	}
	for (int i = 0; w && i < MANY; i++)
		own_op_clear(&w[i]);
	free(w);
	kube_client_counters(l.client, &count);
	T_INT(count.connections, 1);
}

const struct t_case live_pods[] = {
	T(a_pod_is_created_adopted_and_replaced),
	T(a_foreign_pod_is_left_alone),
	T(removing_means_one_uid),
	T(a_bad_pod_is_refused),
	T(many_pods_come_and_go_at_once),
	{NULL, NULL},
};
