/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which configuration the engine starts with, over the life of a process.
 * slurmctld and the engine are the test's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "engine/active_config.h"
#include "engine/engine.h"
#include "engine/slurmk8s.h"
#include "slurm/ctl.h"
#include "slurm/ctl_abilities.h"
#include "slurm/ctl_log.h"
#include "t.h"

#define HEAD "clusters: [{name: c, kubeconfig: k}]\n"
#define SETS                                                                   \
	"nodesets: [{name: s, cluster: c, nodes: n1, features: [jax],"         \
	" podTemplate: {spec: {containers: [{name: slurmd}]}}}]\n"             \
	"features: [{name: jax, patch: {}}]\n"

static struct config *runs_with; /* NULL: the engine does not run */

void ctl_log_use(void)
{
}

char *ctl_conf_dir(void)
{
	return strdup(t_path(""));
}

const char *ctl_version(void)
{
	return "26.05.3";
}

struct slurm_abilities ctl_abilities(void)
{
	return (struct slurm_abilities){.creates_nodes = true,
					.keeps_nodes_up = true,
					.version = "26.05.3"};
}

int engine_start(struct config *config, struct engine **out, struct err *err)
{
	(void)err;
	runs_with = config;
	*out = (struct engine *)&runs_with;
	return 0;
}

void engine_reload(struct engine *e)
{
	(void)e;
}

void engine_stop(struct engine *e)
{
	(void)e;
	config_free(runs_with);
	runs_with = NULL;
}

/* An init and a fini of the scheduler plugin. */
static int turn(const char *text, const char *delegate, char *words)
{
	char name[SLURMK8S_NAME_MAX], why[SLURMK8S_WORDS_MAX];
	int rc;

	t_write("k8s.yaml", text);
	*words = '\0';
	rc = slurmk8s_configure(name, words);
	T_STR(name, delegate);
	T_INT(slurmk8s_start(why), rc < 0 ? -EINVAL : 0);
	T_OK(!runs_with == (rc < 0));
	if (runs_with)
		T_STR(runs_with->delegate, delegate);
	slurmk8s_stop();
	return rc;
}

static void a_bad_file_leaves_what_the_process_had_in_force(void)
{
	static const char good[] = HEAD SETS "scheduler: {delegate: builtin}\n";
	char words[SLURMK8S_WORDS_MAX];

	T_INT(turn("clusters: [", "backfill", words), -EINVAL);
	T_HAS(words, "k8s.yaml:");
	T_OK(!slurmk8s_feature_known("jax"));
	T_INT(turn(good, "builtin", words), 0);
	T_STR(words, "");
	for (int i = 0; i < 2; i++) {
		t_row("%d", i);
		T_INT(turn("clusters: [", "builtin", words), 1);
		T_HAS(words, "the configuration in force stays: ");
		T_HAS(words, "k8s.yaml:");
		T_OK(slurmk8s_feature_known("jax"));
	}
	T_INT(turn(HEAD SETS, "backfill", words), 0);
}

T_MAIN("slurmk8s", T(a_bad_file_leaves_what_the_process_had_in_force))
