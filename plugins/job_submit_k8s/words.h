/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a refusal, for who submits. In slurmctld, with its locks held;
 * nothing here waits or does I/O.
 */
#ifndef SLURMK8S_JOB_SUBMIT_WORDS_H
#define SLURMK8S_JOB_SUBMIT_WORDS_H

#include <stdbool.h>

/* Open libslurmk8s.so. What goes wrong is logged; then nothing is refused. */
void words_init(void);

/*
 * Can pods be made for a job's constraint (may be NULL)? If not, *words (where
 * that is not NULL) says why; it is Slurm's to xfree.
 */
bool words_valid(const char *constraint, bool one_only, char **words);

/* Refuse a job: `why` is logged, and goes to *words as above. */
void words_refuse(const char *why, char **words);

#endif
