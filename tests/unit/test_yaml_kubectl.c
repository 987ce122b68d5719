/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Corners of YAML: what kubectl makes of them, or an error with its place. What
 * is wanted is what sigs.k8s.io/yaml 1.6.0 says (YAMLToJSON), to the letter.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "t.h"
#include "json/yaml.h"

/* Read, and the JSON as it is sent. */
static int read_as(const char *text, size_t len, char *out, size_t size,
		   struct err *err)
{
	_cleanup_yaml_ struct yaml *y = NULL;
	_cleanup_json_ json_object *o = NULL;
	int rc = yaml_parse("f", text, len, &y, err);

	if (!rc)
		rc = yaml_to_json(y, yaml_root(y), &o, err);
	snprintf(out, size, "%s",
		 json_object_to_json_string_ext(
			 o, JSON_C_TO_STRING_PLAIN |
				    JSON_C_TO_STRING_NOSLASHESCAPE));
	return rc;
}

static void check(const char *text, const char *json, const char *refused)
{
	struct err err = {0};
	char got[200];
	int rc = read_as(text, strlen(text), got, sizeof(got), &err);

	t_row("%s", text);
	if (refused)
		T_ERR(rc, &err, -EINVAL, refused);
	else if (T_INT(rc, 0))
		T_STR(got, json);
}

