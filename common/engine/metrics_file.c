/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "metrics/metrics.h"

static int failed(struct err *err, const char *what)
{
	const int code = errno;

	return err_set(err, -code, "%s: %s", what, strerror(code));
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		const ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/*
 * Others may write in that folder, too: what is there under this name is
 * removed, and never followed or written into.
 */
static int fill(const char *temporary, const char *text, size_t len,
		struct stat *ours, struct err *err)
{
	int fd, rc;

	if (unlink(temporary) && errno != ENOENT)
		return failed(err, temporary);
	fd = open(temporary,
		  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return failed(err, temporary);
	rc = write_all(fd, text, len) || fchmod(fd, 0644) || fstat(fd, ours)
		     ? failed(err, temporary)
		     : 0;
	if (close(fd) && !rc)
		rc = failed(err, temporary);
	return rc;
}

static int replace(const char *path, const char *text, size_t len,
		   struct stat *ours, struct err *err)
{
	const char *name = strrchr(path, '/') + 1;
	_cleanup_free_ char *temporary =
		str_printf("%.*s.%s.tmp", (int)(name - path), path, name);
	int rc;

	if (!temporary)
		return err_oom(err);
	rc = fill(temporary, text, len, ours, err);
	if (!rc && rename(temporary, path))
		rc = failed(err, path);
	if (rc)
		unlink(temporary);
	return rc;
}

int metrics_file_write(const char *path, const char *text, size_t len,
		       struct stat *ours, struct err *err)
{
	/*
	 * Set while a thread writes: one that hangs in there is not waited for.
	 */
	static atomic_flag busy = ATOMIC_FLAG_INIT;
	int rc;

	if (atomic_flag_test_and_set(&busy))
		return err_set(err, -EBUSY,
			       "%s: an engine that has ended is writing it yet",
			       path);
	rc = replace(path, text, len, ours, err);
	atomic_flag_clear(&busy);
	return rc;
}

/* --- when the file is there */

/* Log that something went wrong, or, NULL, that nothing does any more. */
static void tell(struct metrics_file *f, const char *words)
{
	if (words && !f->failed)
		log_error("no metrics for Prometheus: %s", words);
	else if (!words && f->failed)
		log_info("metrics for Prometheus are written again");
	f->failed = words != NULL;
}

/*
 * True if the file is ours, or, if we have written none, one that is left over.
 */
static bool may_remove(const struct metrics_file *f, const char *path)
{
	struct stat st;

	return !f->path || lstat(path, &st) ||
	       (st.st_dev == f->ours.dev && st.st_ino == f->ours.ino);
}

/* True: the file is gone, or another's. */
static bool remove_file(struct metrics_file *f, const char *path)
{
	if (!may_remove(f, path) || !unlink(path) || errno == ENOENT ||
	    errno == ENOTDIR)
		return true;
	if (!f->failed)
		log_error("the metrics for Prometheus cannot be removed, and "
			  "what they say is of the past: %s: %s",
			  path, strerror(errno));
	f->failed = true;
	return false;
}

static void forget(struct metrics_file *f)
{
	free(f->path);
	f->path = NULL;
}

/* Remove our file, or one that slurmctld has left behind; on failure later. */
static void leave(struct metrics_file *f, const struct metrics_config *c)
{
	const char *path = f->path ? f->path : c->file;

	if (f->absent || !path ||
	    (f->failed && !clock_due(&f->next, c->interval_ms)))
		return;
	if (!remove_file(f, path)) {
		f->next = clock_ms() + c->interval_ms;
		return;
	}
	forget(f);
	f->absent = true;
	f->failed = false;
	f->next = 0; /* an engine that may act again writes at once */
}

static int put(struct metrics_file *f, const char *path, struct err *err)
{
	_cleanup_buf_ struct buf text = BUF_INIT(METRICS_TEXT_MAX);
	struct stat st = {0};
	int rc = metrics_render(&text);

	if (rc)
		return err_set(err, rc, "they are too many");
	if (!f->path && !(f->path = strdup(path)))
		return err_oom(err);
	rc = metrics_file_write(path, text.data, text.len, &st, err);
	if (!rc) {
		f->ours.dev = st.st_dev;
		f->ours.ino = st.st_ino;
	}
	return rc;
}

bool metrics_file_is_due(const struct metrics_file *f,
			 const struct metrics_config *c)
{
	return c->file && clock_ms() >= f->next;
}

bool metrics_file_step(struct metrics_file *f, const struct metrics_config *c,
		       bool active)
{
	struct err err = {0};

	if (f->path && !str_eq(f->path, c->file)) {
		remove_file(f, f->path);
		forget(f);
		f->next = 0; /* the next one is written at once */
		f->failed = false;
	}
	if (!active) {
		leave(f, c);
		return false;
	}
	if (!c->file || !clock_due(&f->next, c->interval_ms))
		return false;
	f->absent = false;
	tell(f, put(f, c->file, &err) ? err.msg : NULL);
	return true;
}

void metrics_file_end(struct metrics_file *f)
{
	if (f->path)
		remove_file(f, f->path);
	forget(f);
}
