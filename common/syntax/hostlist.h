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
 * Expand `text` and append to `out` (all zero at first). 0; -EINVAL with the
 * position of what is wrong; -E2BIG: over HOSTLIST_MAX names; -ENOMEM. On an
 * error `out` may hold a part.
 */
int hostlist_expand(const char *text, struct hostlist *out, struct err *err);
/*
 * Count the names of what hostlist_expand() reads, a name that is there twice
 * as two. No name is made, so the time depends on the length of `text` only.
 * `max`: HOSTLIST_MAX or less. 0; -EINVAL with the position of what is wrong;
 * -E2BIG: over `max` names.
 */
int hostlist_count(const char *text, size_t max, size_t *n, struct err *err);
/* Free the names; the list is empty then, and may be used again. */
void hostlist_clear(struct hostlist *h);

/* Sort by bytes, as strcmp() does. */
void hostlist_sort(struct hostlist *h);
/* True if `h`, which is sorted, has this name. */
bool hostlist_has(const struct hostlist *h, const char *name);

/*
 * Write node names, each once or more, as one expression,
 * "cpu-[0-3,7],gpu[01-02]": a set of names gives one text, whatever their
 * order. Sorts `names`. 0; -EMSGSIZE: it is longer than `out` may be; -ENOMEM.
 * `out` is to be empty, and stays so if there is no name.
 */
int hostlist_compress(const char **names, size_t n, struct buf *out);

#define _cleanup_hostlist_ __attribute__((cleanup(hostlist_clear)))

#endif
