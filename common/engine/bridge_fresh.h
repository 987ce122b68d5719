/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How new what the bridge sees of Kubernetes is. The link's thread writes, the
 * bridge's thread reads; if the link's thread stands still the view gets old.
 */
#ifndef SLURMK8S_ENGINE_BRIDGE_FRESH_H
#define SLURMK8S_ENGINE_BRIDGE_FRESH_H

#include <stdatomic.h>

#include "kube/informer.h"
#include "model/bridgestale.h"

struct bridge_fresh {
	_Atomic int64_t at[SIGHTS]; /* clock_boot_ms(), see bridge_sights */
};

/* The link's thread. NULL: it is not looked at. */
void bridge_fresh_put(struct bridge_fresh *f, enum bridge_sight of,
		      const struct informer *in);

/* Any thread: what is oldest now. */
void bridge_fresh_age(struct bridge_fresh *f, struct bridge_age *out);

#endif
