/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/job_option.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define CPUS_MAX 65535
#define NODES_MAX 65536
#define PRIORITY_MAX 4294967293 /* (Slurm's NO_VAL and INFINITE lie above) */
#define NICE_MAX 2147483645	/* sbatch(1) */
#define MINUTES_MAX 52560000	/* a hundred years */
#define MIB_MAX (1ll << 40)
#define TMP_MAX 4294967293 /* (Slurm has 32 bits for it) */

static const struct wish_spec specs[WISH_N] = {
	[WISH_ACCOUNT] = {"account", WISH_NAME},
	[WISH_CONSTRAINTS] = {"constraints", WISH_FEATURES},
	[WISH_CPUS_PER_TASK] = {"cpu-per-task", WISH_NUMBER, 1, CPUS_MAX},
	[WISH_EXCLUSIVE] = {"exclusive", WISH_SHARING},
	[WISH_GRES] = {"gres", WISH_DEVICES},
	[WISH_GROUP] = {"group-id", WISH_NAME},
	[WISH_JOB_NAME] = {"job-name", WISH_WORDS},
	[WISH_LICENSES] = {"licenses", WISH_LICENCES},
	[WISH_MAX_NODES] = {"max-nodes", WISH_NUMBER, 1, NODES_MAX},
	[WISH_MEM_NODE] = {"mem-per-node", WISH_MEBIBYTES, 0, MIB_MAX},
	[WISH_MIN_NODES] = {"min-nodes", WISH_NUMBER, 1, NODES_MAX},
	[WISH_PARTITION] = {"partition", WISH_NAMES},
	[WISH_PRIORITY] = {"priority", WISH_NUMBER, 0, PRIORITY_MAX},
	[WISH_QOS] = {"qos", WISH_NAME},
	[WISH_RESERVATION] = {"reservation", WISH_NAMES},
	[WISH_TIMELIMIT] = {"timelimit", WISH_MINUTES, 1, MINUTES_MAX},
	[WISH_USER] = {"user-id", WISH_NAME},
	[WISH_WCKEY] = {"wckey", WISH_NAME},
	[WISH_BEGIN] = {NULL, WISH_DATE},
	[WISH_COMMENT] = {NULL, WISH_WORDS},
	[WISH_CONTIGUOUS] = {NULL, WISH_YES, 0, 1},
	[WISH_DEADLINE] = {NULL, WISH_DATE},
	[WISH_DEPENDENCY] = {NULL, WISH_DEPENDS},
	[WISH_EXCLUDE] = {NULL, WISH_HOSTS},
	[WISH_HOLD] = {NULL, WISH_YES, 0, 1},
	[WISH_KILL_ON_INVALID_DEP] = {NULL, WISH_YES, 0, 1},
	[WISH_MCS_LABEL] = {NULL, WISH_NAME},
	[WISH_MEM_CPU] = {NULL, WISH_MEBIBYTES, 1, MIB_MAX},
	[WISH_MINCPUS] = {NULL, WISH_NUMBER, 1, CPUS_MAX},
	[WISH_NICE] = {NULL, WISH_NUMBER, -NICE_MAX, NICE_MAX},
	[WISH_NODELIST] = {NULL, WISH_HOSTS},
	[WISH_PREFER] = {NULL, WISH_FEATURES},
	[WISH_REQUEUE] = {NULL, WISH_YES, 0, 1},
	[WISH_SWITCHES] = {NULL, WISH_NUMBER, 1, NODES_MAX},
	[WISH_SWITCHES_WAIT] = {NULL, WISH_MINUTES, 1, MINUTES_MAX},
	[WISH_TASKS_PER_NODE] = {NULL, WISH_NUMBER, 1, CPUS_MAX},
	[WISH_TIME_MIN] = {NULL, WISH_MINUTES, 1, MINUTES_MAX},
	[WISH_TMP] = {NULL, WISH_MEBIBYTES, 1, TMP_MAX},
};

