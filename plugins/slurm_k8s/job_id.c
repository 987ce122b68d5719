/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_id.h"

#include <stdlib.h>
#include <string.h>

#define JOB_ID_DIGITS 10

uint32_t job_id_of(const char *text)
{
	const size_t digits = text ? strspn(text, "0123456789") : 0;
	unsigned long long id;

	if (!digits || text[digits] || digits > JOB_ID_DIGITS)
		return 0;
	id = strtoull(text, NULL, 10);
	return id < UINT32_MAX ? (uint32_t)id : 0;
}
