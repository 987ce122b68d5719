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

enum job_option_key {
	/* By annotation or option. */
	JOB_OPTION_ACCOUNT,
	JOB_OPTION_COMMENT,
	JOB_OPTION_CONSTRAINTS,
	JOB_OPTION_CPUS_PER_TASK,
	JOB_OPTION_EXCLUSIVE, /* enum job_option_share */
	JOB_OPTION_GRES,      /* devices of each node, "gpu:a100:2,shard:8" */
	JOB_OPTION_GROUP, /* a name or a number, as the site has written it */
	JOB_OPTION_JOB_NAME,
	JOB_OPTION_LICENSES,
	JOB_OPTION_MAX_NODES,
	JOB_OPTION_MEM_NODE, /* MiB; 0: all that a node has */
	JOB_OPTION_MIN_NODES,
	JOB_OPTION_PARTITION,
	JOB_OPTION_PRIORITY,
	JOB_OPTION_QOS,
	JOB_OPTION_RESERVATION,
	JOB_OPTION_TIMELIMIT, /* minutes, or JOB_OPTION_UNLIMITED */
	JOB_OPTION_USER,      /* like JOB_OPTION_GROUP */
	JOB_OPTION_WCKEY,
	/* By option only. */
	JOB_OPTION_BEGIN, /* a date, see sbatch_date() */
	JOB_OPTION_CONTIGUOUS,
	JOB_OPTION_DEADLINE, /* a date, see sbatch_date() */
	JOB_OPTION_DEPENDENCY,
	JOB_OPTION_EXCLUDE, /* a hostlist */
	JOB_OPTION_HOLD,
	JOB_OPTION_KILL_ON_INVALID_DEP,
	JOB_OPTION_MCS_LABEL,
	JOB_OPTION_MEM_CPU, /* MiB */
	JOB_OPTION_MINCPUS, /* CPUs of each node */
	JOB_OPTION_NICE,
	JOB_OPTION_NODELIST, /* a hostlist */
	JOB_OPTION_PREFER,
	JOB_OPTION_REQUEUE,
	JOB_OPTION_SWITCHES,
	JOB_OPTION_SWITCHES_WAIT, /* minutes; given with JOB_OPTION_SWITCHES */
	JOB_OPTION_TASKS_PER_NODE,
	JOB_OPTION_TIME_MIN, /* minutes */
	JOB_OPTION_TMP,	     /* MiB of each node */
	JOB_OPTION_N
};

#define JOB_OPTION_UNLIMITED (-1)

/* Who else may use the nodes of the job. */
enum job_option_share {
	JOB_OPTION_SHARE_ALL,  /* everybody */
	JOB_OPTION_SHARE_NONE, /* nobody: whole nodes */
	JOB_OPTION_SHARE_USER, /* jobs of the same user */
	JOB_OPTION_SHARE_MCS,  /* jobs with the same MCS label */
};

typedef uint64_t job_option_set;
#define JOB_OPTION_BIT(key) ((job_option_set)1 << (key))

/*
 * What a namespace may ask for, unless the site denies it: options that only
 * tell the job's own size and what people read of it, and not its user, its
 * rank, or whose share it takes.
 */
#define JOB_OPTION_HARMLESS                                                    \
	(JOB_OPTION_BIT(JOB_OPTION_COMMENT) |                                  \
	 JOB_OPTION_BIT(JOB_OPTION_CONSTRAINTS) |                              \
	 JOB_OPTION_BIT(JOB_OPTION_CPUS_PER_TASK) |                            \
	 JOB_OPTION_BIT(JOB_OPTION_EXCLUSIVE) |                                \
	 JOB_OPTION_BIT(JOB_OPTION_GRES) |                                     \
	 JOB_OPTION_BIT(JOB_OPTION_JOB_NAME) |                                 \
	 JOB_OPTION_BIT(JOB_OPTION_LICENSES) |                                 \
	 JOB_OPTION_BIT(JOB_OPTION_MAX_NODES) |                                \
	 JOB_OPTION_BIT(JOB_OPTION_MEM_NODE) |                                 \
	 JOB_OPTION_BIT(JOB_OPTION_MIN_NODES) |                                \
	 JOB_OPTION_BIT(JOB_OPTION_TIMELIMIT))

enum job_option_kind {
	JOB_OPTION_NAME,      /* letters, digits and "_.@+-" */
	JOB_OPTION_NAMES,     /* names as of JOB_OPTION_NAME, with commas */
	JOB_OPTION_WORDS,     /* one line for people */
	JOB_OPTION_FEATURES,  /* an expression of features */
	JOB_OPTION_HOSTS,     /* a hostlist */
	JOB_OPTION_DEPENDS,   /* "afterok:12:13,singleton" */
	JOB_OPTION_LICENCES,  /* "matlab:2,ansys" */
	JOB_OPTION_DEVICES,   /* "gpu:2": Gres */
	JOB_OPTION_DATE,      /* see sbatch_date() */
	JOB_OPTION_NUMBER,    /* a whole number */
	JOB_OPTION_MINUTES,   /* sbatch --time */
	JOB_OPTION_MEBIBYTES, /* sbatch --mem */
	JOB_OPTION_SHARING,   /* enum job_option_share */
	JOB_OPTION_YES,	      /* 1, or 0 */
};

struct job_option_spec {
	const char *note; /* the annotation, without its prefix; or NULL */
	enum job_option_kind kind;
	int64_t min, max; /* bounds of a number */
};
/* What a key's annotation and value look like. Static. */
const struct job_option_spec *job_option_spec(enum job_option_key key);

/* True if its value is kept as a text, else it is kept as a number. */
bool job_option_is_text(enum job_option_key key);

/* The key of an annotation's name without its prefix, or -1. */
int job_option_of_note(const char *note);

/* How an option of sbatch takes its value. */
enum option_value {
	OPTION_NEEDS,	 /* --time=1, --time 1, -t1, -t 1 */
	OPTION_MAY_HAVE, /* --nice, --nice=10 */
	OPTION_HAS_NONE, /* --hold, -H */
};
struct job_option_option {
	const char *name;
	char letter; /* a short option; 0: none */
	enum job_option_key key;
	enum option_value value;
	const char *implied; /* the value, where none is given */
};

/*
 * The option by its long name, which need not end at `len`, or by its letter.
 * Static; NULL: we do not know it.
 */
const struct job_option_option *job_option_option(const char *name, size_t len);
const struct job_option_option *job_option_option_letter(char letter);

/* What people call a key: its annotation, or its option. Static. */
const char *job_option_name(enum job_option_key key);

#endif
