/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How k8s_prolog waits for the nodes of its job. Main thread of a program. */
#ifndef SLURMK8S_POWER_PROLOG_WAIT_H
#define SLURMK8S_POWER_PROLOG_WAIT_H

#include <stdint.h>

/* Names of notify.h's, on this host and for this slurmctld; "": none. */
struct prolog_places {
	char nodes[108]; /* where the jobs on exactly this job's nodes wait */
	char turn[108];	 /* the process that holds this name asks */
};

/*
 * Name them (`notify_name`: of struct ctl_site). The nodes are those of
 * SLURM_JOB_NODELIST, which slurmctld writes in one way for all jobs that have
 * them: a job that has more nodes, or fewer, would learn too late that these
 * are up.
 */
void prolog_places(struct prolog_places *p, const char *notify_name,
		   uint32_t job_id);

/*
 * The pause before the next look at the nodes of a job that has waited for so
 * long; ms. Pure.
 */
int64_t prolog_nap_ms(int64_t waited_ms);

/*
 * Wait until the job's nodes are up, it has ended, or `longest_ms` are over. Of
 * those who wait at one place one asks slurmctld, others ask when that one is
 * done: a user's array of thousands of jobs on a hundred nodes must not have
 * thousands ask each second. Nor must thousands of jobs with a node each: those
 * who ask take turns, so that a host asks about 640 times a second, and each of
 * them once in ten seconds at least. RPCs: see ctl_job_is_waiting().
 *
 * If it has to wait the engine, which listens as `engine` (base/notify.h; NULL:
 * nobody is told), is told first which nodes the job has got
 * (SLURM_JOB_NODELIST), so that their pods start before power saving looks at
 * them; not of more than WK_EARLY_NODES_MAX.
 */
void prolog_wait(uint32_t job_id, const struct prolog_places *p,
		 const char *engine, int64_t longest_ms);

#endif
