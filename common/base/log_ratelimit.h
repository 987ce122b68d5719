/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which names the log has had of late: a user who can change one object many
 * times a second, or make many objects, must not fill the log. Bounded; no
 * clock of its own. All zero: none was named. One thread at a time.
 */
#ifndef SLURMK8S_BASE_LOG_RATELIMIT_H
#define SLURMK8S_BASE_LOG_RATELIMIT_H

#include <stdint.h>

#define LOG_RATELIMIT_MS 60000 /* how long a name is not logged again */
#define LOG_RATELIMIT_MAX 64   /* names that are logged in that time */
#define LOG_RATELIMIT_NAME_MAX                                                 \
	64 /* bytes by which names are told apart, with NUL */

struct log_ratelimit {
	struct log_ratelimit_entry {
		int64_t until; /* clock_ms(); 0: the place is free */
		char name[LOG_RATELIMIT_NAME_MAX];
	} named[LOG_RATELIMIT_MAX];
	int64_t full_until;
};

enum log_ratelimit_answer {
	LOG_RATELIMIT_FIRST, /* log the name: it counts as named from now on */
	/* The name was logged less than LOG_RATELIMIT_MS ago. */
	LOG_RATELIMIT_REPEATED,
	/* LOG_RATELIMIT_MAX others were named: to be said once. */
	LOG_RATELIMIT_FULL,
	/* LOG_RATELIMIT_MAX others were named, and that has been said. */
	LOG_RATELIMIT_FULL_SAID,
};

/*
 * Say whether this name may be logged now, and how. `name`: a uid or another
 * text that tells it apart, cut to LOG_RATELIMIT_NAME_MAX; `now`: clock_ms().
 */
enum log_ratelimit_answer log_ratelimit(struct log_ratelimit *l,
					const char *name, int64_t now);

#endif
