/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which names the log has had of late: a user who can change one object many
 * times a second, or make many objects, must not fill the log. Bounded; no
 * clock of its own. All zero: none was named. One thread at a time.
 */
#ifndef SLURMK8S_BASE_LATELY_H
#define SLURMK8S_BASE_LATELY_H

#include <stdint.h>

#define LATELY_MS 60000	   /* how long one is not named again */
#define LATELY_MAX 64	   /* how many are named in that time */
#define LATELY_NAME_MAX 64 /* bytes by which they are told apart, with NUL */

struct lately {
	struct lately_named {
		int64_t until; /* clock_ms(); 0: the place is free */
		char name[LATELY_NAME_MAX];
	} named[LATELY_MAX];
	int64_t overcommit_until;
};

enum lately_is {
	LATELY_NEW,   /* to be named: it counts as named from now on */
	LATELY_KNOWN, /* it was named less than LATELY_MS ago */
	LATELY_CROWD, /* LATELY_MAX others were named: to be said once */
	LATELY_MORE,  /* LATELY_MAX were, and that has been said */
};

/*
 * May this name be logged now, and how. `name`: a uid or another text that
 * tells it apart, cut to LATELY_NAME_MAX; `now`: clock_ms().
 */
enum lately_is lately(struct lately *l, const char *name, int64_t now);

#endif
