/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a ResumeTimeout that is too short is mended. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_RESUME_FIX_H
#define SLURMK8S_TOOL_RESUME_FIX_H

#include <stdint.h>

#include "slurm/ctl_resume.h"

#define RESUME_FIX_MAX (CTL_RESUME_PART_MAX + 384)
#define RESUME_MAX_S 65534 /* largest ResumeTimeout= of all releases */

/*
 * Write which line of slurm.conf is to have ResumeTimeout=`wanted_s`: that of
 * the partition whose own time `have` is, for there the one for all nodes does
 * not count; else the one for all. `wanted_s` is RESUME_MAX_S at most.
 */
void resume_fix(const struct ctl_resume *have, int64_t wanted_s,
		char out[RESUME_FIX_MAX]);

#endif
