/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Some members of a JSON text, without the rest of it: for a text that holds
 * more than jx_parse() takes, where few members are wanted. Pure. Any thread.
 */
#ifndef SLURMK8S_JSON_JSON_ONLY_H
#define SLURMK8S_JSON_JSON_ONLY_H

#include "json/json.h"

/*
 * A member that is wanted, by its name as the text has it: one written with
 * escapes is not found. A key that ends in '*' stands for each member that
 * begins so and that no other line names; JX_OTHERS so for all of these.
 *
 * `of`: what is wanted of the object that it is, or of each object of the list
 * that it is. NULL: all. JX_LEFT_OUT: nothing, it is not wanted. JX_SOME: no
 * more than whether the object or list is empty; of one that is not something
 * stands there. JX_NEEDED: all, and an object in a list that does not have it,
 * or has false, 0 or null there, is left out of the list.
 *
 * `most`, unless it is 0, is a bound. Of a member that is named: so many
 * objects, lists and commas it may have, without what is left out; a text where
 * it has more is one that cannot be read; they count in what holds it, too. Of
 * a key that ends in '*': so many members are taken of one object, and more are
 * left out.
 *
 * A table ends with {NULL}; the `of` of that line is for object_parse().
 */
struct jx_only {
	const char *key;
	const struct jx_only *of;
	unsigned int most;
};

#define JX_OTHERS "*"
extern const struct jx_only jx_left_out, jx_some, jx_needed;
#define JX_LEFT_OUT (&jx_left_out)
#define JX_SOME (&jx_some)
#define JX_NEEDED (&jx_needed)

/*
 * Parse as jx_parse_within() a text that has nothing but the wanted members.
 * What is left out may be nested as deep as it likes: only its brackets and
 * strings are looked at. Result as of jx_parse().
 */
int jx_parse_only(const char *text, size_t len, const struct jx_only *only,
		  size_t parts_max, json_object **out, struct err *err);

#endif
