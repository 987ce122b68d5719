/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/gres_text.h"

#include <stdbool.h>
#include <string.h>

/* One item: to the next comma that is not in parentheses. */
static size_t item_length(const char *text)
{
	size_t n = 0;

	for (int depth = 0; text[n] && (text[n] != ',' || depth > 0); n++)
		depth += (text[n] == '(') - (text[n] == ')');
	return n;
}

static uint64_t number_of(const char *text, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		n = n * 10 + (uint64_t)(text[i] - '0');
		if (n > UINT32_MAX)
			return UINT32_MAX;
	}
	return n;
}

/*
 * "gpu:a100:2(IDX:0-1)": what is behind the last colon before "("; of a gres
 * without files, "gpu(CNT:2)": what is behind "CNT:".
 */
static uint64_t count_of(const char *item, size_t len)
{
	const char *paren = memchr(item, '(', len);
	size_t end = paren ? (size_t)(paren - item) : len, at = end;

	if (paren && !strncmp(paren, "(CNT:", 5))
		return number_of(paren + 5, strcspn(paren + 5, "),"));
	while (at > 0 && item[at - 1] != ':')
		at--;
	return at == 0 ? 0 : number_of(item + at, end - at);
}

/* Does the name end here? */
static bool is_end(char c)
{
	return c == ':' || c == '(';
}

uint32_t gres_text_count(const char *detail, const char *name)
{
	const size_t want = strlen(name);
	uint64_t sum = 0;

	while (detail && *detail) {
		const size_t len = item_length(detail);
		/* (from 26.05 on it may be "gres/gpu:2" or "gres:gpu:2") */
		const size_t skip = !strncmp(detail, "gres/", 5) ||
						    !strncmp(detail, "gres:", 5)
					    ? 5
					    : 0;

		if (len > skip + want && is_end(detail[skip + want]) &&
		    !strncmp(detail + skip, name, want))
			sum += count_of(detail + skip, len - skip);
		if (sum > UINT32_MAX)
			return UINT32_MAX;
		detail += len + (detail[len] == ',');
	}
	return (uint32_t)sum;
}
