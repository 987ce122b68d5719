/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pods for nodes: what ResumeProgram and RebootProgram do. Main thread of a
 * program.
 */
#ifndef SLURMK8S_POWER_START_H
#define SLURMK8S_POWER_START_H

#include "power.h"

/*
 * Create the pods of all nodes of the run, gang by gang; roll back gangs that
 * fail and give their jobs and nodes back to Slurm. `fresh`: replace what was
 * there before. RPCs to slurmctld, requests to the API servers. Returns the
 * exit code.
 */
int start_pods(struct power_run *run, bool fresh);

#endif
