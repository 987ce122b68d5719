/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "kube/frames.h"
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
	struct frames f = FRAMES_INIT;
	int rc = frames_feed(&f, data, len, on_frame, s);

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

		t_row("chunks of %zu", chunk);
		for (size_t at = 0; at < strlen(stream); at += chunk) {
			size_t left = strlen(stream) - at;

			T_INT(frames_feed(&f, stream + at,
					  left < chunk ? left : chunk, on_frame,
					  &s),
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

static void a_frame_without_end_is_refused(void)
{
	_cleanup_free_ char *part = t_repeat("x", 64 * 1024);
	struct frames f = FRAMES_INIT;
	size_t fed = 0;
	int rc = 0;

	while (!rc && fed <= FRAME_MAX) {
		rc = frames_feed(&f, part, 64 * 1024, on_frame, NULL);
		fed += 64 * 1024;
	}
	T_INT(rc, -EMSGSIZE);
	frames_free(&f);
}

static void a_whole_frame_over_the_limit_is_refused_too(void)
{
	_cleanup_free_ char *text = t_repeat(" ", FRAME_MAX + 2);
	struct seen s = SEEN_INIT;

	text[FRAME_MAX + 1] = '\n';
	T_INT(feed(text, FRAME_MAX + 2, &s), -EMSGSIZE);
}

T_MAIN("frames", T(frames_come_in_order_with_their_type),
       T(frames_may_be_cut_anywhere), T(an_unfinished_frame_is_not_delivered),
       T(what_is_no_event_is_refused), T(the_receiver_can_stop_the_stream),
       T(a_frame_without_end_is_refused),
       T(a_whole_frame_over_the_limit_is_refused_too))
