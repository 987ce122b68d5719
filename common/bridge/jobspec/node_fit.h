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
 * What the nodes have of these partitions (names with commas; NULL: the default
 * one) that fit (NULL: all of them); valid until the pass ends. -ENXIO: there
 * is none, or it is not known; -EAGAIN: they have just changed; -ENOMEM.
 */
int node_sizes_find(struct job_specs *js, const struct node_fit *fit,
		    const char *partitions, const struct job_size_node **out,
		    size_t *n);
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
#define FIT_WANTS_MAX 64	/* different ones, of a group's pods */
#define FIT_SLOW_MS 600000	/* what took too long is tried again */

/*
 * The nodes that fit all pods of the group that wait. Under the lock of `seen`.
 * *out is good until the next call. With words of refusal -E2BIG: its pods ask
 * for too much; -EHOSTUNREACH: as the nodes are now Slurm cannot be told any;
 * -ETIME: they could not be found, so it is asked again after FIT_SLOW_MS.
 * -EAGAIN: node_fits_step() is to be called first; -ENOMEM.
 */
int node_fit_find(struct job_specs *js, const struct pod_group *g,
		  const struct node_fit **out, struct err *err);
/* Of those hosts that are seen, which are still the same: does the i-th fit? */
bool node_fit_has(const struct node_fit *f, size_t i);
/* Are they? Under the lock of the hosts. */
bool node_fit_is_of_now(struct job_specs *js, const struct node_fit *f);
const char *node_fit_exclude(const struct node_fit *f); /* "": none */
/* The same for the same pods' wants; "": these want nothing. */
const char *node_fit_key(const struct node_fit *f);
/*
 * Without the locks: find out what node_fit_find() was asked for last, in 2 s
 * at most. False: it did not ask, or is to ask again later.
 */
bool node_fits_step(struct job_specs *js);
void node_fits_free(struct job_specs *js);

#endif
