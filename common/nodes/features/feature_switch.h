/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other features for idle nodes. The engine's thread only. */
#ifndef SLURMK8S_NODES_FEATURES_FEATURE_SWITCH_H
#define SLURMK8S_NODES_FEATURES_FEATURE_SWITCH_H

#include "nodes/watch/nodes.h"

/*
 * Have idle nodes with other features powered down for jobs that wait for a
 * feature, and release such jobs that Slurm holds. Nothing before it is time:
 * each 5 s, or each second while a node powers down for a job. Two RPCs when
 * there are nodes for it, one for each job that gets some, and one for each
 * that is released. It ends within 1 s and the RPCs, and goes on the next time.
 */
void feature_switch_step(struct nodes *nodes);

#endif
