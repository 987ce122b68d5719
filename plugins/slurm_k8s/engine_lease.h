/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which slurmctld's engine acts in a Kubernetes cluster, as its Lease says.
 * Main thread, but for what is pure.
 */
#ifndef SLURMK8S_TOOL_ENGINE_LEASE_H
#define SLURMK8S_TOOL_ENGINE_LEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "api_server.h"
#include "kube/lease_record.h"

struct engine_lease {
	char holder[HOLDER_MAX]; /* fit for a terminal; "": nobody */
	int64_t renewed_ms;	 /* age of the last renewal; -1: never */
	int64_t duration_ms;	 /* how long a renewal counts */
	struct err err;		 /* code 0: the Lease has been read */
};

#define ENGINE_WORDS_MAX (ERR_MSG_MAX + 100)

/*
 * Read the Lease of the engine of this Slurm cluster in the namespace of `s`.
 * One request, as api_server.h says. A Lease that is not there has no holder.
 */
void engine_lease_read(struct api_server *s, const char *slurm_cluster,
		       struct engine_lease *out);

/*
 * What a Lease says at `now_ms` (epoch); NULL: there is none. Pure. Any thread.
 */
void engine_lease_of(const json_object *lease, int64_t now_ms,
		     struct engine_lease *out);

/* True if an engine holds the Lease, and renews it. Pure. Any thread. */
bool engine_lease_acts(const struct engine_lease *l);

/*
 * Write "the engine acts, as of 3 s ago, from ctl-0 (process 12)", or that none
 * does, or that it is not known. Pure. Any thread.
 */
void engine_lease_words(const struct engine_lease *l,
			char out[ENGINE_WORDS_MAX]);

#endif
