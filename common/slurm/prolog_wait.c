/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/prolog_wait.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_STATE 3
#define FIELD_STARTTIME 22

int64_t prolog_wait_left_ms(uint32_t limit_s, int64_t age_ms)
{
	int64_t left;

	if (!limit_s)
		return PROLOG_WAIT_MAX_MS;
	left = ((int64_t)limit_s - PROLOG_WAIT_MARGIN_S) * 1000;
	left -= age_ms > 0 ? age_ms : 0;
	if (left < 0)
		return 0;
	return left < PROLOG_WAIT_MAX_MS ? left : PROLOG_WAIT_MAX_MS;
}

unsigned int prolog_wait_ask_s(uint32_t limit_s, int64_t age_ms)
{
	const int64_t s = prolog_wait_left_ms(limit_s, age_ms) / 1000 +
			  PROLOG_WAIT_GRACE_S;

	return (unsigned int)(s < PROLOG_WAIT_ASK_S ? s : PROLOG_WAIT_ASK_S);
}

bool prolog_wait_is_short(uint32_t limit_s, uint32_t resume_timeout_s)
{
	return limit_s && (limit_s <= PROLOG_WAIT_MARGIN_S ||
			   limit_s - PROLOG_WAIT_MARGIN_S < resume_timeout_s);
}

int64_t prolog_wait_start_ticks(const char *stat)
{
	const char *p = strrchr(stat, ')');
	long long ticks;
	char *end;

	for (int i = FIELD_STATE; p && i <= FIELD_STARTTIME; i++)
		if ((p = strchr(p, ' ')))
			p++;
	if (!p || !isdigit((unsigned char)*p))
		return -1;
	errno = 0;
	ticks = strtoll(p, &end, 10);
	return errno ? -1 : ticks;
}
