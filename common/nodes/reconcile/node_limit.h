/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of node_decide()'s decision is done now. node_decide() has no memory: it
 * decides in one way at each look until that has helped. Here a decision is
 * held back without the lease, while it was just carried out, while a request
 * is under way, and where only so many are carried out at once. Pure: no I/O,
 * no clock; times are monotonic, ms. Any thread, one at a time for what is
 * remembered.
 */
#ifndef SLURMK8S_NODES_RECONCILE_NODE_LIMIT_H
#define SLURMK8S_NODES_RECONCILE_NODE_LIMIT_H

#include "nodes/watch/node_attempts.h"

#define NODE_REPEAT_MS 5000 /* pause before an action is repeated on a node */
#define NODE_RECORDS_PASS_MAX 500
#define NODE_NOTES_PASS_MAX 500

/* What bears on a decision besides the node and its pod. */
struct node_limits {
	bool has_lease;	   /* we hold the lease of its cluster */
	bool pending;	   /* a request about its pod is under way */
	bool may_note;	   /* notes may be sent to its cluster now */
	uint32_t note_sum; /* checksum of what would be noted on its pod */
	int64_t record_at; /* no Extra is set before: Slurm has refused one */
	size_t max_unavailable; /* limit of `unavailable`, for new templates */
	int64_t now_ms;
};

/* What is remembered, and changes here. */
struct node_memory {
	struct node_attempts *node;
	struct steps_pace *steps;
	struct note_turns *turns; /* for notes on pods of its cluster */
	/*
	 * nodes of its nodeset that power down, or are to, for a new template
	 */
	size_t *unavailable;
	size_t *n_notes, *n_records; /* counts of this pass so far */
};

/* How the decision is carried out. */
struct node_limited {
	bool any;	 /* something is to be done, or a failure counted */
	bool only_steps; /* a note on steps: all else is on the pod already */
	/*
	 * k8s.yaml is to be read again, and how the pod is to be made out anew:
	 * only the file may have changed, or what Slurm says of the node.
	 */
	bool recheck;
	bool steps_left; /* steps of the node wait to be noted */
};

/*
 * True if this decision needs `pending`, `may_note` and `note_sum` of struct
 * node_limits; else they may be left as they are.
 */
bool node_limit_needs_requests(const struct node_decision *p);

/*
 * Take out of *p what is not to be done now; p->again_ms then says when to look
 * again, in ms. Turns that are taken are remembered in *m. Without the lease
 * nothing is left, and nothing remembered.
 */
void node_limit(const struct node_view *v, const struct node_limits *l,
		struct node_memory *m, struct node_decision *p,
		struct node_limited *out);

/*
 * True if something may be asked for about a pod that no node has asked for:
 * not again within 30 s of asked_ms, when it was last; 0: never yet.
 */
bool unmatched_pod_may_act(int64_t asked_ms, int64_t now_ms);

/* --- what was done, for the next time */

/* Note that Slurm was asked for this. */
void attempts_acted(struct node_attempts *t, enum node_action what,
		    int64_t now_ms);

/*
 * Note that the node's pod is not to be made for 5, 10, 20, and then 60 s, the
 * more often it has been made. But it may be deleted at once.
 */
void attempts_create_later(struct node_attempts *t, int64_t now_ms);

/* Note that the node's pod is made, and attempts_create_later(). */
void attempts_created(struct node_attempts *t, int64_t now_ms);

/*
 * Note that the node's pod is deleted, and not again for 5 s, doubled each time
 * up to a minute.
 */
void attempts_deleted(struct node_attempts *t, int64_t now_ms);

/*
 * Note that Kubernetes is asked for the node's pod by name, and not again for 2
 * s, doubled each time up to a minute.
 */
void attempts_looked(struct node_attempts *t, int64_t now_ms);

#endif
