/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job's id as somebody has written it. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_JOB_ID_H
#define SLURMK8S_TOOL_JOB_ID_H

#include <stdint.h>

/* The id; 0: the text (which may be NULL) is none. */
uint32_t job_id_of(const char *text);

#endif
