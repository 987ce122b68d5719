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

#define EXTERNAL_ACTIONS_MAX 150 /* in one step */
/* Of these, nodes that are created or get other features. */
#define EXTERNAL_ACTIONS_MAKE_MAX 100

/* One thing to do. */
struct external_action {
	enum external_node_do what; /* EXTERNAL_NODE_KEEP: nothing any more */
	bool external, relabels;
	bool failing; /* a hybrid one is: it has FAIL, and no DRAIN */
	bool lost;    /* no job starts there */
	bool chosen;  /* to be done now, with others in one RPC */
	char name[EXTERNAL_NODE_NAME_MAX + 1];
	char words[WK_REASON_MAX];
	char *line, *features, *topology; /* NULL: none */
};

struct external_actions {
	struct external_action v[EXTERNAL_ACTIONS_MAX];
	size_t n, made;
	int64_t later; /* when something is to be done that rests; 0: nothing */
	int64_t end;   /* monotonic: no RPC begins after that, */
	bool some;     /* but one in each step */
};

void external_actions_clear(struct external_actions *d);

/* Something is to be done then (monotonic ms; 0: nothing is). */
void external_actions_later(struct external_actions *actions, int64_t at);

/* --- external_actions.c; without a lock */

/*
 * Do them, as far as there is time: what is left is planned anew. Those of the
 * same kind are done in one RPC.
 */
void external_actions_do(struct external_nodes *e,
			 struct external_actions *actions);

/*
 * May another RPC begin? (Each takes time, the bridge has other things to do,
 * and we may have been stopped.) If so it is noted that one does.
 */
bool external_actions_may_go_on(struct external_nodes *e,
				struct external_actions *actions);

/* Said in the log, and remembered; it is nothing to be done any more. */
void external_action_finish(struct external_nodes *e, struct external_action *d,
			    int rc, const struct err *err);

/*
 * Those of a kind that an administrator, or somebody else, has changed since
 * they were planned are nothing to be done any more. RPCs, for a second or so.
 * How many are left.
 */
size_t external_actions_confirm(struct external_nodes *e,
				struct external_actions *actions,
				bool (*is)(const struct external_action *d));

/*
 * The names of those that are chosen, and that `is` (NULL: all) takes beside
 * `like`: a list. NULL: out of memory. The caller frees.
 */
char *external_actions_names(const struct external_actions *actions,
			     bool (*is)(const struct external_action *d,
					const struct external_action *like),
			     const struct external_action *like);

/* Told once. The memo, or NULL: out of memory. */
struct external_node_memo *external_node_log(struct external_nodes *e,
					     const char *name,
					     const char *words);

/* --- external_nodes_create.c; without a lock */

void external_actions_create(struct external_nodes *e,
			     struct external_actions *actions);
/* Delete them, and create them anew. */
void external_actions_renew(struct external_nodes *e,
			    struct external_actions *actions);
/* What was created is settled: each by itself, and again if need be. */
void external_actions_settle(struct external_nodes *e,
			     struct external_actions *actions);

/* --- node_removal.c */

/* For so many ms the node of that name has had no label, as far as was looked.
 */
int64_t external_nodes_unwanted_for(struct external_nodes *e, const char *name);
/*
 * Without a lock; asks Slurm: which of these, which are to be deleted, stay for
 * now, as jobs name them which wait?
 */
void external_nodes_named(struct external_nodes *e, const char *const *names,
			  size_t n, bool *stay);

#endif
