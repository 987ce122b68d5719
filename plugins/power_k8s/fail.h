/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that did not come up in time: what ResumeFailProgram does. Main thread
 * of a program.
 */
#ifndef SLURMK8S_POWER_FAIL_H
#define SLURMK8S_POWER_FAIL_H

#include "power.h"

/*
 * Find out from Kubernetes why, say so in the log and in the node's Comment,
 * delete the pod, and return the node from DOWN to idle and powered down. RPCs
 * to slurmctld, requests to the API servers. Returns the exit code.
 */
int fail_pods(struct power_run *run);

#endif
