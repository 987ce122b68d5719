/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Some members of a JSON text. */
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "objects/partial_pod.h"
#include "t.h"
#include "json/json_only.h"

static const struct jx_only inner[] = {{"a", NULL}, {"b", NULL}, {NULL, NULL}};
static const struct jx_only outer[] = {
	{"in", inner},
	{"whole", NULL},
	{NULL, NULL},
};

static void what_is_wanted_is_there_and_nothing_else(void)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"{}", "{}"},
		{" { } ", "{}"},
		{"{\"x\":1}", "{}"},
		{"{\"whole\":{\"x\":[1,{\"y\":null}]}}",
		 "{\"whole\":{\"x\":[1,{\"y\":null}]}}"},
		{"{\"x\":{\"whole\":1},\"in\":{\"a\":1,\"x\":2,\"b\":true}}",
		 "{\"in\":{\"a\":1,\"b\":true}}"},
		{"{\"in\":[{\"x\":1,\"a\":2},{\"b\":\"]}\\\"\"},3,[{\"x\":4}]]"
		 ",\"x\":\"}\"}",
		 "{\"in\":[{\"a\":2},{\"b\":\"]}\\\"\"},3,[{\"x\":4}]]}"},
		{"{\"in\":[],\"whole\":\"\"}", "{\"in\":[],\"whole\":\"\"}"},
		{"{ \"in\" :\t{ \"a\" :\n-1.5e3 } , \"x\":false}",
		 "{\"in\":{\"a\":-1.5e3}}"},
		{"{\"in\":null,\"i\":1,\"inn\":2,\"whole\":0}",
		 "{\"in\":null,\"whole\":0}"},
		{"[{\"whole\":1,\"x\":2}]", "[{\"whole\":1}]"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = NULL;

		t_row("%s", rows[i].in);
		T_INT(jx_parse_only(rows[i].in, strlen(rows[i].in), outer, 10,
				    &o, NULL),
		      0);
		T_STR(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		      rows[i].out);
	}
}

static const struct jx_only rest[] = {
	{"gone", JX_LEFT_OUT},
	{"in", inner},
	{JX_OTHERS, NULL},
	{NULL, NULL},
};

static void all_but_what_is_left_out_is_there(void)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"{\"gone\":1}", "{}"},
		{"{\"gone\":[{}],\"a\":1,\"gone\":{},\"b\":{\"gone\":2}}",
		 "{\"a\":1,\"b\":{\"gone\":2}}"},
		{"{\"in\":{\"a\":1,\"gone\":2,\"c\":3},\"*\":4,\"gon\":5}",
		 "{\"in\":{\"a\":1},\"*\":4,\"gon\":5}"},
		{"[{\"gone\":1,\"x\":[[{}]]}]", "[{\"x\":[[{}]]}]"},
		{"{\"x\\\"y\":1,\"gone\":2}", "{\"x\\\"y\":1}"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = NULL;

		t_row("%s", rows[i].in);
		T_INT(jx_parse_only(rows[i].in, strlen(rows[i].in), rest, 10,
				    &o, NULL),
		      0);
		T_STR(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		      rows[i].out);
	}
}

static const struct jx_only of_owner[] = {
	{"name", NULL},
	{"chief", JX_NEEDED},
	{NULL, NULL},
};

static const struct jx_only some[] = {
	{"any", JX_SOME}, {"owners", of_owner, 8},  {"few", NULL, 3},
	{"in", inner},	  {"a/exact", JX_LEFT_OUT}, {"a/*", NULL, 2},
	{NULL, NULL},
};

