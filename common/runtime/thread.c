/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct begin {
	void (*run)(void *arg);
	void *arg;
};

static void *begin(void *arg)
{
	struct begin b = *(struct begin *)arg;

	free(arg);
	b.run(b.arg);
	return NULL;
}

int thread_start(pthread_t *t, const char *name, void (*run)(void *arg),
		 void *arg, struct err *err)
{
	struct begin *b = malloc(sizeof(*b));
	sigset_t all, old;
	int rc;

	if (!b)
		return err_oom(err);
	*b = (struct begin){run, arg};
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(t, NULL, begin, b);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc) {
		free(b);
		return err_set(err, -rc, "no thread: %s", strerror(rc));
	}
	pthread_setname_np(*t, name);
	return 0;
}

bool thread_join(pthread_t t, int64_t wait_ms)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += wait_ms / 1000;
	end.tv_nsec += wait_ms % 1000 * 1000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_sec++;
		end.tv_nsec -= 1000000000;
	}
	if (!pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &end))
		return true;
	pthread_detach(t);
	return false;
}
