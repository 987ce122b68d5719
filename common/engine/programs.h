/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What our programs tell the engine, by a socket of base/notify.h. The engine's
 * thread only; no RPC.
 */
#ifndef SLURMK8S_ENGINE_PROGRAMS_H
#define SLURMK8S_ENGINE_PROGRAMS_H

#include "nodes/watch/nodes.h"

/* The socket. `fd` is -1 at first, all else 0. */
struct programs {
	int fd;		/* -1: it does not listen (yet) */
	int64_t try_at; /* when to try to listen again; monotonic */
	int64_t since;	/* since when that fails; 0: it has not */
	bool told;	/* the log says so */
};

/*
 * Listen under this name, if it does not yet; else try again, once a second at
 * most. The log says if the name is taken for 30 s, and when it is free.
 */
void programs_listen(struct programs *p, const char *name);

/*
 * Read what has come, 256 messages at most. WK_SAY_REFUSED of k8s_resume has
 * the node's nodeset rest, and all nodes looked at anew. WK_SAY_ALLOCATED of
 * k8s_prolog has these nodes looked at in this step, by passes_allocated(), or,
 * beyond NODES_SINGLE_MAX, with all nodes as soon as slurmctld may be asked.
 */
void programs_read(struct programs *p, struct nodes *nodes);

/* Listen no more. Another engine may have the name from then on. */
void programs_end(struct programs *p);

#endif
