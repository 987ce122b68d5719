/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pod may ask of Slurm: the names of its annotations and of sbatch's
 * options, and what a value looks like. Pure. Any thread.
 *
 * Annotations: those of slurm-bridge (internal/wellknown/annotations.go), under
 * its prefix and under ours. Options: sbatch(1), those that mean something for
 * a job that has pods instead of a script.
 */
#ifndef SLURMK8S_CONFIG_JOB_OPTION_H
#define SLURMK8S_CONFIG_JOB_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wish_key {
	/* by annotation or option */
	WISH_ACCOUNT,
	WISH_CONSTRAINTS,
	WISH_CPUS_PER_TASK,
	WISH_EXCLUSIVE, /* enum wish_share */
	WISH_GRES,	/* for each node, "gpu:a100:2,shard:8" */
	WISH_GROUP,	/* a name or a number, as the site has written it */
	WISH_JOB_NAME,
	WISH_LICENSES,
	WISH_MAX_NODES,
	WISH_MEM_NODE, /* MiB; 0: all that a node has */
	WISH_MIN_NODES,
	WISH_PARTITION,
	WISH_PRIORITY,
	WISH_QOS,
	WISH_RESERVATION,
	WISH_TIMELIMIT, /* minutes, or WISH_UNLIMITED */
	WISH_USER,	/* like WISH_GROUP */
	WISH_WCKEY,
	/* by option only */
	WISH_BEGIN, /* a date, see sbatch_date() */
	WISH_COMMENT,
	WISH_CONTIGUOUS,
	WISH_DEADLINE, /* a date */
	WISH_DEPENDENCY,
	WISH_EXCLUDE, /* a hostlist */
	WISH_HOLD,
	WISH_KILL_ON_INVALID_DEP,
	WISH_MCS_LABEL,
	WISH_MEM_CPU, /* MiB */
	WISH_MINCPUS, /* of each node */
	WISH_NICE,
	WISH_NODELIST, /* a hostlist */
	WISH_PREFER,
	WISH_REQUEUE,
	WISH_SWITCHES,
	WISH_SWITCHES_WAIT, /* minutes; given with WISH_SWITCHES */
	WISH_TASKS_PER_NODE,
	WISH_TIME_MIN, /* minutes */
	WISH_TMP,      /* MiB of each node */
	WISH_N
};

#define WISH_UNLIMITED (-1)

/* Who else may use the nodes of the job. */
enum wish_share {
	WISH_SHARE_ALL,	 /* everybody */
	WISH_SHARE_NONE, /* nobody: whole nodes */
	WISH_SHARE_USER, /* jobs of the same user */
	WISH_SHARE_MCS,	 /* jobs of the same MCS label */
};

typedef uint64_t wish_set;
#define WISH_BIT(key) ((wish_set)1 << (key))

/*
 * What a namespace may ask for when the site does not say: what only tells the
 * job's own size. Not in whose name, with which rank, or from whose share.
 */
#define WISH_HARMLESS                                                          \
	(WISH_BIT(WISH_CONSTRAINTS) | WISH_BIT(WISH_CPUS_PER_TASK) |           \
	 WISH_BIT(WISH_EXCLUSIVE) | WISH_BIT(WISH_GRES) |                      \
	 WISH_BIT(WISH_JOB_NAME) | WISH_BIT(WISH_LICENSES) |                   \
	 WISH_BIT(WISH_MAX_NODES) | WISH_BIT(WISH_MEM_NODE) |                  \
	 WISH_BIT(WISH_MIN_NODES) | WISH_BIT(WISH_TIMELIMIT))

enum wish_kind {
	WISH_NAME,	/* letters, digits and "_.@+-" */
	WISH_NAMES,	/* such names with commas */
	WISH_WORDS,	/* one line for people */
	WISH_FEATURES,	/* an expression of features */
	WISH_HOSTS,	/* a hostlist */
	WISH_DEPENDS,	/* "afterok:12:13,singleton" */
	WISH_LICENCES,	/* "matlab:2,ansys" */
	WISH_DEVICES,	/* "gpu:2": Gres */
	WISH_DATE,	/* see sbatch_date() */
	WISH_NUMBER,	/* a whole number */
	WISH_MINUTES,	/* sbatch --time */
	WISH_MEBIBYTES, /* sbatch --mem */
	WISH_SHARING,	/* enum wish_share */
	WISH_YES,	/* 1, or 0 */
};

struct wish_spec {
	const char *note; /* the annotation, without its prefix; or NULL */
	enum wish_kind kind;
	int64_t min, max; /* of a number */
};
const struct wish_spec *wish_spec(enum wish_key key);

bool wish_is_text(enum wish_key key); /* else it is a number */

/* The key of an annotation's name without its prefix, or -1. */
int wish_of_note(const char *note);

/* One option of sbatch. */
enum option_value {
	OPTION_NEEDS,	 /* --time=1, --time 1, -t1, -t 1 */
	OPTION_MAY_HAVE, /* --nice, --nice=10 */
	OPTION_HAS_NONE, /* --hold, -H */
};
struct wish_option {
	const char *name;
	char letter; /* or 0 */
	enum wish_key key;
	enum option_value value;
	const char *implied; /* the value, where none is given */
};

/* By its long name or by its letter; NULL: we do not know it. */
const struct wish_option *wish_option(const char *name, size_t len);
const struct wish_option *wish_option_letter(char letter);

/* How to name a key to people: its annotation, or its option. */
const char *wish_name(enum wish_key key);

#endif
