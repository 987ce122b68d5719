/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "its_text.h"
#include "kube/frames.h"
#include "kube/object.h"
#include "t.h"

/* What came, as "type:name " each; stops with `stop` at the `after`-th. */
struct seen {
	struct buf text;
	int n, after, stop;
};

static int on_frame(void *arg, enum kube_event type, json_object *object)
{
	struct seen *s = arg;
	const char *name = jx_str(object, "n");

	buf_addf(&s->text, "%d:%s ", type, name ? name : "");
	return ++s->n == s->after ? s->stop : 0;
}

static int on_oversized(void *arg, enum kube_event type,
			const struct object_id *id)
{
	struct seen *s = arg;

	buf_addf(&s->text, "%d!%s/%s %s@%s ", type, id->ns, id->name, id->uid,
		 id->version);
	T_OK(id->unreadable == has_its_text(id));
	return ++s->n == s->after ? s->stop : 0;
}

#define SEEN_INIT                                                              \
	{                                                                      \
		.text = BUF_INIT(1024 * 1024)                                  \
	}
#define FRAME(type, name)                                                      \
	"{\"type\":\"" type "\",\"object\":{\"n\":\"" name "\"}}\n"

static const char stream[] =
	FRAME("ADDED", "a") FRAME("MODIFIED", "b") FRAME("DELETED", "c")
		FRAME("BOOKMARK", "") "\r\n \n" FRAME("ERROR", "gone");
#define STREAM_SEEN "0:a 1:b 2:c 3: 4:gone "

static int feed(const char *data, size_t len, struct seen *s)
{
	const struct frame_handler to = {on_frame, on_oversized, s};
	struct frames f = FRAMES_INIT;
	int rc = frames_feed(&f, data, len, &to);

	frames_free(&f);
	return rc;
}

static void frames_come_in_order_with_their_type(void)
{
	struct seen s = SEEN_INIT;

	T_INT(feed(stream, strlen(stream), &s), 0);
	T_STR(buf_str(&s.text), STREAM_SEEN);
	buf_free(&s.text);
}

static void frames_may_be_cut_anywhere(void)
{
	for (size_t chunk = 1; chunk < strlen(stream); chunk++) {
		struct frames f = FRAMES_INIT;
		struct seen s = SEEN_INIT;
		const struct frame_handler to = {on_frame, on_oversized, &s};

		t_row("chunks of %zu", chunk);
		for (size_t at = 0; at < strlen(stream); at += chunk) {
			size_t left = strlen(stream) - at;

			T_INT(frames_feed(&f, stream + at,
					  left < chunk ? left : chunk, &to),
			      0);
		}
		T_STR(buf_str(&s.text), STREAM_SEEN);
		frames_free(&f);
		buf_free(&s.text);
	}
}

static void an_unfinished_frame_is_not_delivered(void)
{
	struct seen s = SEEN_INIT;

	T_INT(feed(stream, strlen("{\"type\":\"ADDED\""), &s), 0);
	T_INT(s.n, 0);
}

static void what_is_no_event_is_refused(void)
{
	static const char *const rows[] = {
		"{}\n",
		"[]\n",
		"null\n",
		"x\n",
		"{\"type\":\"ADDED\"}\n",
		"{\"type\":\"ADDED\",\"object\":[]}\n",
		"{\"type\":\"added\",\"object\":{}}\n",
		"{\"type\":5,\"object\":{}}\n",
		"{\"type\":\"ADDED\",\"object\":{}} {}\n",
		"{\"type\":\"ADDED\",\"object\":{\"n\":\"\xff\"}}\n",
		"<html>\n",
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct seen s = SEEN_INIT;

		t_row("%s", rows[i]);
		T_INT(feed(rows[i], strlen(rows[i]), &s), -EBADMSG);
		T_INT(s.n, 0);
	}
}

static void the_receiver_can_stop_the_stream(void)
{
	struct seen s = {.text = BUF_INIT(1024), .after = 2, .stop = -EPIPE};

	T_INT(feed(stream, strlen(stream), &s), -EPIPE);
	T_STR(buf_str(&s.text), "0:a 1:b ");
	buf_free(&s.text);
}

