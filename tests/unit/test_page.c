/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "its_text.h"
#include "kube/frames.h"
#include "kube/page.h"
#include "kube/page_stream.h"
#include "t.h"

/* What came, each with a blank behind it; -ECANCELED at the `stop`-th. */
struct seen {
	struct buf text;
	int n, stop;
};

static int on_item(void *arg, json_object *item)
{
	struct seen *s = arg;

	buf_addf(&s->text, "%s ",
		 json_object_to_json_string_ext(item, JSON_C_TO_STRING_PLAIN));
	return ++s->n == s->stop ? -ECANCELED : 0;
}

static void items_and_metadata_are_read(void)
{
	static const struct {
		const char *text, *meta, *items;
	} rows[] = {
		{"{\"kind\":\"PodList\",\"metadata\":{\"continue\":\"x\"},"
		 "\"items\":[{\"a\":1},{\"b\":[2,{}]}]}\n",
		 "{\"continue\":\"x\"}", "{\"a\":1} {\"b\":[2,{}]} "},
		{" { \"items\" : [ {} , [ ] ,\r\n\t\"s\" ] , "
		 "\"metadata\" : { } } ",
		 "{}", "{} [] \"s\" "},
		{"{\"items\":[],\"metadata\":{}}", "{}", ""},
		{"{\"items\":null,\"metadata\":{}}", "{}", ""},
		{"{\"items\":[],\"metadata\":{\"a\":1},\"metadata\":{}}", "{}",
		 ""},
		/* brackets and quotes in strings are text */
		{"{\"k\":\"\\\"}],{\",\"items\":[{\"t\":\"\\\\\"},"
		 "{\"t\":\"]}\\\"\"}],\"metadata\":{}}",
		 "{}", "{\"t\":\"\\\\\"} {\"t\":\"]}\\\"\"} "},
		/* what is deeper is no list of ours */
		{"{\"spec\":{\"items\":[1]},\"metadata\":{\"items\":[2]},"
		 "\"items\":null}",
		 "{\"items\":[2]}", ""},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *meta = NULL, *again = NULL;
		struct seen s = {.text = BUF_INIT(4096)};
		const struct page_handler to = {.on_item = on_item, .arg = &s};
		const char *text = rows[i].text;

		t_row("%s", text);
		T_INT(page_read(text, strlen(text), &meta, &to), 0);
		T_JSON(meta, rows[i].meta);
		T_STR(buf_str(&s.text), rows[i].items);
		T_INT(page_read(text, strlen(text), &again, NULL), 0);
		T_JSON(again, rows[i].meta);
		buf_free(&s.text);
	}
}

static void no_metadata_is_null(void)
{
	json_object *meta;

	T_INT(page_read("{\"items\":[]}", 12, &meta, NULL), 0);
	T_OK(!meta);
}

static void what_is_no_list_is_refused(void)
{
	static const char *const rows[] = {
		"",
		"[]",
		"{}",
		"{\"metadata\":{}}", /* no word of what there is */
		"{\"rows\":[],\"metadata\":{}}",
		"\"items\"",
		"{",
		"{}x",
		"{} {}",
		"{\"metadata\":{}",
		"{\"metadata\":{},}",
		"{\"metadata\" {}}",
		"{\"metadata\":}",
		"{\"metadata\":{\"a\":}}",
		"{\"metadata\":null}",
		"{metadata:{}}",
		"{\"items\":{},\"metadata\":{}}",
		"{\"items\":[{},]}",
		"{\"items\":[{} {}]}",
		"{\"items\":[{}",
		"{\"items\":[{}]",
		"{\"items\":[{\"a\":\"",
		"{\"items\":[{\"a\":\"\\",
		"{\"items\":[}]}",
		"{\"items\":[{]}]}",
		"{\"items\":[null]}",
		"{\"items\":[tru]}",
		"{\"metadata\":{},\"items\":[{\"a\":tru}]}",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct seen s = {.text = BUF_INIT(4096)};
		const struct page_handler to = {.on_item = on_item, .arg = &s};
		json_object *meta;

		t_row("%s", rows[i]);
		T_INT(page_read(rows[i], strlen(rows[i]), &meta, &to),
		      -EBADMSG);
		T_OK(!meta);
		buf_free(&s.text);
	}
}

static void each_beginning_of_a_list_is_refused(void)
{
	static const char text[] =
		"{\"metadata\":{\"a\":\"\\\"\"},\"items\":[{\"b\":[1]},{}]}";

	for (size_t len = 0; len < strlen(text); len++) {
		_cleanup_free_ char *cut = strndup(text, len);
		json_object *meta;

		t_row("%s", cut);
		T_INT(page_read(cut, len, &meta, NULL), -EBADMSG);
	}
}

