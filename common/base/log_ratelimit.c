/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log_ratelimit.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

enum log_ratelimit_answer log_ratelimit(struct log_ratelimit *l,
					const char *name, int64_t now)
{
	struct log_ratelimit_entry *old = NULL;
	char cut[LOG_RATELIMIT_NAME_MAX];

	str_copy(cut, name, sizeof(cut));
	for (struct log_ratelimit_entry *n = l->named;
	     n < l->named + LOG_RATELIMIT_MAX; n++) {
		if (now >= n->until)
			old = n;
		else if (!strcmp(n->name, cut))
			return LOG_RATELIMIT_REPEATED;
	}
	if (old) {
		old->until = now + LOG_RATELIMIT_MS;
		memcpy(old->name, cut, sizeof(cut));
		return LOG_RATELIMIT_FIRST;
	}
	if (now < l->full_until)
		return LOG_RATELIMIT_FULL_SAID;
	l->full_until = now + LOG_RATELIMIT_MS;
	return LOG_RATELIMIT_FULL;
}