/* (sbatch(1): names and letters; values of options without one) */
static const struct wish_option options[] = {
	{"account", 'A', WISH_ACCOUNT, OPTION_NEEDS, NULL},
	{"begin", 'b', WISH_BEGIN, OPTION_NEEDS, NULL},
	{"comment", 0, WISH_COMMENT, OPTION_NEEDS, NULL},
	{"constraint", 'C', WISH_CONSTRAINTS, OPTION_NEEDS, NULL},
	{"contiguous", 0, WISH_CONTIGUOUS, OPTION_HAS_NONE, "yes"},
	{"cpus-per-task", 'c', WISH_CPUS_PER_TASK, OPTION_NEEDS, NULL},
	{"deadline", 0, WISH_DEADLINE, OPTION_NEEDS, NULL},
	{"dependency", 'd', WISH_DEPENDENCY, OPTION_NEEDS, NULL},
	{"exclude", 'x', WISH_EXCLUDE, OPTION_NEEDS, NULL},
	{"exclusive", 0, WISH_EXCLUSIVE, OPTION_MAY_HAVE, "true"},
	{"gid", 0, WISH_GROUP, OPTION_NEEDS, NULL},
	{"gpus-per-node", 0, WISH_GRES, OPTION_NEEDS, NULL},
	{"gres", 0, WISH_GRES, OPTION_NEEDS, NULL},
	{"hold", 'H', WISH_HOLD, OPTION_HAS_NONE, "yes"},
	{"job-name", 'J', WISH_JOB_NAME, OPTION_NEEDS, NULL},
	{"kill-on-invalid-dep", 0, WISH_KILL_ON_INVALID_DEP, OPTION_NEEDS,
	 NULL},
	{"licenses", 'L', WISH_LICENSES, OPTION_NEEDS, NULL},
	{"mcs-label", 0, WISH_MCS_LABEL, OPTION_NEEDS, NULL},
	{"mem", 0, WISH_MEM_NODE, OPTION_NEEDS, NULL},
	{"mem-per-cpu", 0, WISH_MEM_CPU, OPTION_NEEDS, NULL},
	{"mincpus", 0, WISH_MINCPUS, OPTION_NEEDS, NULL},
	{"nice", 0, WISH_NICE, OPTION_MAY_HAVE, "100"},
	{"no-requeue", 0, WISH_REQUEUE, OPTION_HAS_NONE, "no"},
	{"nodelist", 'w', WISH_NODELIST, OPTION_NEEDS, NULL},
	{"nodes", 'N', WISH_MIN_NODES, OPTION_NEEDS, NULL},
	{"ntasks-per-node", 0, WISH_TASKS_PER_NODE, OPTION_NEEDS, NULL},
	{"partition", 'p', WISH_PARTITION, OPTION_NEEDS, NULL},
	{"prefer", 0, WISH_PREFER, OPTION_NEEDS, NULL},
	{"priority", 0, WISH_PRIORITY, OPTION_NEEDS, NULL},
	{"qos", 'q', WISH_QOS, OPTION_NEEDS, NULL},
	{"requeue", 0, WISH_REQUEUE, OPTION_HAS_NONE, "yes"},
	{"reservation", 0, WISH_RESERVATION, OPTION_NEEDS, NULL},
	{"switches", 0, WISH_SWITCHES, OPTION_NEEDS, NULL},
	{"time", 't', WISH_TIMELIMIT, OPTION_NEEDS, NULL},
	{"time-min", 0, WISH_TIME_MIN, OPTION_NEEDS, NULL},
	{"tmp", 0, WISH_TMP, OPTION_NEEDS, NULL},
	{"uid", 0, WISH_USER, OPTION_NEEDS, NULL},
	{"wckey", 0, WISH_WCKEY, OPTION_NEEDS, NULL},
};

const struct wish_spec *wish_spec(enum wish_key key)
{
	return &specs[key];
}

bool wish_is_text(enum wish_key key)
{
	return specs[key].kind <= WISH_DATE;
}

int wish_of_note(const char *note)
{
	for (int k = 0; k < WISH_N; k++)
		if (specs[k].note && !strcmp(specs[k].note, note))
			return k;
	return -1;
}

const struct wish_option *wish_option(const char *name, size_t len)
{
	for (size_t i = 0; i < COUNT(options); i++)
		if (strlen(options[i].name) == len &&
		    !memcmp(options[i].name, name, len))
			return &options[i];
	return NULL;
}

const struct wish_option *wish_option_letter(char letter)
{
	for (size_t i = 0; letter && i < COUNT(options); i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

const char *wish_name(enum wish_key key)
{
	if (specs[key].note)
		return specs[key].note;
	for (size_t i = 0; i < COUNT(options); i++)
		if (options[i].key == key)
			return options[i].name;
	return "switches";
}
