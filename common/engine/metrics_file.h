/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file with metrics that node_exporter reads: while we act it is written
 * now and then, as a whole; else there is none, so that no series is there
 * twice after a take-over. One thread at a time, which the engine's lock sees
 * to; never a callback of slurmctld's, for each function does I/O.
 */
#ifndef SLURMK8S_ENGINE_METRICS_FILE_H
#define SLURMK8S_ENGINE_METRICS_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "config/metrics_config.h"

/* All zero at first. */
struct metrics_file {
	char *path; /* the file that we have written; NULL: none */
	/* What we have written there: the next engine may have its own by now.
	 */
	struct {
		dev_t dev;
		ino_t ino;
	} ours;
	int64_t next; /* when it is to be written, or removed; monotonic, ms */
	bool failed;  /* the log says that it cannot be written, or removed */
	bool absent; /* no file is there that an earlier engine may have left */
};

/*
 * Write the metrics, as they are now, into the file of *c, if it is time for
 * that and `active`, which means that we may act. If not, or if *c has another
 * file, or none (NULL), by now, ours is removed, and so is one that is left
 * over. What fails is logged, once until it works again, and tried again when
 * it is time; but one under a name that *c has no more is only logged. True: it
 * was time.
 */
bool metrics_file_step(struct metrics_file *f, const struct metrics_config *c,
		       bool active);

/* True if metrics_file_step() would write it now, should we be active. */
bool metrics_file_is_due(const struct metrics_file *f,
			 const struct metrics_config *c);

/*
 * Remove the file, if we have written one and it is still that one, and free
 * what *f has.
 */
void metrics_file_end(struct metrics_file *f);

/*
 * Write a file as a whole, mode 0644: under the name ".NAME.tmp" beside it,
 * which is then renamed. One of that name is removed first. `path` is absolute.
 * *ours is set to what was written. 0; -ENOMEM; -EBUSY, another thread is at
 * it (an engine that ends late); or an errno of open(2), write(2) or rename(2),
 * with words, and the file is as it was.
 */
int metrics_file_write(const char *path, const char *text, size_t len,
		       struct stat *ours, struct err *err);

#endif
