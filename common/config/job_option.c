/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/job_option.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define CPUS_MAX 65535
#define NODES_MAX 65536
#define PRIORITY_MAX 4294967293 /* Slurm's NO_VAL and INFINITE lie above. */
#define NICE_MAX 2147483645	/* sbatch(1) */
#define MINUTES_MAX 52560000	/* minutes of a hundred years */
#define MIB_MAX (1ll << 40)
#define TMP_MAX 4294967293 /* Slurm has 32 bits for it. */

static const struct job_option_spec specs[JOB_OPTION_N] = {
	[JOB_OPTION_ACCOUNT] = {"account", JOB_OPTION_NAME},
	[JOB_OPTION_COMMENT] = {"comment", JOB_OPTION_WORDS},
	[JOB_OPTION_CONSTRAINTS] = {"constraints", JOB_OPTION_FEATURES},
	[JOB_OPTION_CPUS_PER_TASK] = {"cpu-per-task", JOB_OPTION_NUMBER, 1,
				      CPUS_MAX},
	[JOB_OPTION_EXCLUSIVE] = {"exclusive", JOB_OPTION_SHARING},
	[JOB_OPTION_GRES] = {"gres", JOB_OPTION_DEVICES},
	[JOB_OPTION_GROUP] = {"group-id", JOB_OPTION_NAME},
	[JOB_OPTION_JOB_NAME] = {"job-name", JOB_OPTION_WORDS},
	[JOB_OPTION_LICENSES] = {"licenses", JOB_OPTION_LICENCES},
	[JOB_OPTION_MAX_NODES] = {"max-nodes", JOB_OPTION_NUMBER, 1, NODES_MAX},
	[JOB_OPTION_MEM_NODE] = {"mem-per-node", JOB_OPTION_MEBIBYTES, 0,
				 MIB_MAX},
	[JOB_OPTION_MIN_NODES] = {"min-nodes", JOB_OPTION_NUMBER, 1, NODES_MAX},
	[JOB_OPTION_PARTITION] = {"partition", JOB_OPTION_NAMES},
	[JOB_OPTION_PRIORITY] = {"priority", JOB_OPTION_NUMBER, 0,
				 PRIORITY_MAX},
	[JOB_OPTION_QOS] = {"qos", JOB_OPTION_NAME},
	[JOB_OPTION_RESERVATION] = {"reservation", JOB_OPTION_NAMES},
	[JOB_OPTION_TIMELIMIT] = {"timelimit", JOB_OPTION_MINUTES, 1,
				  MINUTES_MAX},
	[JOB_OPTION_USER] = {"user-id", JOB_OPTION_NAME},
	[JOB_OPTION_WCKEY] = {"wckey", JOB_OPTION_NAME},
	[JOB_OPTION_BEGIN] = {NULL, JOB_OPTION_DATE},
	[JOB_OPTION_CONTIGUOUS] = {NULL, JOB_OPTION_YES, 0, 1},
	[JOB_OPTION_DEADLINE] = {NULL, JOB_OPTION_DATE},
	[JOB_OPTION_DEPENDENCY] = {NULL, JOB_OPTION_DEPENDS},
	[JOB_OPTION_EXCLUDE] = {NULL, JOB_OPTION_HOSTS},
	[JOB_OPTION_HOLD] = {NULL, JOB_OPTION_YES, 0, 1},
	[JOB_OPTION_KILL_ON_INVALID_DEP] = {NULL, JOB_OPTION_YES, 0, 1},
	[JOB_OPTION_MCS_LABEL] = {NULL, JOB_OPTION_NAME},
	[JOB_OPTION_MEM_CPU] = {NULL, JOB_OPTION_MEBIBYTES, 1, MIB_MAX},
	[JOB_OPTION_MINCPUS] = {NULL, JOB_OPTION_NUMBER, 1, CPUS_MAX},
	[JOB_OPTION_NICE] = {NULL, JOB_OPTION_NUMBER, -NICE_MAX, NICE_MAX},
	[JOB_OPTION_NODELIST] = {NULL, JOB_OPTION_HOSTS},
	[JOB_OPTION_PREFER] = {NULL, JOB_OPTION_FEATURES},
	[JOB_OPTION_REQUEUE] = {NULL, JOB_OPTION_YES, 0, 1},
	[JOB_OPTION_SWITCHES] = {NULL, JOB_OPTION_NUMBER, 1, NODES_MAX},
	[JOB_OPTION_SWITCHES_WAIT] = {NULL, JOB_OPTION_MINUTES, 1, MINUTES_MAX},
	[JOB_OPTION_TASKS_PER_NODE] = {NULL, JOB_OPTION_NUMBER, 1, CPUS_MAX},
	[JOB_OPTION_TIME_MIN] = {NULL, JOB_OPTION_MINUTES, 1, MINUTES_MAX},
	[JOB_OPTION_TMP] = {NULL, JOB_OPTION_MEBIBYTES, 1, TMP_MAX},
};

/*
 * Source of names, letters and of which need a value: sbatch(1). The last
 * column is the value of an option that has none.
 */
