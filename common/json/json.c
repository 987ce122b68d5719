/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json/json.h"

#include <errno.h>
#include <json-c/printbuf.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

/*
 * json-c's buffer is made large enough at once: growing it would leave a copy
 * of what was there.
 */
static void make_room(json_tokener *tok, size_t len)
{
	printbuf_memset(tok->pb, 0, 0, (int)len);
	printbuf_reset(tok->pb);
}

/*
 * JSON_TOKENER_STRICT is not used: with it json-c 0.17 and 0.18 (Debian 13,
 * Ubuntu 24.04) refuse every string with a byte above 127, which they take for
 * a control character. What is lax without it, as a comma at the end of a
 * list, harms nothing here.
 */
#define ANY_BYTES 0
#define UTF8_ONLY JSON_TOKENER_VALIDATE_UTF8

struct count {
	size_t parts;  /* objects and lists */
	size_t commas; /* each part has at most one value more than these */
};

/*
 * Without JSON_TOKENER_STRICT json-c takes comments, and strings in single
 * quotes, too. JSON has neither character outside of strings. From the first of
 * them on all brackets and commas count, also in strings: nothing of what
 * json-c reads is missed.
 */
static struct count count(const char *text, size_t len)
{
	bool in_string = false, is_json = true;
	struct count n = {0};

	for (size_t i = 0; i < len; i++) {
		const char c = text[i];

		if (in_string) {
			in_string = c != '"';
			i += c == '\\';
			continue;
		}
		is_json = is_json && c != '\'' && c != '/';
		in_string = is_json && c == '"';
		n.parts += c == '{' || c == '[';
		n.commas += c == ',';
	}
	return n;
}

size_t jx_parts(const char *text, size_t len)
{
	return count(text, len).parts;
}

size_t jx_values(const char *text, size_t len)
{
	const struct count n = count(text, len);

	return n.parts + n.commas;
}

static int check_size(const char *text, size_t len, size_t parts_max,
		      struct err *err)
{
	const struct count n = count(text, len);

	if (n.parts > parts_max)
		return err_set(err, -EBADMSG,
			       "the JSON has more than %zu objects and lists",
			       parts_max);
	if (n.commas > parts_max * JX_PART_VALUES)
		return err_set(err, -EBADMSG,
			       "the JSON has more than %zu values",
			       parts_max * JX_PART_VALUES);
	return 0;
}

static int parse(const char *text, size_t len, int flags, bool secret,
		 json_object **out, struct err *err)
{
	json_tokener *tok;
	enum json_tokener_error why;
	json_object *o;
	size_t end;

	if (len > INT_MAX)
		return err_set(err, -EMSGSIZE, "JSON text is too large");
	tok = json_tokener_new_ex(JX_DEPTH_MAX);
	if (!tok)
		return err_oom(err);
	json_tokener_set_flags(tok, flags);
	if (secret)
		make_room(tok, len);
	o = json_tokener_parse_ex(tok, text, (int)len);
	why = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	if (secret)
		explicit_bzero(tok->pb->buf, (size_t)tok->pb->size);
	json_tokener_free(tok);
	while (end < len && strchr(" \t\r\n", text[end]) && text[end])
		end++;
	if (!o || why != json_tokener_success || end != len) {
		secret ? jx_wipe_put(o) : (void)json_object_put(o);
		return err_set(err, -EBADMSG, "bad JSON at byte %zu: %s", end,
			       why == json_tokener_continue
				       ? "it ends too early"
			       : why == json_tokener_success
				       ? "unexpected text"
				       : json_tokener_error_desc(why));
	}
	*out = o;
	return 0;
}

int jx_parse_within(const char *text, size_t len, size_t parts_max,
		    json_object **out, struct err *err)
{
	int rc = check_size(text, len, parts_max, err);

	return rc ? rc : parse(text, len, UTF8_ONLY, false, out, err);
}

int jx_parse(const char *text, size_t len, json_object **out, struct err *err)
{
	return jx_parse_within(text, len, JX_PARTS_MAX, out, err);
}

