/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One holder at a time, by a Lease (coordination.k8s.io/v1) that is renewed:
 * a fence between processes that would act on the same things. Semantics as
 * client-go's leaderelection. The claim of another is respected until it has
 * not been renewed for its duration by our own clock; that of a
 * process that has ended on this host (kube/holder.h) is not.
 *
 * We hold from the moment *before* a claim that succeeded was sent, for less
 * than the duration, by a clock that goes on while the machine is suspended:
 * who was stopped (SIGSTOP, a paused virtual machine, a suspended host) finds
 * at its first look that it holds no more.
 *
 * The client's thread only, but for lease_held().
 */
#ifndef SLURMK8S_KUBE_LEASE_H
#define SLURMK8S_KUBE_LEASE_H

#include "kube/lease_record.h"
#include "kube/verbs.h"

struct lease;

enum lease_state {
	LEASE_UNKNOWN,	/* not held: not asked yet, or no answer */
	LEASE_OURS,	/* held */
	LEASE_OTHERS,	/* not held */
	LEASE_UNFENCED, /* held: we may not use Leases, or there are none */
};

struct lease_options {
	const char *ns, *name;	 /* borrowed */
	const char *self;	 /* NULL: holder_self(); copied */
	unsigned int duration_s; /* 0: 15 */
	int64_t retry_ms;	 /* 0: 1 s */
	/*
	 * How long a 403 on a Lease that was ours is taken for a fault, and not
	 * for a right that was never there; 0: 60 s.
	 */
	int64_t refused_ms;
	/* longest pause between requests after a 403; 0: 10 min */
	int64_t refused_max_ms;
	/*
	 * The state, or the reason for it, has changed. `words`: who holds it
	 * (OTHERS, see holder_words()), or what is wrong.
	 */
	void (*on_change)(void *arg, enum lease_state state, const char *words);
	void *arg;
};

/*
 * Make one; nothing is sent before the first step. The client and the options'
 * texts must outlive it. The caller frees. NULL: out of memory.
 */
struct lease *lease_new(struct kube_client *c, const struct lease_options *opt);

/* Start what is due. To be called at least each second. */
void lease_step(struct lease *l);

/* True if we may act now. Any thread; reads the clock, and takes no lock. */
bool lease_held(const struct lease *l);

/*
 * Give the Lease back, for good; it is not held from now on. The caller steps
 * the client until lease_released(), as long as there is time for that.
 */
void lease_release(struct lease *l);
/* True once lease_release() is done, whatever the server has answered. */
bool lease_released(const struct lease *l);

/*
 * Free `l` without giving the Lease back. NULL: nothing. Not inside a callback
 * of it.
 */
void lease_free(struct lease *l);

#endif
