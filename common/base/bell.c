/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/bell.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"

#define STRANGERS_MAX 64 /* messages of other users in one look */

static socklen_t address(const char *name, struct sockaddr_un *a)
{
	size_t n = strnlen(name, sizeof(a->sun_path) - 1);

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	memcpy(a->sun_path + 1, name, n); /* sun_path[0] = 0: abstract */
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

int bell_listen(const char *name, struct err *err)
{
	struct sockaddr_un a;
	socklen_t len = address(name, &a);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, rc;

	if (fd < 0)
		return err_set(err, -errno, "no socket: %s", strerror(errno));
	if (!setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) &&
	    !bind(fd, (struct sockaddr *)&a, len))
		return fd;
	rc = err_set(err, -errno, "cannot listen as @%s: %s", name,
		     strerror(errno));
	close(fd);
	return rc;
}

static bool is_trusted(struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct ucred who;

	if (!c || c->cmsg_level != SOL_SOCKET ||
	    c->cmsg_type != SCM_CREDENTIALS ||
	    c->cmsg_len != CMSG_LEN(sizeof(who)))
		return false;
	memcpy(&who, CMSG_DATA(c), sizeof(who));
	return who.uid == geteuid() || !who.uid;
}

int bell_read(int fd, char text[BELL_TEXT_MAX])
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(struct ucred))];
	} control;

	/* (anybody may send; what he sends is only read away) */
	for (int tries = 0; tries < STRANGERS_MAX; tries++) {
		struct iovec part = {.iov_base = text,
				     .iov_len = BELL_TEXT_MAX - 1};
		struct msghdr m = {.msg_iov = &part,
				   .msg_iovlen = 1,
				   .msg_control = &control,
				   .msg_controllen = sizeof(control)};
		ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

		if (n < 0)
			return 0;
		if (!is_trusted(&m))
			continue;
		text[n] = '\0';
		str_sanitize(text);
		return 1;
	}
	return 0;
}

bool bell_is_heard(const char *name)
{
	struct sockaddr_un a;
	socklen_t len = address(name, &a);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool heard = fd >= 0 && !connect(fd, (struct sockaddr *)&a, len);

	if (fd >= 0)
		close(fd);
	return heard;
}

int bell_ring(const char *name, const char *text)
{
	struct sockaddr_un a;
	socklen_t len = address(name, &a);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	ssize_t n;
	int rc = 0;

	if (fd < 0)
		return -errno;
	n = sendto(fd, text, strnlen(text, BELL_TEXT_MAX - 1), MSG_NOSIGNAL,
		   (struct sockaddr *)&a, len);
	if (n < 0)
		rc = -errno;
	close(fd);
	return rc;
}
