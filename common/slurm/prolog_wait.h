/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long k8s_prolog may wait. slurmctld kills a PrologSlurmctld that runs for
 * longer than slurm.conf's PrologEpilogTimeout (from 25.05 on PrologTimeout),
 * and then puts the job back into the queue, or kills it if it may not
 * (slurmctld/prep_slurmctld.c, prep_prolog_slurmctld_callback). Pure; any
 * thread.
 */
#ifndef SLURMK8S_SLURM_PROLOG_WAIT_H
#define SLURMK8S_SLURM_PROLOG_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * k8s_prolog ends this long before the limit, for its own RPCs and its start
 * take time.
 */
#define PROLOG_WAIT_MARGIN_S 5
#define PROLOG_WAIT_MAX_MS 3600000
/*
 * How long an RPC that is under way may still take; below PROLOG_WAIT_MARGIN_S.
 */
#define PROLOG_WAIT_GRACE_S 2
/* the most that k8s_prolog waits for slurmctld to tell its limit */
#define PROLOG_WAIT_ASK_S 20

/*
 * For how long it may still wait, in milliseconds; 0: end at once. `limit_s`: 0
 * is none. `age_ms`: since when slurmctld's clock runs.
 */
int64_t prolog_wait_left_ms(uint32_t limit_s, int64_t age_ms);

/*
 * For how long it may ask slurmctld how long it may run, in seconds: an answer
 * may not come. `limit_s` is what the file slurm.conf says, which slurmctld
 * need not have read yet; else as above.
 */
unsigned int prolog_wait_ask_s(uint32_t limit_s, int64_t age_ms);

/* True if it ends before a power-up that takes the whole of ResumeTimeout. */
bool prolog_wait_is_short(uint32_t limit_s, uint32_t resume_timeout_s);

/*
 * The field "starttime" of /proc/PID/stat (proc(5)): in clock ticks since the
 * machine's boot. -1: there is none. The program's name, in parentheses, may
 * hold anything.
 */
int64_t prolog_wait_start_ticks(const char *stat);

#endif
