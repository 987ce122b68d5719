/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files. Any thread; never from a callback of slurmctld, for each does I/O. */
#ifndef SLURMK8S_BASE_FS_H
#define SLURMK8S_BASE_FS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Read a whole regular file, pipe or memfd of at most `max` bytes. *out ends
 * with NUL (not counted in *len) and is the caller's to free. 0; -EMSGSIZE: it
 * is larger; -EISDIR; -ENOMEM; or an errno of open(2) and read(2).
 */
int fs_read_file(const char *path, size_t max, char **out, size_t *len,
		 struct err *err);

/* Which file a path has led to, and its times then. All 0: there was none. */
struct fs_stamp {
	uint64_t device, inode, size;
	int64_t modified_ns, changed_ns; /* epoch: mtime and ctime */
};

/* Note which file is there now, by stat(2); all 0 if there is none. */
void fs_stamp_take(const char *path, struct fs_stamp *out);

/*
 * True if that file is there now, and nothing was written to it since. One
 * stat(2).
 */
bool fs_stamp_is(const char *path, const struct fs_stamp *stamp);

/*
 * Read what is open as `fd`, as fs_read_file() does; `fd` stays open. `path` is
 * for messages only.
 */
int fs_read_fd(int fd, const char *path, size_t max, char **out, size_t *len,
	       struct err *err);

/*
 * Open a file to read it; the caller closes. The descriptor, or a negative
 * errno of open(2). Never waits for a FIFO's writer.
 */
int fs_open(const char *path, struct err *err);

/*
 * True if others than owner and group may read the file. False, too, if it
 * cannot be looked at.
 */
bool fs_world_readable(const char *path);

/*
 * `path` as seen from the directory of the file `base`: unchanged if it is
 * absolute. NULL when out of memory. The caller frees.
 */
char *fs_relative_to(const char *base, const char *path);

#endif
