/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm.conf: ResumeProgram. See k8s_resume(8). */
#include "start.h"

static const struct program program = {
	.name = "k8s_resume",
	.usage = "NODES [FEATURES]",
	.about =
		"Create the pods of Slurm nodes (ResumeProgram of slurm.conf).",
	.takes_features = true,
	.reads_resume_file = true,
};

int main(int argc, char **argv)
{
	struct power_run run;
	int rc;

	if (!power_start(&program, argc, argv, &run, &rc))
		rc = start_pods(&run, false);
	power_end(&run);
	return rc;
}
