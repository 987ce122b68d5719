/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/notify.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"

/*
 * Linux keeps the boundaries of messages of such sockets, and tells each end
 * who the other is (SO_PEERCRED, unix(7)).
 */
#define SOCKET_TYPE (SOCK_SEQPACKET | SOCK_CLOEXEC)

static socklen_t address(const char *name, struct sockaddr_un *a)
{
	size_t n = strnlen(name, sizeof(a->sun_path) - 1);

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	memcpy(a->sun_path + 1, name, n); /* sun_path[0] = 0: abstract */
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

/*
 * The user and process of the other end, as they were when it called, or began
 * to listen.
 */
static bool peer_of(int fd, struct ucred *out)
{
	socklen_t len = sizeof(*out);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &len) &&
	       len == sizeof(*out);
}

static bool is_trusted(int fd)
{
	struct ucred who;

	return peer_of(fd, &who) && (who.uid == geteuid() || !who.uid);
}

/* A connection to the process that has that name, or a negative errno. */
static int call(const char *name)
{
	struct sockaddr_un a;
	socklen_t len = address(name, &a);
	int fd = socket(AF_UNIX, SOCKET_TYPE | SOCK_NONBLOCK, 0), rc;

	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&a, len))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static int call_trusted(const char *name)
{
	int fd = call(name);

	if (fd < 0 || is_trusted(fd))
		return fd;
	close(fd);
	return -EPERM;
}

static int cannot_listen(const char *name, int code, struct err *err)
{
	int fd = err && code == EADDRINUSE ? call(name) : -1, rc;
	struct ucred who;

	if (fd >= 0 && peer_of(fd, &who))
		rc = err_set(err, -code,
			     "cannot listen as @%s: user %u does (process %d)",
			     name, who.uid, (int)who.pid);
	else
		rc = err_set(err, -code, "cannot listen as @%s: %s", name,
			     strerror(code));
	if (fd >= 0)
		close(fd);
	return rc;
}

/* A socket that listens under that name, or a negative errno. */
static int take_name(const char *name, int callers)
{
	struct sockaddr_un a;
	socklen_t len = address(name, &a);
	int fd = socket(AF_UNIX, SOCKET_TYPE | SOCK_NONBLOCK, 0), rc;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&a, len) && !listen(fd, callers))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

int notify_listen(const char *name, struct err *err)
{
	int fd = take_name(name, NOTIFY_CALLERS_MAX);

	return fd < 0 ? cannot_listen(name, -fd, err) : fd;
}

int notify_hold(const char *name)
{
	return take_name(name, NOTIFY_WAITERS_MAX);
}

/* Nobody accepts the connection: it ends when the holder closes the name. */
int notify_await(const char *name, int *fd, int64_t ms)
{
	struct pollfd p = {.fd = *fd >= 0 ? *fd : call_trusted(name)};

	*fd = -1;
	if (p.fd < 0)
		return p.fd;
	if (poll(&p, 1, ms > INT_MAX ? INT_MAX : (int)ms) <= 0) {
		*fd = p.fd;
		return -ETIMEDOUT;
	}
	close(p.fd);
	return 0;
}

/* Read the message of this caller. 0: nothing came in NOTIFY_WAIT_MS. */
static ssize_t read_text(int fd, char text[NOTIFY_TEXT_MAX])
{
	const struct timeval wait = {.tv_usec = NOTIFY_WAIT_MS * 1000};

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		return 0;
	return recv(fd, text, NOTIFY_TEXT_MAX - 1, 0);
}

int notify_read(int fd, char text[NOTIFY_TEXT_MAX])
{
	/* Anybody may call: one who is not trusted is only hung up on. */
	for (int tries = 0; tries < NOTIFY_CALLERS_MAX; tries++) {
		int caller = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		ssize_t n = 0;

		if (caller < 0)
			return 0;
		if (is_trusted(caller))
			n = read_text(caller, text);
		close(caller);
		if (n < 0) /* a caller that says nothing is waited for once */
			return 0;
		if (!n) /* notify_is_heard() calls, and says nothing */
			continue;
		text[n] = '\0';
		str_sanitize(text);
		return 1;
	}
	return 0;
}

bool notify_is_heard(const char *name)
{
	int fd = call_trusted(name);

	if (fd >= 0)
		close(fd);
	/* -EAGAIN: somebody listens there, whose queue of callers is full. */
	return fd >= 0 || fd == -EAGAIN;
}

int notify_ring(const char *name, const char *text)
{
	int fd = call_trusted(name), rc = 0;

	if (fd < 0)
		return fd;
	if (send(fd, text, strnlen(text, NOTIFY_TEXT_MAX - 1),
		 MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		rc = -errno;
	close(fd);
	return rc;
}
