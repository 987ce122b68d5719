/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pod that has ended by itself may have been ended by its job, by taking too
 * much memory or disk, for one: then the job would end the next pod as well.
 * Which words say so is all that is known of it: they are the job's
 * AdminComment, so another engine reads them, too. Pure. Any thread.
 */
#ifndef SLURMK8S_NODES_JOBS_BLAME_H
#define SLURMK8S_NODES_JOBS_BLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the planner's words about such a pod begin with. */
#define BLAME_ENDED "its pod has ended"
#define BLAME_RESTARTED "slurmd's container was restarted"

#define BLAME_HOLD_AT 3 /* number of the start from which a job is held */

enum blame {
	BLAME_NOBODY, /* the job may run again at once */
	BLAME_PAUSE,  /* the job may run again in two minutes, as in Slurm */
	BLAME_HOLD,   /* the job may run when somebody has seen to it */
};

/*
 * True if these words say that a job may have ended its pod: words of the
 * planner, or an AdminComment (with "k8s: "); NULL: false.
 */
bool blame_is(const char *words);

/*
 * Judge a job that goes back for these words: `before` is the AdminComment that
 * it has had until now (or NULL), `restarts` how often it has gone back before.
 * `may_hold`: no other job was on that node, which may be the one to blame, nor
 * is the job held already, by somebody whose word counts more. BLAME_HOLD from
 * start number BLAME_HOLD_AT on, if the run before this one ended its pod, too.
 */
enum blame blame_of(const char *words, const char *before, uint32_t restarts,
		    bool may_hold);

/*
 * Write the job's new AdminComment, without "k8s: ", cut if need be; size is
 * more than 100. Unless it is blamed for nothing the end says which run it was,
 * by which the next one is known to be in a row with it; and if it is held,
 * what to type.
 */
void blame_note(enum blame blame, const char *words, uint32_t restarts,
		uint32_t job_id, char *out, size_t size);

#endif
