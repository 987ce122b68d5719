/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libslurmk8s.so was built for. It hands structs of that Slurm to
 * slurmctld, and our plugins call it by names only: so they look at these
 * constants first, and use no library of another version
 * (plugins/lib/library.h). Constants.
 */
#ifndef SLURMK8S_SLURM_CTL_BUILT_H
#define SLURMK8S_SLURM_CTL_BUILT_H

#include <stdint.h>

#define SLURMK8S_BUILT __attribute__((visibility("default")))

SLURMK8S_BUILT extern const uint32_t slurmk8s_slurm_version;
SLURMK8S_BUILT extern const char slurmk8s_version[]; /* slurm-k8s' own */

#endif
