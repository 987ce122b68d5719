/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/lately.h"

#include <stdio.h>
#include <string.h>

#include "t.h"

static void each_is_new_once_a_minute(void)
{
	struct lately l = {0};

	T_INT(lately(&l, "a", 1000), LATELY_NEW);
	T_INT(lately(&l, "a", 1001), LATELY_KNOWN);
	T_INT(lately(&l, "b", 30000), LATELY_NEW);
	T_INT(lately(&l, "a", 1000 + LATELY_MS - 1), LATELY_KNOWN);
	T_INT(lately(&l, "a", 1000 + LATELY_MS), LATELY_NEW);
	T_INT(lately(&l, "b", 1000 + LATELY_MS), LATELY_KNOWN);
	T_INT(lately(&l, "", 1000 + LATELY_MS), LATELY_NEW);
	T_INT(lately(&l, "", 1000 + LATELY_MS), LATELY_KNOWN);
}

static void of_more_than_are_named_that_is_said_once_a_minute(void)
{
	struct lately l = {0};
	char name[16];

	for (int i = 0; i < LATELY_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		T_INT(lately(&l, name, 1000 + i), LATELY_NEW);
	}
	T_INT(lately(&l, "x", 2000), LATELY_CROWD);
	T_INT(lately(&l, "y", 2000), LATELY_MORE);
	T_INT(lately(&l, "0", 2000), LATELY_KNOWN);
	/* the first one's time is over: there is one place */
	T_INT(lately(&l, "x", 1000 + LATELY_MS), LATELY_NEW);
	T_INT(lately(&l, "y", 1000 + LATELY_MS), LATELY_MORE);
	T_INT(lately(&l, "x", 1000 + LATELY_MS), LATELY_KNOWN);
}

/* (no uid of Kubernetes has as many bytes) */
static void long_names_are_told_apart_by_their_beginning(void)
{
	char a[100], b[100];
	struct lately l = {0};

	memset(a, 'a', sizeof(a));
	a[sizeof(a) - 1] = '\0';
	memcpy(b, a, sizeof(b));
	b[LATELY_NAME_MAX] = 'b';
	T_INT(lately(&l, a, 1), LATELY_NEW);
	T_INT(lately(&l, b, 1), LATELY_KNOWN);
	b[LATELY_NAME_MAX - 2] = 'b';
	T_INT(lately(&l, b, 1), LATELY_NEW);
	memcpy(a + LATELY_NAME_MAX - 2, "\xc3\xbc", 2); /* (not cut in two) */
	T_INT(lately(&l, a, 1), LATELY_NEW);
	T_INT(lately(&l, a, 1), LATELY_KNOWN);
}

T_MAIN("lately", T(each_is_new_once_a_minute),
       T(of_more_than_are_named_that_is_said_once_a_minute),
       T(long_names_are_told_apart_by_their_beginning))
