/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/view_parts.h"

const char *bridge_sight_name(enum bridge_sight of)
{
	static const char *const names[SIGHTS] = {
		[SIGHT_PODS] = "bridged pods",
		[SIGHT_NODES] = "Kubernetes nodes",
		[SIGHT_NAMESPACES] = "namespaces",
		[SIGHT_OTHERS] = "other pods",
	};

	return of < SIGHTS ? names[of] : "";
}

void bridge_age_of(const struct bridge_sights *s, int64_t now,
		   struct bridge_age *out)
{
	*out = (struct bridge_age){.of = SIGHT_PODS};
	for (int i = 0; i < SIGHTS; i++) {
		const int64_t at = s->fresh_at[i];

		if (at && now - at > out->ms)
			*out = (struct bridge_age){i, now - at};
	}
}
