/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/placeholder/placed_state.h"

enum placeholder_state placed_state_of(const struct placed_status *s)
{
	switch (s->state) {
	case PLACED_PENDING:
		return PLACEHOLDER_PENDING;
	case PLACED_HELD:
		return PLACEHOLDER_HELD;
	case PLACED_RUNNING:
		return s->configuring ? PLACEHOLDER_STARTING
				      : PLACEHOLDER_RUNNING;
	case PLACED_SUSPENDED:
		return PLACEHOLDER_SUSPENDED;
	case PLACED_COMPLETING:
		return PLACEHOLDER_COMPLETING;
	case PLACED_ENDED:
		return PLACEHOLDER_ENDED;
	case PLACED_GONE:
		return PLACEHOLDER_NONE;
	}
	return PLACEHOLDER_UNKNOWN;
}

enum placeholder_end placed_end_of(const struct placed_status *s)
{
	static const enum placeholder_end ends[] = {
		[PLACED_NOT_ENDED] = PLACEHOLDER_NOT_ENDED,
		[PLACED_COMPLETED] = PLACEHOLDER_COMPLETED,
		[PLACED_FAILED] = PLACEHOLDER_FAILED,
		[PLACED_CANCELLED] = PLACEHOLDER_CANCELLED,
		[PLACED_TIMEOUT] = PLACEHOLDER_TIMEOUT,
		[PLACED_PREEMPTED] = PLACEHOLDER_PREEMPTED,
		[PLACED_NODE_FAIL] = PLACEHOLDER_NODE_FAIL,
		[PLACED_DEADLINE] = PLACEHOLDER_DEADLINE,
		[PLACED_OTHER] = PLACEHOLDER_ENDED_OTHERWISE,
	};

	return s->end <= PLACED_OTHER ? ends[s->end]
				      : PLACEHOLDER_ENDED_OTHERWISE;
}
