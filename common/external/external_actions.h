/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be done about Slurm's nodes in one step of the bridge: planned by
 * external_nodes.c, done by the files named below. The bridge's thread only.
 */
#ifndef SLURMK8S_EXTERNAL_EXTERNAL_ACTIONS_H
#define SLURMK8S_EXTERNAL_EXTERNAL_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "external/external_node.h"

struct external_nodes;
struct external_node_memo;

#define EXTERNAL_ACTIONS_MAX 150 /* actions of one step */
/* Actions of one step that create nodes or change features. */
#define EXTERNAL_ACTIONS_MAKE_MAX 100

/* How much a renewal is needed. */
enum external_need {
	EXTERNAL_NEED_SIZE,    /* jobs can use the node, with its old size */
	EXTERNAL_NEED_DRAINED, /* no job can use the node, as it is drained */
	/* no job can use the node, as Slurm takes it for lost */
	EXTERNAL_NEED_LOST,
};

/* One thing to do. */
struct external_action {
	/* EXTERNAL_NODE_KEEP: nothing is to be done any more */
	enum external_node_do what;
	bool external, relabels;
	bool failing; /* hybrid node: it has FAIL, and no DRAIN */
	bool alone;   /* renewed by RPCs of its own */
	enum external_need need;
	int64_t since; /* monotonic: when the renewal began to wait */
	bool chosen;   /* to be done now, with others in one RPC */
	char name[EXTERNAL_NODE_NAME_MAX + 1];
	char words[WK_REASON_MAX];
	char *line, *features, *topology; /* NULL: none */
};

struct external_actions {
	struct external_action v[EXTERNAL_ACTIONS_MAX];
	size_t n,
		made; /* all, and those that create nodes or change features */
	unsigned int unmade; /* as in struct external_creations */
	/* monotonic: when one that rests is to be done; 0: none */
	int64_t later;
	int64_t end; /* monotonic: no RPC begins later, if `some` */
	bool some;   /* an RPC has begun in this step */
};

/* Free the texts of one action; the struct stays the caller's. */
void external_action_clear(struct external_action *d);

/* Free the texts of all actions; the struct stays the caller's. */
void external_actions_clear(struct external_actions *d);

/*
 * Note that something is to be done at `at` (monotonic, ms; 0: nothing is). The
 * earliest time that was noted counts.
 */
void external_actions_later(struct external_actions *actions, int64_t at);

/* --- external_actions.c; without a lock */

/*
 * Do what is planned, as long as there is time. Equal actions (of one kind,
 * with one Reason) are done in one RPC, and one by one if Slurm refuses that
 * (deletions are not: Slurm has tried each); states and deletions are confirmed
 * by external_actions_confirm() before. What is left is planned anew, and the
 * next step begins with the kinds that were left.
 */
void external_actions_do(struct external_nodes *e,
			 struct external_actions *actions);

/*
 * True if another RPC may begin, and notes that it does: one may in each step,
 * others until actions->end, as the bridge has other things to do; and none
 * once e->stop is set, or while the lease is not ours.
 */
bool external_actions_may_go_on(struct external_nodes *e,
				struct external_actions *actions);

/*
 * Log what came of an action: `rc` is 0, or its error is in `err`. Slurm's
 * nodes are to be read anew, and *d becomes EXTERNAL_NODE_KEEP. After an error
 * the node rests for 1 s, and for 30 s when the words are those of its last
 * error.
 */
void external_action_finish(struct external_nodes *e, struct external_action *d,
			    int rc, const struct err *err);

/*
 * Read the nodes of the actions of which `is` is true once more, and make an
 * action EXTERNAL_NODE_KEEP if its node could not be read, or if an
 * administrator or somebody else has changed it since it was planned. RPCs as
 * of nodes_again.h, for a second or so, which does not count against
 * actions->end: one for all nodes if two or more are to be deleted. Returns how
 * many actions are left.
 */
size_t external_actions_confirm(struct external_nodes *e,
				struct external_actions *actions,
				bool (*is)(const struct external_action *d));

/*
 * The names of the actions that are chosen and of which is(action, like) is
 * true (`is` NULL: of all that are chosen), with commas. The caller frees.
 * NULL: out of memory.
 */
char *external_actions_names(const struct external_actions *actions,
			     bool (*is)(const struct external_action *d,
					const struct external_action *like),
			     const struct external_action *like);

/*
 * Log a warning about a node, unless its last one had these words. Returns what
 * is remembered of the node. NULL: out of memory, and nothing is logged.
 */
struct external_node_memo *external_node_log(struct external_nodes *e,
					     const char *name,
					     const char *words);

/* --- external_nodes_create.c; without a lock */

/*
 * Create the nodes that are to be created: those whose lines differ by the name
 * only in one RPC, and if Slurm refuses that, one by one while there is time,
 * but at least one, and none after three failures in a row. If a step creates
 * none of all that were refused these wait: 1 s, 30 s, and ever longer, up to
 * ten minutes, until Slurm takes any. What was created is to be settled.
 */
void external_actions_create(struct external_nodes *e,
			     struct external_actions *actions);

/*
 * True if renewal `a` comes before `b`: the one that is needed more, or else
 * waits for longer.
 */
bool external_renewal_is_before(const struct external_action *a,
				const struct external_action *b);

/*
 * Delete nodes and create them anew, in the order of
 * external_renewal_is_before(), and as often as external_size_renew() allows,
 * those that Slurm takes for lost ten times as often. All are confirmed by
 * external_actions_confirm() before. Of each kind one node shows first that
 * Slurm takes it; then one RPC deletes the others, and
 * external_actions_create()'s create them, however long that takes, but for the
 * end of the lease or of the engine: Slurm refuses jobs whose lists name a node
 * that it does not have. None is deleted while Slurm lacks one that was deleted
 * for this before.
 */
void external_actions_renew(struct external_nodes *e,
			    struct external_actions *actions);

/*
 * Settle nodes that were created (ctl_external_settle(), with its RPCs), one in
 * each step, and more while there is time. A node that could not be settled is
 * tried again after 1 s, then ever later, up to a minute; after three failures
 * in a row the others wait, too. One warning is logged for all that failed.
 */
void external_actions_settle(struct external_nodes *e,
			     struct external_actions *actions);

/* --- unseen_jobs.c */

/*
 * Where slurm.conf has a node with nothing but suspended jobs seem idle
 * (e->hides_suspended): make an action of which `is` is true
 * EXTERNAL_NODE_KEEP, as external_action_finish() does, if a job is on its
 * node, or if that is not known. One RPC for all jobs, if there is such an
 * action; else, and elsewhere, none. Without a lock.
 */
void external_actions_keep_used(struct external_nodes *e,
				struct external_actions *actions,
				bool (*is)(const struct external_action *d));

/* --- node_removal.c */

/*
 * For how many ms the external node of that name is known to have had no label.
 * The first call begins to count, and gives 0, as it does without memory. No
 * RPC.
 */
int64_t external_nodes_unwanted_for(struct external_nodes *e, const char *name);

/*
 * Set stay[i] for each of `n` nodes that are to be deleted and that stays for
 * now, as a job that waits names it. Without a lock. One RPC, for which
 * slurmctld sends all its jobs, each 10 s or for a twentieth of the time at
 * most; before that all stay. A node stays for 10 minutes, and longer while
 * jobs are being told other nodes, for two hours at most.
 */
void external_nodes_named(struct external_nodes *e, const char *const *names,
			  size_t n, bool *stay);

#endif
