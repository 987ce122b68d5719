/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resume_fix.h"

#include <inttypes.h>
#include <stdio.h>

#include "findings.h"

void resume_fix(const struct ctl_resume *have, int64_t wanted_s,
		char out[RESUME_FIX_MAX])
{
	const char *of = "", *whose = "";

	if (*have->partition) {
		of = " of PartitionName=";
		whose = have->partition;
	} else if (have->node) {
		of = " of the partition of node ";
		whose = have->node;
	}
	snprintf(out, RESUME_FIX_MAX,
		 "slurm.conf: ResumeTimeout=%" PRId64 "%s%s" RELOAD, wanted_s,
		 of, whose);
}
