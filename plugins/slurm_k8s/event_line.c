/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What each line of the engine and of its programs has. */
#define OURS "k8s: "
#define WHAT_MAX 320	     /* bytes of a name: "NAMESPACE/NAME" of a pod */
#define JOB_DIGITS_MAX 10    /* digits of a job's number */
#define NUMBER_DIGITS_MAX 18 /* digits in brackets, as in hostlist.c */

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.' ||
	       c == '/';
}

/* True if a name goes on at `at`; the full stop of a sentence ends it. */
static bool goes_on(const char *at)
{
	return in_name(*at) && (*at != '.' || in_name(at[1]) || at[1] == '[');
}

static size_t digits_at(const char *at)
{
	return strspn(at, "0123456789");
}

static unsigned long long number_of(const char *at, size_t digits)
{
	unsigned long long n = 0;

	for (size_t i = 0; i < digits; i++)
		n = n * 10 + (unsigned long long)(at[i] - '0');
	return n;
}

/* --- jobs */

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool is_wanted(const struct event_topic *t, const char *at, size_t n)
{
	unsigned long long number;
	uint32_t id;

	if (n > JOB_DIGITS_MAX)
		return false;
	number = number_of(at, n);
	id = (uint32_t)number;
	return id == number &&
	       bsearch(&id, t->jobs, t->n_jobs, sizeof(id), by_number);
}

/* "5" or, where there may be more, "3,5, 7" has a number that is wanted. */
static bool numbers_have(const char *at, bool more, const struct event_topic *t)
{
	size_t n;

	while ((n = digits_at(at)) && !goes_on(at + n)) {
		if (is_wanted(t, at, n))
			return true;
		at += n;
		if (!more || *at != ',')
			break;
		at++;
		at += *at == ' ';
	}
	return false;
}

/* Other numbers are seconds, counts and parts of names. */
static bool has_job(const char *line, const struct event_topic *t)
{
	static const struct {
		const char *words;
		bool more;
	} before[] = {{"job ", false}, {"jobs ", true}, {"JobId=", false}};
	const size_t n = sizeof(before) / sizeof(*before);

	for (const char *at = line; (at = strcasestr(at, "job")); at++) {
		if (at > line && in_name(at[-1]))
			continue;
		for (size_t i = 0; i < n; i++) {
			const size_t len = strlen(before[i].words);

			if (!strncasecmp(at, before[i].words, len) &&
			    numbers_have(at + len, before[i].more, t))
				return true;
		}
	}
	return false;
}

/* --- names, also within hostlists */

/*
 * How far a name can have been read when an expression has been read so far:
 * at[i] is true if the first i bytes of the name are one of the texts that the
 * expression can be. No list is expanded.
 */
struct reading {
	const char *name;
	size_t len;
	bool at[WHAT_MAX + 1];
};

static void begin(struct reading *r)
{
	memset(r->at, 0, r->len + 1);
	r->at[0] = true;
}

/* Read a letter of the expression. False: it can no longer be the name. */
static bool read_letter(struct reading *r, char c)
{
	bool any = false;

	for (size_t i = r->len; i; i--) {
		r->at[i] = r->at[i - 1] && r->name[i - 1] == c;
		any = any || r->at[i];
	}
	r->at[0] = false;
	return any;
}

/* "08-11": numbers have zeros up to the width of the first one. */
struct range {
	unsigned long long from, to;
	size_t width;
};

/* The range at *at, which is moved behind it; false: there is none. */
static bool read_range(const char **at, struct range *out)
{
	const char *lo = *at, *hi = lo;
	const size_t lo_len = digits_at(lo);
	size_t hi_len = lo_len;

	if (lo[lo_len] == '-') {
		hi = lo + lo_len + 1;
		hi_len = digits_at(hi);
	}
	if (!lo_len || !hi_len || lo_len > NUMBER_DIGITS_MAX ||
	    hi_len > NUMBER_DIGITS_MAX)
		return false;
	*at = hi + hi_len;
	*out = (struct range){number_of(lo, lo_len), number_of(hi, hi_len),
			      lo_len};
	return out->from <= out->to;
}

/*
 * Read each number of the range that the name has behind its first `i` bytes.
 */
static void read_numbers(const struct reading *r, size_t i,
			 const struct range *range, bool next[])
{
	const char *digits = r->name + i;
	const size_t n = digits_at(digits);

	for (size_t d = range->width; d <= n && d <= NUMBER_DIGITS_MAX; d++) {
		const unsigned long long x = number_of(digits, d);

		if (d > range->width && *digits == '0')
			break;
		if (x >= range->from && x <= range->to)
			next[i + d] = true;
	}
}

/*
 * Read the "[0-3,7]" at `bracket`; returns what is behind it. NULL: it is no
 * bracket of a hostlist, and nothing was read.
 */
static const char *read_bracket(struct reading *r, const char *bracket)
{
	bool next[WHAT_MAX + 1] = {false};
	const char *at = bracket;
	struct range range;

	do {
		at++;
		if (!read_range(&at, &range))
			return NULL;
		for (size_t i = 0; i < r->len; i++)
			if (r->at[i])
				read_numbers(r, i, &range, next);
	} while (*at == ',');
	if (*at != ']')
		return NULL;
	memcpy(r->at, next, r->len + 1);
	return at + 1;
}

/*
 * Read the expression at *at, which is moved behind it; true if the name is one
 * of those that it names.
 */
static bool expression_has(struct reading *r, const char **at)
{
	bool may = true; /* false: no match, the rest is skipped */
	const char *p = *at, *behind;

	begin(r);
	for (; goes_on(p) || *p == '['; p = behind) {
		behind = p + 1;
		if (*p != '[')
			may = may && read_letter(r, *p);
		else if (!(behind = read_bracket(r, p)))
			break;
	}
	*at = p;
	return may && r->at[r->len];
}

/* True if the name stands in the line, not as a part of a longer one. */
static bool has_name(const char *line, const char *name)
{
	struct reading r = {.name = name, .len = strlen(name)};
	const char *at = line;

	if (!r.len || r.len > WHAT_MAX)
		return false;
	while (*at) {
		if (!goes_on(at))
			at++;
		else if (expression_has(&r, &at))
			return true;
	}
	return false;
}

bool event_line_is_about(const char *line, const struct event_topic *topic)
{
	if (!strstr(line, OURS))
		return false;
	if (!topic->name && !topic->n_jobs)
		return true;
	return (topic->n_jobs && has_job(line, topic)) ||
	       (topic->name && has_name(line, topic->name));
}
