/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "clean.h"
#include "t.h"

static void a_copy_has_no_control_characters(void)
{
	static const struct {
		const char *text, *clean;
	} rows[] = {
		{NULL, ""},
		{"", ""},
		{"cpu-0", "cpu-0"},
		{"a\033[2Jb\nc\td\x7f", "a [2Jb c d "},
		{"a\xc2\x9b"
		 "2Jb",
		 "a  2Jb"},
		{"\xff\xc3", "??"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *copy = clean_copy(rows[i].text);

		T_STR(copy, rows[i].clean);
	}
}

/* What stands in a value reaches a program, and no terminal. */
static void json_is_read_as_it_was(void)
{
	static const char *const values[] = {"a\033[2Jb\nc\td\"\\", "\x7f",
					     "\xc2\x80\xc2\x9b\xc2\x9f",
					     "\xc2\xa0/gr\xc3\xbc\xc3\x9f"};

	for (size_t i = 0; i < T_COUNT(values); i++) {
		_cleanup_json_ json_object *o = json_object_new_object();
		_cleanup_json_ json_object *back = NULL;
		_cleanup_free_ char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		if (!out)
			abort();
		jx_set_str(o, "a", values[i]);
		T_INT(clean_print_json(o, CLEAN_LINE, out), 0);
		fclose(out);
		t_row("%s", text);
		T_OK(!strpbrk(text, "\033\t\x7f"));
		T_OK(!strstr(text, "\xc2\x9b"));
		T_INT(text[len - 1], '\n');
		T_INT(strcspn(text, "\n"), len - 1);
		back = t_parse(text);
		T_STR(jx_str(back, "a"), values[i]);
	}
}

static void bytes_that_are_no_text_are_question_marks(void)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	clean_print_json_text("{\"a\": \"\xff\x9b\"}", out);
	fclose(out);
	T_STR(text, "{\"a\": \"??\"}");
}

T_MAIN("clean", T(a_copy_has_no_control_characters), T(json_is_read_as_it_was),
       T(bytes_that_are_no_text_are_question_marks))
