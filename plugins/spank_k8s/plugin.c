/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spank/k8s: a job's tasks know the pod that they run in, and users say what
 * they want of Kubernetes. Only what Slurm calls (slurm/spank.h); the rest is
 * in asks.c and pod.c.
 *
 * Nothing here talks to Kubernetes or fails a job: only an option that no job
 * could have is refused, where it was typed.
 */
/* spank.h declares the functions that Slurm looks for in this plugin. */
#pragma GCC visibility push(default)
#include <slurm/spank.h>
#pragma GCC visibility pop
#include <dlfcn.h>
#include <slurm/slurm.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asks.h"
#include "pod.h"

#define LINE_MAX_LEN 1024
#define DROPS_MAX 1000

#pragma GCC visibility push(default)
/* cppcheck-suppress unknownMacro */
SPANK_PLUGIN(k8s, 1)
#pragma GCC visibility pop

/* --- options; their callbacks get no handle */

static struct asks asks;
static bool wants_info;
static bool in_job; /* srun inside of a job: options for jobs are refused */

enum option { ANNOTATION, LABEL, FEATURE, INFO };

static const char *const kinds[] = {WK_ASK_ANNOTATION, WK_ASK_LABEL,
				    WK_ASK_FEATURE};

static int on_ask(int option, const char *value, int remote)
{
	const char *words;

	if (remote || asks_has(&asks, kinds[option], value))
		return 0;
	words = in_job ? "is for a whole job: give it to sbatch, salloc, or "
			 "an srun outside of a job"
		       : asks_add(&asks, kinds[option], value);
	if (!words)
		return 0;
	slurm_error("k8s: --k8s-%s=%.300s %s", kinds[option], value, words);
	return -1;
}

static int on_info(int option, const char *value, int remote)
{
	(void)option;
	(void)value;
	(void)remote;
	wants_info = true;
	return 0;
}

/* Slurm's struct has no const, but Slurm copies it, and writes nothing. */
#define TEXT(s) ((char *)(s))

static struct spank_option options[] = {
	{TEXT("k8s-annotation"), TEXT("KEY=VALUE"),
	 TEXT("[k8s] an annotation of the job's pods while it runs; can be "
	      "repeated"),
	 1, ANNOTATION, on_ask},
	{TEXT("k8s-label"), TEXT("KEY=VALUE"),
	 TEXT("[k8s] a label of the job's pods while it runs; can be repeated"),
	 1, LABEL, on_ask},
	{TEXT("k8s-feature"), TEXT("NAME"),
	 TEXT("[k8s] pods with this feature, as --constraint; can be repeated"),
	 1, FEATURE, on_ask},
	{TEXT("k8s-info"), NULL,
	 TEXT("[k8s] each task says which pod it runs in"), 0, INFO, on_info},
};

int slurm_spank_init(spank_t sp, int ac, char *av[])
{
	spank_context_t context = spank_context();

	(void)ac;
	(void)av;
	if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR &&
	    context != S_CTX_REMOTE)
		return 0;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (spank_option_register(sp, &options[i]))
			slurm_error("k8s: no option --%s", options[i].name);
	if (context == S_CTX_REMOTE)
		return 0;
	asks_inherit(&asks, environ, WK_ASK_INHERITED);
	in_job = context == S_CTX_LOCAL && getenv("SLURM_JOB_ID");
	return 0;
}

/* --- on the node */

static void set(void *arg, const char *name, const char *value)
{
	spank_setenv(arg, name, value, 1);
}

/*
 * Tell the job about this pod, instead of what variables of another pod say
 * that it has brought along.
 */
static void tell_job(spank_t sp)
{
	char name[POD_NAME_MAX], **env = NULL;

	for (int i = 0; i < DROPS_MAX; i++) {
		if (spank_get_item(sp, S_JOB_ENV, &env) || !env ||
		    !pod_stale(env, name) || spank_unsetenv(sp, name))
			break;
	}
	pod_facts(environ, set, sp);
}

typedef int (*load_conf_fn)(time_t since, slurm_conf_t **conf);

/*
 * Say so if slurmctld has no job_submit/k8s, for nobody else does. One RPC. (A
 * program without slurm_load_ctl_conf() is not a command of Slurm's. The
 * function that frees its result has another name in each release: nothing is
 * freed, for the program ends soon.)
 */
static void check_heard(void)
{
	void *symbol = dlsym(RTLD_DEFAULT, "slurm_load_ctl_conf");
	slurm_conf_t *conf = NULL;
	load_conf_fn load;

	if (!symbol)
		return;
	memcpy(&load, &symbol, sizeof(load));
	if (load(0, &conf) || !conf)
		return; /* submitting will say that slurmctld is silent */
	if (!job_submit_is_loaded(conf->job_submit_plugins))
		slurm_error("k8s: slurmctld does nothing of what --k8s-... "
			    "asks for: its slurm.conf has no "
			    "JobSubmitPlugins=job_submit/k8s");
}

/* Called in srun, sbatch and salloc: hand the items over to job_submit/k8s. */
static void hand_over(spank_t sp)
{
	char name[32];

	if (asks.n && !in_job)
		check_heard();
	for (size_t i = 0; i < asks.n; i++) {
		asks_name(i, name);
		if (spank_job_control_setenv(sp, name, asks.v[i], 1))
			slurm_error("k8s: %s is lost", asks.v[i]);
	}
}

int slurm_spank_init_post_opt(spank_t sp, int ac, char *av[])
{
	(void)ac;
	(void)av;
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		hand_over(sp);
		break;
	case S_CTX_REMOTE:
		tell_job(sp);
		break;
	case S_CTX_ERROR:
	case S_CTX_SLURMD:
	case S_CTX_JOB_SCRIPT:
		break;
	}
	return 0;
}

int slurm_spank_task_init(spank_t sp, int ac, char *av[])
{
	char line[LINE_MAX_LEN], host[256] = "this node";
	uint32_t task = 0;

	(void)ac;
	(void)av;
	if (!wants_info)
		return 0;
	spank_get_item(sp, S_TASK_GLOBAL_ID, &task);
	spank_getenv(sp, "SLURMD_NODENAME", host, sizeof(host));
	pod_line(environ, task, host, line, sizeof(line));
	dprintf(STDERR_FILENO, "%s\n", line);
	return 0;
}

int slurm_spank_exit(spank_t sp, int ac, char *av[])
{
	(void)sp;
	(void)ac;
	(void)av;
	asks_clear(&asks);
	return 0;
}
