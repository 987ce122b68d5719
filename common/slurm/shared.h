/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots that several threads have: struct ctl_nodes and struct ctl_jobs.
 * None is changed once it is made. Each owner frees it with the function that
 * frees one, and the last one's call does so. Any thread. No RPC.
 */
#ifndef SLURMK8S_SLURM_SHARED_H
#define SLURMK8S_SLURM_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>

/* The first member of such a snapshot. All zero: it has one owner. */
struct ctl_shared {
	atomic_uint more; /* owners besides the first one */
};

/* The snapshot gets one more owner. The caller is one, or holds a lock that
 * keeps one. */
static inline void ctl_share(struct ctl_shared *s)
{
	atomic_fetch_add_explicit(&s->more, 1, memory_order_relaxed);
}

/* An owner goes. True: it was the last one, and the caller frees the memory. */
static inline bool ctl_shared_last(struct ctl_shared *s)
{
	return !atomic_fetch_sub_explicit(&s->more, 1, memory_order_acq_rel);
}

#endif
