/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

static int64_t now_ms(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t clock_ms(void)
{
	return now_ms(CLOCK_MONOTONIC);
}

int64_t clock_real_ms(void)
{
	return now_ms(CLOCK_REALTIME);
}

int64_t clock_boot_ms(void)
{
	return now_ms(CLOCK_BOOTTIME);
}

void clock_nap(int64_t ms)
{
	const struct timespec t = {.tv_sec = ms / 1000,
				   .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* The number of two digits; 100, which no field may be, if they are none. */
static int two_digits(const char *s)
{
	if (!isdigit((unsigned char)s[0]) || !isdigit((unsigned char)s[1]))
		return 100;
	return (s[0] - '0') * 10 + s[1] - '0';
}

/*
 * Read "Z" or "+02:00", all of the text; *offset_s: seconds east of Greenwich.
 */
static bool parse_zone(const char *s, int64_t *offset_s)
{
	int hours, minutes;

	*offset_s = 0;
	if (!strcmp(s, "Z"))
		return true;
	if ((*s != '+' && *s != '-') || strlen(s) != 6 || s[3] != ':')
		return false;
	hours = two_digits(s + 1);
	minutes = two_digits(s + 4);
	if (hours > 23 || minutes > 59)
		return false;
	*offset_s = (hours * 60 + minutes) * (*s == '-' ? -60 : 60);
	return true;
}

int64_t clock_parse_rfc3339(const char *s)
{
	struct tm tm = {0};
	int64_t ms = 0, offset_s;
	const char *p;
	time_t t;

	if (!s)
		return -1;
	p = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!p)
		return -1;
	if (*p == '.') {
		int scale = 100;

		for (p++; isdigit((unsigned char)*p); p++, scale /= 10)
			ms += (*p - '0') * scale;
	}
	if (!parse_zone(p, &offset_s))
		return -1;
	t = timegm(&tm);
	return t == (time_t)-1 ? -1 : ((int64_t)t - offset_s) * 1000 + ms;
}

bool clock_write_rfc3339(int64_t ms, char out[CLOCK_RFC3339_MAX])
{
	time_t t = (time_t)(ms / 1000);
	struct tm tm;

	*out = '\0';
	return gmtime_r(&t, &tm) &&
	       strftime(out, CLOCK_RFC3339_MAX, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
