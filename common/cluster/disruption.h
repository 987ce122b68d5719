/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A disruption: so many Kubernetes nodes, or pods, are lost at once that what
 * they report to, or what we ask, is more likely to have failed than they: the
 * network between, the control plane, a certificate that all have, a wrong API
 * server. Then no job is taken from them. Kubernetes does so, too: it slows
 * down or stops to evict pods (node lifecycle controller, ComputeZoneState:
 * FullDisruption, PartialDisruption, where --unhealthy-zone-threshold is 0.55).
 * Pure: no I/O, no clock; times are of the caller's clock, in ms. Any thread,
 * one at a time for a struct.
 */
#ifndef SLURMK8S_CLUSTER_DISRUPTION_H
#define SLURMK8S_CLUSTER_DISRUPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disruption_seen {
	size_t nodes;	     /* nodes that take jobs, gone ones included */
	size_t lost;	     /* nodes that are not ready, or gone with jobs */
	size_t others_ready; /* Kubernetes nodes that take no jobs of ours */
};

/*
 * Count a node, or whatever has pods, that is lost or not; `by` 1 adds it, -1
 * takes it out.
 */
void disruption_count(struct disruption_seen *seen, bool lost, int by);

/* Count a Kubernetes node that takes no jobs of ours; `by` as above. */
void disruption_count_other(struct disruption_seen *seen, bool ready, int by);

/*
 * True if all are lost (one alone only if no other Kubernetes node is ready),
 * or three or more that are 55 % or more.
 */
bool disruption_is(const struct disruption_seen *seen);

/* True if three or more are lost that are 55 % or more. */
bool disruption_is_many(const struct disruption_seen *seen);

/*
 * True if a disruption that has begun goes on: 55 % or more are lost still,
 * however few these are.
 */
bool disruption_lasts(const struct disruption_seen *seen);

/* Zeroed: there was none yet. */
struct disruption {
	bool is;
	int64_t ended_at; /* end of the last one; 0: there was none */
};

enum disruption_news { DISRUPTION_NO_NEWS, DISRUPTION_BEGINS, DISRUPTION_ENDS };

/*
 * Note whether there is one at `now`, by disruption_is(); a change of that is
 * news.
 */
enum disruption_news disruption_look(struct disruption *d,
				     const struct disruption_seen *seen,
				     int64_t now);

/* As disruption_look(), but the caller says whether there is one. */
enum disruption_news disruption_turn(struct disruption *d, bool is,
				     int64_t now);

/*
 * For how many ms what is lost since `at` has been so without a disruption; 0
 * while there is one. When one ends those that are not back yet have their time
 * anew.
 */
int64_t disruption_calm_for(const struct disruption *d, int64_t at,
			    int64_t now);

#endif
