/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we use of json-c: bounded parsing, reading by path with type checks, and
 * building with one error. Any thread; an object belongs to one thread at a
 * time. Each jx_parse...() gives 0; -EBADMSG: no JSON, with the byte where
 * reading stopped, or it holds too much; -EMSGSIZE: over INT_MAX bytes;
 * -ENOMEM.
 */
#ifndef SLURMK8S_JSON_JSON_H
#define SLURMK8S_JSON_JSON_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define JX_DEPTH_MAX 100

/*
 * One text must not take all the memory and time: json-c makes some 750 bytes
 * of each "{}", and takes half a second for a million of them; of each "0," it
 * makes 75. So a text with more than JX_PARTS_MAX objects and lists, or with
 * JX_PART_VALUES times as many values, is one that cannot be read. For
 * comparison: a pod of 1000 containers has some 30,000 objects and lists; etcd
 * takes no object of more than 1.5 MiB, unless it is told to.
 */
#define JX_PARTS_MAX 50000
#define JX_PART_VALUES 10

/*
 * The number of objects and lists in this text; an upper bound if the text is
 * no JSON.
 */
size_t jx_parts(const char *text, size_t len);

/*
 * The number of objects, lists and commas in this text; an upper bound if the
 * text is no JSON.
 */
size_t jx_values(const char *text, size_t len);

/*
 * Parse one whole JSON text. *out is the caller's (json_object_put). JSON's
 * null is refused.
 */
int jx_parse(const char *text, size_t len, json_object **out, struct err *err);

/* Parse as jx_parse() does, but with at most `parts_max` objects and lists. */
int jx_parse_within(const char *text, size_t len, size_t parts_max,
		    json_object **out, struct err *err);

/*
 * Parse as jx_parse_within() does, but strings may hold any bytes, not only
 * UTF-8: Slurm's texts have what users have typed, and json-c writes them as
 * they are given.
 */
int jx_parse_bytes(const char *text, size_t len, size_t parts_max,
		   json_object **out, struct err *err);

/*
 * Parse as jx_parse() does a text with secrets: json-c leaves no copy of it in
 * freed memory. *out is the caller's, to be given back by jx_wipe_put().
 */
int jx_parse_secret(const char *text, size_t len, json_object **out,
		    struct err *err);

/*
 * Overwrite all texts in an object but names of members, and put it. NULL:
 * nothing.
 */
void jx_wipe_put(json_object *o);

/*
 * Read by path: each name is a member of the object before it. NULL where a
 * step is missing or of another type; jx_str() gives NULL, too, where the end
 * is no string. Borrowed from `o`, which may be NULL.
 */
json_object *jx_get_(const json_object *o, ...) __attribute__((sentinel));
const char *jx_str_(const json_object *o, ...) __attribute__((sentinel));
#define jx_get(o, ...) jx_get_(o, __VA_ARGS__, (char *)NULL)
#define jx_str(o, ...) jx_str_(o, __VA_ARGS__, (char *)NULL)

bool jx_is(const json_object *o, enum json_type type); /* NULL: false */
/* `def` if it is no integer */
int64_t jx_int(const json_object *o, int64_t def);

/*
 * Build. Each takes ownership of `val` in every case. 0; -ENOMEM, which is the
 * result for a NULL `val`, too, so that a failed json_object_new_...() needs no
 * check of its own. An existing member is replaced.
 */
int jx_set(json_object *o, const char *key, json_object *val);
int jx_set_str(json_object *o, const char *key, const char *val);
int jx_append(json_object *array, json_object *val);

/*
 * The object or array that is member `key` of o, made if it is missing.
 * Borrowed. NULL: out of memory, or the member is of another type.
 */
json_object *jx_need(json_object *o, const char *key, enum json_type type);

/*
 * The element of an array of objects whose member "name" is `name`. Borrowed.
 * NULL: there is none, or `array` is none.
 */
json_object *jx_by_name(const json_object *array, const char *name);

/*
 * Put `o`, which may be NULL, and return its text, which the caller frees.
 * NULL: out of memory, or no object.
 */
char *jx_take_text(json_object *o);

/*
 * Copy an object with all that it holds. The caller puts the copy. NULL: out of
 * memory.
 */
json_object *jx_copy(const json_object *o);

/* What the cleanup attributes below call. */
static inline void jx_putp(json_object **o)
{
	json_object_put(*o);
}
static inline void jx_wipe_putp(json_object **o)
{
	jx_wipe_put(*o);
}
#define _cleanup_json_secret_ __attribute__((cleanup(jx_wipe_putp)))
#define _cleanup_json_ __attribute__((cleanup(jx_putp)))

#endif
