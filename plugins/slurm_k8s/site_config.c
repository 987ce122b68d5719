/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "site_config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

struct setting {
	const char *key, *value; /* within `text` */
};

struct site_config {
	char *text;
	struct setting *v;
	size_t n;
};

static char *trimmed(char *s)
{
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = '\0';
	return s;
}

struct site_config *site_config_read(const char *text)
{
	struct site_config *c = calloc(1, sizeof(*c));
	char *line, *next;

	if (!c || !(c->text = strdup(text))) {
		site_config_free(c);
		return NULL;
	}
	for (line = c->text; line; line = next) {
		struct setting *v;
		char *equals;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		equals = strchr(line, '=');
		if (!equals)
			continue;
		*equals = '\0';
		v = reallocarray(c->v, c->n + 1, sizeof(*v));
		if (!v) {
			site_config_free(c);
			return NULL;
		}
		c->v = v;
		c->v[c->n++] =
			(struct setting){trimmed(line), trimmed(equals + 1)};
	}
	return c;
}

void site_config_free(struct site_config *c)
{
	if (!c)
		return;
	free(c->text);
	free(c->v);
	free(c);
}

/* "Key" is this key; where a key has several values they are "Key[0]", "Key[1]"
 */
static bool is_key(const char *have, const char *key)
{
	size_t len = strlen(key);

	return !strncasecmp(have, key, len) &&
	       (!have[len] || !strcmp(have + len, "[0]"));
}

const char *site_config_get(const struct site_config *c, const char *key)
{
	for (size_t i = 0; i < c->n; i++) {
		const char *value = c->v[i].value;

		if (!is_key(c->v[i].key, key))
			continue;
		return !*value || !strcasecmp(value, "(null)") ||
				       !strcasecmp(value, "N/A")
			       ? NULL
			       : value;
	}
	return NULL;
}

bool site_config_has(const struct site_config *c, const char *key,
		     const char *word)
{
	const char *list = site_config_get(c, key);
	const char *equals = strchr(word, '=');
	size_t wanted = equals ? (size_t)(equals - word) + 1 : strlen(word);
	size_t len;

	while (wanted && (len = str_next_item(&list))) {
		if (len >= wanted && !strncasecmp(list, word, wanted) &&
		    (equals || len == wanted || list[wanted] == '='))
			return true;
		list += len;
	}
	return false;
}

int64_t site_config_number(const struct site_config *c, const char *key)
{
	const char *value = site_config_get(c, key);
	char *end;
	long long n;

	if (!value)
		return -1;
	if (!strncasecmp(value, "INFINITE", 8) ||
	    !strncasecmp(value, "UNLIMITED", 9) ||
	    !strncasecmp(value, "NONE", 4))
		return INT64_MAX;
	n = strtoll(value, &end, 10);
	return end == value || n < 0 ? -1 : n;
}

void site_config_munge_socket(const struct site_config *c, char *out,
			      size_t size)
{
	static const char key[] = "socket=";
	const char *info = site_config_get(c, "AuthInfo");
	size_t len;

	str_copy(out, "/run/munge/munge.socket.2", size);
	for (; (len = str_next_item(&info)); info += len)
		if (str_starts(info, key))
			snprintf(out, size, "%.*s", (int)(len - strlen(key)),
				 info + strlen(key));
}
