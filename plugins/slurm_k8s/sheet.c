/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sheet.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "clean.h"

#define WIDTH_MAX 60 /* bytes of a cell, but for the last of a row */

static size_t width_of(const struct sheet *s)
{
	size_t n = 0;

	while (s->columns[n].key)
		n++;
	return n;
}

void sheet_add(struct sheet *s, const char *const cells[])
{
	const size_t width = width_of(s);
	char **v = reallocarray(s->cells, (s->n + 1) * width, sizeof(*v));

	if (!v) {
		s->incomplete = true;
		return;
	}
	s->cells = v;
	v += s->n * width;
	for (size_t c = 0; c < width; c++) {
		v[c] = clean_copy(cells[c]);
		if (!v[c]) {
			while (c)
				free(v[--c]);
			s->incomplete = true;
			return;
		}
	}
	s->n++;
}

/* A cell as it is printed; the last one of a row is as long as it likes. */
static const char *shown(const char *cell, bool last, char cut[WIDTH_MAX + 1])
{
	if (!*cell)
		return "-";
	if (last || strlen(cell) <= WIDTH_MAX)
		return cell;
	str_shorten(cut, cell, WIDTH_MAX + 1);
	return cut;
}

static void print_row(const char *const cells[], const size_t widths[],
		      size_t n, FILE *out)
{
	char cut[WIDTH_MAX + 1];

	for (size_t c = 0; c + 1 < n; c++)
		fprintf(out, "%-*s  ", (int)widths[c],
			shown(cells[c], false, cut));
	if (n) /* a sheet without columns has empty lines */
		fputs(shown(cells[n - 1], true, cut), out);
	fputc('\n', out);
}

void sheet_print(const struct sheet *s, FILE *out)
{
	const size_t n = width_of(s);
	size_t widths[SHEET_COLUMNS_MAX];
	const char *headings[SHEET_COLUMNS_MAX];
	char cut[WIDTH_MAX + 1];

	for (size_t c = 0; c < n; c++) {
		headings[c] = s->columns[c].heading;
		widths[c] = strlen(headings[c]);
	}
	for (size_t i = 0; i < s->n * n; i++) {
		size_t len = strlen(shown(s->cells[i], false, cut));

		if (len > widths[i % n])
			widths[i % n] = len;
	}
	print_row(headings, widths, n, out);
	for (size_t i = 0; i < s->n; i++)
		print_row((const char *const *)s->cells + i * n, widths, n,
			  out);
}

json_object *sheet_json(const struct sheet *s)
{
	_cleanup_json_ json_object *list = json_object_new_array();
	const size_t n = width_of(s);

	for (size_t i = 0; list && i < s->n; i++) {
		json_object *row = json_object_new_object();

		for (size_t c = 0; row && c < n; c++)
			if (jx_set_str(row, s->columns[c].key,
				       s->cells[i * n + c])) {
				json_object_put(row);
				row = NULL;
			}
		if (jx_append(list, row))
			return NULL;
	}
	return steal_ptr(list);
}

void sheet_clear(struct sheet *s)
{
	for (size_t i = 0; i < s->n * width_of(s); i++)
		free(s->cells[i]);
	free(s->cells);
	s->cells = NULL;
	s->n = 0;
}
