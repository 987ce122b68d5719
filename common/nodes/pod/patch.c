/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/pod/patch.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

#define DIRECTIVE "$patch"

static bool is_merged_by_name(const char *key)
{
	static const char *const keys[] = {"containers", "initContainers",
					   "volumes", "env", NULL};

	for (int i = 0; keys[i]; i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

static void remove_element(json_object *list, const json_object *element)
{
	for (size_t i = 0; i < json_object_array_length(list); i++)
		if (json_object_array_get_idx(list, i) == element) {
			json_object_array_del_idx(list, i, 1);
			return;
		}
}

/* A value that is new: without the nulls that a patch may hold. */
static json_object *fresh(const json_object *val)
{
	json_object *o;

	if (!jx_is(val, json_type_object))
		return jx_copy(val);
	o = json_object_new_object();
	if (o && patch_apply(o, val)) {
		json_object_put(o);
		return NULL;
	}
	return o;
}

static int merge_by_name(json_object *list, const json_object *patch)
{
	size_t n = json_object_array_length(patch);
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		const json_object *e = json_object_array_get_idx(patch, i);
		const char *name = jx_str(e, "name");
		json_object *have = name ? jx_by_name(list, name) : NULL;

		if (str_eq(jx_str(e, DIRECTIVE), "delete")) {
			if (have)
				remove_element(list, have);
		} else if (have) {
			rc = patch_apply(have, e);
		} else {
			rc = e ? jx_append(list, fresh(e))
			       : json_object_array_add(list, NULL);
		}
	}
	return rc;
}

static int merge_member(json_object *target, const char *key,
			const json_object *val)
{
	json_object *have = jx_get(target, key);

	if (!val) {
		json_object_object_del(target, key);
		return 0;
	}
	if (jx_is(val, json_type_object) && jx_is(have, json_type_object))
		return patch_apply(have, val);
	if (jx_is(val, json_type_array) && is_merged_by_name(key)) {
		have = jx_is(have, json_type_array) ? have : NULL;
		if (!have && jx_set(target, key, json_object_new_array()))
			return -ENOMEM;
		return merge_by_name(jx_get(target, key), val);
	}
	return jx_set(target, key, fresh(val));
}

int patch_apply(json_object *target, const json_object *patch)
{
	json_object_object_foreach(patch, key, val)
	{
		int rc = merge_member(target, key, val);

		if (rc)
			return rc;
	}
	return 0;
}
