/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Make a process started by slurmctld a sane one. Main thread of a program. */
#ifndef SLURMK8S_POWER_PROCESS_H
#define SLURMK8S_POWER_PROCESS_H

/*
 * Once, before anything is opened. slurmctld starts its programs with closed
 * descriptors 0 to 2 and blocked signals (22.05), or with a pipe on standard
 * error that breaks when it ends (24.11), and with core dumps enabled.
 */
void process_setup(void);

#endif
