/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The administrator's tool. See slurm-k8s(8). */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "diff.h"
#include "events.h"
#include "explain.h"
#include "gc.h"
#include "pause.h"
#include "render.h"
#include "slurm/ctl.h"
#include "status.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	void (*usage)(FILE *f);
} commands[] = {
	{"check", check_command, check_usage},
	{"status", status_command, status_usage},
	{"explain", explain_command, explain_usage},
	{"events", events_command, events_usage},
	{"gc", gc_command, gc_usage},
	{"pause", pause_command, pause_usage},
	{"resume", resume_command, resume_usage},
	{"diff", diff_command, diff_usage},
	{"render", render_command, render_usage},
};
#define N_COMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *f)
{
	fprintf(f, "usage: slurm-k8s COMMAND [OPTION...]\n\n"
		   "  --version  print the version\n"
		   "  --help     print this\n");
	for (size_t i = 0; i < N_COMMANDS; i++) {
		fprintf(f, "\n");
		commands[i].usage(f);
	}
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	/* libcurl before 7.87 writes to connections that are closed. */
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(word, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (!strcmp(word, "--version")) {
		printf("slurm-k8s %s (Slurm %s)\n", SLURMK8S_VERSION,
		       ctl_version());
		return 0;
	}
	usage(!strcmp(word, "--help") ? stdout : stderr);
	return strcmp(word, "--help") ? 2 : 0;
}
