/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be done about Slurm's nodes in one step of the bridge: planned by
 * bridge_nodes.c, done by the files named below. The bridge's thread only.
 */
#ifndef SLURMK8S_EXTERNAL_EXTERNAL_NODES_DEEDS_H
#define SLURMK8S_EXTERNAL_EXTERNAL_NODES_DEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "external/external_node.h"

struct bridge_thread;
struct nodes_memo;

#define DEEDS_MAX 150	   /* in one step; and of these */
#define DEEDS_MAKE_MAX 100 /* nodes that are created or get other features */

/* One thing to do. */
struct node_deed {
	enum extnode_do what; /* EXTNODE_KEEP: nothing any more */
	bool external, relabels;
	bool lost;   /* no job starts there */
	bool chosen; /* to be done now, with others in one RPC */
	char name[EXTNODE_NAME_MAX + 1];
	char words[WK_REASON_MAX];
	char *line, *features, *topology; /* NULL: none */
};

struct node_deeds {
	struct node_deed v[DEEDS_MAX];
	size_t n, made;
	int64_t later; /* when something is to be done that rests; 0: nothing */
	int64_t end;   /* monotonic: no RPC begins after that, */
	bool some;     /* but one in each step */
};

void deeds_clear(struct node_deeds *d);

/* Something is to be done then (monotonic ms; 0: nothing is). */
void deeds_later(struct node_deeds *deeds, int64_t at);

/* --- bridge_nodes_do.c; without a lock */

/*
 * Do them, as far as there is time: what is left is planned anew. Those of the
 * same kind are done in one RPC.
 */
void deeds_do(struct bridge_thread *b, struct node_deeds *deeds);

/*
 * May another RPC begin? (Each takes time, the bridge has other things to do,
 * and we may have been stopped.) If so it is noted that one does.
 */
bool deeds_may_go_on(struct bridge_thread *b, struct node_deeds *deeds);

/* Said in the log, and remembered; it is nothing to be done any more. */
void deed_finish(struct bridge_thread *b, struct node_deed *d, int rc,
		 const struct err *err);

/*
 * Those of a kind that an administrator, or somebody else, has changed since
 * they were planned are nothing to be done any more. RPCs, for a second or so.
 * How many are left.
 */
size_t deeds_confirm(struct bridge_thread *b, struct node_deeds *deeds,
		     bool (*is)(const struct node_deed *d));

/*
 * The names of those that are chosen, and that `is` (NULL: all) takes beside
 * `like`: a list. NULL: out of memory. The caller frees.
 */
char *deeds_names(const struct node_deeds *deeds,
		  bool (*is)(const struct node_deed *d,
			     const struct node_deed *like),
		  const struct node_deed *like);

/* Told once. The memo, or NULL: out of memory. */
struct nodes_memo *node_tell(struct bridge_thread *b, const char *name,
			     const char *words);

/* --- bridge_nodes_create.c; without a lock */

void deeds_create(struct bridge_thread *b, struct node_deeds *deeds);
/* Delete them, and create them anew. */
void deeds_renew(struct bridge_thread *b, struct node_deeds *deeds);
/* What was created is settled: each by itself, and again if need be. */
void deeds_settle(struct bridge_thread *b, struct node_deeds *deeds);

/* --- bridge_nodes_away.c */

/* For so many ms the node of that name has had no label, as far as was looked.
 */
int64_t nodes_unwanted_for(struct bridge_thread *b, const char *name);
/*
 * Without a lock; asks Slurm: which of these, which are to be deleted, stay for
 * now, as jobs name them which wait?
 */
void nodes_named(struct bridge_thread *b, const char *const *names, size_t n,
		 bool *stay);

#endif
