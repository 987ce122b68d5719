/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of node_decide()'s decision is done now. That one knows no memory: it
 * says the same at each look until it has helped. Here it is held back without
 * the lease, while it was just done, while a request is under way, and where
 * only so many are done at once. Pure: no I/O, no clock; times are monotonic,
 * ms. Any thread.
 */
#ifndef SLURMK8S_NODES_RECONCILE_NODE_LIMIT_H
#define SLURMK8S_NODES_RECONCILE_NODE_LIMIT_H

#include "nodes/watch/node_attempts.h"

#define NODE_REPEAT_MS 5000 /* the same action on the same node */
#define NODE_RECORDS_PASS_MAX 500
#define NODE_NOTES_PASS_MAX 500

/* What bears on it besides the node and its pod. */
struct node_limits {
	bool has_lease;		/* of its cluster; else another engine acts */
	bool pending;		/* a request about its pod is under way */
	bool may_note;		/* its cluster's requests take notes */
	uint32_t note_sum;	/* checksum of what would be noted on its pod */
	int64_t record_at;	/* no Extra before: Slurm has refused one */
	size_t max_unavailable; /* of its nodeset, for new templates */
	int64_t now_ms;
};

/* What is remembered, and changes here. */
struct node_memory {
	struct node_attempts *node;
	struct steps_pace *steps;
	struct note_turns *turns;    /* of its cluster */
	size_t *unavailable;	     /* nodes of its nodeset that power down, or
					are to for a new template */
	size_t *n_notes, *n_records; /* in this pass */
};

/* How it is done. */
struct node_limited {
	bool any;	 /* something is to be done, or a failure counted */
	bool ended;	 /* the pod is being deleted, its containers ended */
	bool at_once;	 /* delete it without grace: nothing runs there */
	bool only_steps; /* a note: all else is on the pod already */
	/*
	 * Read k8s.yaml again, and find out anew how the pod is to be: has only
	 * the file changed, or what Slurm says of the node?
	 */
	bool recheck;
	bool steps_left; /* its steps are not noted yet, and are not now */
};

/* Is `pending` wanted for this decision? Else it may be left false. */
bool node_limit_needs_requests(const struct node_view *v,
			       const struct node_decision *p);

/*
 * Takes out of *p what is not to be done now; p->again_ms then says when to
 * look again. Without the lease nothing is left, and nothing remembered.
 */
void node_limit(const struct node_view *v, const struct node_limits *l,
		struct node_memory *m, struct node_decision *p,
		struct node_limited *out);

/*
 * May something be asked about a pod that no node has asked for, which was
 * asked last then (0: never)?
 */
bool unmatched_pod_may_act(int64_t asked_ms, int64_t now_ms);

/* Nothing of it runs: there is nothing to wait for when it is deleted. */
bool pod_starts_nothing(const struct pod_view *pod);

/* --- what was done, for the next time */

/* This was asked of Slurm. */
void attempts_acted(struct node_attempts *t, enum node_action what,
		    int64_t now_ms);
/* Its pod is not made at once: the later, the more often it has been. */
void attempts_create_later(struct node_attempts *t, int64_t now_ms);
/* It is made. */
void attempts_created(struct node_attempts *t, int64_t now_ms);
/* It is deleted; `ended`: its containers had ended before. */
void attempts_deleted(struct node_attempts *t, bool ended, int64_t now_ms);
/* Kubernetes is asked for it by its name. */
void attempts_looked(struct node_attempts *t, int64_t now_ms);

#endif
