/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "t.h"
#include "json/yaml.h"

static struct yaml *parse(const char *text)
{
	struct yaml *y = NULL;
	struct err err = {0};

	if (!yaml_parse("f", text, strlen(text), &y, &err))
		return y;
	fprintf(stderr, "the test's own YAML: %s\n%s\n", err.msg, text);
	abort();
}

static json_object *to_json(const char *text, struct err *err)
{
	_cleanup_yaml_ struct yaml *y = parse(text);
	json_object *o = NULL;
	int rc = yaml_to_json(y, yaml_root(y), &o, err);

	T_INT(rc, err->code);
	return o;
}

/* --- reading the text --- */

static void bad_yaml_says_file_line_and_column(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"a: [1, 2", "f:2:1: did not find expected ',' or ']'"},
		{"a: 1\n b: 2\n", "f:2:3: mapping values are not allowed"},
		{"a: \"x\n", "f:2:1: found unexpected end of stream"},
		{"a: 1\n\tb: 2\n", "f:2:1: "},
		{"a: *b\n", "f:1:4: found undefined alias"},
		{"a: &b 1\nc: &b 2\n", "f:2:4: second occurrence"},
		{"a: 1\n---\nb: 2\n", "f:3:1: a second document"},
		{"a: 1\nb: \x01\n", "f:2:4: control characters"},
		{"a: 1\nbcd: \xff\n", "f:2:6: invalid leading UTF-8"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const char *text = rows[i].text;
		struct yaml *y = NULL;
		struct err err = {0};

		t_row("%s", text);
		T_ERR(yaml_parse("f", text, strlen(text), &y, &err), &err,
		      -EINVAL, rows[i].words);
		T_OK(!y);
	}
}

static void an_empty_file_has_no_root(void)
{
	static const char *const rows[] = {"", "\n\n", "# only words\n"};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_yaml_ struct yaml *y = parse(rows[i]);

		T_OK(!yaml_root(y));
	}
}

static void a_raw_nul_byte_is_refused(void)
{
	struct yaml *y = NULL;
	struct err err = {0};

	T_ERR(yaml_parse("f", "a: b\0c\n", 7, &y, &err), &err, -EINVAL,
	      "f:1:5: control characters");
}

static void a_text_of_one_mebibyte_is_read_but_not_one_byte_more(void)
{
	_cleanup_free_ char *text = t_repeat("#", YAML_SIZE_MAX + 1);
	_cleanup_yaml_ struct yaml *y = NULL;
	struct yaml *none = NULL;
	struct err err = {0};

	T_INT(yaml_parse("f", text, YAML_SIZE_MAX, &y, &err), 0);
	T_ERR(yaml_parse("f", text, YAML_SIZE_MAX + 1, &none, &err), &err,
	      -EMSGSIZE, "f: larger than 1048576 bytes");
}

static void a_file_is_called_by_its_path_in_errors(void)
{
	struct yaml *y = NULL;
	struct err err = {0};

	T_ERR(yaml_parse_file(t_write("bad.yaml", "a: ["), &y, &err), &err,
	      -EINVAL, "/bad.yaml:2:1: ");
	T_ERR(yaml_parse_file(t_path("none.yaml"), &y, &err), &err, -ENOENT,
	      "/none.yaml: No such file");
}

/* --- looking at nodes --- */

static void a_null_value_counts_as_not_there(void)
{
	_cleanup_yaml_ struct yaml *y =
		parse("a:\nb: ~\nc: null\nd: ''\ne: 'null'\n");
	ynode root = yaml_root(y);

	T_OK(!yaml_get(y, root, "a"));
	T_OK(!yaml_get(y, root, "b"));
	T_OK(!yaml_get(y, root, "c"));
	T_OK(yaml_get(y, root, "d") != NULL);
	T_OK(yaml_get(y, root, "e") != NULL);
	T_OK(!yaml_get(y, root, "f"));
	T_OK(!yaml_get(y, yaml_get(y, root, "e"), "a"));
}

