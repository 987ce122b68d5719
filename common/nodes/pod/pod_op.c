/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ensure:  POST -> created (with look_first: look, and then POST)
 *               -> 409 AlreadyExists -> look
 *               -> 403, with look_first -> look -> adopt | refused
 *          look -> 404 -> POST
 *               -> fate: adopt | wait and look | delete by UID and look
 * remove:  look -> 404, or another UID -> gone
 *               -> delete by UID, look until it has ended
 */
#include "nodes/pod/pod_op.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "kube/verbs.h"
#include "nodes/pod/adoption.h"
#include "syntax/wellknown.h"

#define NAP_MIN_MS 100
#define NAP_MAX_MS 2000

static void ensure_post(struct pod_op *op, int64_t delay_ms);
static void look(struct pod_op *op, int64_t delay_ms, kube_done_fn then);
static void ensure_looked(void *arg, const struct kube_result *res);
static void remove_looked(void *arg, const struct kube_result *res);

const char *pod_outcome_word(enum pod_outcome o)
{
	switch (o) {
	case POD_OP_NEW:
		return "not started";
	case POD_OP_RUNNING:
		return "under way";
	case POD_OP_CREATED:
		return "created";
	case POD_OP_REPLACED:
		return "replaced";
	case POD_OP_ADOPTED:
		return "there already";
	case POD_OP_DELETED:
		return "deleted";
	case POD_OP_ABSENT:
		return "no pod there";
	case POD_OP_FAILED:
		return "failed";
	}
	return "";
}

void pod_op_prepare(struct pod_op *op, const struct pod_op_options *opt)
{
	op->opt = *opt;
}

void pod_op_refuse(struct pod_op *op, const struct err *why)
{
	op->outcome = POD_OP_FAILED;
	op->refused = true;
	err_copy(&op->err, why);
}

static void end(struct pod_op *op, enum pod_outcome outcome)
{
	op->outcome = outcome;
	op->took_ms = clock_ms() - op->started_ms;
	if (op->opt.on_done)
		op->opt.on_done(op);
}

static void fail(struct pod_op *op, int rc, const char *words)
{
	err_set(&op->err, rc, "pod %s/%s: %s", op->opt.set->cluster->ns,
		op->pod, words);
	end(op, POD_OP_FAILED);
}

/* A call ended in error, and so does the op; some answers are for good. */
static void fail_call(struct pod_op *op, const struct kube_result *res)
{
	err_copy(&op->err, res->err);
	op->undecided = op->undecided || res->undecided;
	op->refused = res->http >= 400 && res->http < 500 && res->http != 408 &&
		      res->http != 429;
	end(op, POD_OP_FAILED);
}

static struct kube_ref pod_ref(const struct pod_op *op)
{
	return (struct kube_ref){
		.api = KUBE_CORE_V1,
		.ns = op->opt.set->cluster->ns,
		.resource = "pods",
		.name = op->pod,
	};
}

static struct kube_reply reply(struct pod_op *op, kube_done_fn then)
{
	return (struct kube_reply){
		.on_done = then,
		.arg = op,
		.deadline_ms = op->opt.deadline_ms,
	};
}

static void look(struct pod_op *op, int64_t delay_ms, kube_done_fn then)
{
	struct kube_ref ref = pod_ref(op);
	struct kube_reply to = reply(op, then);

	if (op->give_up) {
		op->undecided = true;
		fail(op, -ECANCELED, "given up, for its gang has failed");
		return;
	}
	if (clock_ms() + delay_ms >= op->opt.deadline_ms) {
		fail(op, -ETIMEDOUT,
		     delay_ms ? WK_STILL_ENDING : "out of time");
		return;
	}
	to.not_before_ms = clock_ms() + delay_ms;
	op->call = kube_get(op->opt.client, &ref, &to);
	if (!op->call)
		fail(op, -ENOMEM, "out of memory");
}

/* The pause before the next look, in ms: a little longer each time. */
static int64_t next_nap(struct pod_op *op)
{
	op->nap_ms = op->nap_ms ? op->nap_ms * 3 / 2 : NAP_MIN_MS;
	if (op->nap_ms > NAP_MAX_MS)
		op->nap_ms = NAP_MAX_MS;
	return op->nap_ms;
}

