/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows with columns, printed for people or as JSON. One thread.
 */
#ifndef SLURMK8S_TOOL_SHEET_H
#define SLURMK8S_TOOL_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "json/json.h"

#define SHEET_COLUMNS_MAX 10

/* What a column is called: in JSON, and above it. */
struct sheet_column {
	const char *key, *heading;
};

struct sheet {
	struct sheet_column columns[SHEET_COLUMNS_MAX + 1]; /* ends with NULL */
	char **cells;	 /* row by row; owned */
	size_t n;	 /* rows */
	bool incomplete; /* out of memory: some rows are missing */
};

/*
 * Add a row: a text for each column, copied without control characters; NULL is
 * "".
 */
void sheet_add(struct sheet *s, const char *const cells[]);

/*
 * Print headings and rows, as wide as they need to be, with what is longer than
 * 60 letters cut, but for the last column; an empty cell is "-".
 */
void sheet_print(const struct sheet *s, FILE *out);

/* The rows as a list of objects. The caller puts. NULL: out of memory. */
json_object *sheet_json(const struct sheet *s);

/* Free the rows. */
void sheet_clear(struct sheet *s);

#endif