static void what_is_wanted_may_be_told_by_its_like(void)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"{\"any\":[ ],\"a\":1}", "{\"any\":[]}"},
		{"{\"any\":[{},{\"x\":[]}]}", "{\"any\":[0]}"},
		{"{\"any\":{\t}}", "{\"any\":{}}"},
		{"{\"any\":{\"x\":2}}", "{\"any\":{\"\":0}}"},
		{"{\"any\":\"x\"}", "{\"any\":\"x\"}"},
		{"{\"owners\":[{\"name\":1},{\"name\":2,\"chief\":true},"
		 "{\"chief\":false,\"name\":3},{\"chief\":0},{\"chief\":null},"
		 "{\"chief\":8},4,{}]}",
		 "{\"owners\":[{\"name\":2,\"chief\":true},{\"chief\":8},4]}"},
		{"{\"owners\":[{},{}]}", "{\"owners\":[]}"},
		{"{\"few\":[1,2,3]}", "{\"few\":[1,2,3]}"},
		{"{\"few\":{\"x\":[{}]},\"in\":[{\"a\":1},{},{},{}]}",
		 "{\"few\":{\"x\":[{}]},\"in\":[{\"a\":1},{},{},{}]}"},
		{"{\"a/1\":1,\"a/exact\":1,\"b\":1,\"a/2\":1,\"a/3\":1,\"a\":1,"
		 "\"any\":1}",
		 "{\"a/1\":1,\"a/2\":1,\"any\":1}"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *o = NULL;

		t_row("%s", rows[i].in);
		T_INT(jx_parse_only(rows[i].in, strlen(rows[i].in), some, 10,
				    &o, NULL),
		      0);
		T_STR(json_object_to_json_string_ext(
			      o, JSON_C_TO_STRING_NOSLASHESCAPE),
		      rows[i].out);
	}
}

static void a_member_with_more_than_it_may_have_is_refused(void)
{
	static const char *const rows[] = {
		"{\"few\":[1,2,3,4]}",
		"{\"few\":{\"x\":[{},1]}}",
		"{\"any\":1,\"few\":[[[[]]]]}",
		("{\"owners\":[{\"chief\":1,\"name\":1},{\"chief\":1,\"name\":1"
		 "},{\"chief\":1},{\"chief\":1}]}"),
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		json_object *o = NULL;

		t_row("%s", rows[i]);
		T_ERR(jx_parse_only(rows[i], strlen(rows[i]), some, 10, &o,
				    &err),
		      &err, -EBADMSG, "the JSON has more than ");
	}
}

static void broken_text_is_refused(void)
{
	static const char *const rows[] = {
		"",
		" ",
		"{",
		"{\"",
		"{\"x",
		"{\"x\\",
		"{\"x\"",
		"{\"x\":",
		"{\"x\":}",
		"{\"x\":,}",
		"{\"x\":1",
		"{\"x\":1 2}",
		"{\"x\":[}",
		"{\"x\":\"\\\"}",
		"{x:1}",
		"{\"in\":[",
		"{\"in\":[{}",
		"{\"in\":[{} {}]}",
		"{\"in\":{\"a\":nonsense}}",
		"{} {}",
		"{}x",
		"null",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};
		json_object *o = NULL;

		t_row("%s", rows[i]);
		T_INT(jx_parse_only(rows[i], strlen(rows[i]), outer, 10, &o,
				    &err),
		      -EBADMSG);
		T_OK(strstr(err.msg, "bad JSON at byte"));
		T_OK(!o);
	}
}

/* (each level of what is left out would be a call, were it not) */
static void what_is_left_out_may_be_deep_and_long(void)
{
	_cleanup_free_ char *open = t_repeat("[", 500000);
	_cleanup_free_ char *close = t_repeat("]", 500000);
	_cleanup_free_ char *many = t_repeat("{},", 500000);
	_cleanup_free_ char *text =
		str_printf("{\"x\":%s%s,\"in\":[%s7],\"y\":[%s7],\"whole\":1}",
			   open, close, "", many);
	_cleanup_json_ json_object *o = NULL;

	T_INT(jx_parse_only(text, strlen(text), outer, 2, &o, NULL), 0);
	T_STR(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
	      "{\"in\":[7],\"whole\":1}");
}

static void what_is_wanted_has_bounds(void)
{
	_cleanup_free_ char *open = t_repeat("[", JX_DEPTH_MAX);
	_cleanup_free_ char *close = t_repeat("]", JX_DEPTH_MAX);
	_cleanup_free_ char *deep = str_printf("{\"whole\":%s%s}", open, close);
	static const char many[] = "{\"in\":[{},{},{}]}";
	struct err err = {0};
	json_object *o = NULL;

	T_INT(jx_parse_only(deep, strlen(deep), outer, 1000, &o, NULL),
	      -EBADMSG);
	T_ERR(jx_parse_only(many, strlen(many), outer, 4, &o, &err), &err,
	      -EBADMSG, "the JSON has more than 4 objects and lists");
	T_INT(jx_parse_only(many, strlen(many), outer, 5, &o, NULL), 0);
	json_object_put(o);
}