static const struct job_option_option options[] = {
	{"account", 'A', JOB_OPTION_ACCOUNT, OPTION_NEEDS, NULL},
	{"begin", 'b', JOB_OPTION_BEGIN, OPTION_NEEDS, NULL},
	{"comment", 0, JOB_OPTION_COMMENT, OPTION_NEEDS, NULL},
	{"constraint", 'C', JOB_OPTION_CONSTRAINTS, OPTION_NEEDS, NULL},
	{"contiguous", 0, JOB_OPTION_CONTIGUOUS, OPTION_HAS_NONE, "yes"},
	{"cpus-per-task", 'c', JOB_OPTION_CPUS_PER_TASK, OPTION_NEEDS, NULL},
	{"deadline", 0, JOB_OPTION_DEADLINE, OPTION_NEEDS, NULL},
	{"dependency", 'd', JOB_OPTION_DEPENDENCY, OPTION_NEEDS, NULL},
	{"exclude", 'x', JOB_OPTION_EXCLUDE, OPTION_NEEDS, NULL},
	{"exclusive", 0, JOB_OPTION_EXCLUSIVE, OPTION_MAY_HAVE, "true"},
	{"gid", 0, JOB_OPTION_GROUP, OPTION_NEEDS, NULL},
	{"gpus-per-node", 0, JOB_OPTION_GRES, OPTION_NEEDS, NULL},
	{"gres", 0, JOB_OPTION_GRES, OPTION_NEEDS, NULL},
	{"hold", 'H', JOB_OPTION_HOLD, OPTION_HAS_NONE, "yes"},
	{"job-name", 'J', JOB_OPTION_JOB_NAME, OPTION_NEEDS, NULL},
	{"kill-on-invalid-dep", 0, JOB_OPTION_KILL_ON_INVALID_DEP, OPTION_NEEDS,
	 NULL},
	{"licenses", 'L', JOB_OPTION_LICENSES, OPTION_NEEDS, NULL},
	{"mcs-label", 0, JOB_OPTION_MCS_LABEL, OPTION_NEEDS, NULL},
	{"mem", 0, JOB_OPTION_MEM_NODE, OPTION_NEEDS, NULL},
	{"mem-per-cpu", 0, JOB_OPTION_MEM_CPU, OPTION_NEEDS, NULL},
	{"mincpus", 0, JOB_OPTION_MINCPUS, OPTION_NEEDS, NULL},
	{"nice", 0, JOB_OPTION_NICE, OPTION_MAY_HAVE, "100"},
	{"no-requeue", 0, JOB_OPTION_REQUEUE, OPTION_HAS_NONE, "no"},
	{"nodelist", 'w', JOB_OPTION_NODELIST, OPTION_NEEDS, NULL},
	{"nodes", 'N', JOB_OPTION_MIN_NODES, OPTION_NEEDS, NULL},
	{"ntasks-per-node", 0, JOB_OPTION_TASKS_PER_NODE, OPTION_NEEDS, NULL},
	{"partition", 'p', JOB_OPTION_PARTITION, OPTION_NEEDS, NULL},
	{"prefer", 0, JOB_OPTION_PREFER, OPTION_NEEDS, NULL},
	{"priority", 0, JOB_OPTION_PRIORITY, OPTION_NEEDS, NULL},
	{"qos", 'q', JOB_OPTION_QOS, OPTION_NEEDS, NULL},
	{"requeue", 0, JOB_OPTION_REQUEUE, OPTION_HAS_NONE, "yes"},
	{"reservation", 0, JOB_OPTION_RESERVATION, OPTION_NEEDS, NULL},
	{"switches", 0, JOB_OPTION_SWITCHES, OPTION_NEEDS, NULL},
	{"time", 't', JOB_OPTION_TIMELIMIT, OPTION_NEEDS, NULL},
	{"time-min", 0, JOB_OPTION_TIME_MIN, OPTION_NEEDS, NULL},
	{"tmp", 0, JOB_OPTION_TMP, OPTION_NEEDS, NULL},
	{"uid", 0, JOB_OPTION_USER, OPTION_NEEDS, NULL},
	{"wckey", 0, JOB_OPTION_WCKEY, OPTION_NEEDS, NULL},
};

const struct job_option_spec *job_option_spec(enum job_option_key key)
{
	return &specs[key];
}

bool job_option_is_text(enum job_option_key key)
{
	return specs[key].kind <= JOB_OPTION_DATE;
}

int job_option_of_note(const char *note)
{
	for (int k = 0; k < JOB_OPTION_N; k++)
		if (specs[k].note && !strcmp(specs[k].note, note))
			return k;
	return -1;
}

const struct job_option_option *job_option_option(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(options); i++)
		if (strlen(options[i].name) == len &&
		    !memcmp(options[i].name, name, len))
			return &options[i];
	return NULL;
}

const struct job_option_option *job_option_option_letter(char letter)
{
	for (size_t i = 0; letter && i < COUNT(options); i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

const char *job_option_name(enum job_option_key key)
{
	if (specs[key].note)
		return specs[key].note;
	for (size_t i = 0; i < COUNT(options); i++)
		if (options[i].key == key)
			return options[i].name;
	return "switches";
}
