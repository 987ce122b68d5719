/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "t.h"
#include "json/json.h"

static int parse(const char *text, json_object **out, struct err *err)
{
	return jx_parse(text, strlen(text), out, err);
}

static void one_whole_text_is_parsed(void)
{
	_cleanup_json_ json_object *o = NULL;

	T_INT(parse(" {\"a\": [1, \"\xc3\xa9\", null, true]} \r\n\t", &o, NULL),
	      0);
	T_JSON(o, "{\"a\": [1, \"\xc3\xa9\", null, true]}");
}

static void bad_json_says_where_and_why(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"", "byte 0: it ends too early"},
		{"{\"a\": [1, 2", "it ends too early"},
		{"{\"a\": 1} x", "bad JSON at byte 9: unexpected text"},
		{"{} {}", "unexpected text"},
		{"null\n", "bad JSON at byte"},
		{"{\"a\": tru}", "bad JSON at byte 9"},
		{"{\"a\" 1}", "bad JSON at byte 5"},
		{"{\"a\": \"\xff\"}", "bad JSON at byte"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		json_object *o = NULL;
		struct err err = {0};

		t_row("%s", rows[i].text);
		T_ERR(parse(rows[i].text, &o, &err), &err, -EBADMSG,
		      rows[i].words);
		T_OK(!o);
		json_object_put(o);
	}
}

/* (with the flag JSON_TOKENER_STRICT json-c 0.17 and 0.18 refuse the letters)
 */
static void letters_beyond_ascii_are_read(void)
{
	_cleanup_json_ json_object *o = NULL;

	T_INT(parse("{\"a\": \"Z\u00fcrich \xe2\x9c\x93\"}", &o, NULL), 0);
	T_STR(jx_str(o, "a"), "Z\xc3\xbcrich \xe2\x9c\x93");
}

static void bytes_after_the_length_are_not_read(void)
{
	_cleanup_json_ json_object *o = NULL;

	T_INT(jx_parse("{}garbage", 2, &o, NULL), 0);
}

static void a_nul_byte_after_the_text_is_refused(void)
{
	json_object *o = NULL;

	T_INT(jx_parse("{}\0{}", 5, &o, NULL), -EBADMSG);
	T_INT(jx_parse("{}\0", 3, &o, NULL), -EBADMSG);
}

static void nesting_is_bounded(void)
{
	_cleanup_free_ char *fits = t_repeat("[", JX_DEPTH_MAX - 1);
	_cleanup_free_ char *deep = t_repeat("[", 1000);
	json_object *o = NULL;
	struct err err = {0};

	T_ERR(parse(fits, &o, &err), &err, -EBADMSG, "it ends too early");
	T_ERR(parse(deep, &o, &err), &err, -EBADMSG, "nesting too deep");
}

/* Is such a text refused for its size? */
static bool is_too_much(const char *before, const char *unit, size_t n,
			const char *after)
{
	_cleanup_free_ char *units = t_repeat(unit, n);
	_cleanup_free_ char *text = str_printf("%s%s%s", before, units, after);
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};
	int rc = parse(text, &o, &err);

	T_INT(rc, o ? 0 : -EBADMSG);
	return rc && strstr(err.msg, "the JSON has more than ");
}