static void unknown_keys_are_refused(void)
{
	static const char *const keys[] = {"name", "size", NULL};
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"name: a\nsize: 1\n", NULL},
		{"name:\nsize: ~\n", NULL},
		{"name: a\nsice: 1\n",
		 "f:2:1: unknown key 'sice' in a thing (known: name, size)"},
		{"- name\n", "f:1:1: a thing must be a mapping"},
		{"", "f: a thing must be a mapping"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_yaml_ struct yaml *y = parse(rows[i].text);
		struct err err = {0};
		int rc = yaml_only_keys(y, yaml_root(y), "a thing", keys, &err);

		t_row("%s", rows[i].text);
		if (rows[i].words)
			T_ERR(rc, &err, -EINVAL, rows[i].words);
		else
			T_INT(rc, 0);
	}
}

static void sequences_and_mappings_are_walked(void)
{
	_cleanup_yaml_ struct yaml *y = parse("l: [a, b]\nm: {k: v}\n");
	ynode seq = yaml_get(y, yaml_root(y), "l");
	ynode map = yaml_get(y, yaml_root(y), "m"), k, v;
	const char *s = NULL;

	T_INT(yaml_len(seq), 2);
	T_INT(yaml_len(map), 1);
	T_INT(yaml_len(NULL), 0);
	T_INT(yaml_string(y, yaml_at(y, seq, 1), "l", &s, NULL), 0);
	T_STR(s, "b");
	yaml_pair(y, map, 0, &k, &v);
	T_INT(yaml_string(y, v, "v", &s, NULL), 0);
	T_STR(s, "v");
	T_INT(yaml_want_seq(y, seq, "l", NULL), 0);
	T_INT(yaml_want_seq(y, map, "m", NULL), -EINVAL);
	T_INT(yaml_want_map(y, NULL, "m", NULL), -EINVAL);
}

/* --- typed scalars: the value of the key "v" --- */

static void texts_are_read(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"v: abc\n", "abc"},	 {"v: '12'\n", "12"},
		{"v: 12\n", "12"},	 {"v: \"a\\nb\"\n", "a\nb"},
		{"x: 1\n", "default"},	 {"v: \n", "default"},
		{"v: 'null'\n", "null"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_yaml_ struct yaml *y = parse(rows[i].text);
		const char *s = "default";

		t_row("%s", rows[i].text);
		T_INT(yaml_string(y, yaml_get(y, yaml_root(y), "v"), "v", &s,
				  NULL),
		      0);
		T_STR(s, rows[i].want);
	}
}

static void what_is_no_text_is_refused(void)
{
	static const char *const rows[] = {
		"[v, [a]]",	  "[v, {a: b}]", "[v, '']",
		"[v, \"a\\0b\"]", "[v, ~]",	 "[v, null]",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_yaml_ struct yaml *y = parse(rows[i]);
		const char *s = NULL;
		struct err err = {0};

		t_row("%s", rows[i]);
		T_ERR(yaml_string(y, yaml_at(y, yaml_root(y), 1), "v", &s,
				  &err),
		      &err, -EINVAL, "f:1:5: v must be a text");
		T_OK(!s);
	}
}

static ynode value(const struct yaml *y)
{
	return yaml_get(y, yaml_root(y), "v");
}

