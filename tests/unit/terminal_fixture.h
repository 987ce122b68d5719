/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A terminal of the test's own, on which a child of it runs. What the child
 * writes is all that it can say; its checks are lost.
 */
#ifndef SLURMK8S_TESTS_UNIT_TERMINAL_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_TERMINAL_FIXTURE_H

#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t.h"

#define TERMINAL_WAIT_MS 20000
#define TERMINAL_SEEN_MAX 65536
#define CTRL_C "\003"
#define CTRL_D "\004"
#define CTRL_Z "\032"

struct terminal {
	int fd;
	pid_t pid; /* the child */
	char seen[TERMINAL_SEEN_MAX];
	size_t n;
};

/*
 * As fork(2): true in the child, whose standard input, output and error are
 * the terminal, with 24 rows of 80 columns. In the test t->pid is -1 when there
 * is no child.
 */
static inline bool terminal_begin(struct terminal *t)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 80};

	*t = (struct terminal){.fd = -1};
	(void)fflush(NULL); /* what is left there the child would write, too */
	t->pid = forkpty(&t->fd, NULL, NULL, &size);
	return !t->pid;
}

/*
 * Read on until `text` is there (NULL: to the end, when no process has the
 * terminal any more). False: it does not come.
 */
static inline bool terminal_see(struct terminal *t, const char *text)
{
	struct pollfd p = {.fd = t->fd, .events = POLLIN};
	ssize_t n;

	while (!text || !strstr(t->seen, text)) {
		if (poll(&p, 1, TERMINAL_WAIT_MS) <= 0 ||
		    t->n + 1 >= TERMINAL_SEEN_MAX)
			return false;
		n = read(t->fd, t->seen + t->n, TERMINAL_SEEN_MAX - 1 - t->n);
		if (n <= 0)
			return !text;
		t->n += (size_t)n;
		t->seen[t->n] = '\0';
	}
	return true;
}

static inline void terminal_type(struct terminal *t, const char *keys)
{
	T_INT(write(t->fd, keys, strlen(keys)), strlen(keys));
}

/* Read to the end, and wait for the child: its status, as of waitpid(2). */
static inline int terminal_end(struct terminal *t)
{
	int status = -1;

	T_OK(terminal_see(t, NULL));
	T_INT(waitpid(t->pid, &status, 0), t->pid);
	close(t->fd);
	return status;
}

#endif
