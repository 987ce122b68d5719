/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the engine last came round, by the file that it writes for Prometheus.
 */
#ifndef SLURMK8S_TOOL_LAST_PASS_H
#define SLURMK8S_TOOL_LAST_PASS_H

#include <stdint.h>

#include "base/err.h"

#define LAST_PASS_WORDS_MAX (ERR_MSG_MAX + 100)

/*
 * The engine's last pass in the text of such a file, in ms since the epoch; -1:
 * it says nothing of that. Pure. Any thread.
 */
int64_t last_pass_of(const char *metrics);

/*
 * Read the file, write how long ago that pass was, for people, and return that
 * in ms; -1: it is not known, and the words say why. Main thread: a file system
 * may hang.
 */
int64_t last_pass_read(const char *path, char words[LAST_PASS_WORDS_MAX]);

#endif
