/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes the pods of a group may get, and how large these are. The
 * bridge's thread only.
 */
#ifndef SLURMK8S_BRIDGE_JOBSPEC_NODE_FIT_H
#define SLURMK8S_BRIDGE_JOBSPEC_NODE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "bridge/intake/group_index.h"
#include "bridge/jobspec/job_size.h"
#include "external/inventory.h"
#include "slurm/ctl.h"

struct job_specs;

/* --- node_sizes.c; under the locks of `seen` and of the hosts */

struct node_fit;

/*
 * Find what the nodes of these partitions have (names with commas; NULL: the
 * default one) that fit (`fit` NULL: of all). *out is valid until the next
 * call. Kept for a pass, in which others with equal partitions and wants get
 * it, too. 0; -ENXIO: there is none, or it is not known; -EAGAIN: the nodes
 * have just changed; -ENOMEM.
 */
int node_sizes_find(struct job_specs *js, const struct node_fit *fit,
		    const char *partitions, const struct job_size_node **out,
		    size_t *n);

/* Forget what was found. */
void node_sizes_free(struct job_specs *js);

/* --- node_fit.c */

/*
 * Bytes of a job's ExcNodeList. Slurm sends it with each list of its jobs and
 * writes it with each save of its state, and a namespace may have thousands of
 * jobs.
 */
#define EXCLUDE_MAX (32 * 1024)
#define EXCLUDE_CURE                                                           \
	"ask for a feature of the nodes instead (--constraint; their labels "  \
	"are features by bridge, nodes, features of k8s.yaml)"
#define PLACES_MAX (256 * 1024) /* bytes of the nodes of running pods */
#define FIT_WANTS_MAX 64	/* different wants of a group's pods */
#define FIT_SLOW_MS 600000	/* until what took too long is tried again */

/*
 * Find the nodes that fit all pods of the group that wait. Under the lock of
 * `seen`; takes that of the hosts. *out is valid until the next call. 0; with
 * words of refusal -E2BIG: its pods ask for too much; -EHOSTUNREACH: as the
 * nodes are now Slurm cannot be told any; -ETIME: they could not be found, so
 * it is asked again after FIT_SLOW_MS. -EAGAIN: node_fits_step() is to be
 * called first, or the nodes are not known yet; -ENOMEM.
 */
int node_fit_find(struct job_specs *js, const struct pod_group *g,
		  const struct node_fit **out, struct err *err);

/*
 * True if the i-th of the hosts that are seen fits, while node_fit_is_of_now().
 */
bool node_fit_has(const struct node_fit *f, size_t i);

/*
 * True if the hosts that are seen are those by which it was found. Under the
 * lock of the hosts.
 */
bool node_fit_is_of_now(struct job_specs *js, const struct node_fit *f);

/*
 * The names in Slurm of the nodes that do not fit, as a hostlist; "": all fit.
 * Borrowed from `f`.
 */
const char *node_fit_exclude(const struct node_fit *f);

/*
 * A text that stands for what the pods want of nodes; "": they want nothing.
 * Borrowed from `f`.
 */
const char *node_fit_key(const struct node_fit *f);

/*
 * Find out what node_fit_find() was asked for last, in 2 s at most. Without a
 * lock; takes that of the hosts for a few ms at once. False: it did not ask, or
 * is to ask again later.
 */
bool node_fits_step(struct job_specs *js);

/* Forget what was found, and what is asked. */
void node_fits_free(struct job_specs *js);

#endif
