/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmctld says of a placeholder job, in the words of
 * placeholder_state.h. Pure. Any thread.
 */
#ifndef SLURMK8S_BRIDGE_PLACEHOLDER_PLACED_STATE_H
#define SLURMK8S_BRIDGE_PLACEHOLDER_PLACED_STATE_H

#include "bridge/placeholder/placeholder_state.h"
#include "slurm/ctl_placeholder_list.h"

/* The state of the job; PLACEHOLDER_NONE: Slurm does not have it any more. */
enum placeholder_state placed_state_of(const struct placed_status *s);

/* How the job ended. */
enum placeholder_end placed_end_of(const struct placed_status *s);

#endif