static void who_gets_the_items_may_stop(void)
{
	static const char text[] = "{\"metadata\":{},\"items\":[[1],[2],[3]]}";
	struct seen s = {.text = BUF_INIT(4096), .stop = 2};
	const struct page_handler to = {.on_item = on_item, .arg = &s};
	json_object *meta;

	T_INT(page_read(text, strlen(text), &meta, &to), -ECANCELED);
	T_OK(!meta);
	T_STR(buf_str(&s.text), "[1] [2] ");
	buf_free(&s.text);
}

static int on_oversized(void *arg, const struct object_id *id)
{
	struct seen *s = arg;

	buf_addf(&s->text, "%s/%s %s@%s ", id->ns, id->name, id->uid,
		 id->version);
	T_OK(id->unreadable == has_its_text(id));
	return 0;
}

static void an_item_over_the_limit_is_named_and_passed_over(void)
{
	_cleanup_free_ char *much = t_repeat("x", FRAME_MAX);
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\":{},\"items\":[[1],{\"spec\":{\"metadata\":"
		"{\"name\":\"no\"},\"t\":\"%s\"},\"metadata\":{\"name\":"
		"\"n\",\"namespace\":\"ns\",\"uid\":\"u\","
		"\"resourceVersion\":\"7\"}},[2]]}",
		much);
	_cleanup_json_ json_object *meta = NULL;
	struct seen s = {.text = BUF_INIT(4096)};
	const struct page_handler to = {on_item, on_oversized, &s};

	T_INT(page_read(text, strlen(text), &meta, &to), 0);
	T_STR(buf_str(&s.text), "[1] ns/n u@7 [2] ");
	buf_free(&s.text);
}

/* --- as it comes */

/* In pieces of `chunk`; the first error. The caller puts *meta. */
static int stream(const char *text, size_t chunk, struct seen *s,
		  json_object **meta)
{
	const struct page_handler to = {on_item, on_oversized, s};
	const size_t len = strlen(text);
	struct page_stream p;
	int rc = 0;

	*meta = NULL;
	page_stream_init(&p);
	for (size_t at = 0; !rc && at < len; at += chunk) {
		rc = page_stream_feed(&p, text + at,
				      len - at < chunk ? len - at : chunk, &to);
		T_OK(p.value.size <= 2 * FRAME_MAX);
	}
	if (!rc)
		rc = page_stream_end(&p, meta);
	page_stream_clear(&p);
	return rc;
}

static void a_page_may_come_in_any_pieces(void)
{
	static const struct {
		const char *text, *meta, *items;
	} rows[] = {
		{"{\"kind\":\"PodList\",\"metadata\":{\"continue\":\"x\"},"
		 "\"items\":[{\"a\":1},{\"b\":[2,{}]}]}\n",
		 "{\"continue\":\"x\"}", "{\"a\":1} {\"b\":[2,{}]} "},
		{" { \"items\" : [ {} , {\"a\" : [ ]} ,\r\n\t{ } ] , "
		 "\"metadata\" : { } } ",
		 "{}", "{} {\"a\":[]} {} "},
		{"{\"items\":[],\"metadata\":{\"a\":1},\"metadata\":{}}", "{}",
		 ""},
		{"{\"k\":\"\\\"}],{\",\"items\":[{\"t\":\"\\\\\"},"
		 "{\"t\":\"]}\\\"\"}],\"metadata\":{}}",
		 "{}", "{\"t\":\"\\\\\"} {\"t\":\"]}\\\"\"} "},
		{"{\"spec\":{\"items\":[1]},\"metadata\":{\"items\":[2]},"
		 "\"x\":\"items\",\"items\":[{\"items\":[{}],"
		 "\"metadata\":{}}],\"y\":[[{}]]}",
		 "{\"items\":[2]}", "{\"items\":[{}],\"metadata\":{}} "},
	};

	for (size_t i = 0; i < 4 * T_COUNT(rows); i++) {
		static const size_t chunks[] = {1, 2, 7, 4096};
		const char *text = rows[i / 4].text;
		_cleanup_json_ json_object *meta = NULL;
		struct seen s = {.text = BUF_INIT(4096)};

		t_row("%s by %zu", text, chunks[i % 4]);
		T_INT(stream(text, chunks[i % 4], &s, &meta), 0);
		T_JSON(meta, rows[i / 4].meta);
		T_STR(buf_str(&s.text), rows[i / 4].items);
		buf_free(&s.text);
	}
}