/* Frames around a big one, in pieces of this size; what was seen. */
static void feed_around(const char *big, size_t chunk, struct seen *s)
{
	const struct frame_handler to = {on_frame, on_oversized, s};
	_cleanup_free_ char *text = str_printf(
		FRAME("ADDED", "a") "%s\n" FRAME("DELETED", "c"), big);
	struct frames f = FRAMES_INIT;
	const size_t len = strlen(text);
	int rc = 0;

	for (size_t at = 0; !rc && at < len; at += chunk) {
		rc = frames_feed(&f, text + at,
				 len - at < chunk ? len - at : chunk, &to);
		T_OK(f.buf.size <= 2 * FRAME_MAX);
	}
	T_OK(f.buf.size <= 64 * 1024); /* what it took is given back */
	s->stop = rc;
	frames_free(&f);
}

static void a_frame_over_the_limit_is_named_and_passed_over(void)
{
	_cleanup_free_ char *much = t_repeat("x", FRAME_MAX);
	_cleanup_free_ char *big = str_printf(
		"{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Pod\","
		"\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\","
		"\"uid\":\"u\",\"resourceVersion\":\"7\",\"annotations\":"
		"{\"name\":\"%s\"}},\"spec\":{\"name\":\"no\"}}}",
		much);
	static const size_t chunks[] = {4096, 16384, 100000, 64u << 20};

	for (size_t i = 0; i < T_COUNT(chunks); i++) {
		struct seen s = SEEN_INIT;

		t_row("chunks of %zu", chunks[i]);
		feed_around(big, chunks[i], &s);
		T_INT(s.stop, 0);
		T_STR(buf_str(&s.text), "0:a 1!ns/n u@7 2:c ");
		buf_free(&s.text);
	}
}

static void one_over_the_limit_that_is_no_event_is_refused(void)
{
	static const struct {
		const char *text;
		int rc;
	} rows[] = {
		{"", -EBADMSG},
		{"{\"type\":\"ADDED\"}", -EMSGSIZE},
		{"{\"type\":\"ERROR\",\"object\":{\"metadata\":{\"name\":"
		 "\"n\",\"uid\":\"u\"}}}",
		 -EBADMSG},
		{"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"uid\":"
		 "\"u\"}}}",
		 -EMSGSIZE},
	};
	_cleanup_free_ char *much = t_repeat(" ", FRAME_MAX + 1);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *big =
			str_printf("%s%s", much, rows[i].text);
		struct seen s = SEEN_INIT;

		t_row("%s", rows[i].text);
		feed_around(big, 1u << 20, &s);
		T_INT(s.stop, rows[i].rc);
		T_STR(buf_str(&s.text), "0:a ");
		buf_free(&s.text);
	}
}

#define FIELDS(what)                                                           \
	"\"managedFields\":[{\"manager\":\"]\\\"\",\"fieldsV1\":{" what "}}]"
#define EVENT(metadata, spec)                                                  \
	"{\"type\":\"MODIFIED\",\"object\":{\"n\":\"x\",\"metadata\":{"        \
	"\"name\":\"n\",\"namespace\":\"ns\",\"uid\":\"u\","                   \
	"\"resourceVersion\":\"7\"" metadata "},\"spec\":{" spec "}}}"

/* What users may have the API server keep, but no parser of ours takes. */
static void one_that_cannot_be_read_is_passed_over(void)
{
	_cleanup_free_ char *open = t_repeat("{\"f:a\":", 98);
	_cleanup_free_ char *close = t_repeat("}", 98);
	_cleanup_free_ char *deep = str_printf("\"a\":%s{}%s", open, close);
	_cleanup_free_ char *fields = str_printf("," FIELDS("%s"), deep);
	_cleanup_free_ char *more =
		str_printf("%s,\"labels\":{\"a\":\"[\"}", fields);
	_cleanup_free_ char *units = t_repeat("{},", JX_PARTS_MAX);
	_cleanup_free_ char *many_units = str_printf("\"a\":[%s{}]", units);
	_cleanup_free_ char *many_fields =
		str_printf("," FIELDS("\"x\\\"\":[%s{}]"), units);
	_cleanup_free_ char *text = str_printf("\"a\":\"\\\"%s\"", units);
	const char *const bytes = "," FIELDS("\"f:\xff\":{}");
	const struct {
		const char *name, *metadata, *spec, *seen;
	} rows[] = {
		/* (these are read: managedFields are not) */
		{"deep fields", fields, "", "0:a 1:x 2:c "},
		{"fields of other bytes", bytes, "", "0:a 1:x 2:c "},
		{"more behind them", more, "", "0:a 1:x 2:c "},
		{"many fields", many_fields, "", "0:a 1:x 2:c "},
		{"brackets in a string", "", text, "0:a 1:x 2:c "},
		/* (these are not) */
		{"many units", "", many_units, "0:a 1!ns/n u@7 2:c "},
		{"deep", "", deep, "0:a 1!ns/n u@7 2:c "},
		{"other bytes", "", "\"a\":\"\xff\"", "0:a 1!ns/n u@7 2:c "},
		{"both", bytes, deep, "0:a 1!ns/n u@7 2:c "},
		{"fields elsewhere", "", fields + 1, "0:a 1!ns/n u@7 2:c "},
	};

	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		_cleanup_free_ char *event =
			str_printf(EVENT("%s", "%s"), rows[i / 2].metadata,
				   rows[i / 2].spec);
		struct seen s = SEEN_INIT;

		t_row("%s, %s", rows[i / 2].name, i % 2 ? "whole" : "cut");
		feed_around(event, i % 2 ? 64u << 20 : 1000, &s);
		T_INT(s.stop, 0);
		T_STR(buf_str(&s.text), rows[i / 2].seen);
		buf_free(&s.text);
	}
}

