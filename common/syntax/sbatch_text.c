/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "syntax/sbatch_text.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* digits of a number: no sum or product of ours overflows */
#define DIGITS_MAX 15

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Read the number at *s, which moves behind it; -1: there are no digits, or too
 * many.
 */
static int64_t take_number(const char **s)
{
	const char *from = *s;
	int64_t n = 0;

	while (is_digit(**s)) {
		if (*s - from == DIGITS_MAX)
			return -1;
		n = n * 10 + (*(*s)++ - '0');
	}
	return *s == from ? -1 : n;
}

int sbatch_number(const char *text, int64_t *out)
{
	const char *s = *text == '-' ? text + 1 : text;
	int64_t n = take_number(&s);

	if (n < 0 || *s)
		return -EINVAL;
	*out = *text == '-' ? -n : n;
	return 0;
}

/*
 * Read all of a text of numbers with ':' between them; how many there are, or
 * 0.
 */
static int take_clock(const char *s, int64_t v[3])
{
	for (int n = 0; n < 3; n++) {
		v[n] = take_number(&s);
		if (v[n] < 0)
			return 0;
		if (!*s)
			return n + 1;
		if (*s++ != ':')
			return 0;
	}
	return 0;
}

/* No overflow: each part in seconds_of() is below 10^10. */
#define SECONDS_MAX 1000000000000

static int64_t seconds_of(int64_t d, int64_t h, int64_t m, int64_t s)
{
	const int64_t part = 10000000000;

	if (d > part || h > part || m > part || s > part)
		return -1;
	return d * 86400 + h * 3600 + m * 60 + s;
}

int sbatch_minutes(const char *text, int64_t *out)
{
	const char *dash = strchr(text, '-'), *s = text;
	int64_t v[3] = {0}, days = 0, seconds;
	int n;

	if (!strcasecmp(text, "infinite") || !strcasecmp(text, "unlimited")) {
		*out = -1;
		return 0;
	}
	if (dash) {
		days = take_number(&s);
		if (days < 0 || s != dash)
			return -EINVAL;
		s++;
	}
	n = take_clock(s, v);
	if (!n)
		return -EINVAL;
	if (dash || n == 3) /* "d-h..." and "h:m:s" begin with hours. */
		seconds = seconds_of(days, v[0], v[1], v[2]);
	else /* "m" and "m:s" begin with minutes. */
		seconds = seconds_of(0, 0, v[0], v[1]);
	if (seconds < 0 || seconds > SECONDS_MAX)
		return -EINVAL;
	*out = (seconds + 59) / 60;
	return 0;
}

int sbatch_mebibytes(const char *text, int64_t *out)
{
	static const char units[] = "kmgt";
	const char *s = text, *unit;
	int64_t n = take_number(&s);

	if (n < 0 || n > (1ll << 40))
		return -EINVAL;
	if (!*s || (!strcasecmp(s, "m"))) {
		*out = n;
		return 0;
	}
	unit = strchr(units, *s | 0x20);
	if (!unit || s[1])
		return -EINVAL;
	if (*unit == 'k')
		*out = (n + 1023) / 1024;
	else /* a G is 2^10 MiB, a T 2^20 MiB */
		*out = n << (*unit == 'g' ? 10 : 20);
	return 0;
}

static int later(const char *s, int64_t now, int64_t *out)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = {
		{"", 1},	  {"second", 1},     {"seconds", 1},
		{"minute", 60},	  {"minutes", 60},   {"hour", 3600},
		{"hours", 3600},  {"day", 86400},    {"days", 86400},
		{"week", 604800}, {"weeks", 604800},
	};
	int64_t n = take_number(&s);

	if (n < 0 || n > 1000000000)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcasecmp(s, units[i].name)) {
			*out = now + n * units[i].seconds;
			return 0;
		}
	return -EINVAL;
}

