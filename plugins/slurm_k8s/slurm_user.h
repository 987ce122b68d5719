/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command that reads SlurmUser's files, and may run the credential plugin
 * that these name: with no more rights than his, and as he sees them. Main
 * thread of a program.
 */
#ifndef SLURMK8S_TOOL_SLURM_USER_H
#define SLURMK8S_TOOL_SLURM_USER_H

#include "base/err.h"

/*
 * Run the command, and return its exit code. Where root calls this it is run in
 * a child, which may become SlurmUser, in a session of its own: no program of
 * SlurmUser's has root's terminal, into which it could type. 2: there is no
 * child.
 */
int slurm_user_run(int (*command)(void *arg), void *arg);

/*
 * slurm_user_run() for a command that has something to clean up: ^C and its
 * like do not end it. It gets SIGTERM then, as at the end of its parent, and
 * this function waits for it; one that does not care for SIGTERM (interrupt.h)
 * ends. Where there is no child it gets the very signal.
 */
int slurm_user_run_to_end(int (*command)(void *arg), void *arg);

/*
 * Kill the child of slurm_user_run(), if there is one, and wait until it has
 * ended. In a handler of signals, too.
 */
void slurm_user_end_child(void);

/*
 * Become SlurmUser, for good: root does, and for SlurmUser nothing changes.
 * After ctl_init(). 0; -EPERM: this is another user, or it is not known who
 * SlurmUser is; another error of setresuid(2) and its like. All with words.
 */
int slurm_user_become(struct err *err);

#endif
