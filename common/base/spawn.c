/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"

#define CHUNK 4096
#define LAST_WORDS_MAX 512 /* of standard error: what an err has room for */
#define CHILD_POLL_MS 5

struct child {
	pid_t pid;
	int out, err; /* our ends of the pipes */
};

static int child_spawn(struct child *c, char *const argv[], char *const envp[],
		       int out_w, int err_w)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t all, none;
	int rc;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&fa);
	posix_spawnattr_init(&at);
	posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out_w, 1);
	posix_spawn_file_actions_adddup2(&fa, err_w, 2);
	posix_spawn_file_actions_addclosefrom_np(&fa, 3);
	posix_spawnattr_setsigdefault(&at, &all);
	posix_spawnattr_setsigmask(&at, &none);
	posix_spawnattr_setpgroup(&at, 0);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGDEF |
					      POSIX_SPAWN_SETSIGMASK |
					      POSIX_SPAWN_SETPGROUP);
	rc = posix_spawnp(&c->pid, argv[0], &fa, &at, argv, envp);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	return -rc;
}

/* Read what is there. 1: more may come, 0: end of file, <0: error. */
static int drain(int fd, struct buf *b)
{
	char chunk[CHUNK];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : -errno;
	if (!n)
		return 0;
	n = buf_add(b, chunk, (size_t)n);
	OPENSSL_cleanse(chunk, sizeof(chunk)); /* (it may be a credential) */
	return n ? (int)n : 1;
}

/* The same, keeping the end only: much may be said there. */
static int drain_last_words(int fd, struct buf *b)
{
	int rc = drain(fd, b);

	if (b->len > LAST_WORDS_MAX)
		buf_consume(b, b->len - LAST_WORDS_MAX);
	return rc;
}

static int child_read(struct child *c, int64_t deadline, struct buf *out,
		      struct buf *errs)
{
	while (c->out >= 0 || c->err >= 0) {
		struct pollfd p[2] = {{.fd = c->out, .events = POLLIN},
				      {.fd = c->err, .events = POLLIN}};
		int64_t left = deadline - clock_ms();
		int rc;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(p, 2, (int)(left < 1000 ? left : 1000)) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (p[0].revents) {
			rc = drain(c->out, out);
			if (rc < 0)
				return rc;
			if (!rc) {
				close(c->out);
				c->out = -1;
			}
		}
		if (p[1].revents && drain_last_words(c->err, errs) <= 0) {
			close(c->err);
			c->err = -1;
		}
	}
	return 0;
}

/* Wait until the deadline for the end; then kill its process group. */
static int child_wait(pid_t pid, int64_t deadline, int *status)
{
	pid_t got;

	while ((got = waitpid(pid, status, WNOHANG)) == 0 ||
	       (got < 0 && errno == EINTR)) {
		if (clock_ms() >= deadline) {
			kill(-pid, SIGKILL);
			while (waitpid(pid, status, 0) < 0 && errno == EINTR)
				;
			return -ETIMEDOUT;
		}
		clock_nap(CHILD_POLL_MS);
	}
	return got == pid ? 0 : -ECHILD;
}

int spawn_read(char *const argv[], char *const envp[], int64_t timeout_ms,
	       size_t max, char **out, size_t *len, struct err *err)
{
	_cleanup_buf_ struct buf b = BUF_SECRET(max);
	_cleanup_buf_ struct buf errs = BUF_INIT(LAST_WORDS_MAX + CHUNK);
	int64_t deadline = clock_ms() + timeout_ms;
	int po[2] = {-1, -1}, pe[2] = {-1, -1}, rc, rc2, status = 0;
	struct child c = {.pid = -1};

	if (pipe2(po, O_CLOEXEC) || pipe2(pe, O_CLOEXEC)) {
		rc = -errno;
		for (int i = 0; i < 2; i++) {
			if (po[i] >= 0)
				close(po[i]);
		}
		return err_set(err, rc, "%s: pipe: %s", argv[0], strerror(-rc));
	}
	rc = child_spawn(&c, argv, envp, po[1], pe[1]);
	close(po[1]);
	close(pe[1]);
	c.out = po[0];
	c.err = pe[0];
	if (rc) {
		close(c.out);
		close(c.err);
		return err_set(err, rc, "%s: cannot be run: %s", argv[0],
			       strerror(-rc));
	}
	rc = child_read(&c, deadline, &b, &errs);
	if (c.out >= 0)
		close(c.out);
	if (c.err >= 0)
		close(c.err);
	rc2 = child_wait(c.pid, rc ? 0 : deadline, &status);
	if (rc == -EMSGSIZE)
		return err_set(err, rc, "%s: printed more than %zu bytes",
			       argv[0], max);
	if (rc == -ETIMEDOUT || rc2 == -ETIMEDOUT)
		return err_set(err, -ETIMEDOUT, "%s: not done after %lld ms",
			       argv[0], (long long)timeout_ms);
	if (rc || rc2)
		return err_set(err, rc ? rc : rc2, "%s: %s", argv[0],
			       strerror(-(rc ? rc : rc2)));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(err, -EPROTO, "%s: %s %d: %s", argv[0],
			       WIFEXITED(status) ? "exit code" : "signal",
			       WIFEXITED(status) ? WEXITSTATUS(status)
						 : WTERMSIG(status),
			       buf_str(&errs));
	if (!b.data && buf_add(&b, "", 0))
		return err_oom(err);
	*len = b.len;
	*out = steal_ptr(b.data);
	return 0;
}
