/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When metrics are served at metrics.listen of k8s.yaml, and what. While we may
 * not act, nobody listens, as there is no file then; but an engine that waits
 * for slurmctld is asked until it comes round, and what it says grows old. One
 * thread at a time, which the engine's lock sees to.
 */
#ifndef SLURMK8S_ENGINE_METRICS_LISTENER_H
#define SLURMK8S_ENGINE_METRICS_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "config/metrics_config.h"

struct metrics_server;

/* All zero at first. */
struct metrics_listener {
	struct metrics_server *server; /* NULL: nobody listens */
	char *at;	  /* where it listens, or failed to; NULL: nowhere */
	struct stat ours; /* file of a unix socket, as it was made */
	int64_t next;	  /* when a new text is due; monotonic, ms */
	bool failed;	  /* the log says that it cannot listen */
};

/*
 * Listen as *c says it, if `active`, which means that we may act, and give the
 * metrics, as they are now, to whoever asks from now on, if it is time for
 * that. If not, or if *c has another address, or none, by now, nobody listens
 * there any more. What fails is logged, once until it works again or the
 * address is another one, and tried again when it is time; a text that cannot
 * be made leaves the last one in its place. True: it was time.
 */
bool metrics_listener_step(struct metrics_listener *l,
			   const struct metrics_config *c, bool active);

/* True if metrics_listener_step() would make a new text, should we be active.
 */
bool metrics_listener_is_due(const struct metrics_listener *l,
			     const struct metrics_config *c);

/* Listen no more, and free what *l has. See metrics_server_stop(). */
void metrics_listener_end(struct metrics_listener *l);

#endif
