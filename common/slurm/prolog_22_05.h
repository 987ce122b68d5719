/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 22.05 to 23.11: there is one PrologSlurmctld, or none. Pure. Any thread. */
#ifndef SLURMK8S_SLURM_PROLOG_22_05_H
#define SLURMK8S_SLURM_PROLOG_22_05_H

/* The i-th PrologSlurmctld; NULL: there are not so many. */
static inline const char *release_prolog(const slurm_conf_t *conf, uint32_t i)
{
	return i ? NULL : conf->prolog_slurmctld;
}

#endif
