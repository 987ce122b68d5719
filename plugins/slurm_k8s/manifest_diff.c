/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "manifest_diff.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "syntax/quantity.h"
#include "syntax/wellknown.h"

#define PATH_LEN_MAX 4096
/* Names of so many elements are compared with each other; more cost too much */
#define NAMED_MAX 1000

struct walk {
	struct buf path;
	manifest_change_fn on_change;
	void *arg;
};

static int value(struct walk *w, const char *key, bool amount,
		 const json_object *now, const json_object *wanted);

static int tell(struct walk *w, const json_object *now,
		const json_object *wanted)
{
	return w->on_change(w->arg, buf_str(&w->path), now, wanted);
}

static bool is_one_of(const char *key, const char *const *keys)
{
	for (; *keys; keys++)
		if (!strcmp(key, *keys))
			return true;
	return false;
}

/* --- what the API server leaves out (Go's omitempty) */

static bool is_map(const char *key)
{
	static const char *const maps[] = {
		"labels",   "annotations", "nodeSelector", "limits",
		"requests", "overhead",	   "matchLabels",  NULL};

	return is_one_of(key, maps);
}

/*
 * False and 0 of these are kept, for they are pointers in the API's types
 * (k8s.io/api/core/v1): that nothing is said means something else there.
 */
static bool is_pointer(const char *key)
{
	static const char *const keys[] = {"allowPrivilegeEscalation",
					   "automountServiceAccountToken",
					   "hostUsers",
					   "enableServiceLinks",
					   "readOnlyRootFilesystem",
					   "runAsNonRoot",
					   "privileged",
					   "shareProcessNamespace",
					   "setHostnameAsFQDN",
					   "runAsUser",
					   "runAsGroup",
					   "fsGroup",
					   "terminationGracePeriodSeconds",
					   "activeDeadlineSeconds",
					   "tolerationSeconds",
					   "defaultMode",
					   "optional",
					   NULL};

	return is_one_of(key, keys);
}

/* An empty object that is no map is a choice, as "emptyDir: {}", and is kept */
static bool is_left_out(const char *key, const json_object *o)
{
	switch (json_object_get_type(o)) {
	case json_type_null:
		return true;
	case json_type_object:
		return is_map(key) && !json_object_object_length(o);
	case json_type_array:
		return !json_object_array_length(o);
	case json_type_string:
		return !json_object_get_string_len(o);
	case json_type_boolean:
		return !is_pointer(key) && !json_object_get_boolean(o);
	case json_type_int:
	case json_type_double:
	default:
		return !is_pointer(key) && json_object_get_double(o) == 0;
	}
}

/* --- amounts */

static bool has_amounts(const char *key)
{
	static const char *const keys[] = {"limits", "requests", "overhead",
					   NULL};

	return is_one_of(key, keys);
}

static bool is_amount(const char *key)
{
	static const char *const keys[] = {"sizeLimit", "divisor", NULL};

	return is_one_of(key, keys);
}

static bool is_number(const json_object *o)
{
	return jx_is(o, json_type_int) || jx_is(o, json_type_double);
}

/* 1e3 of a template is 1000 in JSON, and so for the API server. */
static bool same_value(const json_object *a, const json_object *b)
{
	if (is_number(a) && is_number(b) &&
	    json_object_get_type(a) != json_object_get_type(b))
		return !(json_object_get_double(a) <
				 json_object_get_double(b) ||
			 json_object_get_double(a) > json_object_get_double(b));
	return json_object_equal((json_object *)a, (json_object *)b);
}

static bool same_amount(const json_object *a, const json_object *b)
{
	quantity_milli x, y;

	return quantity_of(a, &x, NULL) || quantity_of(b, &y, NULL)
		       ? same_value(a, b)
		       : x == y;
}

/* --- paths */

/* A name that has dots or slashes, as a label's, stands in brackets. */
static int add_member(struct buf *path, const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
			return buf_addf(path, "[%s]", name);
	return buf_addf(path, "%s%s", path->len ? "." : "", name);
}

/* --- the walk */

static int members(struct walk *w, const char *key, const json_object *now,
		   const json_object *wanted)
{
	const size_t len = w->path.len;
	int rc = 0;

	json_object_object_foreach((json_object *)wanted, name, val)
	{
		if (!strcmp(name, WK_LABEL_HASH))
			continue;
		rc = add_member(&w->path, name);
		if (!rc)
			rc = value(w, name, has_amounts(key) || is_amount(name),
				   jx_get(now, name), val);
		buf_cut(&w->path, len);
		if (rc)
			break;
	}
	return rc;
}

static bool all_objects(const json_object *list)
{
	const size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++)
		if (!jx_is(json_object_array_get_idx(list, i),
			   json_type_object))
			return false;
	return n > 0;
}

/* True if each element has a name that no other one has. */
static bool all_named(const json_object *list)
{
	const size_t n = json_object_array_length(list);

	if (n > NAMED_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		const json_object *e = json_object_array_get_idx(list, i);
		const char *name = jx_str(e, "name");

		if (!name || jx_by_name(list, name) != e)
			return false;
	}
	return true;
}

/* A volume may be mounted twice: then places count. */
static int objects(struct walk *w, const json_object *now,
		   const json_object *wanted)
{
	const bool named = all_named(wanted) && all_named(now);
	const size_t len = w->path.len, n = json_object_array_length(wanted);
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		const json_object *e = json_object_array_get_idx(wanted, i);
		const char *name = jx_str(e, "name");
		const json_object *has =
			named ? jx_by_name(now, name)
			      : json_object_array_get_idx(now, i);

		rc = named ? buf_addf(&w->path, "[%s]", name)
			   : buf_addf(&w->path, "[%zu]", i);
		if (!rc)
			rc = value(w, "", false, has, e);
		buf_cut(&w->path, len);
	}
	return rc;
}

/* Compare the value of `key`. */
static int value(struct walk *w, const char *key, bool amount,
		 const json_object *now, const json_object *wanted)
{
	const enum json_type type = json_object_get_type(wanted);

	if (!now)
		return is_left_out(key, wanted) ? 0 : tell(w, NULL, wanted);
	if (!wanted)
		return 0; /* null: the template says nothing */
	if (amount)
		return same_amount(now, wanted) ? 0 : tell(w, now, wanted);
	if (type == json_type_object && jx_is(now, type))
		return members(w, key, now, wanted);
	if (type == json_type_array && jx_is(now, type) && all_objects(wanted))
		return objects(w, now, wanted);
	return same_value(now, wanted) ? 0 : tell(w, now, wanted);
}

int manifest_diff(const json_object *live, const json_object *wanted,
		  manifest_change_fn on_change, void *arg)
{
	struct walk w = {.path = BUF_INIT(PATH_LEN_MAX),
			 .on_change = on_change,
			 .arg = arg};
	int rc = value(&w, "", false, live, wanted);

	buf_free(&w.path);
	return rc;
}
