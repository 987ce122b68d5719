/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/gres_text.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/*
 * The length of an item, which ends at the next comma that is not in
 * parentheses.
 */
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
 * The count of an item: in "gpu:a100:2(IDX:0-1)" what is behind the last colon
 * before "("; of a gres without files, "gpu(CNT:2)", what is behind "CNT:".
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

/*
 * True at the end of a gres's name: its type or number follows, or details in
 * parentheses.
 */
static bool is_end(char c)
{
	return c == ':' || c == '(';
}

/* The item that *text begins with; *text then is behind it. NULL: the end. */
static const char *next_item(const char **text, size_t *len)
{
	const char *item = *text;
	size_t skip;

	if (!item || !*item)
		return NULL;
	*len = item_length(item);
	*text += *len + (item[*len] == ',');
	/* From 26.05 on an item may be "gres/gpu:2" or "gres:gpu:2". */
	skip = !strncmp(item, "gres/", 5) || !strncmp(item, "gres:", 5) ? 5 : 0;
	*len -= skip;
	return item + skip;
}

/*
 * True if an item is of this name. Letter case is not compared: slurmctld
 * writes a type as gres.conf does, whatever the job has written.
 */
static bool is_of(const char *item, size_t len, const char *name, size_t want)
{
	return len > want && is_end(item[want]) &&
	       !strncasecmp(item, name, want);
}

/* True for "gpu:2(IDX:0-1)" or "gpu(CNT:2)", and not for "gpu:a100:2". */
static bool has_no_type(const char *item, size_t len, size_t kind)
{
	size_t n = kind;

	if (item[n] == ':')
		n += 1 + strspn(item + n + 1, "0123456789");
	return n >= len || item[n] == '(';
}

/*
 * True for an item of a gres with no_consume: "kvm:0(IDX:0-3)" or "kvm(CNT:0)".
 * With "(IDX:)" a job has none of that type.
 */
static bool is_uncounted(const char *item, size_t len)
{
	const char *paren = memchr(item, '(', len);

	if (!paren)
		return false;
	if (!strncmp(paren, "(CNT:0", 6))
		return !count_of(item, len);
	return !strncmp(paren, "(IDX:", 5) && paren[5] != ')' &&
	       paren - item > 2 && !strncmp(paren - 2, ":0", 2);
}

int64_t gres_text_room(const char *detail, const char *gres)
{
	const size_t all = strlen(gres), kind = strcspn(gres, ":");
	const char *item;
	int64_t sum = 0;
	size_t len;

	while ((item = next_item(&detail, &len))) {
		if (!is_of(item, len, gres, all) &&
		    !(is_of(item, len, gres, kind) &&
		      has_no_type(item, len, kind)))
			continue;
		if (is_uncounted(item, len) ||
		    count_of(item, len) == UINT32_MAX)
			return INT64_MAX;
		sum += (int64_t)count_of(item, len);
	}
	return sum;
}
