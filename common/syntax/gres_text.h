/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's texts about the gres of a job. Pure. Any thread. */
#ifndef SLURMK8S_SYNTAX_GRES_TEXT_H
#define SLURMK8S_SYNTAX_GRES_TEXT_H

#include <stdint.h>

/*
 * How many of `gres` ("gpu": of all types; "gpu:a100") there are in what
 * slurmctld says of one node of a job: "gpu:a100:2(IDX:0-1),nic(CNT:1)".
 * Devices without a type may be of any type. A count that is no number is 0,
 * and so is that of a NULL `detail`. INT64_MAX: it is too much to be counted,
 * or Slurm keeps no count of it (no_consume). What a node has, where a name
 * alone is one device, is counted by gres_count() of syntax/gres.h.
 */
int64_t gres_text_room(const char *detail, const char *gres);

#endif
