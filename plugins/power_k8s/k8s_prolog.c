/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm.conf: PrologSlurmctld. See k8s_prolog(8).
 *
 * When the nodes of a batch job have come up slurmctld notices it only at its
 * next look at time limits, each 30 seconds, or when a PrologSlurmctld ends
 * (slurmctld/job_scheduler.c, prolog_running_decr). So this one ends when
 * they are up.
 *
 * It must succeed whatever happens, for Slurm requeues the job otherwise. But
 * libslurm ends the process when it finds no usable slurm.conf: so a child
 * does the waiting. The one exception is a slurmctld that does not load our
 * engine: prolog.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "prolog.h"
#include "slurm/ctl.h"

#define FIRST_NAP_MS 200
#define LAST_NAP_MS 1000
#define LATE_NAP_MS 5000 /* when it takes longer than this: */
#define LATE_MS 15000
#define LONGEST_MS 3600000
#define SENT_BACK 75 /* the child's exit code; libslurm's own is 1 */

static void wait_until_ready(uint32_t job_id)
{
	int64_t start = clock_ms(), waited = 0;
	long ms = FIRST_NAP_MS;
	size_t up = 0;

	while (waited < LONGEST_MS && ctl_job_is_waiting(job_id, &up)) {
		clock_nap(waited > LATE_MS ? LATE_NAP_MS : ms);
		ms = ms * 3 / 2 < LAST_NAP_MS ? ms * 3 / 2 : LAST_NAP_MS;
		waited = clock_ms() - start;
	}
}

int main(int argc, char **argv)
{
	const char *text = getenv("SLURM_JOB_ID");
	unsigned long id;
	int status = 0;
	char *end;
	pid_t child;

	if (argc > 1 && !strcmp(argv[1], "--version")) {
		printf("k8s_prolog %s (Slurm %s)\n", SLURMK8S_VERSION,
		       ctl_version());
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		printf("usage: k8s_prolog\n\nEnd when the nodes of the job "
		       "SLURM_JOB_ID are up (PrologSlurmctld of "
		       "slurm.conf).\n");
		return 0;
	}
	id = text ? strtoul(text, &end, 10) : 0;
	if (!id || *end || id > UINT32_MAX) {
		fprintf(stderr, "k8s_prolog: SLURM_JOB_ID is not set: it is "
				"run by slurmctld (PrologSlurmctld)\n");
		return 0;
	}
	child = fork();
	if (!child) {
		ctl_init();
		if (prolog_sends_back((uint32_t)id))
			_exit(SENT_BACK);
		wait_until_ready((uint32_t)id);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == SENT_BACK;
}
