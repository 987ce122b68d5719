/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we use of json-c: bounded parsing, reading by path with type checks,
 * and building with one error. Objects are not shared between threads.
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
 * JX_PART_VALUES times as many values, is one that cannot be read. (A pod of
 * 1000 containers has some 30,000 objects and lists; etcd takes no object of
 * more than 1.5 MiB, unless it is told to.)
 */
#define JX_PARTS_MAX 50000
#define JX_PART_VALUES 10

/* How many objects and lists are in this text? (At most; in JSON: exactly.) */
size_t jx_parts(const char *text, size_t len);

/*
 * Parse one whole JSON text. *out is the caller's (json_object_put). -EBADMSG
 * with the byte where it stopped, or because it holds too much; a NULL object
 * (JSON null) is refused too.
 */
int jx_parse(const char *text, size_t len, json_object **out, struct err *err);

/* The same; it may have `parts_max` objects and lists. */
int jx_parse_within(const char *text, size_t len, size_t parts_max,
		    json_object **out, struct err *err);

/*
 * The same of one whose strings may hold any bytes, not only UTF-8: Slurm's
 * (json-c writes what it is given), with what users have typed. It may have
 * `parts_max` objects and lists.
 */
int jx_parse_bytes(const char *text, size_t len, size_t parts_max,
		   json_object **out, struct err *err);

/*
 * The same as jx_parse() of a text with secrets: json-c keeps no copy of it
 * behind. *out is the caller's, to be given back by jx_wipe_put().
 */
int jx_parse_secret(const char *text, size_t len, json_object **out,
		    struct err *err);

/* Overwrite all texts in it (names of members are left), and put it. */
void jx_wipe_put(json_object *o); /* NULL: nothing */

/*
 * Read by path: each name is a member of the object before it. NULL (or the
 * default) where a step is missing or of another type. Borrowed from `o`.
 */
json_object *jx_get_(const json_object *o, ...) __attribute__((sentinel));
const char *jx_str_(const json_object *o, ...) __attribute__((sentinel));
#define jx_get(o, ...) jx_get_(o, __VA_ARGS__, (char *)NULL)
#define jx_str(o, ...) jx_str_(o, __VA_ARGS__, (char *)NULL)

bool jx_is(const json_object *o, enum json_type type); /* NULL: false */
int64_t jx_int(const json_object *o, int64_t def);     /* of an integer */

/*
 * Build. They take ownership of `val` in every case and return 0 or -ENOMEM;
 * a NULL val means it could not be made. An existing member is replaced.
 */
int jx_set(json_object *o, const char *key, json_object *val);
int jx_set_str(json_object *o, const char *key, const char *val);
int jx_append(json_object *array, json_object *val);

/*
 * The object (or array) that is member `key` of o, made if it is missing.
 * Borrowed. NULL when out of memory or when the member has another type.
 */
json_object *jx_need(json_object *o, const char *key, enum json_type type);

/* The array element whose member "name" is `name`, or NULL. Borrowed. */
json_object *jx_by_name(const json_object *array, const char *name);

json_object *jx_copy(const json_object *o); /* deep; NULL: out of memory */

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
