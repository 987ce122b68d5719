/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/lately.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

enum lately_is lately(struct lately *l, const char *name, int64_t now)
{
	struct lately_named *old = NULL;
	char cut[LATELY_NAME_MAX];

	str_copy(cut, name, sizeof(cut));
	for (struct lately_named *n = l->named; n < l->named + LATELY_MAX;
	     n++) {
		if (now >= n->until)
			old = n;
		else if (!strcmp(n->name, cut))
			return LATELY_KNOWN;
	}
	if (old) {
		old->until = now + LATELY_MS;
		memcpy(old->name, cut, sizeof(cut));
		return LATELY_NEW;
	}
	if (now < l->overcommit_until)
		return LATELY_MORE;
	l->overcommit_until = now + LATELY_MS;
	return LATELY_CROWD;
}
