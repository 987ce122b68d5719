/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gangs: the nodes of one job come up together or not at all. A node may be in
 * several gangs (jobs that share it) and keeps its pod as long as one of them
 * lives. A node of no job is a gang of its own. Pure. One thread at a time for
 * an object.
 */
#ifndef SLURMK8S_POWER_GANG_H
#define SLURMK8S_POWER_GANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "nodes/pod/resume_file.h"
#include "syntax/hostlist.h"

struct gang {
	uint32_t job_id; /* 0: none */
	size_t *nodes;	 /* indices into the list of nodes, ascending */
	size_t n;
	bool failed;
};

struct gangs {
	struct gang *v;
	size_t n;
	size_t n_nodes;
	unsigned int *living; /* per node: gangs that have not failed */
};

/*
 * Sort `nodes` (without duplicates) into gangs. `file` may be NULL or empty.
 * Nodes of the file that are not in `nodes` are not ours to start. The caller
 * clears *out. 0; -ENOMEM; or an error of hostlist_expand().
 */
int gangs_make(const struct hostlist *nodes, const struct resumefile *file,
	       struct gangs *out, struct err *err);

/*
 * A node failed, and its gangs with it. Returns how many have failed by this
 * call.
 */
size_t gangs_fail(struct gangs *g, size_t node);

/* True if a gang that has not failed has this node. */
bool gangs_want(const struct gangs *g, size_t node);

/* Free what it holds. */
void gangs_clear(struct gangs *g);

#define _cleanup_gangs_ __attribute__((cleanup(gangs_clear)))

#endif
