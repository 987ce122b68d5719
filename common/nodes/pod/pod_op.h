/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bring one pod into being, or to its end: idempotent, safe to repeat and to
 * overlap with other such ops for the same pod. Asynchronous over a
 * kube_client; the client's thread only. The caller owns the op, which stays
 * until on_done is called: exactly once, also on failure, maybe before the
 * function that has begun it returns. Each look is a GET; between two looks
 * there are 0.1 to 2 s. After deadline_ms (monotonic) none begins.
 */
#ifndef SLURMK8S_NODES_POD_POD_OP_H
#define SLURMK8S_NODES_POD_POD_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "kube/client.h"
#include "syntax/names.h"

struct pod_op;

enum pod_outcome {
	POD_OP_NEW,	/* not started */
	POD_OP_RUNNING, /* under way */
	POD_OP_CREATED,
	POD_OP_REPLACED, /* a stale pod has gone; another is there, or made */
	POD_OP_ADOPTED,	 /* the wanted pod was there */
	POD_OP_DELETED,
	POD_OP_ABSENT, /* no pod was there to delete */
	POD_OP_FAILED, /* see err */
};

/* What is asked for; borrowed until the op is done. */
struct pod_op_options {
	struct kube_client *client;
	const struct nodeset *set;
	const char *node;
	const char *cluster; /* Slurm's ClusterName */
	const char *body;    /* the manifest; ensure only */
	size_t body_len;
	char hash[17];
	int64_t since_ms; /* epoch: see struct wanted_pod */
	int64_t deadline_ms;
	bool node_up, any_hash;
	bool fresh;
	/*
	 * ensure: somebody else may be making the pod just now. Quotas are
	 * counted before names are: a POST of a pod that is there may be
	 * refused by a quota, or use some of it up although nothing is made.
	 */
	bool look_first;
	bool no_wait; /* remove: end when the delete is accepted */
	void (*on_done)(struct pod_op *op);
	void *arg;
};

/* Zeroed at first. */
struct pod_op {
	struct pod_op_options opt;
	bool give_up; /* may be set at any time: end at the next step */

	/* results */
	enum pod_outcome outcome;
	char uid[64];	/* UID of the pod made, adopted or deleted */
	struct err err; /* set with POD_OP_FAILED */
	bool refused;	/* failed, and trying again would not help */
	bool undecided; /* failed, and a pod may exist all the same */
	int64_t took_ms;

	/* private */
	char pod[DNS_LABEL_MAX + 1];
	char cluster_label[DNS_LABEL_MAX + 1];
	char node_label[DNS_LABEL_MAX + 1];
	int64_t started_ms;
	int64_t nap_ms;
	struct kube_call *call; /* the request that is under way */
	bool replaced;
	bool gone;
};

/*
 * Say what is asked for next; all of `opt` is copied, what it points to is
 * borrowed. Results of an earlier op, and its `uid`, stay. Not to be called
 * while the op is under way.
 */
void pod_op_prepare(struct pod_op *op, const struct pod_op_options *opt);

/*
 * End an op that was not begun, as POD_OP_FAILED for good, with these words;
 * on_done is not called. `why`: not op->err.
 */
void pod_op_refuse(struct pod_op *op, const struct err *why);

/*
 * See to it that the pod of op->opt.node exists as its body says. A pod of that
 * name that is there already is adopted, waited for, replaced or refused by
 * nodes/pod/adoption.h. One POST if none is there; else looks, and a DELETE and
 * another POST if it is replaced. With look_first a look before the POST, and
 * one when that is forbidden. POD_OP_CREATED, _REPLACED or _ADOPTED with
 * op->uid set; POD_OP_FAILED.
 */
void pod_ensure(struct pod_op *op);

/*
 * See to it that the pod of op->opt.node is gone: deleted by UID; when a new
 * pod of that name appears meanwhile it is left alone. With op->uid set only
 * that very pod is meant. A look, a DELETE, and looks until it has gone, unless
 * no_wait. POD_OP_DELETED; POD_OP_ABSENT: there was none of ours;
 * POD_OP_FAILED.
 */
void pod_remove(struct pod_op *op);

/*
 * Only look, once: POD_OP_ADOPTED with op->uid set; POD_OP_ABSENT: there is
 * none of ours; POD_OP_FAILED. Who looks first, then asks Slurm whether it
 * still wants the node down, and then removes that UID, never hits the pod of a
 * later power-up.
 */
void pod_find(struct pod_op *op);

/*
 * End an op that is under way, without on_done; the server may have got its
 * request. Not to be called from a callback.
 */
void pod_op_cancel(struct pod_op *op);

/* The outcome in words for the log; static. */
const char *pod_outcome_word(enum pod_outcome o);

#endif
