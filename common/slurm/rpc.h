/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of this folder share. Any thread; what sends an RPC may block,
 * and is never for a plugin callback (slurm/ctl.h).
 */
#ifndef SLURMK8S_SLURM_RPC_H
#define SLURMK8S_SLURM_RPC_H

#include <slurm/slurm.h>
#include <stdbool.h>
#include <time.h>

#include "base/err.h"
#include "slurm/shared.h"

/* slurm/ctl.h */
struct ctl_jobs {
	struct ctl_shared shared;
	job_info_msg_t *msg;
};

/*
 * As ctl_jobs_load(), but *out is NULL if no job has changed since `since`, a
 * time that slurmctld has told (rpc_since()); 0: all are read in any case. One
 * RPC.
 */
int ctl_jobs_load_changed(time_t since, struct ctl_jobs **out, struct err *err);

/* What ctl_init() has read of slurm.conf. Borrowed. NULL: not known. No RPC. */
const slurm_conf_t *rpc_read_conf(void);

/* Fill err with `what` and Slurm's words for errno. Returns -EIO. */
int rpc_err(struct err *err, const char *what);

/*
 * What slurm_load_*() is asked for the changes since: `last_update` of the last
 * answer, or 0, for all, when that is later than now. The controller's clock
 * was set back then, and it says "no change" (last_update - 1 >= its own last
 * change) until it has come to that time again. No RPC.
 */
time_t rpc_since(time_t last_update);

/* True if this host has that name, whole or up to the first dot. No RPC. */
bool rpc_is_this_host(const char *name);

/* True if the job has its nodes; a suspended one has. No RPC. */
bool rpc_job_runs(const job_info_t *job);

/* slurm_update_job(): 0, or -EIO with words. Blocks as any RPC does. */
int rpc_update_job(job_desc_msg_t *desc, struct err *err);

/*
 * Write 127.0.0.1 for each node of the hostlist, with commas: an address that
 * needs no looking up (docs/versions.md). The caller frees. NULL: no nodes, or
 * out of memory. No RPC.
 */
char *rpc_no_addresses(const char *nodes);

#endif
