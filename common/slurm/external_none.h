/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before 25.05: there are neither external nodes nor external jobs. The
 * contracts are those of submit_25_05.h. Pure. Any thread.
 */
#ifndef SLURMK8S_SLURM_EXTERNAL_NONE_H
#define SLURMK8S_SLURM_EXTERNAL_NONE_H

#include <stdbool.h>

#define RELEASE_EXTERNAL_NODE ""

/* This release has neither external jobs nor external nodes. */
static inline bool release_external(void)
{
	return false;
}

/* No node is external. */
static inline bool release_is_external_node(uint32_t state)
{
	(void)state;
	return false;
}

/* See submit_25_05.h; there is no node of which it could be false. */
static inline bool release_external_drains(void)
{
	return true;
}

/* See submit_25_05.h; there is no node of which it could be false. */
static inline bool release_external_shares(void)
{
	return true;
}

/* See submit_25_05.h; there is no node of which it could be false. */
static inline bool release_gres_conf(void)
{
	return true;
}

/* No job is external. */
static inline bool release_is_external(const job_info_t *job)
{
	(void)job;
	return false;
}

#endif
