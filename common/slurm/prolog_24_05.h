/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 24.05 and later: each line of slurm.conf is one; they run at once. Pure. Any
 * thread.
 */
#ifndef SLURMK8S_SLURM_PROLOG_24_05_H
#define SLURMK8S_SLURM_PROLOG_24_05_H

/* The i-th PrologSlurmctld; NULL: there are not so many. */
static inline const char *release_prolog(const slurm_conf_t *conf, uint32_t i)
{
	return i < conf->prolog_slurmctld_cnt ? conf->prolog_slurmctld[i]
					      : NULL;
}

#endif
