/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's texts about the gres of a job. No RPC, any thread. */
#ifndef SLURMK8S_SLURM_GRES_TEXT_H
#define SLURMK8S_SLURM_GRES_TEXT_H

#include <stdint.h>

/*
 * How many of gres `name` there are in what slurmctld says of one node of a
 * job: "gpu:a100:2(IDX:0-1),nic(CNT:1)". All types together; at most
 * UINT32_MAX; what is no number counts as none. NULL is none. (gres_count() of
 * model/manifest.h is for what a node has, in which a name alone is one.)
 */
uint32_t gres_text_count(const char *detail, const char *name);

#endif
