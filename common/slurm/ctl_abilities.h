/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLURMK8S_SLURM_CTL_ABILITIES_H
#define SLURMK8S_SLURM_CTL_ABILITIES_H

#include "syntax/slurm_abilities.h"

/* What the Slurm that this was built for can. Any thread. No RPC. */
struct slurm_abilities ctl_abilities(void);

#endif
