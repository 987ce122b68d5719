/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes on which pods may still run that Kubernetes does not have any more: the
 * pods were deleted by force, or nobody saw their containers end. The kubelet
 * then gives a pod all the time that it had, however short a later deletion
 * made that. Of each node the pod that lasts the longest is kept. In memory
 * only: a restart of slurmctld forgets it. The link's thread notes, the
 * bridge's thread looks, both under the lock of pod_groups.h.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_GONE_PODS_H
#define SLURMK8S_BRIDGE_INTAKE_GONE_PODS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "objects/bridged_pod.h"
#include "objects/workload.h"

#define GONE_PODS_MAX 8192 /* nodes; pods of further ones are not noted */
/* the longest time that a pod is waited for */
#define GONE_PODS_MAX_MS 86400000

struct gone_pods {
	UT_hash_handle hh; /* by the node's name in Kubernetes */
	int failed;
	int64_t until;	  /* end of the wait, by clock_boot_ms() */
	int64_t grace_ms; /* what a kubelet that hears of it late gives it */
	bool told;
	/* The pod that lasts the longest. */
	char ns[64], name[WORKLOAD_NAME_MAX], uid[WORKLOAD_UID_MAX];
	/*
	 * The node's uid and boot ID as first looked at; "": not looked at yet.
	 */
	char host[64], boot[64];
	char node[];
};

/* --- the link's thread, under the lock of pod_groups.h */

/*
 * Note that a pod is in view: what gone_pods_note() noted of it goes. *ends_at
 * is kept for that pod, 0 at first: until when (clock_boot_ms()) the pod may
 * take to end, if it is being deleted; the latest time that it was given
 * counts.
 */
void gone_pods_see(struct gone_pods **all, const struct bridged_pod *p,
		   int64_t *ends_at);

/*
 * Note a pod that is in view no more. `seen`: its deletion was seen; else a
 * list has it no more: it may have ended unseen, in time, and is waited for a
 * minute at most if it was not being deleted. It is not noted if it has ended
 * or never began, if another engine than `by` has bound it (NULL: whoever did),
 * if another pod of its node lasts longer, or without memory.
 */
void gone_pods_note(struct gone_pods **all, const struct bridged_pod *p,
		    int64_t ends_at, bool seen, const char *by);

/* Forget a node where nothing runs any more; x is freed. Either thread. */
void gone_pods_drop(struct gone_pods **all, struct gone_pods *x);

/* Forget all, when no thread uses them any more. */
void gone_pods_free(struct gone_pods **all);

#endif
