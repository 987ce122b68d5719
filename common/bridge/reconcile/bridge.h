/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bridge: Kubernetes pods that wait in Slurm's queue. Its thread reads and
 * writes Slurm, and plans; the link of its cluster reads and writes Kubernetes.
 * What the bridge knows can be lost at any moment: it is read again from
 * Slurm's jobs and from pods.
 *
 * The engine's thread only, and only if k8s.yaml has `bridge:`.
 */
#ifndef SLURMK8S_BRIDGE_RECONCILE_BRIDGE_H
#define SLURMK8S_BRIDGE_RECONCILE_BRIDGE_H

#include "cluster/cluster.h"
#include "config/config.h"

struct bridge;

/*
 * A new eventfd by which the bridge's thread is woken: the caller gives it to
 * bridge_session_attach(), before there is a link, and then to bridge_start().
 * Both duplicate it; after that the caller may close it at any time. -1 with
 * errno: no file descriptor is left.
 */
int bridge_waker(void);

struct bridge_options {
	const struct config *config; /* the link's own */
	struct cluster *link; /* the bridge's cluster; held while it runs */
	int waker;	      /* from bridge_waker(); duplicated */
	struct ctl_reader *reader; /* held while the bridge runs; or NULL */
	/* slurm.conf's KillWait, MaxJobCount, MinJobAge */
	uint32_t kill_wait_s, max_jobs, min_job_age_s;
	bool hides_suspended; /* slurm.conf's, as of struct ctl_site */
};

/*
 * Start the bridge's thread. *opt is copied, and its `config` and `link`
 * outlive the thread, which holds the link (cluster_hold()). The cluster has a
 * session. 0 and *out, for which the caller calls bridge_stop(); -ENOMEM, or
 * what thread_start() returns.
 */
int bridge_start(const struct bridge_options *opt, struct bridge **out,
		 struct err *err);

/*
 * Tell the thread to stop, and do not wait. bridge_stop() is to be called, too.
 */
void bridge_ask_stop(struct bridge *b);

/*
 * Stop the thread, waiting at most wait_ms; `b` is the caller's no more. False:
 * the thread still waits for slurmctld; it ends, and frees `b`, by itself.
 */
bool bridge_stop(struct bridge *b, int64_t wait_ms);

#endif
