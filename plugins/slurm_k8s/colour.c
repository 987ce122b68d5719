/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool colour_wanted(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no && *no) && term && *term &&
	       strcmp(term, "dumb") != 0;
}
