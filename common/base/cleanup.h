/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cleanup attributes: a local variable that owns something gives it back when
 * it goes out of scope. Ownership leaves with steal_ptr(). Any thread.
 */
#ifndef SLURMK8S_BASE_CLEANUP_H
#define SLURMK8S_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(fn) __attribute__((cleanup(fn)))

/* Free what the variable points to, which may be NULL. */
static inline void cleanup_freep(void *p)
{
	free(*(void **)p);
}

/* Close *fd, unless it is negative. */
static inline void cleanup_closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* Close *f, unless it is NULL. */
static inline void cleanup_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_free_ _cleanup_(cleanup_freep)
#define _cleanup_close_ _cleanup_(cleanup_closep)
#define _cleanup_fclose_ _cleanup_(cleanup_fclosep)

/* Take the pointer out of `p`, which no longer owns it. */
#define steal_ptr(p)                                                           \
	({                                                                     \
		__typeof__(p) stolen_ = (p);                                   \
		(p) = NULL;                                                    \
		stolen_;                                                       \
	})

/* Declare a cleanup function for pointers to T, freed by fn. */
/* NOLINTBEGIN(bugprone-macro-parentheses): T is a type */
#define DEFINE_CLEANUP(T, name, fn)                                            \
	static inline void name(T **p)                                         \
	{                                                                      \
		if (*p)                                                        \
			fn(*p);                                                \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
