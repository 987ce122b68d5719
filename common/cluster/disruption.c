/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/disruption.h"

#define LOST_MIN 3
#define LOST_PERCENT 55

void disruption_count(struct disruption_seen *s, bool lost, int by)
{
	s->nodes += by;
	s->lost += lost ? by : 0;
}

void disruption_count_other(struct disruption_seen *s, bool ready, int by)
{
	s->others_ready += ready ? by : 0;
}

bool disruption_is(const struct disruption_seen *s)
{
	if (!s->lost)
		return false;
	if (s->lost >= s->nodes)
		return s->nodes > 1 || !s->others_ready;
	return disruption_is_many(s);
}

bool disruption_is_many(const struct disruption_seen *s)
{
	return s->lost >= LOST_MIN && disruption_lasts(s);
}

bool disruption_lasts(const struct disruption_seen *s)
{
	return s->lost && s->lost * 100 >= s->nodes * LOST_PERCENT;
}

enum disruption_news disruption_look(struct disruption *d,
				     const struct disruption_seen *seen,
				     int64_t now)
{
	return disruption_turn(d, disruption_is(seen), now);
}

enum disruption_news disruption_turn(struct disruption *d, bool is, int64_t now)
{
	const bool was = d->is;

	d->is = is;
	if (d->is == was)
		return DISRUPTION_NO_NEWS;
	if (!d->is)
		d->ended_at = now;
	return d->is ? DISRUPTION_BEGINS : DISRUPTION_ENDS;
}

int64_t disruption_calm_for(const struct disruption *d, int64_t at, int64_t now)
{
	return d->is ? 0 : now - (at > d->ended_at ? at : d->ended_at);
}
