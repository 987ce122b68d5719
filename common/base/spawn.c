/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

#define CHUNK 4096
#define LAST_WORDS_MAX 512 /* end of standard error that is kept, in bytes */
#define CHILD_POLL_MS 5
#define REAP_MS 1000 /* ms for a process that was killed to end */
#define UNDYING_MAX 8

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
	/* the output may be a credential */
	OPENSSL_cleanse(chunk, sizeof(chunk));
	return n ? (int)n : 1;
}

/*
 * Read what is there as drain() does, but keep only the end: a program may
 * print any number of bytes on standard error.
 */
static int drain_last_words(int fd, struct buf *b)
{
	int rc = drain(fd, b);

	if (b->len > LAST_WORDS_MAX)
		buf_consume(b, b->len - LAST_WORDS_MAX);
	return rc;
}

struct spawn {
	struct child child;
	struct buf text, errs;
	int64_t timeout_ms, deadline;
	char *name;
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Read what comes until that time. 1: the output is not at its end; 0: it is;
 * or a negative errno.
 */
static int child_read(struct spawn *s, int64_t until)
{
	struct child *c = &s->child;

	while (c->out >= 0 || c->err >= 0) {
		struct pollfd p[2] = {{.fd = c->out, .events = POLLIN},
				      {.fd = c->err, .events = POLLIN}};
		int64_t left = until - clock_ms();
		const size_t had = s->text.len;
		int rc;

		left = left < 0 ? 0 : left;
		if (poll(p, 2, (int)(left < 1000 ? left : 1000)) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (p[0].revents) {
			rc = drain(c->out, &s->text);
			if (rc < 0)
				return rc;
			if (!rc)
				close_end(&c->out);
		}
		if (p[1].revents && drain_last_words(c->err, &s->errs) <= 0)
			close_end(&c->err);
		/* What is there is read whole: its size has a bound. */
		if (!left && s->text.len == had && (c->out >= 0 || c->err >= 0))
			return 1;
	}
	return 0;
}

/*
 * Wait until that time for the child's end. 1: it runs on; 0: it has ended;
 * -ECHILD.
 */
static int child_wait(pid_t pid, int64_t until, int *status)
{
	pid_t got;

	while ((got = waitpid(pid, status, WNOHANG)) == 0 ||
	       (got < 0 && errno == EINTR)) {
		if (clock_ms() >= until)
			return 1;
		clock_nap(CHILD_POLL_MS);
	}
	return got == pid ? 0 : -ECHILD;
}

/*
 * Children that were killed, and that the kernel does not let die, as a device
 * hangs. They are of all threads: each begins others instead, and these may
 * hang, too.
 */
static pthread_mutex_t undying_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t undying[UNDYING_MAX]; /* 0: none */

/*
 * The place for one more undying child; NULL: there are too many. The caller
 * has the lock.
 */
static pid_t *undying_place(void)
{
	pid_t *place = NULL;
	int status;

	for (size_t i = 0; i < UNDYING_MAX; i++) {
		if (undying[i] && waitpid(undying[i], &status, WNOHANG))
			undying[i] = 0;
		if (!undying[i])
			place = &undying[i];
	}
	return place;
}

static bool are_too_many(void)
{
	bool are;

	pthread_mutex_lock(&undying_lock);
	are = !undying_place();
	pthread_mutex_unlock(&undying_lock);
	return are;
}

static void is_undying(pid_t pid)
{
	pid_t *place;

	log_warn("process %ld was killed and does not end", (long)pid);
	pthread_mutex_lock(&undying_lock);
	place = undying_place();
	if (place)
		*place = pid;
	pthread_mutex_unlock(&undying_lock);
}

static void child_kill(pid_t pid)
{
	const int64_t end = clock_ms() + REAP_MS;
	int status;
	pid_t rc;

	kill(-pid, SIGKILL);
	kill(pid, SIGKILL); /* a child may leave its group */
	while (!(rc = waitpid(pid, &status, WNOHANG)) ||
	       (rc < 0 && errno == EINTR)) {
		if (clock_ms() >= end) {
			is_undying(pid);
			return;
		}
		clock_nap(1);
	}
}

static void spawn_free(struct spawn *s)
{
	close_end(&s->child.out);
	close_end(&s->child.err);
	buf_free(&s->text);
	buf_free(&s->errs);
	free(s->name);
	free(s);
}

void spawn_kill(struct spawn *s)
{
	if (!s)
		return;
	child_kill(s->child.pid);
	spawn_free(s);
}

int spawn_begin(char *const argv[], char *const envp[], int64_t timeout_ms,
		size_t max, struct spawn **out, struct err *err)
{
	struct spawn *s;
	int po[2] = {-1, -1}, pe[2] = {-1, -1}, rc;

	if (are_too_many())
		return err_set(
			err, -EAGAIN,
			"%d programs were killed and do not end: none is "
			"started",
			UNDYING_MAX);
	s = calloc(1, sizeof(*s));
	if (!s || !(s->name = strdup(argv[0]))) {
		free(s);
		return err_oom(err);
	}
	s->text = (struct buf)BUF_SECRET(max);
	s->errs = (struct buf)BUF_INIT(LAST_WORDS_MAX + CHUNK);
	s->timeout_ms = timeout_ms;
	s->deadline = clock_ms() + timeout_ms;
	rc = pipe2(po, O_CLOEXEC) || pipe2(pe, O_CLOEXEC) ? -errno : 0;
	s->child = (struct child){.out = po[0], .err = pe[0]};
	if (rc) {
		err_set(err, rc, "%s: pipe: %s", s->name, strerror(-rc));
	} else {
		rc = child_spawn(&s->child, argv, envp, po[1], pe[1]);
		if (rc)
			err_set(err, rc, "%s: cannot be run: %s", s->name,
				strerror(-rc));
	}
	close_end(&po[1]);
	close_end(&pe[1]);
	if (rc)
		spawn_free(s);
	else
		*out = s;
	return rc;
}

/* The result and its words; `rc` is of reading, `status` of the child's end. */
static int judge(const struct spawn *s, int rc, int status, struct err *err)
{
	if (rc == -EMSGSIZE)
		return err_set(err, rc, "%s: printed more than %zu bytes",
			       s->name, s->text.max);
	if (rc == -ETIMEDOUT)
		return err_set(err, rc, "%s: not done after %lld ms", s->name,
			       (long long)s->timeout_ms);
	if (rc)
		return err_set(err, rc, "%s: %s", s->name, strerror(-rc));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	/*
	 * Errors are shown to all users of Slurm, and the program may print
	 * secrets.
	 */
	if (s->errs.len)
		log_warn("%s: %s", s->name, buf_str(&s->errs));
	return err_set(err, -EPROTO, "%s: %s %d%s", s->name,
		       WIFEXITED(status) ? "exit code" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status)
					 : WTERMSIG(status),
		       s->errs.len ? "; what it says is in the log" : "");
}

int spawn_poll(struct spawn *s, int64_t wait_ms, char **out, size_t *len,
	       struct err *err)
{
	const int64_t now = clock_ms();
	const int64_t until =
		s->deadline - now < wait_ms ? s->deadline : now + wait_ms;
	int status = 0, rc = child_read(s, until);

	if (!rc)
		rc = child_wait(s->child.pid, until, &status);
	if (rc == 1 && clock_ms() < s->deadline)
		return -EINPROGRESS;
	if (rc && rc != -ECHILD)
		child_kill(s->child.pid);
	rc = judge(s, rc == 1 ? -ETIMEDOUT : rc, status, err);
	if (!rc && !s->text.data && buf_add(&s->text, "", 0))
		rc = err_oom(err);
	if (!rc) {
		*len = s->text.len;
		*out = steal_ptr(s->text.data);
	}
	spawn_free(s);
	return rc;
}
