/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/freshness.h"

#include "base/clock.h"

#define BRIDGE_BEAT_AGAIN_MS 60000

void freshness_put(struct freshness *f, enum view_part of,
		   const struct informer *in)
{
	if (in)
		atomic_store(&f->at[of], informer_fresh_at(in));
}

void freshness_relist(struct freshness *f)
{
	atomic_store(&f->relist, true);
}

bool freshness_take_relist(struct freshness *f)
{
	return atomic_exchange(&f->relist, false);
}

void freshness_link_beats(struct freshness *f)
{
	atomic_store(&f->link_at, clock_ms());
}

void freshness_bridge_beats(struct freshness *f)
{
	atomic_store(&f->bridge_at, clock_ms());
}

int64_t heartbeat_late(const _Atomic int64_t *at, int64_t *told_at)
{
	const int64_t now = clock_ms(), last = atomic_load(at);

	if (!last || now - last < BRIDGE_BEAT_MS ||
	    (*told_at && now - *told_at < BRIDGE_BEAT_AGAIN_MS))
		return 0;
	*told_at = now;
	return now - last;
}

void freshness_age(struct freshness *f, struct view_age *out)
{
	struct view_parts s;

	for (int i = 0; i < VIEW_PARTS; i++)
		s.fresh_at[i] = atomic_load(&f->at[i]);
	view_age_of(&s, clock_boot_ms(), out);
}

int64_t freshness_age_of(struct freshness *f, enum view_part of)
{
	const int64_t at = atomic_load(&f->at[of]);

	return at ? clock_boot_ms() - at : 0;
}

int64_t view_at(const struct informer *in)
{
	return informer_live(in) ? informer_fresh_at(in) : 0;
}

bool view_is_fresh(int64_t at, int64_t stale_ms)
{
	return at && clock_boot_ms() - at < stale_ms;
}
