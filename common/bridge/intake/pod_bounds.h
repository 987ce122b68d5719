/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many pods the bridge keeps in view, of each class for itself: those that
 * wait hide none that run, and those that have ended hide neither. What runs
 * or has ended must not be left out lightly, for its job would be judged
 * without it. The caller locks.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_POD_BOUNDS_H
#define SLURMK8S_BRIDGE_INTAKE_POD_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

/* pods that wait; others are not seen for now */
#define BRIDGE_PODS_MAX 20000
#define BRIDGE_OUTSIDE_MAX 1000 /* pods that may not enter, besides */
/*
 * Pods that we have bound and that have not ended, besides. (Kubernetes itself
 * is made for 150,000 pods.)
 */
#define BRIDGE_RUNNING_MAX 100000
/*
 * Pods that have ended, besides. (Kubernetes keeps 12,500 unless told
 * otherwise.)
 */
#define BRIDGE_ENDED_MAX 50000

enum pod_bounds_class {
	PODS_UNCOUNTED, /* not in view yet */
	PODS_WAITING,	/* may enter, and is in no class below */
	PODS_OUTSIDE,	/* may not enter, and is not bound by us */
	PODS_RUNNING,	/* bound by us, and has not ended */
	PODS_ENDED,	/* has ended: nothing runs any more */
	PODS_CLASSES
};

struct pod_bounds {
	size_t n[PODS_CLASSES];
	bool full[PODS_CLASSES]; /* a pod was left out; set by the caller */
};

/* Count a pod as `to`, and no longer as *is, which becomes `to`. */
void pod_bounds_move(struct pod_bounds *b, enum pod_bounds_class *is,
		     enum pod_bounds_class to);

/* True if there is room for one more of this class. */
bool pod_bounds_room(const struct pod_bounds *b, enum pod_bounds_class of);

/*
 * True if a tenth of this class is free, so that what was left out is worth
 * another list.
 */
bool pod_bounds_again(const struct pod_bounds *b, enum pod_bounds_class of);

/*
 * Say in the log that pods of this class are left out, of the cluster of that
 * name.
 */
void pod_bounds_tell(const char *cluster, enum pod_bounds_class of);

#endif
