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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "age.h"
#include "base/clock.h"
#include "prolog.h"
#include "prolog_wait.h"
#include "slurm/ctl.h"
#include "slurm/prolog_wait.h"

#define NAP_MS 1000
#define SENT_BACK 75 /* the child's exit code; libslurm's own is 1 */

/*
 * An RPC may take longer than slurmctld lets this program run: then SIGALRM
 * ends the child, and the job starts when Slurm sees it. (slurmctld blocks
 * SIGALRM, and a blocked signal stays so in what it starts.)
 */
static void ends_by_alarm(void)
{
	sigset_t set;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* The exit code. */
static int child_main(uint32_t job_id)
{
	struct ctl_site site = {0};
	struct err err = {0};
	struct prolog_places places;
	int64_t left;
	int code = 0;

	ends_by_alarm();
	alarm(PROLOG_WAIT_ASK_S);
	ctl_init();
	alarm(prolog_wait_ask_s(ctl_prolog_timeout_s(), age_of_group_ms()));
	while (ctl_site_load(&site, &err)) {
		free(site.cluster);
		site.cluster = NULL;
		clock_nap(NAP_MS);
	}
	left = prolog_wait_left_ms(site.prolog_timeout_s, age_of_group_ms());
	alarm((unsigned int)(left / 1000 + PROLOG_WAIT_GRACE_S));
	prolog_places(&places, site.notify_name, job_id);
	if (prolog_sends_back(job_id, site.notify_name))
		code = SENT_BACK;
	else
		prolog_wait(job_id, &places,
			    site.starts_early ? site.notify_name : NULL, left);
	free(site.cluster);
	return code;
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
	if (!child)
		_exit(child_main((uint32_t)id));
	if (child > 0)
		waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == SENT_BACK;
}
