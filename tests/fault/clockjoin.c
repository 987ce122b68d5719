/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For programs that are linked with --wrap=pthread_clockjoin_np. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define NS_A_S 1000000000

int __wrap_pthread_clockjoin_np(pthread_t t, void **result, clockid_t clock,
				const struct timespec *end);

/*
 * ThreadSanitizer knows the function of old only, and takes what this one has
 * joined for threads that nobody joins (until there are too many of them).
 */
int __wrap_pthread_clockjoin_np(pthread_t t, void **result, clockid_t clock,
				const struct timespec *end)
{
	struct timespec now, until;
	int64_t left;

	clock_gettime(clock, &now);
	left = (end->tv_sec - now.tv_sec) * (int64_t)NS_A_S + end->tv_nsec -
	       now.tv_nsec;
	clock_gettime(CLOCK_REALTIME, &until);
	left += until.tv_nsec;
	if (left < 0)
		return ETIMEDOUT;
	until.tv_sec += left / NS_A_S;
	until.tv_nsec = left % NS_A_S;
	return pthread_timedjoin_np(t, result, &until);
}
