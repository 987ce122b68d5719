/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the engine has made its last pass, by the metrics that it serves or
 * writes. Main thread, but for last_pass_of().
 */
#ifndef SLURMK8S_TOOL_LAST_PASS_H
#define SLURMK8S_TOOL_LAST_PASS_H

#include <stdint.h>

#include "base/err.h"
#include "config/metrics_config.h"

#define LAST_PASS_WORDS_MAX (ERR_MSG_MAX + 100)

/*
 * The engine's last pass in the text of its metrics, in ms since the epoch; -1:
 * it says nothing of that. Pure. Any thread.
 */
int64_t last_pass_of(const char *metrics);

/*
 * Ask the engine where it listens, or read its file if it has no such address
 * or does not answer there; write how long ago that pass was, for people, and
 * return that in ms; -1: it is not known, and the words say why, or are empty,
 * for k8s.yaml has neither. A file system may hang.
 */
int64_t last_pass_read(const struct metrics_config *c,
		       char words[LAST_PASS_WORDS_MAX]);

#endif
