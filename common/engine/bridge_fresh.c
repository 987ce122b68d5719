/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/bridge_fresh.h"

#include "base/clock.h"

void bridge_fresh_put(struct bridge_fresh *f, enum bridge_sight of,
		      const struct informer *in)
{
	if (in)
		atomic_store(&f->at[of], informer_fresh_at(in));
}

void bridge_fresh_age(struct bridge_fresh *f, struct bridge_age *out)
{
	struct bridge_sights s;

	for (int i = 0; i < SIGHTS; i++)
		s.fresh_at[i] = atomic_load(&f->at[i]);
	bridge_age_of(&s, clock_boot_ms(), out);
}
