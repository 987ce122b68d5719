/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "power_action.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

#define BLANKS " \t\r"

/* The length of the value at `at`, which may stand in quotes: it moves there.
 */
static size_t value_at(const char **at, size_t left)
{
	const char *end;

	if (left && **at == '"') {
		(*at)++;
		end = memchr(*at, '"', left - 1);
		return end ? (size_t)(end - *at) : left - 1;
	}
	for (end = *at; end < *at + left && !strchr(BLANKS, *end); end++)
		;
	return (size_t)(end - *at);
}

/* The value of a key of a line; 0: it does not have this key. */
static size_t value_of(const char *line, size_t len, const char *key,
		       const char **value)
{
	const size_t n = strlen(key);

	for (size_t i = 0; i + n < len; i++) {
		if ((i && !strchr(BLANKS, line[i - 1])) ||
		    strncasecmp(line + i, key, n) != 0 || line[i + n] != '=')
			continue;
		*value = line + i + n + 1;
		return value_at(value, len - i - n - 1);
	}
	return 0;
}

static bool is(const char *value, size_t len, const char *text)
{
	return len == strlen(text) && !strncasecmp(value, text, len);
}

static void read_line(const char *line, size_t len, struct power_action *out)
{
	const char *value = "";
	size_t n = value_of(line, len, "Location", &value);

	out->in_slurmd = is(value, n, "slurmd");
	value = "";
	n = value_of(line, len, "Program", &value);
	n = n < sizeof(out->program) ? n : sizeof(out->program) - 1;
	memcpy(out->program, value, n);
	out->program[n] = '\0';
	out->program[strcspn(out->program, BLANKS)] = '\0';
}

enum power_action_found power_action_find(const char *text, const char *name,
					  struct power_action *out)
{
	bool included = false;
	size_t len;

	for (const char *line = text; *line; line += len + !!line[len]) {
		const char *value = "";
		size_t used, n;

		len = strcspn(line, "\n");
		used = strcspn(line, "#\n");
		n = value_of(line, used, "PowerAction", &value);
		if (n && is(value, n, name))
			return read_line(line, used, out), POWER_ACTION_FOUND;
		included |=
			!strncasecmp(line + strspn(line, BLANKS), "include", 7);
	}
	return included ? POWER_ACTION_UNKNOWN : POWER_ACTION_NONE;
}
