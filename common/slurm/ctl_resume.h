/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long Slurm lets a node come up. That is the longest ResumeTimeout that
 * partitions with this node have of their own, or else that of all
 * (power_save.c, power_save_set_timeouts(); 22.05 to 26.05). Any thread but
 * that of a plugin callback.
 */
#ifndef SLURMK8S_SLURM_CTL_RESUME_H
#define SLURMK8S_SLURM_CTL_RESUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CTL_RESUME_PART_MAX 128

struct ctl_resume {
	uint32_t
		timeout_s; /* 65535 is for ever, or nearly (docs/versions.md) */
	const char *node;  /* borrowed from `nodes`; NULL: slurm.conf's own */
	/*
	 * The partition whose own time that is, so that it is this line of
	 * slurm.conf that has to be changed; "" with node NULL, and where a
	 * name does not fit.
	 */
	char partition[CTL_RESUME_PART_MAX];
};

/*
 * Find the shortest ResumeTimeout of these nodes (sorted as strcmp() has it),
 * and whose it is. `reboot`: they are to boot by scontrol reboot, which goes by
 * another rule in some releases. `out` comes with slurm.conf's own
 * ResumeTimeout, and keeps it after an error: -EIO, -ENOMEM. One RPC.
 */
int ctl_resume_shortest(char *const nodes[], size_t n, bool reboot,
			struct ctl_resume *out, struct err *err);

#endif
