/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that have been seen: thousands of jobs have the same list of nodes,
 * which is to be read once. No RPC. One thread at a time for a set.
 */
#ifndef SLURMK8S_SLURM_TEXT_SET_H
#define SLURMK8S_SLURM_TEXT_SET_H

struct text_entry;

/* Empty when it is all zero. */
struct text_set {
	struct text_entry *all;
};

/*
 * Add a text, which is borrowed and has to live as long as the set. 1: it is
 * new; 0: it is there already; -ENOMEM.
 */
int text_set_add(struct text_set *s, const char *text);

/* Forget all texts. */
void text_set_clear(struct text_set *s);

#endif
