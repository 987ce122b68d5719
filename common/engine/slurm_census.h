/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's jobs and nodes by partition, for a Slurm that does not tell
 * Prometheus so itself (slurmctld has /metrics from 25.11 on). The engine's
 * thread only.
 */
#ifndef SLURMK8S_ENGINE_SLURM_CENSUS_H
#define SLURMK8S_ENGINE_SLURM_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

struct ctl_parts; /* slurm/ctl_parts.h */
struct nodes;	  /* nodes/watch/nodes.h */

/* All zero at first. */
struct slurm_census {
	int64_t asked_at;	 /* monotonic, ms; 0: never */
	int64_t rest;		 /* least pause after asked_at, in ms */
	bool failed;		 /* the lists of asked_at were not read */
	struct ctl_parts *parts; /* as they were read last */
};

/*
 * Count jobs and nodes, if k8s.yaml wants that (metrics.slurm) and it is time;
 * what is not known, or not wanted, has no series. Two RPCs that may block, as
 * in slurm/ctl.h, or none.
 */
void slurm_census_step(struct slurm_census *c, struct nodes *nodes);

/* Free what it owns; it is all zero then. */
void slurm_census_clear(struct slurm_census *c);

#endif
