/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pods away from nodes: what SuspendProgram does. Main thread of a program. */
#ifndef SLURMK8S_POWER_STOP_H
#define SLURMK8S_POWER_STOP_H

#include "power.h"

/*
 * Delete the pods of all nodes of the run by UID. RPCs to slurmctld, requests
 * to the API servers. Returns the exit code.
 */
int stop_pods(struct power_run *run);

#endif