/* Each of its containers, whatever else of it is long. */
static void a_pods_part_has_what_it_holds(void)
{
	_cleanup_free_ char *many = t_repeat("{\"key\":\"k\"},", 60000);
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\":{\"uid\":\"u\",\"finalizers\":[{}]},"
		"\"spec\":{\"tolerations\":[%s{}],\"nodeName\":\"n1\","
		"\"containers\":[{\"env\":[%s{}],\"resources\":{\"claims\":[%s"
		"{}],\"requests\":{\"cpu\":\"2\"}}}]}}",
		many, many, many);
	_cleanup_json_ json_object *o = NULL;
	json_object *whole = NULL;

	T_INT(jx_parse(text, strlen(text), &whole, NULL), -EBADMSG);
	T_INT(partial_pod_read(text, strlen(text), &o, NULL), 0);
	T_STR(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
	      "{\"metadata\":{\"uid\":\"u\"},\"spec\":{\"nodeName\":\"n1\","
	      "\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"2\"}}}"
	      "]}}");
}

static void a_whole_pod_is_all_but_what_nobody_reads(void)
{
	static const char text[] =
		"{\"metadata\":{\"uid\":\"u\",\"managedFields\":[{}]},"
		"\"spec\":{\"volumes\":[{}],\"ephemeralContainers\":[{}],"
		"\"tolerations\":[{\"key\":\"k\"}],\"containers\":[{"
		"\"env\":[{}],\"ports\":[{\"hostPort\":1}],\"command\":[],"
		"\"livenessProbe\":{\"terminationGracePeriodSeconds\":7,"
		"\"exec\":{}},"
		"\"readinessProbe\":{},\"volumeMounts\":[]}],"
		"\"initContainers\":[{\"restartPolicy\":\"Always\","
		"\"args\":[]}]},\"status\":{\"containerStatuses\":[{"
		"\"volumeMounts\":[],\"lastState\":{\"terminated\":{}}}]}}";
	_cleanup_json_ json_object *o = NULL;

	T_INT(jx_parse_only(text, strlen(text), whole_pod, 100, &o, NULL), 0);
	T_STR(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
	      "{\"metadata\":{\"uid\":\"u\"},\"spec\":{\"tolerations\":[{"
	      "\"key\":\"k\"}],\"containers\":[{\"ports\":[{\"hostPort\":1}"
	      "],\"livenessProbe\":{\"terminationGracePeriodSeconds\":7}}],"
	      "\"initContainers\":[{\"restartPolicy\":\"Always\"}]},"
	      "\"status\":{\"containerStatuses\":[{\"lastState\":{"
	      "\"terminated\":{}}}]}}");
}

/* What kubectl debug has added is all that still runs. */
static void that_an_ephemeral_container_runs_is_read(void)
{
	static const char text[] =
		"{\"status\":{\"ephemeralContainerStatuses\":[{\"name\":\"d\","
		"\"state\":{\"running\":{\"startedAt\":\"x\"}}},{\"state\":{"
		"\"terminated\":{}}}]}}";
	static const char want[] =
		"{\"status\":{\"ephemeralContainerStatuses\":[{\"state\":{"
		"\"running\":{}}},{\"state\":{}}]}}";
	_cleanup_json_ json_object *whole = NULL, *part = NULL;

	T_INT(jx_parse_only(text, strlen(text), whole_pod, 100, &whole, NULL),
	      0);
	T_INT(partial_pod_read(text, strlen(text), &part, NULL), 0);
	T_STR(json_object_to_json_string_ext(whole, JSON_C_TO_STRING_PLAIN),
	      want);
	T_STR(json_object_to_json_string_ext(part, JSON_C_TO_STRING_PLAIN),
	      want);
}

T_MAIN("json_only", T(that_an_ephemeral_container_runs_is_read),
       T(what_is_wanted_is_there_and_nothing_else),
       T(all_but_what_is_left_out_is_there),
       T(what_is_wanted_may_be_told_by_its_like),
       T(a_member_with_more_than_it_may_have_is_refused),
       T(broken_text_is_refused), T(what_is_left_out_may_be_deep_and_long),
       T(what_is_wanted_has_bounds), T(a_pods_part_has_what_it_holds),
       T(a_whole_pod_is_all_but_what_nobody_reads))
