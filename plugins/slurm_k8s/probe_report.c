/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe_report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* A part of a line, which does not end with NUL. */
struct part {
	const char *at;
	size_t len;
};

static struct part next_word(struct part *line)
{
	struct part w;

	while (line->len && *line->at == ' ') {
		line->at++;
		line->len--;
	}
	w = (struct part){line->at, 0};
	while (w.len < line->len && w.at[w.len] != ' ')
		w.len++;
	line->at += w.len;
	line->len -= w.len;
	return w;
}

static bool is(struct part p, const char *word)
{
	return p.len == strlen(word) && !memcmp(p.at, word, p.len);
}

static void take_words(struct probe_line *out, struct part rest)
{
	size_t n;

	while (rest.len && *rest.at == ' ') {
		rest.at++;
		rest.len--;
	}
	while (rest.len && rest.at[rest.len - 1] == ' ')
		rest.len--;
	n = rest.len < sizeof(out->words) ? rest.len : sizeof(out->words) - 1;
	memcpy(out->words, rest.at, n);
	out->words[n] = '\0';
	str_sanitize(out->words);
}

static void take_line(struct probe_line *out, struct part rest)
{
	static const struct {
		const char *word;
		enum probe_answer answer;
	} answers[] = {
		{"ok", PROBE_OK},	    {"fail", PROBE_FAIL},
		{"silent", PROBE_SILENT},   {"missing", PROBE_MISSING},
		{"unknown", PROBE_UNKNOWN}, {"unreadable", PROBE_UNREADABLE},
	};
	struct part word = next_word(&rest);

	if (out->answer != PROBE_UNTOLD)
		return;
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
		if (is(word, answers[i].word))
			out->answer = answers[i].answer;
	if (out->answer != PROBE_UNTOLD)
		take_words(out, rest);
}

/* One of `n` lines, which begins with its number: one digit, or two. */
static void take_numbered(struct probe_line *lines, size_t n, struct part rest)
{
	struct part number = next_word(&rest);
	size_t i = 0;

	if (!number.len || number.len > 2 ||
	    (number.len == 2 && *number.at == '0'))
		return;
	for (size_t k = 0; k < number.len; k++) {
		if (!isdigit((unsigned char)number.at[k]))
			return;
		i = i * 10 + (size_t)(number.at[k] - '0');
	}
	if (i < n)
		take_line(&lines[i], rest);
}

static void take_version(struct probe_line *out, struct part rest)
{
	if (out->answer != PROBE_UNTOLD)
		return;
	take_words(out, rest);
	out->answer = *out->words ? PROBE_OK : PROBE_MISSING;
}

static void one_line(struct probe_report *r, struct part line)
{
	struct part word = next_word(&line);

	if (is(word, "version"))
		take_version(&r->version, line);
	else if (is(word, "key"))
		take_line(&r->key, line);
	else if (is(word, "name"))
		take_numbered(r->name, PROBE_TARGETS_MAX, line);
	else if (is(word, "port"))
		take_numbered(r->port, PROBE_TARGETS_MAX, line);
	else if (is(word, "file"))
		take_numbered(r->file, PROBE_NEEDS_MAX, line);
	else if (is(word, "listen"))
		take_line(&r->listen, line);
	else if (is(word, "end"))
		r->whole = true;
}

static struct part next_line(const char **text)
{
	struct part line = {*text, strcspn(*text, "\n")};

	*text += line.len + (line.at[line.len] == '\n');
	return line;
}

void probe_report_read(struct probe_report *r, const char *message,
		       const char *hello)
{
	struct part line = next_line(&message);

	*r = (struct probe_report){0};
	r->begun = is(next_word(&line), "probe") && is(next_word(&line), hello);
	while (r->begun && !r->whole && *message)
		one_line(r, next_line(&message));
}

/* Two digits, or -1. */
static int two_digits(const char *s)
{
	return isdigit((unsigned char)s[0]) && isdigit((unsigned char)s[1])
		       ? (s[0] - '0') * 10 + s[1] - '0'
		       : -1;
}

int probe_release(const char *words, int *micro)
{
	*micro = -1;
	for (const char *s = words; *s; s++) {
		int year = two_digits(s), month;

		if (year < 0 || s[2] != '.')
			continue;
		month = two_digits(s + 3);
		if (month < 0)
			continue;
		if (s[5] == '.' && isdigit((unsigned char)s[6]))
			*micro = (int)(strtoul(s + 6, NULL, 10) % 1000);
		return year * 100 + month;
	}
	return 0;
}

/* The number of a release in their row; 22.05 is 0. */
static int row_of(int release)
{
	int year = release / 100, month = release % 100;

	if (release <= 2205)
		return release > 2108	? 0
		       : release > 2011 ? -1
		       : release > 2002 ? -2
					: -3;
	if (year == 23)
		return month >= 11 ? 2 : 1;
	return (year - 24) * 2 + (month >= 11 ? 4 : 3);
}

int probe_releases_behind(int older, int newer)
{
	return row_of(newer) - row_of(older);
}
