/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many devices a Gres of slurm.conf has. Pure. Any thread. */
#ifndef SLURMK8S_SYNTAX_GRES_H
#define SLURMK8S_SYNTAX_GRES_H

#include <stdint.h>

/*
 * The number of devices of one kind in a Gres text: for "gpu:a100:2(S:0),gpu:1"
 * and "gpu" it is 3. A name alone is one device. NULL is an empty text.
 */
uint64_t gres_count(const char *gres, const char *kind);

#endif
