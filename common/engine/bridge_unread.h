/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bridged pods that are too big to be read, or that no parser takes, and that
 * were never read: no more is known than that they are there. The caller locks.
 */
#ifndef SLURMK8S_ENGINE_BRIDGE_UNREAD_H
#define SLURMK8S_ENGINE_BRIDGE_UNREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "kube/skim.h"

/* More are not kept. (Whose pods they are makes them so himself.) */
#define BRIDGE_UNREAD_MAX 64

/* All zero: none. */
struct bridge_unread {
	size_t n;
	struct bridge_unread_pod {
		char ns[SKIM_MAX], uid[SKIM_MAX];
		unsigned int generation; /* of the last list that had it */
	} pods[BRIDGE_UNREAD_MAX];
};

void bridge_unread_see(struct bridge_unread *u, const struct object_id *id,
		       unsigned int generation);

/* It was read, or is gone. (An unknown uid, or NULL, is ignored.) */
void bridge_unread_drop(struct bridge_unread *u, const char *uid);

/* All are listed: who was not in this list is gone. */
void bridge_unread_synced(struct bridge_unread *u, unsigned int generation);

bool bridge_unread_has(const struct bridge_unread *u, const char *ns);

#endif
