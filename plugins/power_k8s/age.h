/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long slurmctld has waited for this program. Any thread. */
#ifndef SLURMK8S_POWER_AGE_H
#define SLURMK8S_POWER_AGE_H

#include <stdint.h>

/*
 * Milliseconds since the start of the leader of our process group: slurmctld
 * makes one for each PrologSlurmctld, and that may be a script that has done
 * something else before it called us. 0 when it cannot be told. Reads /proc.
 */
int64_t age_of_group_ms(void);

#endif
