/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What helps, by Slurm's and Kubernetes' own words for what is wrong. Pure.
 * Any thread.
 */
#ifndef SLURMK8S_TOOL_ADVICE_H
#define SLURMK8S_TOOL_ADVICE_H

#include <stddef.h>

/*
 * What helps against what `words` (NULL: nothing) say: the i-th advice, most
 * to the point first; NULL: there are not so many.
 */
const char *advice_for(const char *words, size_t i);

#endif
