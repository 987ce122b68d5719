/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes placeholder jobs name. As in ctl.h: an RPC, any thread but a
 * plugin callback's. */
#ifndef SLURMK8S_SLURM_CTL_PLACEHOLDER_NAMES_H
#define SLURMK8S_SLURM_CTL_PLACEHOLDER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * named[i]: a placeholder that waits (pending or held) has nodes[i] in its
 * ExcNodeList or ReqNodeList. slurmctld sends all its jobs for it. When these
 * have so many different lists that it would take too long to read all (4 MiB)
 * it is true of each node. -EIO with words, -ENOMEM: then `named` is not
 * written.
 */
int ctl_placeholders_name(const char *const *nodes, size_t n, bool *named,
			  struct err *err);

#endif