/* Read `n` digits as a number from `min` to `max`; *s moves behind them. */
static int take_field(const char **s, int n, int min, int max, int *out)
{
	*out = 0;
	for (int i = 0; i < n; i++) {
		if (!is_digit(**s))
			return -EINVAL;
		*out = *out * 10 + (*(*s)++ - '0');
	}
	return *out < min || *out > max ? -EINVAL : 0;
}

static int take_char(const char **s, char c)
{
	return *(*s) == c ? ((*s)++, 0) : -EINVAL;
}

static int take_time(const char *s, struct tm *t)
{
	if (take_char(&s, 'T') || take_field(&s, 2, 0, 23, &t->tm_hour) ||
	    take_char(&s, ':') || take_field(&s, 2, 0, 59, &t->tm_min))
		return -EINVAL;
	if (!*s)
		return 0;
	if (take_char(&s, ':') || take_field(&s, 2, 0, 59, &t->tm_sec) || *s)
		return -EINVAL;
	return 0;
}

int sbatch_date(const char *text, int64_t now, int64_t *out)
{
	struct tm t = {.tm_isdst = -1};
	const char *s = text;
	int day;
	time_t at;

	if (!strncasecmp(text, "now", 3)) {
		if (text[3] == '+')
			return later(text + 4, now, out);
		*out = now;
		return text[3] ? -EINVAL : 0;
	}
	if (take_field(&s, 4, 1970, 9999, &t.tm_year) || take_char(&s, '-') ||
	    take_field(&s, 2, 1, 12, &t.tm_mon) || take_char(&s, '-') ||
	    take_field(&s, 2, 1, 31, &t.tm_mday) || (*s && take_time(s, &t)))
		return -EINVAL;
	t.tm_year -= 1900;
	t.tm_mon--;
	day = t.tm_mday;
	at = mktime(&t);
	if (at < 0 || t.tm_mday != day) /* 31 February */
		return -EINVAL;
	*out = at;
	return 0;
}

/* Read one word: *s moves behind it, *to behind the copy. */
static int take_word(const char **s, char **to, struct err *err)
{
	char quote = 0;

	for (; **s; (*s)++) {
		char c = **s;

		if (!quote && strchr(" \t\n", c))
			break;
		if (!quote && (c == '\'' || c == '"')) {
			quote = c;
		} else if (quote && c == quote) {
			quote = 0;
		} else if (c == '\\' && quote != '\'' &&
			   (!quote || (*s)[1] == '"' || (*s)[1] == '\\')) {
			if (!*++(*s))
				return err_set(err, -EINVAL,
					       "a backslash at the end");
			*(*to)++ = **s;
		} else {
			*(*to)++ = c;
		}
	}
	if (quote)
		return err_set(err, -EINVAL, "a %c without its end", quote);
	*(*to)++ = '\0';
	return 0;
}

static int check_text(const char *text, struct err *err)
{
	if (strnlen(text, SBATCH_TEXT_MAX) >= SBATCH_TEXT_MAX)
		return err_set(err, -E2BIG, "more than %d bytes of options",
			       SBATCH_TEXT_MAX - 1);
	for (const char *s = text; *s; s++)
		if (((unsigned char)*s < 0x20 && !strchr("\t\n", *s)) ||
		    *s == 0x7f)
			return err_set(err, -EINVAL,
				       "a control character at byte %zu",
				       (size_t)(s - text));
	return 0;
}

int sbatch_split(const char *text, struct sbatch_words *out, struct err *err)
{
	char *to = out->text;
	int rc = check_text(text, err);

	out->n = 0;
	while (!rc) {
		text += strspn(text, " \t\n");
		if (!*text)
			return 0;
		if (out->n == SBATCH_WORDS_MAX)
			return err_set(err, -E2BIG, "more than %d words",
				       SBATCH_WORDS_MAX);
		out->v[out->n++] = to;
		rc = take_word(&text, &to, err);
	}
	return rc;
}
