/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of users, as squeue has them. Main thread. */
#ifndef SLURMK8S_TOOL_USER_NAME_H
#define SLURMK8S_TOOL_USER_NAME_H

#include <stdint.h>

#define USER_NAME_MAX 64

/*
 * The name that Slurm tells, or else that of this machine for the uid, or "uid
 * 1001". Each uid is looked up once, some hundred of them. Valid until the next
 * call.
 */
const char *user_name(const char *told, uint32_t uid);

#endif
