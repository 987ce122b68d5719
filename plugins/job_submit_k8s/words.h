/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a refusal, for the user who submits. Any thread of slurmctld,
 * with its locks held; nothing here waits or does I/O.
 */
#ifndef SLURMK8S_JOB_SUBMIT_WORDS_H
#define SLURMK8S_JOB_SUBMIT_WORDS_H

#include <stdbool.h>

/*
 * Open libslurmk8s.so, in the plugin's init. An error is logged; then nothing
 * is refused.
 */
void words_init(void);

/*
 * True if pods can be made for a job's constraint (may be NULL). `one_only`:
 * this Slurm cannot choose among alternatives. If false, *words (where `words`
 * is not NULL) says why; it is Slurm's to xfree.
 */
bool words_valid(const char *constraint, bool one_only, char **words);

/* Refuse a job: log `why`, and copy it to *words, as words_valid() does. */
void words_refuse(const char *why, char **words);

#endif
