/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "nodes/pod/step_annotations.h"
#include "t.h"
#include "json/json.h"

static void the_steps_of_a_node_are_a_json_array_and_a_label(void)
{
	const struct step_annotation steps[] = {
		{"7.batch", "batch", "alice", "chem", 1800000000, 1},
		{"7.0", "a \"name\"", "alice", NULL, 0, 0},
	};
	struct step_annotations s = {0};
	json_object *o;

	step_annotations_reset(&s);
	T_STR(step_annotations_text(&s), "");
	T_STR(step_annotations_label(&s), "");
	for (size_t i = 0; i < T_COUNT(steps); i++)
		step_annotations_add(&s, &steps[i]);
	o = t_parse(step_annotations_text(&s));
	T_JSON(o, "[{\"id\": \"7.batch\", \"name\": \"batch\","
		  "  \"user\": \"alice\", \"account\": \"chem\","
		  "  \"started\": \"2027-01-15T08:00:00Z\", \"tasks\": 1},"
		  " {\"id\": \"7.0\", \"name\": \"a \\\"name\\\"\","
		  "  \"user\": \"alice\"}]");
	T_STR(step_annotations_label(&s), "7.batch_7.0");
	json_object_put(o);
	step_annotations_reset(&s);
	T_STR(step_annotations_text(&s), "");
	step_annotations_free(&s);
}

static void many_steps_are_counted(void)
{
	_cleanup_free_ char *name = t_repeat("\\", 300);
	struct step_annotations s = {0};
	json_object *o;
	char id[32];

	step_annotations_reset(&s);
	for (int i = 0; i < 1000; i++) {
		snprintf(id, sizeof(id), "12345.%d", i);
		step_annotations_add(
			&s, &(struct step_annotation){.id = id, .name = name});
	}
	o = t_parse(step_annotations_text(&s));
	T_INT(json_object_array_length(o), STEPNOTES_MAX + 1);
	T_INT(jx_int(jx_get(json_object_array_get_idx(o, STEPNOTES_MAX),
			    "more"),
		     0),
	      1000 - STEPNOTES_MAX);
	T_OK(strlen(step_annotations_text(&s)) < STEPNOTES_TEXT_MAX);
	T_STR(step_annotations_label(&s),
	      "12345.0_12345.1_12345.2_12345.3_12345.4_and-995-more");
	T_OK(strlen(s.label) < STEPNOTES_LABEL_MAX);
	json_object_put(o);
	step_annotations_free(&s);
}

static void a_name_may_be_anything(void)
{
	struct step_annotations s = {0};
	json_object *o;

	step_annotations_reset(&s);
	step_annotations_add(
		&s, &(struct step_annotation){.id = "1.0",
					      .name = "\x1b[31m\n\xff"});
	T_LACKS(step_annotations_text(&s), "\x1b");
	o = t_parse(step_annotations_text(&s));
	T_INT(json_object_array_length(o), 1);
	json_object_put(o);
	step_annotations_free(&s);
}

static void a_sum_tells_texts_apart(void)
{
	T_INT(str_sum(NULL), 0);
	T_INT(str_sum(""), 0);
	T_OK(str_sum("a") != 0);
	T_OK(str_sum("a") != str_sum("b"));
	T_INT(str_sum("abc"), str_sum("abc"));
}

T_MAIN("step_annotations", T(the_steps_of_a_node_are_a_json_array_and_a_label),
       T(many_steps_are_counted), T(a_name_may_be_anything),
       T(a_sum_tells_texts_apart))
