/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values and words as sbatch(1) takes them, from text of users. Pure, but for
 * the time zone of sbatch_date(). Any thread. Each gives 0 or -EINVAL, with
 * *out as before where nothing else is said.
 */
#ifndef SLURMK8S_SYNTAX_SBATCH_TEXT_H
#define SLURMK8S_SYNTAX_SBATCH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SBATCH_TEXT_MAX 4096 /* bytes of options in one annotation */
#define SBATCH_WORDS_MAX 128

/*
 * Read a time limit: "minutes", "m:s", "h:m:s", "d-h", "d-h:m", "d-h:m:s",
 * rounded up to minutes; -1 for "infinite" or "unlimited".
 */
int sbatch_minutes(const char *text, int64_t *out);

/* Read a size with K, M, G or T behind it (nothing: M), rounded up to MiB. */
int sbatch_mebibytes(const char *text, int64_t *out);

/*
 * Read a whole number in decimal, with a '-' before it if it is negative, and
 * no blanks or '+'.
 */
int sbatch_number(const char *text, int64_t *out);

/*
 * Read a date: "now", "now+90" (seconds), "now+2hours" (or minutes, days,
 * weeks), or "2026-01-31" with "T12:30" or "T12:30:15", in the local time zone.
 * `now` and *out: seconds since the epoch. Other forms of sbatch depend on when
 * they are read, and are -EINVAL.
 */
int sbatch_date(const char *text, int64_t now, int64_t *out);

/* Words of a text, as a shell splits them, but nothing is expanded. */
struct sbatch_words {
	char *v[SBATCH_WORDS_MAX]; /* parts of `text` */
	size_t n;
	char text[SBATCH_TEXT_MAX];
};

/*
 * Split into words: blanks separate them; '...' keeps all; "..." keeps all but
 * \" and \\; a backslash keeps the next character. 0; with words: -E2BIG: too
 * many bytes or words; -EINVAL: a quote without its end, a backslash at the
 * end, a control character.
 */
int sbatch_split(const char *text, struct sbatch_words *out, struct err *err);

#endif
