/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Open descriptors 0 to 2: else the next socket would be "standard error", and
 * the log go into it.
 */
static void fill_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_NOCTTY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

void process_setup(void)
{
	const struct rlimit none = {0, 0};
	sigset_t empty;

	fill_descriptors();
	sigemptyset(&empty);
	sigprocmask(SIG_SETMASK, &empty, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* a core file would hold the token */
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
}
