/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/str.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void str_copy(char *dst, const char *src, size_t size)
{
	size_t n;

	if (!size)
		return;
	n = strnlen(src, size - 1);
	if (src[n]) /* cut: not within a UTF-8 sequence */
		while (n && ((unsigned char)src[n] & 0xc0) == 0x80)
			n--;
	memmove(dst, src, n);
	dst[n] = '\0';
}

#define GAP " ... "
#define GAP_LEN (sizeof(GAP) - 1)
#define SHORTEN_MIN 24 /* bytes; below that there is no room for two parts */

/* Where to cut for a beginning of at most `room` bytes. */
static size_t cut_before(const char *s, size_t room)
{
	size_t n = room;

	while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	for (size_t i = n; i > room / 2; i--)
		if (s[i] == ' ')
			return i;
	return n;
}

/* Where the last `room` bytes begin, or a word soon after. */
static size_t cut_behind(const char *s, size_t len, size_t room)
{
	size_t n = len - room;

	while (n < len && ((unsigned char)s[n] & 0xc0) == 0x80)
		n++;
	if (s[n - 1] == ' ')
		return n;
	for (size_t i = n; i < n + room / 4 && i < len; i++)
		if (s[i] == ' ')
			return i + 1;
	return n;
}

void str_shorten(char *dst, const char *src, size_t size)
{
	size_t len = strlen(src), head, tail;

	if (len < size || size < SHORTEN_MIN) {
		str_copy(dst, src, size);
		return;
	}
	head = cut_before(src, (size - 1 - GAP_LEN) * 2 / 5);
	while (head && src[head - 1] == ' ')
		head--;
	tail = cut_behind(src, len, size - 1 - GAP_LEN - head);
	memcpy(dst, src, head);
	memcpy(dst + head, GAP, GAP_LEN);
	memcpy(dst + head + GAP_LEN, src + tail, len - tail + 1);
}

size_t str_utf8_len(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90))
		return 0; /* overlong */
	if ((s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0; /* a surrogate, beyond U+10FFFF */
	return n;
}

void str_sanitize(char *str)
{
	unsigned char *s = (unsigned char *)str;

	while (*s) {
		size_t n = str_utf8_len((const char *)s);

		if (!n) {
			*s++ = '?';
		} else if (n == 2 && s[0] == 0xc2 && s[1] < 0xa0) {
			s[0] = s[1] = ' '; /* C1 control characters */
			s += 2;
		} else {
			if (*s < 0x20 || *s == 0x7f)
				*s = ' ';
			s += n;
		}
	}
}

bool str_has_control(const char *s)
{
	while (*s && !iscntrl((unsigned char)*s))
		s++;
	return *s;
}

bool str_eq(const char *a, const char *b)
{
	return (!a || !b) ? a == b : strcmp(a, b) == 0;
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *end)
{
	const size_t len = strlen(s), n = strlen(end);

	return len >= n && !strcmp(s + len - n, end);
}

size_t str_next_item(const char **list)
{
	if (!*list)
		return 0;
	*list += strspn(*list, ",");
	return strcspn(*list, ",");
}

bool str_list_has(const char *list, const char *item, size_t len)
{
	size_t n;

	for (; (n = str_next_item(&list)); list += n)
		if (n == len && !memcmp(list, item, len))
			return true;
	return false;
}

bool str_lists_meet(const char *a, const char *b)
{
	size_t n;

	for (; (n = str_next_item(&a)); a += n)
		if (str_list_has(b, a, n))
			return true;
	return false;
}

void str_list_keep(char *list, bool (*keep)(void *arg, const char *item),
		   void *arg)
{
	char *out = list, *rest = list, *item;
	size_t len;

	if (!list)
		return;
	while ((item = strsep(&rest, ","))) {
		if (!keep(arg, item))
			continue;
		len = strlen(item);
		if (out != list)
			*out++ = ',';
		memmove(out, item, len);
		out += len;
	}
	*out = '\0';
}

uint32_t str_hash(uint32_t start, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		start = (start ^ (unsigned char)s[i]) * 16777619u;
	return start;
}

char *str_printf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : s;
}

uint32_t str_sum(const char *text)
{
	uint32_t sum;

	if (!text || !*text)
		return 0;
	sum = str_hash(STR_HASH, text, strlen(text));
	return sum ? sum : 1;
}
