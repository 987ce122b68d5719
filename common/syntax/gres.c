/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/gres.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The number of one Gres item "kind[:type][:count][(...)]"; suffix k, m, g. */
static uint64_t item_count(const char *item, size_t len)
{
	const char *colon = memrchr(item, ':', len);
	unsigned long long n;
	char text[32], *end;
	size_t digits;

	if (!colon)
		return 1;
	digits = len - (size_t)(colon + 1 - item);
	if (!digits || digits >= sizeof(text) ||
	    !isdigit((unsigned char)colon[1]))
		return 1; /* "gpu:a100": one device of a type */
	memcpy(text, colon + 1, digits);
	text[digits] = '\0';
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || n > UINT32_MAX)
		return 0;
	if (*end && end[1])
		return 1; /* "gpu:1g.5gb": a type that begins with a digit */
	switch (tolower((unsigned char)*end)) {
	case '\0':
		return n;
	case 'k':
		return n << 10;
	case 'm':
		return n << 20;
	case 'g':
		return n << 30;
	default:
		return 1; /* "gpu:1x": a type that begins with a digit */
	}
}

uint64_t gres_count(const char *gres, const char *kind)
{
	size_t klen = strlen(kind);
	uint64_t sum = 0;

	while (gres && *gres) {
		size_t whole, len;
		int depth = 0;

		for (whole = 0; gres[whole] && (gres[whole] != ',' || depth);
		     whole++) {
			depth += gres[whole] == '(';
			depth -= gres[whole] == ')' && depth;
		}
		len = strcspn(gres, "(");
		if (len > whole)
			len = whole;
		if (len >= klen && !strncmp(gres, kind, klen) &&
		    (len == klen || gres[klen] == ':'))
			sum += item_count(gres, len);
		gres += whole + (gres[whole] == ',');
	}
	return sum;
}
