/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/pod/patch.h"
#include "t.h"

static void lists_with_names_are_merged_and_the_rest_is_a_merge_patch(void)
{
	static const struct {
		const char *name, *target, *patch, *want;
	} rows[] = {
		{"a new member", "{\"a\": 1}", "{\"b\": 2}",
		 "{\"a\": 1, \"b\": 2}"},
		{"another value", "{\"a\": 1}", "{\"a\": [2]}", "{\"a\": [2]}"},
		{"null removes", "{\"a\": 1, \"b\": 2}", "{\"a\": null}",
		 "{\"b\": 2}"},
		{"null of what is not there", "{}", "{\"a\": null}", "{}"},
		{"mappings are merged", "{\"a\": {\"b\": 1, \"c\": 2}}",
		 "{\"a\": {\"b\": 3}}", "{\"a\": {\"b\": 3, \"c\": 2}}"},
		{"a mapping for a text", "{\"a\": \"x\"}",
		 "{\"a\": {\"b\": 1, \"c\": null}}", "{\"a\": {\"b\": 1}}"},
		{"a text for a mapping", "{\"a\": {\"b\": 1}}",
		 "{\"a\": \"x\"}", "{\"a\": \"x\"}"},
		{"other lists are replaced", "{\"args\": [1, 2]}",
		 "{\"args\": [3]}", "{\"args\": [3]}"},
		{"a container by its name",
		 "{\"containers\": [{\"name\": \"a\", \"image\": \"x\"},"
		 " {\"name\": \"b\", \"image\": \"y\"}]}",
		 "{\"containers\": [{\"name\": \"b\", \"image\": \"z\"}]}",
		 "{\"containers\": [{\"name\": \"a\", \"image\": \"x\"},"
		 " {\"name\": \"b\", \"image\": \"z\"}]}"},
		{"another container", "{\"containers\": [{\"name\": \"a\"}]}",
		 "{\"containers\": [{\"name\": \"b\", \"x\": null}]}",
		 "{\"containers\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}"},
		{"env within a container",
		 "{\"containers\": [{\"name\": \"a\", \"env\": [{\"name\": "
		 "\"E\", \"value\": \"1\"}, {\"name\": \"F\"}]}]}",
		 "{\"containers\": [{\"name\": \"a\", \"env\": [{\"name\": "
		 "\"E\", \"value\": \"2\"}, {\"name\": \"G\"}]}]}",
		 "{\"containers\": [{\"name\": \"a\", \"env\": [{\"name\": "
		 "\"E\", \"value\": \"2\"}, {\"name\": \"F\"}, {\"name\": "
		 "\"G\"}]}]}"},
		{"volumes where there were none", "{}",
		 "{\"volumes\": [{\"name\": \"v\"}]}",
		 "{\"volumes\": [{\"name\": \"v\"}]}"},
		{"volumes where something else was", "{\"volumes\": 1}",
		 "{\"volumes\": [{\"name\": \"v\"}]}",
		 "{\"volumes\": [{\"name\": \"v\"}]}"},
		{"initContainers", "{\"initContainers\": [{\"name\": \"i\"}]}",
		 "{\"initContainers\": [{\"name\": \"i\", \"image\": \"x\"}]}",
		 "{\"initContainers\": [{\"name\": \"i\", \"image\": \"x\"}]}"},
		{"an element goes",
		 "{\"volumes\": [{\"name\": \"v\"}, {\"name\": \"w\"}]}",
		 "{\"volumes\": [{\"name\": \"v\", \"$patch\": \"delete\"},"
		 " {\"name\": \"x\", \"$patch\": \"delete\"}]}",
		 "{\"volumes\": [{\"name\": \"w\"}]}"},
		{"elements without a name are added",
		 "{\"env\": [{\"name\": \"E\"}]}", "{\"env\": [1, null]}",
		 "{\"env\": [{\"name\": \"E\"}, 1, null]}"},
		{"a text for such a list", "{\"env\": []}", "{\"env\": \"x\"}",
		 "{\"env\": \"x\"}"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *target = t_parse(rows[i].target);
		_cleanup_json_ json_object *patch = t_parse(rows[i].patch);

		t_row("%s", rows[i].name);
		T_INT(patch_apply(target, patch), 0);
		T_JSON(target, rows[i].want);
		T_JSON(patch, rows[i].patch);
	}
}

static void a_patch_shares_nothing_with_what_it_was_applied_to(void)
{
	_cleanup_json_ json_object *patch =
		t_parse("{\"spec\": {\"a\": {\"b\": [1]}}}");
	_cleanup_json_ json_object *one = t_parse("{}");
	_cleanup_json_ json_object *two = t_parse("{}");

	T_INT(patch_apply(one, patch), 0);
	T_INT(patch_apply(two, patch), 0);
	jx_set_str(jx_get(one, "spec", "a"), "b", "changed");
	T_JSON(two, "{\"spec\": {\"a\": {\"b\": [1]}}}");
}

T_MAIN("patch", T(lists_with_names_are_merged_and_the_rest_is_a_merge_patch),
       T(a_patch_shares_nothing_with_what_it_was_applied_to))
