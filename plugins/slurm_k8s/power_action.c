/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "power_action.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

#define BLANKS " \t\r"
#define ACTION_LINE_MAX 4096

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

/*
 * The value of a key of a line, which ends with NUL; slurm.conf(5) allows
 * blanks around "=". 0: it does not have this key.
 */
static size_t value_of(const char *line, size_t len, const char *key,
		       const char **value)
{
	const size_t n = strlen(key);

	for (size_t i = 0; i + n < len; i++) {
		size_t at = i + n;

		if ((i && !strchr(BLANKS, line[i - 1])) ||
		    strncasecmp(line + i, key, n) != 0)
			continue;
		at += strspn(line + at, BLANKS);
		if (line[at] != '=')
			continue;
		at++;
		at += strspn(line + at, BLANKS);
		*value = line + at;
		return value_at(value, len - at);
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

/*
 * Copy a line without its comment, and those that it goes on in: a "\\" at its
 * end says so. What has no room is left out: the line of an action is short.
 * Returns where the next one begins.
 */
static const char *take_line(const char *text, char line[ACTION_LINE_MAX])
{
	size_t n = 0;
	bool goes_on = true;

	while (goes_on && *text) {
		const size_t all = strcspn(text, "\n");
		size_t used = strcspn(text, "#\n");

		while (used && strchr(BLANKS, text[used - 1]))
			used--;
		goes_on = used && text[used - 1] == '\\';
		used -= goes_on;
		if (used >= ACTION_LINE_MAX - n)
			used = ACTION_LINE_MAX - n - 1;
		memcpy(line + n, text, used);
		n += used;
		text += all + !!text[all];
	}
	line[n] = '\0';
	return text;
}

enum power_action_found power_action_find(const char *text, const char *name,
					  struct power_action *out)
{
	char line[ACTION_LINE_MAX] = "";
	bool included = false;

	while (*text) {
		const char *value = "";
		size_t n;

		text = take_line(text, line);
		n = value_of(line, strlen(line), "PowerAction", &value);
		if (n && is(value, n, name)) {
			read_line(line, strlen(line), out);
			return *out->program ? POWER_ACTION_FOUND
					     : POWER_ACTION_UNKNOWN;
		}
		included |=
			!strncasecmp(line + strspn(line, BLANKS), "include", 7);
	}
	return included ? POWER_ACTION_UNKNOWN : POWER_ACTION_NONE;
}
