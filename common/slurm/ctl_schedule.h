/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Only inside slurmctld. Any thread of ours, but never in a plugin callback. */
#ifndef SLURMK8S_SLURM_CTL_SCHEDULE_H
#define SLURMK8S_SLURM_CTL_SCHEDULE_H

/*
 * Have slurmctld's main scheduler look at the queue now. A batch job is not
 * tried when it is submitted (proc_req.c), but at the scheduler's next turn: up
 * to batch_sched_delay, 3 s, later. After the end of an external job it is not
 * woken at all (there is no epilog): what waits for its nodes, or for the job,
 * would start up to sched_interval, 60 s, later. This only wakes the
 * scheduler's thread (job_scheduler.c, schedule()); how much it does, and how
 * often, is as SchedulerParameters says. Where there is no such function:
 * nothing.
 */
void ctl_schedule(void);

#endif
