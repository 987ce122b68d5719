/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clean.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

#define LINE (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
#define INDENTED                                                               \
	(JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |                   \
	 JSON_C_TO_STRING_NOSLASHESCAPE)

char *clean_copy(const char *text)
{
	char *own = strdup(text ? text : "");

	if (own)
		str_sanitize(own);
	return own;
}

/*
 * JSON has to escape what is below 0x20 only (RFC 8259, 7). A terminal obeys
 * DEL and, as U+0080 to U+009F, the C1 control characters, too: these are in
 * texts only, so an escape stands for them.
 */
void clean_print_json_text(const char *text, FILE *out)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		const size_t n = str_utf8_len((const char *)s);

		if (!n) {
			fputc('?', out);
			s++;
		} else if (*s == 0x7f) {
			fputs("\\u007f", out);
			s++;
		} else if (n == 2 && s[0] == 0xc2 && s[1] < 0xa0) {
			fprintf(out, "\\u%04x", s[1]);
			s += 2;
		} else {
			fprintf(out, "%.*s", (int)n, (const char *)s);
			s += n;
		}
	}
}

int clean_print_json(const json_object *o, enum clean_form form, FILE *out)
{
	const char *text = json_object_to_json_string_ext(
		(json_object *)o, form == CLEAN_LINE ? LINE : INDENTED);

	if (!text)
		return -ENOMEM;
	clean_print_json_text(text, out);
	fputc('\n', out);
	return 0;
}
