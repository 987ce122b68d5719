/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/jobs/steps_turn.h"

#define AGAIN_MS 500 /* pause until other steps are noted on the pod */

bool steps_may_note(struct steps_pace *p, struct note_turns *turns,
		    int64_t now_ms)
{
	if (now_ms < p->after)
		return false;
	if (!p->turn)
		p->turn = pod_annotations_turn(turns, now_ms);
	return now_ms >= p->turn;
}

void steps_noted(struct steps_pace *p, uint32_t sum, bool turn, int64_t now_ms)
{
	if (p->noted != sum)
		p->after = now_ms + AGAIN_MS;
	p->noted = sum;
	if (turn)
		p->turn = 0;
}
