/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/blame.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "model/wellknown.h"

bool blame_is(const char *words)
{
	if (words && str_starts(words, WK_REASON_PREFIX))
		words += strlen(WK_REASON_PREFIX);
	return words && (str_starts(words, BLAME_ENDED) ||
			 str_starts(words, BLAME_RESTARTED));
}

/* (a job may have gone back for other causes: two in a row are asked for) */
enum blame blame_of(const char *words, const char *before, uint32_t restarts)
{
	if (!blame_is(words))
		return BLAME_NOBODY;
	return restarts >= BLAME_HOLD_AT - 1 && blame_is(before) ? BLAME_HOLD
								 : BLAME_PAUSE;
}
