/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm.conf: RebootProgram. See k8s_reboot(8). */
#include "start.h"

static const struct program program = {
	.name = "k8s_reboot",
	.usage = "NODES [FEATURES]",
	.about = "Replace the pods of Slurm nodes (RebootProgram of "
		 "slurm.conf).",
	.takes_features = true,
};

int main(int argc, char **argv)
{
	struct power_run run;
	int rc;

	if (!power_start(&program, argc, argv, &run, &rc))
		rc = start_pods(&run, true);
	power_end(&run);
	return rc;
}
