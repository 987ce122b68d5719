/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log_ratelimit.h"

#include <stdio.h>
#include <string.h>

#include "t.h"

static void each_is_new_once_a_minute(void)
{
	struct log_ratelimit l = {0};

	T_INT(log_ratelimit(&l, "a", 1000), LOG_RATELIMIT_FIRST);
	T_INT(log_ratelimit(&l, "a", 1001), LOG_RATELIMIT_REPEATED);
	T_INT(log_ratelimit(&l, "b", 30000), LOG_RATELIMIT_FIRST);
	T_INT(log_ratelimit(&l, "a", 1000 + LOG_RATELIMIT_MS - 1),
	      LOG_RATELIMIT_REPEATED);
	T_INT(log_ratelimit(&l, "a", 1000 + LOG_RATELIMIT_MS),
	      LOG_RATELIMIT_FIRST);
	T_INT(log_ratelimit(&l, "b", 1000 + LOG_RATELIMIT_MS),
	      LOG_RATELIMIT_REPEATED);
	T_INT(log_ratelimit(&l, "", 1000 + LOG_RATELIMIT_MS),
	      LOG_RATELIMIT_FIRST);
	T_INT(log_ratelimit(&l, "", 1000 + LOG_RATELIMIT_MS),
	      LOG_RATELIMIT_REPEATED);
}

static void of_more_than_are_named_that_is_said_once_a_minute(void)
{
	struct log_ratelimit l = {0};
	char name[16];

	for (int i = 0; i < LOG_RATELIMIT_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		T_INT(log_ratelimit(&l, name, 1000 + i), LOG_RATELIMIT_FIRST);
	}
	T_INT(log_ratelimit(&l, "x", 2000), LOG_RATELIMIT_FULL);
	T_INT(log_ratelimit(&l, "y", 2000), LOG_RATELIMIT_FULL_SAID);
	T_INT(log_ratelimit(&l, "0", 2000), LOG_RATELIMIT_REPEATED);
	/* the first one's time is over: there is one place */
	T_INT(log_ratelimit(&l, "x", 1000 + LOG_RATELIMIT_MS),
	      LOG_RATELIMIT_FIRST);
	T_INT(log_ratelimit(&l, "y", 1000 + LOG_RATELIMIT_MS),
	      LOG_RATELIMIT_FULL_SAID);
	T_INT(log_ratelimit(&l, "x", 1000 + LOG_RATELIMIT_MS),
	      LOG_RATELIMIT_REPEATED);
}

/* (no uid of Kubernetes has as many bytes) */
static void long_names_are_told_apart_by_their_beginning(void)
{
	char a[100], b[100];
	struct log_ratelimit l = {0};

	memset(a, 'a', sizeof(a));
	a[sizeof(a) - 1] = '\0';
	memcpy(b, a, sizeof(b));
	b[LOG_RATELIMIT_NAME_MAX] = 'b';
	T_INT(log_ratelimit(&l, a, 1), LOG_RATELIMIT_FIRST);
	T_INT(log_ratelimit(&l, b, 1), LOG_RATELIMIT_REPEATED);
	b[LOG_RATELIMIT_NAME_MAX - 2] = 'b';
	T_INT(log_ratelimit(&l, b, 1), LOG_RATELIMIT_FIRST);
	memcpy(a + LOG_RATELIMIT_NAME_MAX - 2, "\xc3\xbc",
	       2); /* (not cut in two) */
	T_INT(log_ratelimit(&l, a, 1), LOG_RATELIMIT_FIRST);
	T_INT(log_ratelimit(&l, a, 1), LOG_RATELIMIT_REPEATED);
}

T_MAIN("log_ratelimit", T(each_is_new_once_a_minute),
       T(of_more_than_are_named_that_is_said_once_a_minute),
       T(long_names_are_told_apart_by_their_beginning))
