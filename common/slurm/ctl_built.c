/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_built.h"

#include <slurm/slurm.h>

const uint32_t slurmk8s_slurm_version = SLURM_VERSION_NUMBER;
const char slurmk8s_version[] = SLURMK8S_VERSION;
