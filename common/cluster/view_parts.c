/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/view_parts.h"

const char *view_part_name(enum view_part of)
{
	static const char *const names[VIEW_PARTS] = {
		[VIEW_PODS] = "bridged pods",
		[VIEW_NODES] = "Kubernetes nodes",
		[VIEW_NAMESPACES] = "namespaces",
		[VIEW_OTHERS] = "other pods",
	};

	return of < VIEW_PARTS ? names[of] : "";
}

void view_age_of(const struct view_parts *s, int64_t now, struct view_age *out)
{
	*out = (struct view_age){.of = VIEW_PODS};
	for (int i = 0; i < VIEW_PARTS; i++) {
		const int64_t at = s->fresh_at[i];

		if (at && now - at > out->ms)
			*out = (struct view_age){i, now - at};
	}
}
