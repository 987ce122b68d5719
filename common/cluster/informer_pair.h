/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One informer for two: what it tells goes to the first, then to the second.
 * The client's thread only, as of kube/informer.h.
 */
#ifndef SLURMK8S_CLUSTER_INFORMER_PAIR_H
#define SLURMK8S_CLUSTER_INFORMER_PAIR_H

#include "kube/informer.h"

/*
 * Trouble is told to the first alone, which has on_object. `second` may have no
 * handlers at all.
 */
struct informer_pair {
	struct informer_handler first, second;
};

/* The handler that tells both. `both` outlives the informer. */
struct informer_handler informer_pair_handler(struct informer_pair *both);

#endif