static void look_later(struct pod_op *op, kube_done_fn then)
{
	look(op, next_nap(op), then);
}

/* True if the delete may have worked; the next look shows what it did. */
static bool delete_went(const struct kube_result *res)
{
	return !res->rc || res->http == 404 || res->http == 409;
}

/*
 * Delete a pod with its grace period: what is left is the kubelet's to clean
 * up.
 */
static void delete_pod(struct pod_op *op, const char *uid, kube_done_fn then)
{
	struct kube_ref ref = pod_ref(op);
	struct kube_reply to = reply(op, then);

	op->call = kube_delete(op->opt.client, &ref, uid, -1, &to);
	if (!op->call)
		fail(op, -ENOMEM, "out of memory");
}

/* Read the pod of an answer. False: there is none, and the op has failed. */
static bool read_pod(struct pod_op *op, const struct kube_result *res,
		     struct worker_pod *pod)
{
	_cleanup_json_ json_object *o = NULL;

	if (!jx_parse(res->body, res->len, &o, NULL) &&
	    !worker_pod_of(o, op->opt.set->container, pod))
		return true;
	op->undecided = true;
	fail(op, -EBADMSG, "the API server's answer is not a pod");
	return false;
}

static void begin(struct pod_op *op)
{
	name_pod_of_node(op->opt.node, op->pod);
	name_label_of(op->opt.cluster, op->cluster_label);
	name_label_of(op->opt.node, op->node_label);
	op->outcome = POD_OP_RUNNING;
	op->started_ms = clock_ms();
	op->nap_ms = 0;
	op->gone = op->replaced = false;
}

/* --- ensure */

static void ensure_deleted(void *arg, const struct kube_result *res)
{
	struct pod_op *op = arg;

	if (!delete_went(res)) {
		fail_call(op, res);
		return;
	}
	/* After a second delete a finalizer may keep the pod. */
	if (op->replaced) {
		look_later(op, ensure_looked);
		return;
	}
	op->replaced = true;
	look(op, 0, ensure_looked);
}

static enum adoption fate_of(const struct pod_op *op,
			     const struct worker_pod *pod)
{
	const struct wanted_pod wanted = {
		.cluster = op->cluster_label,
		.node = op->node_label,
		.hash = op->opt.hash,
		.since_ms = op->opt.since_ms,
		.node_up = op->opt.node_up,
		.any_hash = op->opt.any_hash,
		.fresh = op->opt.fresh && !op->replaced && !op->gone,
	};

	return adoption_of(pod, &wanted);
}

static void adopt(struct pod_op *op, const struct worker_pod *pod)
{
	str_copy(op->uid, pod->uid, sizeof(op->uid));
	end(op, op->replaced ? POD_OP_REPLACED : POD_OP_ADOPTED);
}

static void ensure_looked(void *arg, const struct kube_result *res)
{
	struct pod_op *op = arg;
	struct worker_pod pod;
	int64_t nap_ms;

	if (res->http == 404) {
		/* A webhook may answer that the pod exists when it does not. */
		nap_ms = op->gone ? next_nap(op) : 0;
		/* A pod that is found later is new, maybe our own. */
		op->gone = true;
		ensure_post(op, nap_ms);
		return;
	}
	if (res->rc) {
		fail_call(op, res);
		return;
	}
	if (!read_pod(op, res, &pod))
		return;
	switch (fate_of(op, &pod)) {
	case ADOPTION_ADOPT:
		adopt(op, &pod);
		break;
	case ADOPTION_WAIT:
		look_later(op, ensure_looked);
		break;
	case ADOPTION_REPLACE:
		delete_pod(op, pod.uid, ensure_deleted);
		break;
	case ADOPTION_FOREIGN:
		op->refused = true;
		fail(op, -EEXIST, WK_FOREIGN);
		break;
	}
}

/*
 * The answer to the look after a forbidden POST: the quota may be used up by
 * the very pod that somebody else made meanwhile.
 */
