/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_abilities.h"

#include "slurm/ctl.h"
#include "slurm/ctl_create.h"
#include "slurm/ctl_suspend_exc.h"

struct slurm_abilities ctl_abilities(void)
{
	return (struct slurm_abilities){
		.creates_nodes = ctl_creates_nodes(),
		.keeps_nodes_up = ctl_keeps_nodes_up(),
		.version = ctl_version(),
	};
}
