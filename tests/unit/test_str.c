/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "t.h"

static void a_copy_that_fits_is_whole(void)
{
	char b[8];

	str_copy(b, "seven77", sizeof(b));
	T_STR(b, "seven77");
}

static void a_copy_is_cut_at_a_utf8_boundary(void)
{
	static const struct {
		const char *src, *want;
		size_t size;
	} rows[] = {
		{"abcdef", "abc", 4},
		{"ab\xc3\xa9", "ab", 4},
		{"ab\xc3\xa9", "ab\xc3\xa9", 5},
		{"a\xf0\x9f\x90\xb3z", "a", 5},
		{"a\xf0\x9f\x90\xb3z", "a\xf0\x9f\x90\xb3", 6},
		{"\x80\x80\x80", "", 3}, /* never UTF-8 */
		{"x", "", 1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char b[16];

		t_row("%zu", i);
		str_copy(b, rows[i].src, rows[i].size);
		T_STR(b, rows[i].want);
	}
}

static void what_is_too_long_keeps_its_beginning_and_its_end(void)
{
	static const struct {
		const char *src, *want;
		size_t size;
	} rows[] = {
		{"short enough", "short enough", 13},
		{"abcdefghijklmnopqrstuvwxyz0123456789",
		 "abcdefghi ... vwxyz0123456789", 30},
		/* between words, if there is one near */
		{"failed to create containerd task: failed to start sandbox: "
		 "no such image",
		 "failed to create ... sandbox: no such image", 48},
		{"slurmd: RunContainerError: failed to create containerd task: "
		 "failed to create shim task: OCI runtime create failed: runc "
		 "create failed: unable to start container process: exec: "
		 "\"/no/such\": stat /no/such: no such file or directory",
		 "slurmd: RunContainerError: failed to create ... process: "
		 "exec: "
		 "\"/no/such\": stat /no/such: no such file or directory",
		 120},
		/* not within a character */
		{"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
		 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
		 "\xc3\xa9\xc3\xa9\xc3\xa9 ... "
		 "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
		 25},
		/* no room for two parts */
		{"abcdefghij", "abc", 4},
		{"abc", "", 1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *b = malloc(rows[i].size);

		t_row("%zu", i);
		str_shorten(b, rows[i].src, rows[i].size);
		T_STR(b, rows[i].want);
		T_OK(strlen(b) < rows[i].size);
	}
}

/* (ASan watches; each text has its own memory) */
static void whatever_is_shortened_fits(void)
{
	static const char *const parts[] = {" ", "a", "\x80", "\xc3\xa9",
					    "x y"};

	for (size_t p = 0; p < T_COUNT(parts); p++)
		for (size_t n = 0; n < 60; n++)
			for (size_t size = 1; size < 60; size++) {
				_cleanup_free_ char *s = t_repeat(parts[p], n);
				_cleanup_free_ char *b = malloc(size);
				_cleanup_free_ char *again = malloc(size);

				str_shorten(b, s, size);
				if (strlen(b) >= size)
					T_OK(false);
				str_shorten(again, b, size);
				if (strcmp(again, b) != 0)
					T_STR(again, b);
			}
}

static void a_copy_into_nothing_writes_nothing(void)
{
	char b = 'x';

	str_copy(&b, "abc", 0);
	T_INT(b, 'x');
}

static void what_must_not_reach_a_terminal_is_replaced(void)
{
	static const struct {
		const char *what, *in, *want;
	} rows[] = {
		{"plain", "pod cpu-1", "pod cpu-1"},
		{"UTF-8", "caf\xc3\xa9 \xf0\x9f\x90\xb3",
		 "caf\xc3\xa9 \xf0\x9f\x90\xb3"},
		{"line feed", "a\nFeb 1 root: b", "a Feb 1 root: b"},
		{"escape", "\x1b[31mred", " [31mred"},
		{"delete", "a\x7f", "a "},
		{"C1",
		 "a\xc2\x9b"
		 "b",
		 "a  b"},
		{"no-break space stays",
		 "a\xc2\xa0"
		 "b",
		 "a\xc2\xa0"
		 "b"},
		{"lone continuation", "\x80", "?"},
		{"cut sequence", "a\xe2\x82", "a??"},
		{"overlong C1 in two", "\xc1\x9b", "??"},
		{"overlong in three", "\xe0\x82\x9b", "???"},
		{"overlong in four", "\xf0\x80\x82\x9b", "????"},
		{"first of three bytes", "\xe0\xa0\x80", "\xe0\xa0\x80"},
		{"surrogate", "\xed\xa0\x80", "???"},
		{"before the surrogates", "\xed\x9f\xbf", "\xed\x9f\xbf"},
		{"beyond U+10FFFF", "\xf4\x90\x80\x80", "????"},
		{"U+10FFFF", "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
		{"0xff", "\xff", "?"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char b[64];

		t_row("%s", rows[i].what);
		strcpy(b, rows[i].in);
		str_sanitize(b);
		T_STR(b, rows[i].want);
	}
}

static void null_equals_only_null(void)
{
	T_OK(str_eq(NULL, NULL));
	T_OK(!str_eq(NULL, ""));
	T_OK(!str_eq("", NULL));
	T_OK(str_eq("a", "a"));
	T_OK(!str_eq("a", "b"));
}

static void a_prefix_is_found_at_the_start_only(void)
{
	T_OK(str_starts("slurm-k8s.io/x", "slurm-k8s.io/"));
	T_OK(str_starts("abc", ""));
	T_OK(!str_starts("ab", "abc"));
	T_OK(!str_starts("xabc", "abc"));
}

static void printf_makes_text_of_any_length(void)
{
	_cleanup_free_ char *s = str_printf("%0*d", 5000, 7);

	T_NEED(s != NULL);
	T_INT(strlen(s), 5000);
}

static void items_of_a_list_are_found_whole(void)
{
	T_OK(str_list_has("a,bc,d", "a", 1));
	T_OK(str_list_has("a,bc,d", "bc", 2));
	T_OK(str_list_has(",,a,,bc,", "bcd", 2));
	T_OK(!str_list_has("a,bc,d", "b", 1));
	T_OK(!str_list_has("a,bc,d", "c", 1));
	T_OK(!str_list_has("a,bc,d", "bc,d", 4));
	T_OK(!str_list_has("a,bc,d", "", 0));
	T_OK(!str_list_has("", "a", 1));
	T_OK(!str_list_has(NULL, "a", 1));
}

static void lists_meet_in_whole_items(void)
{
	T_OK(str_lists_meet("a,bc", "d,bc"));
	T_OK(str_lists_meet("a", "a"));
	T_OK(!str_lists_meet("a,bc", "b,c,abc"));
	T_OK(!str_lists_meet("a", ""));
	T_OK(!str_lists_meet(",", ","));
	T_OK(!str_lists_meet(NULL, "a"));
	T_OK(!str_lists_meet("a", NULL));
}

static void a_hash_is_fnv1a_and_goes_on(void)
{
	T_OK(str_hash(STR_HASH, "", 0) == 0x811c9dc5);
	T_OK(str_hash(STR_HASH, "a", 1) == 0xe40c292c);
	T_OK(str_hash(STR_HASH, "foobar", 6) == 0xbf9cf968);
	T_OK(str_hash(str_hash(STR_HASH, "foo", 3), "bar", 3) == 0xbf9cf968);
	T_OK(str_hash(STR_HASH, "\xff", 1) != str_hash(STR_HASH, "\x7f", 1));
}

T_MAIN("str", T(what_is_too_long_keeps_its_beginning_and_its_end),
       T(whatever_is_shortened_fits), T(a_copy_that_fits_is_whole),
       T(a_copy_is_cut_at_a_utf8_boundary),
       T(a_copy_into_nothing_writes_nothing),
       T(what_must_not_reach_a_terminal_is_replaced), T(null_equals_only_null),
       T(a_prefix_is_found_at_the_start_only),
       T(items_of_a_list_are_found_whole), T(lists_meet_in_whole_items),
       T(a_hash_is_fnv1a_and_goes_on), T(printf_makes_text_of_any_length))
