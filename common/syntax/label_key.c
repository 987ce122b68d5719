/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/label_key.h"

#include <string.h>

#define NAME_MAX_LEN 63
#define DOMAIN_MAX_LEN 253

/* The functions of ctype.h go by the locale; a key is ASCII. */
static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

static bool is_name(const char *s, size_t len)
{
	if (!len || len > NAME_MAX_LEN || !is_alnum(s[0]) ||
	    !is_alnum(s[len - 1]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_alnum(s[i]) && (!s[i] || !strchr("-_.", s[i])))
			return false;
	return true;
}

/* Labels of lower-case letters, digits and '-', joined by dots. */
static bool is_domain(const char *s, size_t len)
{
	if (!len || len > DOMAIN_MAX_LEN)
		return false;
	for (size_t i = 0; i < len; i++) {
		bool edge = !i || i + 1 == len || s[i - 1] == '.' ||
			    s[i + 1] == '.';

		if (s[i] == '.' ? edge
				: !(is_alnum(s[i]) &&
				    !(s[i] >= 'A' && s[i] <= 'Z')) &&
					  (edge || s[i] != '-'))
			return false;
	}
	return true;
}

bool label_key_is(const char *key, size_t len)
{
	const char *slash = memchr(key, '/', len);
	size_t domain = slash ? (size_t)(slash - key) : 0;

	if (!slash)
		return is_name(key, len);
	return is_domain(key, domain) && is_name(slash + 1, len - domain - 1);
}

static bool is_printable(const char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			return false;
	return true;
}

const char *label_key_behind(const char *item, const char *kind)
{
	const size_t len = strlen(kind);

	return !strncmp(item, kind, len) && item[len] == ' ' ? item + len + 1
							     : NULL;
}

const char *label_key_wrong(const char *item, bool label)
{
	const char *eq = strchr(item, '=');
	size_t len = eq ? strlen(eq + 1) : 0;

	if (!eq)
		return "is not KEY=VALUE";
	if (!label_key_is(item, (size_t)(eq - item)))
		return "has a key that Kubernetes does not take: letters, "
		       "digits, '-', '_' and '.', at most 63, maybe behind a "
		       "domain and '/'";
	if (label && len && !is_name(eq + 1, len))
		return "has a value that no label may have: letters, digits, "
		       "'-', '_' and '.', at most 63";
	if (len > PODKEY_VALUE_MAX)
		return "has a value of more than 256 bytes";
	if (!is_printable(eq + 1))
		return "has a value that is not of printable ASCII";
	return NULL;
}
