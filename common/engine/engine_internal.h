/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine's own files share. The engine's thread only. */
#ifndef SLURMK8S_ENGINE_INTERNAL_H
#define SLURMK8S_ENGINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/hash.h"
#include "engine/link.h"
#include "model/manifest.h"
#include "model/nodeplan.h"
#include "slurm/ctl.h"

/* What is remembered of a node, by name. */
struct memo {
	UT_hash_handle hh;
	int failed; /* of uthash */
	enum plan_power power;
	int64_t power_since;   /* monotonic, as are the next ones */
	int64_t down_at;       /* when Slurm last said that it was */
	bool was_up;	       /* its slurmd ran, whatever its pod said */
	int64_t absent_since;  /* 0: it has a pod, or is not in view */
	int64_t create_after;  /* not before */
	unsigned int creates;  /* since the last power change */
	bool rechecked;	       /* that its pod's template is old */
	bool told;	       /* its failure has been counted and logged */
	enum plan_slurm acted; /* last, and when */
	int64_t acted_at;
	char hash[17]; /* of its manifest; "": not made yet */
	char name[];
};

/* What is remembered of a nodeset: its failures in a row. */
struct cooling {
	unsigned int failures;
	int64_t until; /* monotonic; 0: it is not cooling down */
	char words[WK_REASON_MAX];
};

#define FOLLOW_MAX 4096

/* A job that was requeued because of us. */
struct follow {
	uint32_t job_id;
	int64_t since;
};

struct engine {
	struct config *config;
	struct ctl_site site;
	pthread_t thread;
	atomic_bool stop, reload;
	atomic_int owners; /* of the memory: the thread, and who stops it */

	bool leaks; /* an abandoned thread may still use what we have */
	int waker;  /* an eventfd: something has happened in a thread of ours */
	int bell;   /* our programs have something to say; -1: not yet */
	int64_t bell_at; /* when to try to listen again */

	struct link **links; /* one a cluster, in the configuration's order */
	struct cooling *cooling; /* one a nodeset, alike */
	struct memo *memos;
	struct ctl_nodes *nodes;
	int64_t nodes_at;	/* when they were last asked for */
	int64_t nodes_whole_at; /* when not only for changes */
	bool nodes_stale;	/* ask for them now */
	int64_t look_at;	/* when all are looked at again */
	int64_t links_at;	/* when to try to start them again */
	unsigned int pass;	/* marks the pods that a node has */
	struct follow follow[FOLLOW_MAX];
	size_t n_follow;
	int64_t follow_at;
};

/* One thing to do. */
struct action {
	const struct nodeset *set;
	struct memo *memo;
	struct plan plan;
	char uid[64]; /* of the pod it is about; "" : none */
	char pod[254];
	bool ended;   /* it is being deleted, and its containers have ended */
	bool at_once; /* delete without a grace period: nothing runs there */
};

#define ACTIONS_MAX 20000

struct actions {
	struct action *v;
	size_t n, size;
};

/* look.c: what is to be done about one node, or about all. */
void look_at_node(struct engine *e, const struct ctl_node *node,
		  struct actions *out);
void look_at_all(struct engine *e, struct actions *out);
struct link *link_of(struct engine *e, const struct nodeset *set);

/* What its pod should be. The caller clears *out. */
int manifest_of(struct engine *e, const struct nodeset *set,
		const struct ctl_node *node, struct manifest *out,
		struct err *err);

/* act.c: do it. Sorts the actions. */
void act_on(struct engine *e, struct actions *a);

/* cool.c */
struct cooling *cooling_of(struct engine *e, const struct nodeset *set);
bool cooling_now(struct engine *e, const struct nodeset *set);
void cooling_failure(struct engine *e, const struct nodeset *set,
		     const char *words);
void cooling_success(struct engine *e, const struct nodeset *set);

/* follow.c: requeued jobs become eligible as soon as Slurm allows. */
void follow_add(struct engine *e, uint32_t job_id);
void follow_step(struct engine *e);

/* Those that went back with words of ours, by whoever sent them. */
void follow_sent_back(struct engine *e);

#endif
