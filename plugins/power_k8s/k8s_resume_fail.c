/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm.conf: ResumeFailProgram. See k8s_resume_fail(8). */
#include "fail.h"

static const struct program program = {
	.name = "k8s_resume_fail",
	.usage = "NODES",
	.about = "Clean up nodes that did not come up (ResumeFailProgram of "
		 "slurm.conf).",
};

int main(int argc, char **argv)
{
	struct power_run run;
	int rc;

	if (!power_start(&program, argc, argv, &run, &rc))
		rc = fail_pods(&run);
	power_end(&run);
	return rc;
}
