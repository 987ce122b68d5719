/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an AdminComment is to be. Without Slurm, and pure. Any thread. */
#ifndef SLURMK8S_SLURM_COMMENT_TEXT_H
#define SLURMK8S_SLURM_COMMENT_TEXT_H

/*
 * What a job asks of its pods, in its AdminComment (nodes/pod/pod_metadata.h):
 * borrowed, to its end; NULL: nothing.
 */
const char *comment_asks(const char *comment);

/*
 * `words`, and then what the job asks of its pods (from comment_asks(); NULL:
 * nothing). Words may be a pod's own: what looks there like the beginning of
 * what jobs ask is written as "k8s-pod_ ", so that it is not taken for one.
 * NULL: out of memory. The caller frees.
 */
char *comment_text(const char *words, const char *asks);

#endif
