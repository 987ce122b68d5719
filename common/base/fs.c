/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"

int fs_read_fd(int fd, const char *path, size_t max, char **out, size_t *len,
	       struct err *err)
{
	/* The file may be a credential. */
	_cleanup_buf_ struct buf b = BUF_SECRET(max);
	char chunk[16384];
	struct stat st;
	int rc;

	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		return err_set(err, -EISDIR, "%s: %s", path, strerror(EISDIR));
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, -errno, "%s: %s", path,
				       strerror(errno));
		rc = buf_add(&b, chunk, (size_t)n);
		if (rc == -EMSGSIZE)
			return err_set(err, rc, "%s: larger than %zu bytes",
				       path, max);
		if (rc)
			return err_oom(err);
		if (!n)
			break;
	}
	OPENSSL_cleanse(chunk, sizeof(chunk));
	*len = b.len;
	*out = steal_ptr(b.data);
	return 0;
}

int fs_open(const char *path, struct err *err)
{
	/* O_NONBLOCK: to open a FIFO without a writer would wait for ever. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd >= 0 ? fd
		       : err_set(err, -errno, "%s: %s", path, strerror(errno));
}

int fs_read_file(const char *path, size_t max, char **out, size_t *len,
		 struct err *err)
{
	_cleanup_close_ int fd = fs_open(path, err);

	return fd < 0 ? fd : fs_read_fd(fd, path, max, out, len, err);
}

bool fs_world_readable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && (st.st_mode & S_IROTH);
}

char *fs_relative_to(const char *base, const char *path)
{
	const char *slash = strrchr(base, '/');

	if (path[0] == '/' || !slash)
		return strdup(path);
	return str_printf("%.*s/%s", (int)(slash - base), base, path);
}

static int64_t ns_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

void fs_stamp_take(const char *path, struct fs_stamp *out)
{
	struct stat st;

	*out = (struct fs_stamp){0};
	if (stat(path, &st))
		return;
	*out = (struct fs_stamp){.device = st.st_dev,
				 .inode = st.st_ino,
				 .size = (uint64_t)st.st_size,
				 .modified_ns = ns_of(&st.st_mtim),
				 .changed_ns = ns_of(&st.st_ctim)};
}

bool fs_stamp_is(const char *path, const struct fs_stamp *stamp)
{
	struct fs_stamp now;

	fs_stamp_take(path, &now);
	return now.inode && now.device == stamp->device &&
	       now.inode == stamp->inode && now.size == stamp->size &&
	       now.modified_ns == stamp->modified_ns &&
	       now.changed_ns == stamp->changed_ns;
}
