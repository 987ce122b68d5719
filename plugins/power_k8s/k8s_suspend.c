/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm.conf: SuspendProgram. See k8s_suspend(8). */
#include "stop.h"

static const struct program program = {
	.name = "k8s_suspend",
	.usage = "NODES",
	.about = "Delete the pods of Slurm nodes (SuspendProgram of "
		 "slurm.conf).",
};

int main(int argc, char **argv)
{
	struct power_run run;
	int rc;

	if (!power_start(&program, argc, argv, &run, &rc))
		rc = stop_pods(&run);
	power_end(&run);
	return rc;
}
