/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/comment_text.h"

#include <string.h>

#include "base/str.h"
#include "syntax/wellknown.h"

/* index of the colon in WK_ASK_CARRIER */
#define COLON (sizeof(WK_ASK_CARRIER) - sizeof(": "))

const char *comment_asks(const char *comment)
{
	return comment ? strstr(comment, WK_ASK_CARRIER) : NULL;
}

char *comment_text(const char *words, const char *asks)
{
	char *out =
		str_printf("%s%s%s", words, asks ? " " : "", asks ? asks : "");
	char *const end = out ? out + strlen(words) : NULL;

	/*
	 * What looks like the beginning may begin in the words and end behind
	 * them.
	 */
	for (char *at = out;
	     at && (at = strstr(at, WK_ASK_CARRIER)) && at < end; at++)
		at[COLON] = '_';
	return out;
}
