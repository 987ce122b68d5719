/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What "scontrol show config" prints, by name. Pure. Any thread may read one
 * that does not change.
 */
#ifndef SLURMK8S_TOOL_SITE_CONFIG_H
#define SLURMK8S_TOOL_SITE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct site_config;

/*
 * Read the text of slurm/ctl_config.h. The caller frees it. NULL: out of
 * memory. A line that has no "Key = Value" is left out.
 */
struct site_config *site_config_read(const char *text);
void site_config_free(struct site_config *c);
DEFINE_CLEANUP(struct site_config, site_config_freep, site_config_free)

/*
 * The value of a key, the first one of a key with several ("Key[0]"); NULL:
 * there is none, or it is "(null)", "N/A" or empty. Borrowed.
 */
const char *site_config_get(const struct site_config *c, const char *key);

/*
 * True if `word` is one of the comma-separated words of the value, or there is
 * word=...; of "word=1" only what comes before the number has to be there.
 */
bool site_config_has(const struct site_config *c, const char *key,
		     const char *word);

/*
 * The number at the beginning of the value ("300 sec"). INT64_MAX: INFINITE,
 * UNLIMITED or NONE; -1: there is no value, or no number.
 */
int64_t site_config_number(const struct site_config *c, const char *key);

/*
 * Where Slurm's commands and daemons look for munge: socket=PATH of AuthInfo,
 * or libmunge's own place on Debian. Cut if it is longer than `out`.
 */
void site_config_munge_socket(const struct site_config *c, char *out,
			      size_t size);

#endif
