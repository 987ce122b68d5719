/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was named in the log lately: who can change one thing many times a
 * second, or make many, must not fill it. Bounded; no clock of its own. All
 * zero: nothing was named. One thread at a time.
 */
#ifndef SLURMK8S_BASE_LATELY_H
#define SLURMK8S_BASE_LATELY_H

#include <stdint.h>

#define LATELY_MS 60000	   /* so long one is not named again */
#define LATELY_MAX 64	   /* so many are named in that time */
#define LATELY_NAME_MAX 64 /* bytes by which they are told apart, with NUL */

struct lately {
	struct lately_named {
		int64_t until; /* 0: none was */
		char name[LATELY_NAME_MAX];
	} named[LATELY_MAX];
	int64_t overcommit_until;
};

enum lately_is {
	LATELY_NEW,   /* to be named: it counts as named from now on */
	LATELY_KNOWN, /* it was */
	LATELY_CROWD, /* too many were: that is to be said, this once */
	LATELY_MORE,  /* and that was said */
};

/* `name`: a uid or the like; `now`: clock_ms(). */
enum lately_is lately(struct lately *l, const char *name, int64_t now);

#endif
