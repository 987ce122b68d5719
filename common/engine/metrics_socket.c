/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/metrics_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "config/listen_address.h"

#define BACKLOG 16
#define FLAGS (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK)
#define FD_PATH_MAX 40

static int failed(struct err *err, const char *listen)
{
	const int code = errno;

	return err_set(err, -code, "%s: %s", listen, strerror(code));
}

/* An errno; 0: nobody listens there. */
static int somebody_listens(const struct sockaddr *at, socklen_t len)
{
	_cleanup_close_ int fd = socket(at->sa_family, FLAGS, 0);

	if (fd < 0)
		return errno;
	if (!connect(fd, at, len) || errno == EAGAIN)
		return EADDRINUSE;
	return errno == ECONNREFUSED || errno == ENOENT ? 0 : errno;
}

/* Remove a socket that a slurmctld that was killed has left there. */
static int remove_left_over(const char *listen, const struct sockaddr *at,
			    socklen_t len, struct err *err)
{
	struct stat st;

	if (lstat(listen_path(listen), &st))
		return errno == ENOENT ? 0 : failed(err, listen);
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, -EEXIST,
			       "%s: something is there that is no socket",
			       listen);
	errno = somebody_listens(at, len);
	if (errno || (unlink(listen_path(listen)) && errno != ENOENT))
		return failed(err, listen);
	return 0;
}

/*
 * Let anybody connect: bind(2) has made the socket by the umask. Others may
 * write in its folder, too: so it is looked at, and changed, by a descriptor
 * and not by its name.
 */
static int open_to_all(const char *path, struct stat *ours)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char name[FD_PATH_MAX];
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (!S_ISSOCK(st.st_mode)) {
		errno = EEXIST;
		return -1;
	}
	*ours = st;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return chmod(name, 0666);
}

static int make(int fd, const char *listen_at, const struct sockaddr *at,
		socklen_t len, struct stat *ours)
{
	const int yes = 1;

	/*
	 * The port of a slurmctld that has ended is free at once, though its
	 * connections may not be closed yet.
	 */
	if (!listen_path(listen_at) &&
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)))
		return -1;
	if (bind(fd, at, len))
		return -1;
	if (listen_path(listen_at) && open_to_all(listen_path(listen_at), ours))
		return -1;
	return listen(fd, BACKLOG);
}

int metrics_socket_open(const char *listen, struct stat *ours, struct err *err)
{
	struct sockaddr_storage at;
	socklen_t len = 0;
	int fd, rc = 0;

	*ours = (struct stat){0};
	if (listen_address(listen, &at, &len))
		return err_set(err, -EINVAL, "%s is no address", listen);
	if (listen_path(listen))
		rc = remove_left_over(listen, (struct sockaddr *)&at, len, err);
	if (rc)
		return rc;
	fd = socket(at.ss_family, FLAGS, 0);
	if (fd < 0)
		return failed(err, listen);
	if (!make(fd, listen, (struct sockaddr *)&at, len, ours))
		return fd;
	rc = failed(err, listen);
	metrics_socket_remove(listen, ours);
	close(fd);
	return rc;
}

bool metrics_socket_is_there(const char *listen, const struct stat *ours)
{
	const char *path = listen_path(listen);
	struct stat st;

	if (!path)
		return true;
	if (lstat(path, &st)) /* a folder may hang, or be closed to us */
		return errno != ENOENT && errno != ENOTDIR;
	return st.st_dev == ours->st_dev && st.st_ino == ours->st_ino;
}

void metrics_socket_remove(const char *listen, const struct stat *ours)
{
	const char *path = listen_path(listen);

	if (path && ours->st_ino && metrics_socket_is_there(listen, ours))
		unlink(path);
}
