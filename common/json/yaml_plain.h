/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a YAML scalar without quotes is, as kubectl has it (sigs.k8s.io/yaml,
 * which is go-yaml v2: YAML 1.1, without base 60). Pure. Any thread.
 */
#ifndef SLURMK8S_JSON_YAML_PLAIN_H
#define SLURMK8S_JSON_YAML_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

enum yaml_kind {
	YAML_IS_TEXT,
	YAML_IS_NULL,
	YAML_IS_BOOL,
	YAML_IS_INT,
	YAML_IS_UINT, /* over INT64_MAX */
	YAML_IS_FLOAT,
	YAML_IS_NO_JSON, /* .inf, .nan, and numbers that we do not read */
};

struct yaml_plain {
	enum yaml_kind kind;
	union {
		bool yes;
		int64_t i;
		uint64_t u;
		double d;
	};
};

/* What this scalar is; it borrows nothing. */
struct yaml_plain yaml_plain_of(const char *text);

/*
 * True if the scalar is a text, or a number that JSON writes as it is written
 * here: "12" is one, "1_000" is none.
 */
bool yaml_plain_is_text(const char *text);

/*
 * The value as JSON, numbers as kubectl writes them. The caller puts. NULL: it
 * is a text or null, or out of memory.
 */
json_object *yaml_plain_json(const struct yaml_plain *p);

#endif
