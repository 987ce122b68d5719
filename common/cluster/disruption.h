/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Are so many Kubernetes nodes, or pods, lost at once that it is rather what
 * they report to, or what we ask, that fails (the network between, the control
 * plane, a certificate that all have, a wrong API server) than they? Then no
 * job is taken from them. Kubernetes does so, too: it
 * slows down or stops to evict pods (node lifecycle controller,
 * ComputeZoneState: FullDisruption, PartialDisruption, where
 * --unhealthy-zone-threshold is 0.55). Pure: no I/O, no clock. Any thread.
 */
#ifndef SLURMK8S_CLUSTER_DISRUPTION_H
#define SLURMK8S_CLUSTER_DISRUPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disruption_seen {
	size_t nodes;	     /* that take jobs; those that are gone, too */
	size_t lost;	     /* of these: not ready, or gone with jobs */
	size_t others_ready; /* Kubernetes nodes that take no jobs of ours */
};

/*
 * All are lost (one alone only if no other Kubernetes node is ready), or three
 * or more that are 55 % or more.
 */
bool disruption_is(const struct disruption_seen *seen);

/* Three or more are lost that are 55 % or more; not: all of two, or one. */
bool disruption_is_many(const struct disruption_seen *seen);

/*
 * Of what was lost in one that has begun, some may be back: is 55 % of it lost
 * still, however few these are?
 */
bool disruption_lasts(const struct disruption_seen *seen);

struct disruption {
	bool is;
	int64_t ended_at; /* the last one; 0: there was none */
};

enum disruption_news { DISRUPTION_NO_NEWS, DISRUPTION_BEGINS, DISRUPTION_ENDS };

/* `now` is by the caller's clock, in ms. */
enum disruption_news disruption_look(struct disruption *d,
				     const struct disruption_seen *seen,
				     int64_t now);

/* The same, by what the caller takes for one. */
enum disruption_news disruption_turn(struct disruption *d, bool is,
				     int64_t now);

/*
 * For so many ms one that is lost since `at` has been so in calm: when a
 * disruption ends those that are not back yet have their time anew.
 */
int64_t disruption_calm_for(const struct disruption *d, int64_t at,
			    int64_t now);

#endif
