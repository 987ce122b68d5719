/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "t.h"
#include "base/cleanup.h"
#include "node_state.h"
#include "sheet.h"

static struct sheet two_columns(void)
{
	return (struct sheet){
		.columns = {{"node", "NODE"}, {"reason", "REASON"}, {NULL}}};
}

static char *printed(const struct sheet *s)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	sheet_print(s, out);
	fclose(out);
	return text;
}

static void columns_are_as_wide_as_they_need_to_be(void)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ json_object *json = NULL;
	struct sheet s = two_columns();

	sheet_add(&s, (const char *const[]){"a", "no\nroom"});
	sheet_add(&s, (const char *const[]){"long-name", NULL});
	text = printed(&s);
	T_STR(text, "NODE       REASON\n"
		    "a          no room\n"
		    "long-name  -\n");
	json = sheet_json(&s);
	T_STR(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN),
	      "[{\"node\":\"a\",\"reason\":\"no room\"},"
	      "{\"node\":\"long-name\",\"reason\":\"\"}]");
	sheet_clear(&s);
	T_INT(s.n, 0);
}

static void a_sheet_without_rows_has_its_headings(void)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ json_object *json = NULL;
	struct sheet s = two_columns();

	text = printed(&s);
	T_STR(text, "NODE  REASON\n");
	json = sheet_json(&s);
	T_STR(json_object_to_json_string(json), "[ ]");
	sheet_clear(&s);
}

static void a_state_is_as_scontrol_has_it(void)
{
	static const struct {
		struct ctl_node node;
		const char *words;
	} rows[] = {
		{{.power = CTL_UP}, "IDLE"},
		{{.power = CTL_UP, .busy = true}, "ALLOCATED"},
		{{.power = CTL_POWERED_DOWN}, "IDLE+POWERED_DOWN"},
		{{.power = CTL_POWERING_UP, .busy = true},
		 "ALLOCATED+POWERING_UP"},
		{{.power = CTL_POWERING_DOWN, .down = true, .drained = true},
		 "DOWN+DRAIN+POWERING_DOWN"},
		{{.power = CTL_UP, .drained = true, .failing = true},
		 "IDLE+FAIL"},
		{{.power = CTL_UP, .no_respond = true, .external = true},
		 "IDLE+NOT_RESPONDING+EXTERNAL"},
		{{.power = CTL_UP, .rebooting = true, .reboot_asked = true},
		 "IDLE+REBOOT_REQUESTED"},
		{{.power = CTL_UP, .rebooting = true}, "IDLE+REBOOT_ISSUED"},
		{{.power = CTL_UP, .ending = true, .busy = true},
		 "ALLOCATED+POWER_DOWN"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char words[NODE_STATE_MAX];

		node_state_words(&rows[i].node, words);
		T_STR(words, rows[i].words);
	}
}

T_MAIN("sheet", T(columns_are_as_wide_as_they_need_to_be),
       T(a_sheet_without_rows_has_its_headings),
       T(a_state_is_as_scontrol_has_it))
