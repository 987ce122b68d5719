/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's id as somebody has written it. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_JOB_ID_H
#define SLURMK8S_TOOL_JOB_ID_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "slurm/ctl_job_list.h"

/* The id that `text` (may be NULL) is; 0: it is none. */
uint32_t job_id_of(const char *text);

#define JOB_ID_TEXT_MAX 512 /* bytes of what squeue prints as JOBID */

/* Which jobs are meant by what squeue prints. */
struct job_ref {
	uint32_t id; /* a job, a job array or a heterogeneous job */
	enum {
		JOB_ANY,       /* the job `id`, or each of its parts */
		JOB_TASKS,     /* `tasks` of the array */
		JOB_COMPONENT, /* the component at `offset` */
	} part;
	char tasks[JOB_ID_TEXT_MAX]; /* "4", "4-7,9" */
	uint32_t offset;
};

/*
 * Read "123", "123_4", "123_[4-7]" with what squeue may add ("%2", ":2",
 * "..."), or "123+1". 1: *out is written. 0: the text is no job id, but perhaps
 * the name of something else ("10.0.0.12", "123_a"). -EINVAL with words: it is
 * neither ("0", "123_[", "123+x"), or it is a job step's ("123_4.0",
 * "123.batch").
 */
int job_ref_of(const char *text, struct job_ref *out, struct err *err);

/*
 * True if this record of slurmctld is meant. A number is that of the job, of
 * its array or of its heterogeneous job, as for `scontrol show job`. Tasks: the
 * record is of that array, and has one of them. A list that Slurm has cut short
 * ("1,3,...") may have each task behind its last number.
 */
bool job_ref_is(const struct job_ref *r, const struct ctl_job *job);

/*
 * Write the id as squeue has it, and behind it slurmctld's own number where
 * that is another one, as in logs: "123_4 (125)".
 */
void job_id_words(const struct ctl_job *job, char out[JOB_ID_TEXT_MAX]);

#endif
