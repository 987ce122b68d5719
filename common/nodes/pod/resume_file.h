/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SLURM_RESUME_FILE: which jobs the nodes are resumed for. The three forms:
 *   21.08, 22.05  {"all_nodes": H, "jobs": [{"job_id": N, "nodes": H}]}
 *   23.02 on      {"all_nodes_resume": H, "jobs": [{"job_id": N,
 *                  "nodes_alloc": H, "nodes_resume": H, "features", ...}]}
 *   26.05 on      the same with "exclusive" and "priority"
 * Source: slurmctld/power_save.c of those releases. Unknown members are
 * allowed, wrong types are not. Pure. Any thread.
 */
#ifndef SLURMK8S_NODES_POD_RESUME_FILE_H
#define SLURMK8S_NODES_POD_RESUME_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define RESUMEFILE_MAX (64u * 1024 * 1024)
#define RESUMEFILE_JOBS_MAX 500000 /* Slurm writes some 150 bytes a job */

struct resume_job {
	uint32_t job_id;
	char *nodes; /* hostlist: those resumed for this job now */
};

struct resumefile {
	char *all; /* hostlist */
	struct resume_job *jobs;
	size_t n_jobs;
};

/*
 * Parse the file's text. The caller clears *out, which is written on success
 * only. 0; -EINVAL or another error of jx_parse_bytes() with words; -ENOMEM.
 */
int resumefile_parse(const char *text, size_t len, struct resumefile *out,
		     struct err *err);

/* Free what is in it, and zero it. */
void resumefile_clear(struct resumefile *f);

#define _cleanup_resumefile_ __attribute__((cleanup(resumefile_clear)))

#endif