static void values_are_what_they_are_to_kubectl(void)
{
	static const struct {
		const char *value, *json; /* NULL: refused */
	} rows[] = {
		/* yes and no */
		{"y", "true"},
		{"Y", "true"},
		{"yes", "true"},
		{"YES", "true"},
		{"on", "true"},
		{"On", "true"},
		{"True", "true"},
		{"n", "false"},
		{"N", "false"},
		{"no", "false"},
		{"OFF", "false"},
		{"FALSE", "false"},
		{"yEs", "\"yEs\""},
		{"tRUE", "\"tRUE\""},
		{"ye", "\"ye\""},
		/* nothing */
		{"", "null"},
		{"~", "null"},
		{"Null", "null"},
		{"nULL", "\"nULL\""},
		/* whole numbers */
		{"0", "0"},
		{"-0", "0"},
		{"+3", "3"},
		{"1_000", "1000"},
		{"1__0_", "10"},
		{"-_1", "-1"},
		{"_1", "\"_1\""},
		{"017", "15"},
		{"0o17", "15"},
		{"0O17", "15"},
		{"00", "0"},
		{"-017", "-15"},
		{"08", "8"},
		{"0_8", "8"},
		{"019", "19"},
		{"0b11", "3"},
		{"-0b11", "-3"},
		{"0B11", "3"},
		{"0b2", "\"0b2\""},
		{"0b", "\"0b\""},
		{"0b-", "\"0b-\""},
		{"0b-1", NULL}, /* go-yaml: -1 */
		{"0x1F", "31"},
		{"0X_1f", "31"},
		{"-0x1f", "-31"},
		{"0x", "\"0x\""},
		{"0xg", "\"0xg\""},
		{"+-1", "\"+-1\""},
		{"9223372036854775807", "9223372036854775807"},
		{"-9223372036854775808", "-9223372036854775808"},
		{"9223372036854775808", "9223372036854775808"},
		{"18446744073709551615", "18446744073709551615"},
		{"18446744073709551616", "18446744073709552000"},
		{"-9223372036854775809", "-9223372036854776000"},
		{"+9223372036854775808", "9223372036854776000"},
		/* fractions */
		{".5", "0.5"},
		{"-.5", "-0.5"},
		{"1.", "1"},
		{"1.50", "1.5"},
		{"1_0.5", "10.5"},
		{"012.5", "12.5"},
		{"-0.0", "-0"},
		{"1e3", "1000"},
		{"1E+3", "1000"},
		{".5e3", "500"},
		{"1e1_0", "10000000000"},
		{"1e15", "1000000000000000"},
		{"1.5e20", "150000000000000000000"},
		{"1e21", "1e+21"},
		{"0.000001", "0.000001"},
		{"1e-999", "0"},
		{"1e999", "\"1e999\""},
		{"1e", "\"1e\""},
		{".", "\".\""},
		{"-.", "\"-.\""},
		{".5_0", NULL}, /* go-yaml: 0.5 */
		{"._5", NULL},	/* and a text */
		{".inf", NULL}, /* kubectl refuses these, too */
		{"-.Inf", NULL},
		{".NaN", NULL},
		{"inf", "\"inf\""},
		{"0x1p3", "\"0x1p3\""},
		{"1.2.3", "\"1.2.3\""},
		/* texts */
		{"12:30", "\"12:30\""},
		{"190:20:30.15", "\"190:20:30.15\""},
		{"2001-01-01", "\"2001-01-01\""},
		{"4Gi", "\"4Gi\""},
		{"=", "\"=\""},
		{"<<", "\"<<\""},
		{"'on'", "\"on\""},
		{"\"0x1f\"", "\"0x1f\""},
		{"|-\n  on", "\"on\""},
		{"x\ty\t# z", "\"x\\ty\""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char text[64], json[64];

		snprintf(text, sizeof(text), "v: %s", rows[i].value);
		snprintf(json, sizeof(json), "{\"v\":%s}", rows[i].json);
		check(text, json,
		      rows[i].json ? NULL : "is no number of JSON's");
	}
}

/* (more than any number that means something has) */
static void an_endless_number_is_refused(void)
{
	_cleanup_free_ char *digits = t_repeat("1", 600);
	_cleanup_free_ char *letters = t_repeat("1a", 300);
	_cleanup_free_ char *text = NULL;
	struct err err = {0};
	char got[800];

	if (asprintf(&text, "[%s, %s]", letters, digits) < 0)
		abort();
	T_ERR(read_as(text, strlen(text), got, sizeof(got), &err), &err,
	      -EINVAL, "f:1:604: '1111");
}

/* kubectl makes texts of them: "true", "15", "1000". */
static void keys_that_are_no_texts_are_refused(void)
{
	static const struct {
		const char *text, *json, *refused;
	} rows[] = {
		{"8080: v", "{\"8080\":\"v\"}", NULL},
		{"-1: v", "{\"-1\":\"v\"}", NULL},
		{"1.5: v", "{\"1.5\":\"v\"}", NULL},
		{"'on': v", "{\"on\":\"v\"}", NULL},
		{"\"\": v", "{\"\":\"v\"}", NULL},
		{"one: v", "{\"one\":\"v\"}", NULL},
		{"? a\n: v", "{\"a\":\"v\"}", NULL},
		{"on: v", NULL, "f:1:1: a key must be a text: 'on' without"},
		{"a: {y: v}", NULL, "f:1:5: a key must be a text: 'y' without"},
		{"017: v", NULL, "f:1:1: a key must be a text: '017'"},
		{"1_000: v", NULL, "f:1:1: a key must be a text"},
		{"+1: v", NULL, "f:1:1: a key must be a text"},
		{"1.50: v", NULL, "f:1:1: a key must be a text"},
		{".5: v", NULL, "f:1:1: a key must be a text"},
		{"1e-9: v", NULL, "f:1:1: a key must be a text"},
		{"1234567.5: v", NULL, "f:1:1: a key must be a text"},
		{"18446744073709551615: v", NULL, "a key must be a text"},
		{".inf: v", NULL, "f:1:1: a key must be a text"},
		{"~: v", NULL, "f:1:1: a key must be a text"},
		{"? \n: v", NULL, "f:1:2: a key must be a text"},
		{"[a]: v", NULL, "f:1:1: a key must be a text"},
		{"{a: b}: v", NULL, "f:1:1: a key must be a text"},
		{"\"a\\0b\": v", NULL, "f:1:1: a key must be a text"},
		/* the last one counts to kubectl */
		{"a: 1\nb: 2\na: 3", NULL, "f:3:1: key 'a' is there twice"},
		{"a: 1\n'a': 3", NULL, "f:2:1: key 'a' is there twice"},
		{"c: {a: 1, b: 2, a: 3}", NULL, "f:1:17: key 'a' is"},
		{"- a: 1\n- a: 1", "[{\"a\":1},{\"a\":1}]", NULL},
		/* and this is one map in another */
		{"a: &x {b: 1}\nc: {<<: *x}", NULL, "f:2:5: merge keys (<<)"},
		{"'<<': v", "{\"<<\":\"v\"}", NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++)
		check(rows[i].text, rows[i].json, rows[i].refused);
}

static void texts_are_read_as_kubectl_does(void)
{
	static const struct {
		const char *text, *json, *refused;
	} rows[] = {
		/* tags: kubectl takes some */
		{"a: !!str 5", NULL, "f:1:4: tags (!!str, !x) are not supp"},
		{"a: !!int '5'", NULL, "f:1:4: tags"},
		{"a: !!binary aGk=", NULL, "f:1:4: tags"},
		{"a: !x 5", NULL, "f:1:4: tags"},
		{"a: ! 5", NULL, "f:1:4: tags"},
		{"a: [1, !!float 2]", NULL, "f:1:8: tags"},
		{"a: !!map {b: 1}", NULL, "f:1:4: tags"},
		{"a:\n- !!seq [1]", NULL, "f:2:3: tags"},
		{"!!str a: 1", NULL, "f:1:1: tags"},
		{"%TAG !e! tag:e,2000:\n--- \na: !e!x 1", NULL, "f:3:4: tags"},
		/* anchors and aliases */
		{"a: &x on\nb: *x", "{\"a\":true,\"b\":true}", NULL},
		{"a: &x\nb: *x", "{\"a\":null,\"b\":null}", NULL},
		{"&k a: 1\nb: *k", "{\"a\":1,\"b\":\"a\"}", NULL},
		{"&k 017: 1", NULL, "a key must be a text"},
		/* versions */
		{"%YAML 1.1\n---\na: on", "{\"a\":true}", NULL},
		{"%YAML 1.2\n---\na: on", NULL, "f:1:1: this is read as YAML"},
		{"%YAML 2.0\n---\na: on", NULL, "f:1:"},
		/* documents: kubectl makes an object of each */
		{"---\na: 1\n...\n", "{\"a\":1}", NULL},
		{"--- {a: 1}\n", "{\"a\":1}", NULL},
		{"# x\n---\n# y\na: 1\n", "{\"a\":1}", NULL},
		{"a: 1\n---\nb: 2\n", NULL, "f:3:1: a second document"},
		{"a: 1\n---\n", NULL, "f:3:1: a second document"},
		{"---\n---\na: 1\n", NULL, "f:3:1: a second document"},
		{"a: 1\n...\nb: 2\n", NULL, "f:3:1: did not find expected"},
		/* lines, tabs and marks */
		{"a: 1\r\nb: on\r\n", "{\"a\":1,\"b\":true}", NULL},
		{"a: |\r\n  x\r\n  y\r\n", "{\"a\":\"x\\ny\\n\"}", NULL},
		{"a: \"x\r\n  y\"\r\n", "{\"a\":\"x y\"}", NULL},
		{"a:\t1\t# x\n", "{\"a\":1}", NULL},
		{"a:\n\t- 1\n", NULL, "f:2:1: found character that cannot"},
		{"-\ta\n-\tb: 1\n", NULL, "f:1:2: found character that canno"},
		{"\xef\xbb\xbf"
		 "a: 1\n",
		 "{\"a\":1}", NULL},
		{"a: 1\n\xef\xbb\xbf"
		 "b: 1\n",
		 NULL, "f:2:1: a byte order mark (U+FEFF)"},
		{"a: x\xef\xbb\xbf\n", NULL, "f:1:5: a byte order mark"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++)
		check(rows[i].text, rows[i].json, rows[i].refused);
}

/* --- our own keys */

/* -1: refused */
static int64_t number_of(const struct yaml *y, ynode n, struct err *err)
{
	uint64_t v = 0;

	return yaml_uint(y, n, "v", 0, 1000, &v, err) ? -1 : (int64_t)v;
}

static int64_t time_of(const struct yaml *y, ynode n, struct err *err)
{
	int64_t ms = 0;

	return yaml_duration(y, n, "v", 0, 1000000, &ms, err) ? -1 : ms;
}

static void our_keys_have_plain_words_only(void)
{
	static const struct {
		const char *value, *text; /* NULL: refused */
		int yes;		  /* -1: refused */
		int64_t number, time;
	} rows[] = {
		{"true", NULL, 1, -1, -1},
		{"FALSE", NULL, 0, -1, -1},
		{"yes", NULL, -1, -1, -1},
		{"y", NULL, -1, -1, -1},
		{"off", NULL, -1, -1, -1},
		{"'yes'", "yes", -1, -1, -1},
		{"10", "10", -1, 10, 10000},
		{"0", "0", -1, 0, 0},
		{"010", NULL, -1, -1, -1},
		{"08", NULL, -1, -1, -1},
		{"'010'", "010", -1, -1, -1},
		{"00", NULL, -1, -1, -1},
		{"010s", "010s", -1, -1, -1},
		{"0s", "0s", -1, -1, 0},
		{"1_0", NULL, -1, -1, -1},
		{"+1", NULL, -1, -1, -1},
		{"0x10", NULL, -1, -1, -1},
		{"0b11", NULL, -1, -1, -1},
		{"0o17", NULL, -1, -1, -1},
		{"1e1", NULL, -1, -1, -1},
		{"1.5", "1.5", -1, -1, -1},
		{"1.50", NULL, -1, -1, -1},
		{".5", NULL, -1, -1, -1},
		{".inf", NULL, -1, -1, -1},
		{"12:30", "12:30", -1, -1, -1},
		{"22.05.8", "22.05.8", -1, -1, -1},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_yaml_ struct yaml *y = NULL;
		struct err err = {0};
		const char *text = NULL;
		bool yes = false;
		char line[40];
		ynode n;
		int rc;

		t_row("%s", rows[i].value);
		snprintf(line, sizeof(line), "v: %s", rows[i].value);
		T_INT(yaml_parse("f", line, strlen(line), &y, &err), 0);
		n = yaml_get(y, yaml_root(y), "v");
		rc = yaml_string(y, n, "v", &text, &err);
		if (rows[i].text)
			T_STR(text, rows[i].text);
		else
			T_ERR(rc, &err, -EINVAL,
			      "f:1:4: v must be a text: without quotes");
		rc = yaml_bool(y, n, "v", &yes, &err);
		T_INT(rc ? -1 : yes, rows[i].yes);
		T_INT(number_of(y, n, &err), rows[i].number);
		T_INT(time_of(y, n, &err), rows[i].time);
	}
}

T_MAIN("yaml_kubectl", T(values_are_what_they_are_to_kubectl),
       T(an_endless_number_is_refused), T(keys_that_are_no_texts_are_refused),
       T(texts_are_read_as_kubectl_does), T(our_keys_have_plain_words_only))
