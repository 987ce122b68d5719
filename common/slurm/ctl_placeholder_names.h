/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes placeholder jobs name. As in ctl.h: an RPC that may block; any
 * thread, but never a plugin callback's.
 */
#ifndef SLURMK8S_SLURM_CTL_PLACEHOLDER_NAMES_H
#define SLURMK8S_SLURM_CTL_PLACEHOLDER_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct ctl_reader; /* slurm/ctl_reader.h; may be NULL */

/*
 * named[i]: a placeholder that waits (pending or held) has nodes[i] in its
 * ExcNodeList or ReqNodeList. One RPC, for which slurmctld sends all its jobs,
 * which are offered to others by `r`.
 * When these have so many different lists that it would take too long to read
 * all (4 MiB), each named[i] is true. 0; -EIO with words or -ENOMEM: `named` is
 * not written.
 */
int ctl_placeholders_name(struct ctl_reader *r, const char *const *nodes,
			  size_t n, bool *named, struct err *err);

#endif
