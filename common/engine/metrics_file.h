/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file with metrics that node_exporter reads: while we act it is written
 * now and then, as a whole; else there is none, so that no series is there
 * twice after a take-over. The engine's thread only, for each function does
 * I/O.
 */
#ifndef SLURMK8S_ENGINE_METRICS_FILE_H
#define SLURMK8S_ENGINE_METRICS_FILE_H

#include <stdbool.h>

#include "config/metrics_config.h"

/* All zero at first. */
struct metrics_file {
	char *path;   /* that we have written; NULL: none of ours is there */
	int64_t next; /* it is written then; monotonic */
	bool failed;  /* the log says that it cannot be written, or removed */
	bool absent;  /* none is there that an earlier engine may have left */
};

/*
 * Write the metrics, as they are now, into the file of *c, if it is time for
 * that and `active`, which means that we may act. If not, or if *c has another
 * file, or none (NULL), by now, ours is removed, and so is one that is left
 * over. What fails is logged, once until it works again, and tried again when
 * it is time. True: it was time.
 */
bool metrics_file_step(struct metrics_file *f, const struct metrics_config *c,
		       bool active);

/* True if metrics_file_step() would write it now, should we be active. */
bool metrics_file_is_due(const struct metrics_file *f,
			 const struct metrics_config *c);

/* Remove it, if we have written one, and free what *f has. */
void metrics_file_end(struct metrics_file *f);

/*
 * Write a file as a whole, mode 0644: under the name ".NAME.tmp" beside it,
 * which is then renamed. One of that name is removed first. `path` is absolute.
 * 0; -ENOMEM; or an errno of open(2), write(2) or rename(2), with words, and
 * the file is as it was.
 */
int metrics_file_write(const char *path, const char *text, size_t len,
		       struct err *err);

#endif