static void booleans_are_true_or_false_and_nothing_else(void)
{
	static const struct {
		const char *text;
		int want; /* -1: refused */
	} rows[] = {
		{"v: true\n", 1},    {"v: True\n", 1}, {"v: FALSE\n", 0},
		{"v: yes\n", -1},    {"v: 1\n", -1},   {"v: 'true'\n", -1},
		{"v: [true]\n", -1}, {"x: 1\n", 1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_yaml_ struct yaml *y = parse(rows[i].text);
		bool b = rows[i].want != 0;
		struct err err = {0};
		int rc = yaml_bool(y, value(y), "v", &b, &err);

		t_row("%s", rows[i].text);
		if (rows[i].want < 0)
			T_ERR(rc, &err, -EINVAL,
			      "f:1:4: v must be true or false");
		else
			T_OK(!rc && b == rows[i].want);
	}
}

static void whole_numbers_are_bounded(void)
{
	static const struct {
		const char *text;
		int64_t want; /* -1: refused */
	} rows[] = {
		{"v: 1\n", 1},
		{"v: 250\n", 250},
		{"v: 0\n", -1},
		{"v: 251\n", -1},
		{"v: -1\n", -1},
		{"v: +1\n", -1},
		{"v: 1.5\n", -1},
		{"v: 1x\n", -1},
		{"v: 99999999999999999999\n", -1},
		{"v: ''\n", -1},
		{"v: \"5\\0\"\n", -1},
		{"v: [5]\n", -1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_yaml_ struct yaml *y = parse(rows[i].text);
		uint64_t v = 0;
		struct err err = {0};
		int rc = yaml_uint(y, value(y), "v", 1, 250, &v, &err);

		t_row("%s", rows[i].text);
		if (rows[i].want < 0)
			T_ERR(rc, &err, -EINVAL,
			      "f:1:4: v must be a whole number from 1 to 250");
		else
			T_OK(!rc && (int64_t)v == rows[i].want);
	}
}

static void durations_have_units_and_bounds(void)
{
	static const struct {
		const char *text;
		int64_t want; /* -1: refused */
	} rows[] = {
		{"v: 500ms\n", 500},
		{"v: 30s\n", 30000},
		{"v: 30\n", 30000},
		{"v: 5m\n", 300000},
		{"v: 1h\n", 3600000},
		{"v: 1d\n", -1},
		{"v: 99ms\n", -1},
		{"v: 2h\n", -1},
		{"v: 1.5s\n", -1},
		{"v: 5 m\n", -1},
		{"v: -5s\n", -1},
		{"v: s\n", -1},
		{"v: 9223372036854775807h\n", -1},
		{"v: 99999999999999999999\n", -1},
		{"v: \"5s\\0\"\n", -1},
		{"v: {}\n", -1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_yaml_ struct yaml *y = parse(rows[i].text);
		int64_t ms = 0;
		struct err err = {0};
		int rc = yaml_duration(y, value(y), "v", 100, 3600000, &ms,
				       &err);

		t_row("%s", rows[i].text);
		if (rows[i].want < 0)
			T_ERR(rc, &err, -EINVAL,
			      "f:1:4: v must be a time such as");
		else
			T_OK(!rc && ms == rows[i].want);
	}
}

/* --- to JSON --- */

static void scalars_become_json_as_kubectl_reads_them(void)
{
	static const struct {
		const char *yaml, *json;
	} rows[] = {
		{"true", "true"},   {"'yes'", "\"yes\""},
		{"12", "12"},	    {"'12'", "\"12\""},
		{"1.5", "1.5"},	    {"500m", "\"500m\""},
		{"~", "null"},	    {"'~'", "\"~\""},
		{"a b", "\"a b\""}, {"''", "\"\""},
		{"'<<'", "\"<<\""}, {"|\n  x\n  y", "\"x\\ny\""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char yaml[64], json[64];
		struct err err = {0};

		t_row("%s", rows[i].yaml);
		snprintf(yaml, sizeof(yaml), "v: %s", rows[i].yaml);
		snprintf(json, sizeof(json), "{\"v\": %s}", rows[i].json);
		_cleanup_json_ json_object *o = to_json(yaml, &err);
		T_JSON(o, json);
	}
}

static void fractions_are_written_as_short_as_they_were_read(void)
{
	static const char *const rows[] = {"0.1", "0.3", "2.675", "1.1",
					   "1e+30"};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		char yaml[32], want[32];

		snprintf(yaml, sizeof(yaml), "[%s]", rows[i]);
		snprintf(want, sizeof(want), "[%s]", rows[i]);
		_cleanup_json_ json_object *o = to_json(yaml, &err);
		/* pods are copies of the template */
		_cleanup_json_ json_object *copy = jx_copy(o);
		T_STR(json_object_to_json_string_ext(copy,
						     JSON_C_TO_STRING_PLAIN),
		      want);
	}
}

static void aliases_are_followed(void)
{
	struct err err = {0};
	_cleanup_json_ json_object *o =
		to_json("a: &x {k: [1, 2]}\nb: *x\nc: *x\n", &err);

	T_JSON(o, "{\"a\": {\"k\": [1, 2]}, \"b\": {\"k\": [1, 2]},"
		  " \"c\": {\"k\": [1, 2]}}");
}

static void refused(const char *text, const char *words)
{
	struct err err = {0};
	_cleanup_json_ json_object *o = to_json(text, &err);

	T_OK(!o);
	T_ERR(err.code, &err, -EINVAL, words);
}

static void what_json_cannot_hold_is_refused(void)
{
	refused("a: \"x\\0y\"\n", "f:1:4: a text holds a NUL byte");
}

static void an_alias_within_itself_is_refused(void)
{
	refused("&a [*a]\n", "an alias within itself");
	refused("&a {k: *a}\n", "an alias within itself");
}

static void nesting_up_to_the_bound_is_read(void)
{
	_cleanup_free_ char *open = t_repeat("[", YAML_DEPTH_MAX);
	_cleanup_free_ char *close = t_repeat("]", YAML_DEPTH_MAX);
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ json_object *o = NULL;
	struct err err = {0};

	if (asprintf(&text, "%s%s", open, close) < 0)
		abort();
	o = to_json(text, &err);
	T_JSON(o, text);
}

/* libyaml alone would need hours for some of these. */
static void a_mebibyte_of_nesting_is_refused_at_once(void)
{
	static const char *const rows[] = {"[",	 "{",	 "- ",
					   "? ", "a: [", "{a: "};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			t_repeat(rows[i], YAML_SIZE_MAX / strlen(rows[i]));
		struct yaml *y = NULL;
		struct err err = {0};

		t_row("%s", rows[i]);
		T_ERR(yaml_parse("f", text, strlen(text), &y, &err), &err,
		      -EINVAL, ": more than 64 levels");
		T_HAS(err.msg, "f:1:");
	}
}

static void billion_laughs_are_refused(void)
{
	refused("a: &a [l, l, l, l, l, l, l, l, l, l]\n"
		"b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
		"c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
		"d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
		"e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n"
		"f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
		"g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f, *f]\n",
		"more than 100000 values");
}

/* Few values, but of a long text each: 1000 times 100 kB. */
static void a_long_text_repeated_by_alias_is_refused(void)
{
	_cleanup_free_ char *text = t_repeat("x", 100000);
	_cleanup_free_ char *aliases = t_repeat(", *t", 1000);
	_cleanup_free_ char *value = NULL, *key = NULL;

	if (asprintf(&value, "[&t %s%s]\n", text, aliases) < 0 ||
	    asprintf(&key, "[&t {? %s : 1}%s]\n", text, aliases) < 0)
		abort();
	refused(value, "bytes of text");
	refused(key, "bytes of text");
}

T_MAIN("yaml", T(bad_yaml_says_file_line_and_column),
       T(an_empty_file_has_no_root), T(a_raw_nul_byte_is_refused),
       T(a_text_of_one_mebibyte_is_read_but_not_one_byte_more),
       T(a_file_is_called_by_its_path_in_errors),
       T(a_null_value_counts_as_not_there), T(unknown_keys_are_refused),
       T(sequences_and_mappings_are_walked), T(texts_are_read),
       T(what_is_no_text_is_refused),
       T(booleans_are_true_or_false_and_nothing_else),
       T(whole_numbers_are_bounded), T(durations_have_units_and_bounds),
       T(scalars_become_json_as_kubectl_reads_them),
       T(fractions_are_written_as_short_as_they_were_read),
       T(aliases_are_followed), T(what_json_cannot_hold_is_refused),
       T(an_alias_within_itself_is_refused), T(nesting_up_to_the_bound_is_read),
       T(a_mebibyte_of_nesting_is_refused_at_once),
       T(billion_laughs_are_refused),
       T(a_long_text_repeated_by_alias_is_refused))
