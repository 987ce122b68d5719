/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps that run. As in ctl.h: each call that is not marked otherwise is an
 * RPC, and never for a plugin callback; any other thread.
 */
#ifndef SLURMK8S_SLURM_CTL_STEPS_H
#define SLURMK8S_SLURM_CTL_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

/* A step. Texts are borrowed from its snapshot. */
struct ctl_step {
	uint32_t job_id, step_id, het;
	const char *name;
	const char *nodes; /* a hostlist */
	uint32_t uid;
	uint32_t tasks;	   /* on all its nodes */
	int64_t started_s; /* epoch */
};

/* A snapshot of all steps. */
struct ctl_steps;

/*
 * Load anew if any job or step has changed since *steps (may be NULL) was
 * loaded: 1 and *steps is another one; 0: nothing has; or an error. From Slurm
 * 26.05 on it is loaded anew each time.
 */
int ctl_steps_refresh(struct ctl_steps **steps, struct err *err);
void ctl_steps_free(struct ctl_steps *s);
DEFINE_CLEANUP(struct ctl_steps, ctl_steps_freep, ctl_steps_free)

/*
 * The i-th step. *out tells of a step that runs and that a user has started;
 * out->nodes is NULL for others: what Slurm has for itself (extern), and what
 * still waits. False: i is behind the last. No RPC.
 */
bool ctl_steps_at(const struct ctl_steps *s, size_t i, struct ctl_step *out);

/*
 * Write the name of a step: "7.0", "7.batch"; "7.0-1": part 1 of a
 * heterogeneous one. No RPC.
 */
void ctl_step_name(const struct ctl_step *step, char *out, size_t size);

/*
 * Read how many tasks a step has on each of its nodes, in their order. *n: the
 * room in `tasks`, then the number of nodes told. One RPC. 0; -EIO with Slurm's
 * words.
 */
int ctl_step_tasks(const struct ctl_step *step, uint32_t *tasks, size_t *n,
		   struct err *err);

/*
 * Call `fn` for each node of a hostlist; the name is borrowed during the call.
 * No RPC.
 */
void ctl_hostlist_each(const char *nodes,
		       void (*fn)(void *arg, const char *node), void *arg);

#endif
