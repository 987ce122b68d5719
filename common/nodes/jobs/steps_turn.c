/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a pod is noted on which only the steps have changed. Each note is a new
 * revision of the whole pod for Kubernetes, and a loop of short steps on all
 * nodes would have all pods written twice a second: so they wait for turns. A
 * pod keeps the turn it has asked for while its steps come and go, or those
 * with the most changes would never have one.
 */
#include "base/clock.h"
#include "nodes/jobs/jobs.h"

#define AGAIN_MS 500 /* other steps on the same pod */

bool steps_may_note(struct nodes *nodes, const struct nodeset *set,
		    struct node_state *m)
{
	const int64_t now = clock_ms();

	if (now < m->steps_after)
		return false;
	if (!m->steps_turn)
		m->steps_turn = pod_annotations_turn(
			&nodes->turns[set->cluster - nodes->config->clusters],
			now);
	return now >= m->steps_turn;
}

void steps_noted(struct node_state *m, bool turn)
{
	if (m->steps_noted != m->steps_sum)
		m->steps_after = clock_ms() + AGAIN_MS;
	m->steps_noted = m->steps_sum;
	if (turn)
		m->steps_turn = 0;
}
