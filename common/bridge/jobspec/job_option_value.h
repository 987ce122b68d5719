/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One value of an option, from text of users: part of job_options.c. Pure. Any
 * thread.
 */
#ifndef SLURMK8S_BRIDGE_JOBSPEC_JOB_OPTION_VALUE_H
#define SLURMK8S_BRIDGE_JOBSPEC_JOB_OPTION_VALUE_H

#include <stdbool.h>

#include "base/err.h"
#include "config/job_option.h"

/*
 * Read `text` as the value of a text's key into *out (the caller frees), or of
 * a number's into *num. `by_option`: as sbatch reads it; else as slurm-bridge
 * reads the annotation (which has Kubernetes' quantities). It takes as long as
 * `text` is long. 0; -EINVAL, -E2BIG (too many nodes) or -ENOMEM; the words
 * begin with `where`.
 */
int job_options_read_text(enum job_option_key key, const char *where,
			  const char *text, char **out, struct err *err);
int job_options_read_num(enum job_option_key key, const char *where,
			 const char *text, bool by_option, int64_t *num,
			 struct err *err);

#endif