static void pieces_of_no_list_are_refused(void)
{
	static const char *const rows[] = {
		"",
		"[]",
		"{}",
		"x",
		"{}x",
		"{} {}",
		"{\"metadata\":{}}",
		"\"items\"",
		"{\"items\":{}}",
		"{\"items\":null}",
		"{\"items\":[1]}",
		"{\"items\":[\"a\"]}",
		"{\"items\":[[{}]]}",
		"{\"items\":[{\"a\":tru}]}",
		"{\"items\":[{}",
		"{\"items\":[{}]",
		"{\"items\":[{\"a\":\"",
		"{\"items\":[{}]}}",
		"{\"metadata\":{\"a\":tru},\"items\":[]}",
	};
	_cleanup_free_ char *much = t_repeat("x", PAGE_META_MAX);
	_cleanup_free_ char *text =
		str_printf("{\"metadata\":{\"a\":\"%s\"},\"items\":[]}", much);
	struct seen s = {.text = BUF_INIT(4096)};
	json_object *meta;

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i]);
		T_INT(stream(rows[i], 3, &s, &meta), -EBADMSG);
		T_OK(!meta);
	}
	T_INT(stream(text, 1000, &s, &meta), -EMSGSIZE);
	s.stop = 2;
	s.n = 0;
	T_INT(stream("{\"items\":[{},{},{}]}", 3, &s, &meta), -ECANCELED);
	T_INT(s.n, 2);
	buf_free(&s.text);
}

static void of_pieces_an_item_over_the_limit_is_named_and_not_held(void)
{
	_cleanup_free_ char *much = t_repeat("x", 3 * FRAME_MAX);
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\":{},\"items\":[{\"a\":1},{\"spec\":{"
		"\"metadata\":{\"name\":\"no\"},\"t\":\"%s\"},\"metadata\":{"
		"\"name\":\"n\",\"namespace\":\"ns\",\"uid\":\"u\","
		"\"resourceVersion\":\"7\"}},{\"a\":2}]}",
		much);
	static const size_t chunks[] = {4096, 100000, 64u << 20};

	for (size_t i = 0; i < T_COUNT(chunks); i++) {
		_cleanup_json_ json_object *meta = NULL;
		struct seen s = {.text = BUF_INIT(4096)};

		t_row("chunks of %zu", chunks[i]);
		T_INT(stream(text, chunks[i], &s, &meta), 0);
		T_STR(buf_str(&s.text), "{\"a\":1} ns/n u@7 {\"a\":2} ");
		buf_free(&s.text);
	}
}

/* --- what no parser of ours takes */

/* A list around an item with this metadata and spec. */
static char *list_around(const char *metadata, const char *spec)
{
	return str_printf(
		"{\"metadata\":{},\"items\":[{\"a\":1},{\"metadata\":{"
		"\"name\":\"n\",\"namespace\":\"ns\",\"uid\":\"u\"%s,"
		"\"resourceVersion\":\"7\"},\"spec\":{%s}},"
		"{\"a\":2}]}",
		metadata, spec);
}

/* What is read of it, whole and in pieces. */
static void check_list(const char *text, const char *items)
{
	for (size_t chunk = 0; chunk < 3; chunk++) {
		_cleanup_json_ json_object *meta = NULL;
		struct seen s = {.text = BUF_INIT(4096)};
		const struct page_handler to = {on_item, on_oversized, &s};

		T_INT(chunk ? stream(text, chunk * 7, &s, &meta)
			    : page_read(text, strlen(text), &meta, &to),
		      0);
		T_STR(buf_str(&s.text), items);
		buf_free(&s.text);
	}
}

static void an_item_that_cannot_be_read_is_passed_over(void)
{
	_cleanup_free_ char *open = t_repeat("{\"f:a\":", 98);
	_cleanup_free_ char *close = t_repeat("}", 98);
	_cleanup_free_ char *deep = str_printf("\"a\":%s{}%s", open, close);
	_cleanup_free_ char *fields =
		str_printf(",\"managedFields\":[{%s},{\"\xff\":[]}]", deep);
	_cleanup_free_ char *in_fields = list_around(fields, "");
	_cleanup_free_ char *in_spec = list_around(fields, deep);
	_cleanup_free_ char *bytes = list_around("", "\"a\":\"\xff\"");

	check_list(in_fields,
		   "{\"a\":1} {\"metadata\":{\"name\":\"n\",\"namespace\":"
		   "\"ns\",\"uid\":\"u\","
		   "\"resourceVersion\":\"7\"},\"spec\":{}} {\"a\":2} ");
	check_list(in_spec, "{\"a\":1} ns/n u@7 {\"a\":2} ");
	check_list(bytes, "{\"a\":1} ns/n u@7 {\"a\":2} ");
}

T_MAIN("page", T(a_page_may_come_in_any_pieces),
       T(pieces_of_no_list_are_refused),
       T(of_pieces_an_item_over_the_limit_is_named_and_not_held),
       T(items_and_metadata_are_read), T(no_metadata_is_null),
       T(what_is_no_list_is_refused), T(each_beginning_of_a_list_is_refused),
       T(who_gets_the_items_may_stop),
       T(an_item_over_the_limit_is_named_and_passed_over),
       T(an_item_that_cannot_be_read_is_passed_over))
