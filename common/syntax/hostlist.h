/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's hostlist expressions ("cpu-[0-3,7],gpu[01-02]", slurm.conf(5)
 * NodeName), expanded with a bound, so that text of foreign origin can be
 * read before Slurm's library sees it. Pure. Any thread.
 */
#ifndef SLURMK8S_SYNTAX_HOSTLIST_H
#define SLURMK8S_SYNTAX_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"

#define HOSTLIST_MAX 65536 /* names in one list */
#define HOSTLIST_NAME_MAX 255

struct hostlist {
	char **names; /* in the order written; owned */
	size_t n;
	size_t size;
};

/*
 * Expand `text` and append to `out` (zero-initialised at first). -EINVAL with
 * the position of what is wrong, -E2BIG over HOSTLIST_MAX names; `out` may
 * then hold a part.
 */
int hostlist_expand(const char *text, struct hostlist *out, struct err *err);
void hostlist_clear(struct hostlist *h);

/* By their bytes, as strcmp() has it. */
void hostlist_sort(struct hostlist *h);
/* Is it one of them? They are to be sorted. */
bool hostlist_has(const struct hostlist *h, const char *name);

/*
 * Node names, each once or more, as one expression, "cpu-[0-3,7],gpu[01-02]":
 * the same names give the same text, in whatever order they are. Sorts
 * `names`. -EMSGSIZE: it is longer than `out` may be; -ENOMEM. `out` is to be
 * empty, and stays so if there is no name.
 */
int hostlist_compress(const char **names, size_t n, struct buf *out);

#define _cleanup_hostlist_ __attribute__((cleanup(hostlist_clear)))

#endif
