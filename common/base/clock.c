/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <ctype.h>
#include <stddef.h>
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

int64_t clock_parse_rfc3339(const char *s)
{
	struct tm tm = {0};
	int64_t ms = 0;
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
	if (p[0] != 'Z' || p[1])
		return -1;
	t = timegm(&tm);
	return t == (time_t)-1 ? -1 : (int64_t)t * 1000 + ms;
}
