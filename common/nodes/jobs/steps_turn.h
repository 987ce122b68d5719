/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a pod is noted on which only the steps have changed. Each note is a new
 * revision of the whole pod for Kubernetes, and a loop of short steps on all
 * nodes would have all pods written twice a second: so they wait for turns. A
 * pod keeps the turn it has asked for while its steps come and go, or those
 * with the most changes would never have one. Pure: no clock; times are
 * monotonic, ms. Any thread, one at a time for a struct.
 */
#ifndef SLURMK8S_NODES_JOBS_STEPS_TURN_H
#define SLURMK8S_NODES_JOBS_STEPS_TURN_H

#include "nodes/watch/node_attempts.h"

/*
 * True if this node's pod may be noted now, where only its steps have changed.
 * The node asks for a turn among those of its cluster, and keeps it until
 * steps_noted().
 */
bool steps_may_note(struct steps_pace *p, struct note_turns *turns,
		    int64_t now_ms);

/*
 * Note that steps with this checksum were noted, or at least sent: other steps
 * are not noted within 0.5 s. `turn`: the note was only for steps, so the
 * node's turn is over.
 */
void steps_noted(struct steps_pace *p, uint32_t sum, bool turn, int64_t now_ms);

#endif
