/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What external_nodes.c remembers of nodes. The bridge's thread only. */
#ifndef SLURMK8S_EXTERNAL_EXTERNAL_MEMO_H
#define SLURMK8S_EXTERNAL_EXTERNAL_MEMO_H

#include "base/hash.h"
#include "external/external_size.h"
#include "syntax/wellknown.h"

struct external_nodes;

/*
 * A node that is to be deleted; set by node_removal.c, lost_nodes.c and
 * external_nodes.c. Times are monotonic.
 */
struct node_removal {
	/*
	 * Since when Kubernetes has no such node, or it has no label; 0: it
	 * has.
	 */
	int64_t gone_at;
	/*
	 * A node that would be deleted stays while jobs that wait name it:
	 * since when, which begins anew while jobs are told other nodes; until
	 * when that is not looked at again; and since when in all.
	 */
	int64_t named_at, named_until, named_first;
	bool named_told; /* the log says that it is deleted all the same */
};

/* A node that was created; set by external_nodes_create.c. */
struct node_settling {
	int64_t at;	    /* monotonic: not settled before */
	unsigned int tries; /* how often it was settled in vain */
	bool is_new;	    /* created, and not settled yet */
};

/*
 * What is remembered of a node, by its name in Slurm; set by
 * external_actions.c, external_memo.c and hybrid_nodes.c.
 */
struct external_node_memo {
	UT_hash_handle hh;
	int failed;
	bool relabelled; /* features were changed since it was created */
	/* how long it has had another size than in Slurm */
	struct external_size size;
	struct node_removal removal;
	struct node_settling settling;
	bool deleted;	/* by us, to be created anew */
	bool was_there; /* Slurm has had it, whoever has deleted it */
	/* monotonic: since when it is to be made anew; 0: it is not */
	int64_t renew_since;
	/* monotonic: since when hybrid_left_for() is not 0; or 0 */
	int64_t left_at;
	int64_t until; /* monotonic: no action before */
	char words[WK_REASON_MAX];
	char name[];
};

/*
 * What is remembered of the node of that name; it is made if there is nothing
 * yet. It belongs to `e`, until it is dropped. NULL: out of memory.
 */
struct external_node_memo *external_memo_of(struct external_nodes *e,
					    const char *name);

/*
 * Note that the node is to be made anew. Returns since when it is (monotonic,
 * ms).
 */
int64_t external_memo_renews(struct external_nodes *e, const char *name);

/* Note that the node of `m` is not to be made anew; NULL: there is no such. */
void external_memo_renews_not(struct external_node_memo *m);

/* Note that we have deleted the node, to create it anew. */
void external_memo_deleted(struct external_nodes *e, const char *name);

/* Note that Slurm has the node of `m`; NULL: there is no such. */
void external_memo_is_there(struct external_node_memo *m);

/* Forget what is remembered of that node, if anything is. */
void external_memo_drop(struct external_nodes *e, const char *name);

/*
 * Forget nodes that neither Slurm, whose nodes were read, nor Kubernetes has
 * any more, but for those that are to be settled. Under the lock of the hosts.
 */
void external_memos_forget_gone(struct external_nodes *e);

/* Forget all. */
void external_memos_free(struct external_nodes *e);

#endif