int jx_parse_bytes(const char *text, size_t len, size_t parts_max,
		   json_object **out, struct err *err)
{
	int rc = check_size(text, len, parts_max, err);

	return rc ? rc : parse(text, len, ANY_BYTES, false, out, err);
}

int jx_parse_secret(const char *text, size_t len, json_object **out,
		    struct err *err)
{
	int rc = check_size(text, len, JX_PARTS_MAX, err);

	return rc ? rc : parse(text, len, UTF8_ONLY, true, out, err);
}

/*
 * The depth of calls is bounded, for parse() takes no text deeper than
 * JX_DEPTH_MAX.
 */
static void wipe(json_object *o)
{
	if (jx_is(o, json_type_string)) {
		explicit_bzero((char *)json_object_get_string(o),
			       (size_t)json_object_get_string_len(o));
	} else if (jx_is(o, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(o); i++)
			wipe(json_object_array_get_idx(o, i));
	} else if (jx_is(o, json_type_object)) {
		json_object_object_foreach(o, key, value)
		{
			(void)key;
			wipe(value);
		}
	}
}

void jx_wipe_put(json_object *o)
{
	wipe(o);
	json_object_put(o);
}

bool jx_is(const json_object *o, enum json_type type)
{
	return o && json_object_get_type(o) == type;
}

static json_object *jx_getv(const json_object *o, va_list ap)
{
	json_object *v = (json_object *)o;
	const char *key;

	while ((key = va_arg(ap, const char *))) {
		if (!jx_is(v, json_type_object) ||
		    !json_object_object_get_ex(v, key, &v))
			return NULL;
	}
	return v;
}

json_object *jx_get_(const json_object *o, ...)
{
	va_list ap;
	json_object *v;

	va_start(ap, o);
	v = jx_getv(o, ap);
	va_end(ap);
	return v;
}

const char *jx_str_(const json_object *o, ...)
{
	va_list ap;
	json_object *v;

	va_start(ap, o);
	v = jx_getv(o, ap);
	va_end(ap);
	return jx_is(v, json_type_string) ? json_object_get_string(v) : NULL;
}

int64_t jx_int(const json_object *o, int64_t def)
{
	return jx_is(o, json_type_int) ? json_object_get_int64(o) : def;
}

int jx_set(json_object *o, const char *key, json_object *val)
{
	if (!val)
		return -ENOMEM;
	if (json_object_object_add(o, key, val)) {
		json_object_put(val);
		return -ENOMEM;
	}
	return 0;
}

int jx_set_str(json_object *o, const char *key, const char *val)
{
	return jx_set(o, key, json_object_new_string(val));
}

int jx_append(json_object *array, json_object *val)
{
	if (!val)
		return -ENOMEM;
	if (json_object_array_add(array, val)) {
		json_object_put(val);
		return -ENOMEM;
	}
	return 0;
}

json_object *jx_need(json_object *o, const char *key, enum json_type type)
{
	json_object *v = jx_get(o, key);

	if (v)
		return jx_is(v, type) ? v : NULL;
	v = type == json_type_array ? json_object_new_array()
				    : json_object_new_object();
	return jx_set(o, key, v) ? NULL : v;
}

json_object *jx_by_name(const json_object *array, const char *name)
{
	if (!jx_is(array, json_type_array))
		return NULL;
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		json_object *v = json_object_array_get_idx(array, i);
		const char *have = jx_str(v, "name");

		if (have && !strcmp(have, name))
			return v;
	}
	return NULL;
}

char *jx_take_text(json_object *o)
{
	const char *text =
		o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN)
		  : NULL;
	char *copy = text ? strdup(text) : NULL;

	json_object_put(o);
	return copy;
}

json_object *jx_copy(const json_object *o)
{
	json_object *copy = NULL;

	if (json_object_deep_copy((json_object *)o, &copy, NULL)) {
		json_object_put(copy);
		return NULL;
	}
	return copy;
}
