/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What releases of Slurm do differently. Calls and members: release_calls.h.
 * What works otherwise: the same functions in a file for each generation. Only
 * for files of this folder. All are as thin as the calls that they stand for.
 * Any thread; what sends an RPC is never for a plugin callback.
 */
#ifndef SLURMK8S_SLURM_RELEASE_H
#define SLURMK8S_SLURM_RELEASE_H

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

/* hostlist_t is a pointer in 22.05, and what that points to from 23.11 on. */
typedef __typeof__(slurm_hostlist_create("")) release_hostlist;

/*
 * ESLURM_MAX_JOB_COUNT of 26.05 and later; up to 25.11 MaxJobCount is EAGAIN,
 * and this number a job that could not be recorded, "try again".
 */
#define RELEASE_MAX_JOB_COUNT 2007

#include "slurm/release_calls.h"
#include "slurm/release_free.h"

/* What stands for pods, and how it gets into the queue. */
#ifdef EXTERNAL_JOB
#include "slurm/submit_25_05.h"
#elif SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#include "slurm/submit_23_11.h"
#else
#include "slurm/submit_22_05.h"
#endif

/* The states of some jobs without the rest of them; several PrologSlurmctld. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
#include "slurm/prolog_24_05.h"
#include "slurm/states_24_05.h"
#else
#include "slurm/prolog_22_05.h"
#include "slurm/states_22_05.h"
#endif

#endif