static void denied_looked(void *arg, const struct kube_result *res)
{
	_cleanup_json_ json_object *o = NULL;
	struct pod_op *op = arg;
	struct worker_pod pod;

	if (!res->rc && !jx_parse(res->body, res->len, &o, NULL) &&
	    !worker_pod_of(o, op->opt.set->container, &pod) &&
	    fate_of(op, &pod) == ADOPTION_ADOPT) {
		op->err = (struct err){0};
		adopt(op, &pod);
		return;
	}
	op->undecided = op->undecided || res->http != 404;
	op->refused = true;
	end(op, POD_OP_FAILED);
}

static void ensure_posted(void *arg, const struct kube_result *res)
{
	struct pod_op *op = arg;
	struct worker_pod pod;

	op->undecided = op->undecided || res->undecided;
	if (res->rc == -EEXIST) {
		look(op, 0, ensure_looked);
	} else if (res->http == 403 && op->opt.look_first && !op->give_up &&
		   clock_ms() < op->opt.deadline_ms) {
		err_copy(&op->err, res->err);
		look(op, 0, denied_looked);
	} else if (res->rc) {
		fail_call(op, res);
	} else if (read_pod(op, res, &pod)) {
		str_copy(op->uid, pod.uid, sizeof(op->uid));
		end(op, op->replaced ? POD_OP_REPLACED : POD_OP_CREATED);
	}
}

static void ensure_post(struct pod_op *op, int64_t delay_ms)
{
	struct kube_ref ref = pod_ref(op);
	struct kube_reply to = reply(op, ensure_posted);

	ref.name = NULL;
	if (clock_ms() + delay_ms >= op->opt.deadline_ms) {
		fail(op, -ETIMEDOUT, "out of time");
		return;
	}
	if (delay_ms)
		to.not_before_ms = clock_ms() + delay_ms;
	op->call = kube_create(op->opt.client, &ref, op->opt.body,
			       op->opt.body_len, &to);
	if (!op->call)
		fail(op, -ENOMEM, "out of memory");
}

void pod_ensure(struct pod_op *op)
{
	begin(op);
	if (op->opt.fresh || op->opt.look_first) /* a pod may be there */
		look(op, 0, ensure_looked);
	else
		ensure_post(op, 0);
}

/* --- remove */

static void remove_deleted(void *arg, const struct kube_result *res)
{
	struct pod_op *op = arg;

	if (!delete_went(res))
		fail_call(op, res);
	else if (op->opt.no_wait)
		end(op, POD_OP_DELETED);
	else
		look_later(op, remove_looked);
}

static void remove_looked(void *arg, const struct kube_result *res)
{
	struct pod_op *op = arg;
	struct worker_pod pod;

	if (res->http == 404) {
		end(op, *op->uid ? POD_OP_DELETED : POD_OP_ABSENT);
		return;
	}
	if (res->rc) {
		fail_call(op, res);
		return;
	}
	if (!read_pod(op, res, &pod))
		return;
	if (!pod_is_ours(&pod, op->cluster_label, op->node_label) ||
	    (*op->uid && strcmp(op->uid, pod.uid))) {
		end(op, *op->uid ? POD_OP_DELETED : POD_OP_ABSENT);
		return;
	}
	str_copy(op->uid, pod.uid, sizeof(op->uid));
	if (!pod.deleting)
		delete_pod(op, pod.uid, remove_deleted);
	else if (op->opt.no_wait)
		end(op, POD_OP_DELETED);
	else
		look_later(op, remove_looked);
}

void pod_remove(struct pod_op *op)
{
	begin(op);
	look(op, 0, remove_looked);
}

/* --- find */

static void find_looked(void *arg, const struct kube_result *res)
{
	struct pod_op *op = arg;
	struct worker_pod pod;

	if (res->http == 404) {
		end(op, POD_OP_ABSENT);
	} else if (res->rc) {
		fail_call(op, res);
	} else if (read_pod(op, res, &pod)) {
		if (!pod_is_ours(&pod, op->cluster_label, op->node_label)) {
			end(op, POD_OP_ABSENT);
			return;
		}
		str_copy(op->uid, pod.uid, sizeof(op->uid));
		end(op, POD_OP_ADOPTED);
	}
}

void pod_find(struct pod_op *op)
{
	begin(op);
	look(op, 0, find_looked);
}

void pod_op_cancel(struct pod_op *op)
{
	kube_client_cancel(op->opt.client, op->call);
}