static void what_is_in_one_text_is_bounded(void)
{
	static const struct {
		const char *before, *unit, *after;
		size_t n;
		bool too_much;
	} rows[] = {
		{"[", "{},", "{}]", JX_PARTS_MAX - 2, false},
		{"[", "{},", "{}]", JX_PARTS_MAX - 1, true},
		{"[", "[],", "[]]", JX_PARTS_MAX - 1, true},
		{"[", "{},", "{}]", 350000, true},
		{"[\"\\\"", "{},[", "\"]", JX_PARTS_MAX, false},
		{"[\"\\\\\",", "{},", "{}]", JX_PARTS_MAX, true},
		{"[", "0,", "0]", JX_PARTS_MAX * JX_PART_VALUES, false},
		{"[", "0,", "0]", JX_PARTS_MAX * JX_PART_VALUES + 1, true},
		{"[\"", "0,", "\"]", JX_PARTS_MAX * JX_PART_VALUES + 1, false},
		{"{", "\"a\":1,", "\"b\":2}", 600000, true},
		/* (json-c takes these, which are no JSON) */
		{"['\"',", "{},", "{}]", JX_PARTS_MAX, true},
		{"[/*\"*/", "{},", "{}/*\"*/]", JX_PARTS_MAX, true},
		{"[//\"\n", "{},", "{}]", JX_PARTS_MAX, true},
		{"[/*'*/", "\"',{},',\",", "0]", JX_PARTS_MAX, true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s%zu of %s", rows[i].before, rows[i].n, rows[i].unit);
		T_INT(is_too_much(rows[i].before, rows[i].unit, rows[i].n,
				  rows[i].after),
		      rows[i].too_much);
	}
}

static void each_way_to_parse_has_a_bound(void)
{
	_cleanup_free_ char *units = t_repeat("{},", JX_PARTS_MAX);
	_cleanup_free_ char *text = str_printf("[%s{}]", units);
	const size_t len = strlen(text);
	_cleanup_json_ json_object *whole = NULL;
	json_object *o = NULL;
	struct err err = {0};

	T_ERR(jx_parse(text, len, &o, &err), &err, -EBADMSG,
	      "the JSON has more than 50000 objects and lists");
	T_ERR(jx_parse_secret(text, len, &o, &err), &err, -EBADMSG,
	      "the JSON has more than 50000 objects and lists");
	T_ERR(jx_parse_bytes(text, len, JX_PARTS_MAX + 1, &o, &err), &err,
	      -EBADMSG, "the JSON has more than 50001 objects and lists");
	T_ERR(jx_parse_bytes("[1,2,3]", 7, 0, &o, &err), &err, -EBADMSG,
	      "the JSON has more than 0 objects and lists");
	T_OK(!o);
	T_INT(jx_parse_bytes(text, len, JX_PARTS_MAX + 2, &whole, NULL), 0);
	T_INT(jx_parts(text, len), JX_PARTS_MAX + 2);
}

static void a_path_is_followed_while_types_fit(void)
{
	_cleanup_json_ json_object *o =
		t_parse("{\"a\": {\"b\": \"text\", \"n\": 5}, \"l\": [1], "
			"\"z\": null}");

	T_STR(jx_str(o, "a", "b"), "text");
	T_STR(jx_str(o, "a", "n"), NULL);
	T_STR(jx_str(o, "a", "b", "c"), NULL);
	T_STR(jx_str(o, "l", "0"), NULL);
	T_OK(!jx_get(o, "z"));
	T_OK(!jx_get(o, "none", "at", "all"));
	T_OK(!jx_get(NULL, "a"));
	T_OK(jx_is(jx_get(o, "l"), json_type_array));
	T_OK(!jx_is(NULL, json_type_object));
	T_INT(jx_int(jx_get(o, "a", "n"), -1), 5);
	T_INT(jx_int(jx_get(o, "a", "b"), -1), -1);
	T_INT(jx_int(NULL, -1), -1);
}

static void members_are_set_and_replaced(void)
{
	_cleanup_json_ json_object *o = json_object_new_object();

	T_INT(jx_set_str(o, "a", "1"), 0);
	T_INT(jx_set_str(o, "a", "2"), 0);
	T_INT(jx_set(o, "b", NULL), -ENOMEM);
	T_INT(jx_append(jx_need(o, "l", json_type_array), NULL), -ENOMEM);
	T_JSON(o, "{\"a\": \"2\", \"l\": []}");
}

static void a_needed_member_is_made_once_and_never_of_another_type(void)
{
	_cleanup_json_ json_object *o = t_parse("{\"z\": null, \"s\": \"t\"}");
	json_object *m = jx_need(o, "m", json_type_object);

	T_OK(m && jx_need(o, "m", json_type_object) == m);
	T_OK(!jx_need(o, "m", json_type_array));
	T_OK(!jx_need(o, "s", json_type_object));
	T_OK(jx_need(o, "z", json_type_array) != NULL);
	T_JSON(o, "{\"z\": [], \"s\": \"t\", \"m\": {}}");
}

static void an_element_is_found_by_its_name(void)
{
	_cleanup_json_ json_object *a =
		t_parse("[null, 1, {\"name\": 5}, {\"name\": \"b\", \"v\": 1},"
			" {\"name\": \"b\", \"v\": 2}]");

	T_JSON(jx_by_name(a, "b"), "{\"name\": \"b\", \"v\": 1}");
	T_OK(!jx_by_name(a, "c"));
	T_OK(!jx_by_name(jx_by_name(a, "b"), "b"));
	T_OK(!jx_by_name(NULL, "b"));
}

static void a_copy_shares_nothing_with_the_original(void)
{
	_cleanup_json_ json_object *o = t_parse("{\"a\": {\"b\": [1]}}");
	_cleanup_json_ json_object *copy = jx_copy(o);

	T_INT(jx_set_str(jx_get(copy, "a"), "b", "new"), 0);
	T_JSON(o, "{\"a\": {\"b\": [1]}}");
	T_JSON(copy, "{\"a\": {\"b\": \"new\"}}");
}

T_MAIN("json", T(one_whole_text_is_parsed), T(bad_json_says_where_and_why),
       T(letters_beyond_ascii_are_read), T(bytes_after_the_length_are_not_read),
       T(a_nul_byte_after_the_text_is_refused), T(nesting_is_bounded),
       T(what_is_in_one_text_is_bounded), T(each_way_to_parse_has_a_bound),
       T(a_path_is_followed_while_types_fit), T(members_are_set_and_replaced),
       T(a_needed_member_is_made_once_and_never_of_another_type),
       T(an_element_is_found_by_its_name),
       T(a_copy_shares_nothing_with_the_original))
