/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other features for idle nodes. The engine's thread only. */
#ifndef SLURMK8S_NODES_FEATURES_FEATURE_SWITCH_H
#define SLURMK8S_NODES_FEATURES_FEATURE_SWITCH_H

#include "nodes/watch/nodes.h"

/* feature_switch.c: jobs that wait for a feature get idle nodes with other
 * features. */
void feature_switch_step(struct nodes *nodes);

#endif
