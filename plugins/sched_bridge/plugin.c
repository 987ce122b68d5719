/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched/bridge: Slurm's own scheduler, unchanged, with the engine beside it.
 * Only the symbols that Slurm asks for (src/slurmctld/sched_plugin.c); the
 * rest is in delegate.c and in libslurmk8s.so.
 *
 * Called with configuration locks held: see delegate.h for the threads.
 */
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "delegate.h"
#include "library.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char plugin_name[] = "Slurm scheduler with a Kubernetes engine";
EXPORT const char plugin_type[] = "sched/bridge";
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;
const uint32_t library_slurm_version = SLURM_VERSION_NUMBER;

EXPORT int init(void);
EXPORT void fini(void);
EXPORT int sched_p_reconfig(void);

int init(void)
{
	return bridge_init() ? SLURM_ERROR : SLURM_SUCCESS;
}

void fini(void)
{
	bridge_fini();
}

int sched_p_reconfig(void)
{
	return bridge_reconfig();
}
