/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "syntax/hostlist.h"

#define OURS "k8s: " /* each line of the engine and of the programs has it */

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.' ||
	       c == '/';
}

/* The name stands there by itself, not as a part of a longer one. */
static bool has_word(const char *line, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = line; len && (at = strstr(at, word)); at++) {
		const char *end = at + len;

		if (*end == '.' && !in_name(end[1])) /* of a sentence */
			end++;
		if ((at == line || !in_name(at[-1])) && !in_name(*end))
			return true;
	}
	return false;
}

/* "cpu-[0-3,7]" at this bracket has the name. */
static bool list_has(const char *line, const char *bracket, const char *name)
{
	_cleanup_hostlist_ struct hostlist list = {0};
	_cleanup_free_ char *text = NULL;
	const char *start = bracket, *end = strchr(bracket, ']');

	while (start > line && in_name(start[-1]))
		start--;
	if (!end || start == bracket ||
	    strncmp(start, name, (size_t)(bracket - start)) != 0)
		return false;
	text = strndup(start, (size_t)(end + 1 - start));
	if (!text || hostlist_expand(text, &list, NULL))
		return false;
	hostlist_sort(&list);
	return hostlist_has(&list, name);
}

bool event_line_is_about(const char *line, const char *what)
{
	const char *at = strstr(line, OURS);

	if (!at)
		return false;
	if (!what)
		return true;
	if (what[strspn(what, "0123456789")] == '\0')
		return strcasestr(line, "job") && has_word(at, what);
	if (has_word(line, what))
		return true;
	for (at = line; (at = strchr(at, '[')); at++)
		if (list_has(line, at, what))
			return true;
	return false;
}
