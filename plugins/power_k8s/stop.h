/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pods away from nodes: what SuspendProgram and ResumeFailProgram do. */
#ifndef SLURMK8S_POWER_STOP_H
#define SLURMK8S_POWER_STOP_H

#include "power.h"

/* Delete the pods of all nodes of the run by UID. Returns the exit code. */
int stop_pods(struct power_run *run);

#endif
