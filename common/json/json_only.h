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
 * escapes is not found. `of`: what is wanted of the object that it is, or of
 * each object of the list that it is; NULL: all. JX_OTHERS stands for each
 * member that the table does not name, with JX_LEFT_OUT for one that is not
 * wanted. A table ends with {NULL}.
 */
struct jx_only {
	const char *key;
	const struct jx_only *of;
};

#define JX_OTHERS "*"
extern const struct jx_only jx_left_out;
#define JX_LEFT_OUT (&jx_left_out)

/*
 * Parse as jx_parse_within() a text that has nothing but the wanted members.
 * What is left out may be nested as deep as it likes: only its brackets and
 * strings are looked at. Result as of jx_parse().
 */
int jx_parse_only(const char *text, size_t len, const struct jx_only *only,
		  size_t parts_max, json_object **out, struct err *err);

#endif
