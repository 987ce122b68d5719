/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who answers GET /metrics (metrics.listen of k8s.yaml): libmicrohttpd, with a
 * thread of its own, which tells the text that it was given last. So whoever
 * asks costs neither slurmctld nor the engine any time. While we may not act,
 * nobody listens, as there is no file then. The engine's thread only.
 */
#ifndef SLURMK8S_ENGINE_METRICS_LISTENER_H
#define SLURMK8S_ENGINE_METRICS_LISTENER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "config/metrics_config.h"

struct MHD_Daemon;
struct MHD_Response;

/* All zero at first. It stays where it is, for the thread knows it. */
struct metrics_listener {
	struct MHD_Daemon *daemon; /* NULL: nobody listens */
	char *at;		   /* where; NULL: the same */
	struct stat ours;	   /* of a unix socket */
	pthread_mutex_t lock;	   /* while there is a daemon: */
	struct MHD_Response *page; /* the text; NULL: none yet */
	int64_t next;		   /* a new text is due then; monotonic */
	bool failed;		   /* the log says that it cannot listen */
};

/*
 * Listen as *c says it, if `active`, which means that we may act, and give the
 * metrics, as they are now, to whoever asks from now on, if it is time for
 * that. If not, or if *c has another address, or none, by now, nobody listens
 * there any more. What fails is logged, once until it works again, and tried
 * again when it is time. True: it was time.
 */
bool metrics_listener_step(struct metrics_listener *l,
			   const struct metrics_config *c, bool active);

/* True if metrics_listener_step() would make a new text, should we be active.
 */
bool metrics_listener_is_due(const struct metrics_listener *l,
			     const struct metrics_config *c);

/*
 * Listen no more, and free what *l has. Waits for the thread, which waits for
 * nobody.
 */
void metrics_listener_end(struct metrics_listener *l);

#endif
