/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/pod/step_annotations.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "json/json.h"

#define WORD_MAX 65	  /* bytes of a step's name, with the NUL */
#define LABEL_TAIL_MAX 22 /* "_and-4294967295-more" */

void step_annotations_reset(struct step_annotations *s)
{
	buf_reset(&s->text);
	buf_limit(&s->text, STEPNOTES_TEXT_MAX);
	*s->label = '\0';
	s->n = s->more = s->more_ids = 0;
	s->ended = false;
}

void step_annotations_free(struct step_annotations *s)
{
	buf_free(&s->text);
}

static int set_word(json_object *o, const char *key, const char *word)
{
	char text[WORD_MAX];

	if (!word || !*word)
		return 0;
	str_copy(text, word, sizeof(text));
	str_sanitize(text);
	return jx_set_str(o, key, text);
}

static int set_start(json_object *o, int64_t started_s)
{
	char text[CLOCK_RFC3339_MAX];

	if (!started_s || !clock_write_rfc3339(started_s * 1000, text))
		return 0;
	return jx_set_str(o, "started", text);
}

static int add_text(struct buf *b, const struct step_annotation *step)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	const char *text;
	int bad;

	if (!o)
		return -1;
	bad = jx_set_str(o, "id", step->id);
	bad |= set_word(o, "name", step->name);
	bad |= set_word(o, "user", step->user);
	bad |= set_word(o, "account", step->account);
	bad |= set_start(o, step->started_s);
	if (step->tasks)
		bad |= jx_set(o, "tasks", json_object_new_int64(step->tasks));
	text = json_object_to_json_string_ext(
		o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	return bad || !text ? -1
			    : buf_addf(b, "%c%s", b->len ? ',' : '[', text);
}

static void add_label(struct step_annotations *s, const char *id)
{
	size_t n = strlen(s->label), len = strlen(id);

	if (s->more_ids ||
	    n + (n > 0) + len + LABEL_TAIL_MAX > STEPNOTES_LABEL_MAX)
		s->more_ids++;
	else
		snprintf(s->label + n, STEPNOTES_LABEL_MAX - n, "%s%s",
			 n ? "_" : "", id);
}

void step_annotations_add(struct step_annotations *s,
			  const struct step_annotation *step)
{
	if (s->n++ >= STEPNOTES_MAX || add_text(&s->text, step))
		s->more++;
	add_label(s, step->id);
}

const char *step_annotations_text(struct step_annotations *s)
{
	if (!s->n || s->ended)
		return buf_str(&s->text);
	s->ended = true;
	if (s->more)
		buf_addf(&s->text, "%c{\"more\":%zu}", s->text.len ? ',' : '[',
			 s->more);
	buf_add(&s->text, "]", 1);
	return buf_str(&s->text);
}

const char *step_annotations_label(struct step_annotations *s)
{
	size_t n = strlen(s->label);

	if (s->more_ids)
		snprintf(s->label + n, STEPNOTES_LABEL_MAX - n, "%sand-%u-more",
			 n ? "_" : "", (unsigned int)s->more_ids);
	s->more_ids = 0;
	return s->label;
}
