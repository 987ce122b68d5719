/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tcp_reach.h"

#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"

/* 0, or a negative errno value: -ETIMEDOUT when nothing happens. */
static int wait_for(int fd, short what, int wait_ms)
{
	struct pollfd p = {.fd = fd, .events = what};
	int n = poll(&p, 1, wait_ms);

	return n < 0 ? -errno : n ? 0 : -ETIMEDOUT;
}

static int connected(int fd, const struct addrinfo *to, int wait_ms)
{
	socklen_t len = sizeof(int);
	int why = 0, rc;

	if (!connect(fd, to->ai_addr, to->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	rc = wait_for(fd, POLLOUT, wait_ms);
	if (!rc && getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len))
		rc = -errno;
	return rc ? rc : -why;
}

/* The answer may come in pieces. */
static int heard(int fd, const char *line, size_t len, int wait_ms)
{
	char answer[TCP_HELLO_MAX + 1] = "";
	size_t have = 0;

	while (have < len) {
		int rc = wait_for(fd, POLLIN, wait_ms);
		ssize_t n = rc ? -1 : recv(fd, answer + have, len - have, 0);

		if (rc)
			return rc;
		if (n < 0)
			return -errno;
		if (!n)
			return -EPROTO;
		have += (size_t)n;
	}
	return memcmp(answer, line, len) != 0 ? -EPROTO : 0;
}

static int greeted(int fd, const char *hello, int wait_ms)
{
	char line[TCP_HELLO_MAX + 2];
	int len = snprintf(line, sizeof(line), "%s\n", hello);

	if (len < 0 || len > TCP_HELLO_MAX + 1)
		return -EINVAL;
	/* The buffer of a new socket has room for so few bytes. */
	if (send(fd, line, (size_t)len, MSG_NOSIGNAL) != len)
		return -errno;
	return heard(fd, line, (size_t)len, wait_ms);
}

int tcp_reach(const char *address, uint16_t port, const char *hello,
	      int wait_ms, struct err *err)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags =
					       AI_NUMERICHOST | AI_NUMERICSERV};
	_cleanup_close_ int fd = -1;
	struct addrinfo *to = NULL;
	char text[8];
	int rc;

	snprintf(text, sizeof(text), "%u", (unsigned int)port);
	if (getaddrinfo(address, text, &hints, &to))
		return err_set(err, -EINVAL, "%s is no address", address);
	fd = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		    0);
	rc = fd < 0 ? -errno : connected(fd, to, wait_ms);
	freeaddrinfo(to);
	if (!rc)
		rc = greeted(fd, hello, wait_ms);
	if (rc == -EPROTO)
		return err_set(err, rc, "%s port %u: somebody else answers",
			       address, (unsigned int)port);
	return rc ? err_set(err, rc, "%s port %u: %s", address,
			    (unsigned int)port, strerror(-rc))
		  : 0;
}
