/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler that sched/bridge wraps, and the engine beside it.
 * bridge_init() and bridge_fini() are called by slurmctld's main thread;
 * bridge_reconfig() by that, or, for scontrol setdebugflags, by the thread of
 * an RPC. Never two at a time: for that both hold the write lock of slurmctld's
 * configuration, and slurmctld takes no RPC before an init, and waits for them
 * before a fini.
 */
#ifndef SLURMK8S_SCHED_BRIDGE_DELEGATE_H
#define SLURMK8S_SCHED_BRIDGE_DELEGATE_H

/*
 * Load and initialise the delegate, then start the engine. Slurm calls it
 * again after a bridge_fini(), in the same process: when a backup takes over
 * once more, or when a reconfigure has failed and slurmctld goes on; what was
 * in force is used then if the configuration is bad by now. Without any
 * configuration, or its library, the engine stays away and slurmctld schedules
 * as ever, unless SLURM_K8S_ON_ERROR=refuse is in its environment. 0, or -1:
 * slurmctld must not go on.
 */
int bridge_init(void);

/* Stop the engine (at most 2 s), then the delegate, and unload that. */
void bridge_fini(void);

/*
 * Have the engine read its configuration again, which returns at once; or, if
 * it does not run, read that here, with slurmctld's locks held, and start it:
 * some small files, which a hanging file system makes take as long as it likes.
 * The result is the delegate's.
 */
int bridge_reconfig(void);

#endif