static int keep_text(void *arg, enum kube_event type, json_object *object)
{
	(void)type;
	return buf_addf(
		arg, "%s",
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
}

static int refuse(void *arg, enum kube_event type, const struct object_id *id)
{
	(void)arg;
	(void)type;
	(void)id;
	return -EINVAL;
}

/* What is parsed costs a hundred times as much as what is skipped. */
static void managed_fields_are_parsed_only_where_they_are_wanted(void)
{
#define MEMBERS(metadata)                                                      \
	"{\"n\":\"x\",\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\","      \
	"\"uid\":\"u\",\"resourceVersion\":\"7\"" metadata "},\"spec\":{}}"
	static const char *const bad = "," FIELDS("\"f:\xff\":{}");
	static const char *const good = "," FIELDS("\"f:a\":{}");
	static const struct jx_only no_spec[] = {{"spec", JX_LEFT_OUT},
						 {"metadata", JX_LEFT_OUT},
						 {JX_OTHERS, NULL},
						 {NULL, NULL}};
	const struct {
		const char *fields;
		const struct jx_only *only;
		const char *seen;
	} rows[] = {
		{good, NULL, MEMBERS("")},
		{bad, NULL, MEMBERS("")},
		{"", NULL, MEMBERS("")},
		{good, object_all, MEMBERS("," FIELDS("\"f:a\":{}"))},
		{bad, object_all, MEMBERS("")},
		{good, no_spec, "{\"n\":\"x\"}"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *event =
			str_printf(EVENT("%s", "") "\n", rows[i].fields);
		_cleanup_buf_ struct buf seen = BUF_INIT(4096);
		const struct frame_handler to = {.on_frame = keep_text,
						 .on_oversized = refuse,
						 .arg = &seen,
						 .only = rows[i].only};
		struct frames f = FRAMES_INIT;

		t_row("%s", event);
		T_INT(frames_feed(&f, event, strlen(event), &to), 0);
		T_STR(buf_str(&seen), rows[i].seen);
		frames_free(&f);
	}
}

/* (it may have been cut on the way: the watch begins anew before it) */
static void one_that_is_not_whole_ends_the_stream(void)
{
	static const char *const rows[] = {
		EVENT("", "\"a\":\"\xff\""),
		EVENT("," FIELDS("\"f:\xff\":{}"), ""),
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		for (size_t len = 1; len < strlen(rows[i]); len++) {
			_cleanup_free_ char *cut = strndup(rows[i], len);
			struct seen s = SEEN_INIT;

			t_row("%s", cut);
			feed_around(cut, 64u << 20, &s);
			T_INT(s.stop, -EBADMSG);
			T_STR(buf_str(&s.text), "0:a ");
			buf_free(&s.text);
		}
	}
}

T_MAIN("frames", T(frames_come_in_order_with_their_type),
       T(frames_may_be_cut_anywhere), T(an_unfinished_frame_is_not_delivered),
       T(what_is_no_event_is_refused), T(the_receiver_can_stop_the_stream),
       T(a_frame_over_the_limit_is_named_and_passed_over),
       T(one_over_the_limit_that_is_no_event_is_refused),
       T(one_that_cannot_be_read_is_passed_over),
       T(managed_fields_are_parsed_only_where_they_are_wanted),
       T(one_that_is_not_whole_ends_the_stream))
