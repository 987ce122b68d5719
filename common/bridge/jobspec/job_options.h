/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a group of pods asks of Slurm beyond what its containers need (where it
 * speaks of CPUs, memory or Gres, too, the greater is to be taken: else others
 * would pay for it): from k8s.yaml, from annotations, from options of sbatch in
 * an annotation, each only as far as the namespace may. Pure: no I/O, no clock.
 * One thread at a time for an object; one that was made does not change.
 */
#ifndef SLURMK8S_BRIDGE_JOBSPEC_JOB_OPTIONS_H
#define SLURMK8S_BRIDGE_JOBSPEC_JOB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/bridge_config.h"
#include "config/job_option.h"
#include "json/json.h"

#define JOB_OPTIONS_TEXT_MAX 1023 /* letters of one text */
/* letters of a name: account, partitions, job... */
#define JOB_OPTIONS_NAME_MAX 255
/*
 * Names in a list of nodes. Pods go to nodes of their own Kubernetes cluster,
 * which may have 5,000 (kubernetes.io "Considerations for large clusters"), and
 * of which no more than 8192 are claimed. slurmctld looks each name up under
 * its lock, and writes a line into its log for each that it does not know
 * (node_name2bitmap() of its node_conf.c).
 */
#define JOB_OPTIONS_HOSTS_MAX 8192
#define JOB_OPTIONS_DIGEST_MAX 17 /* 16 digits and NUL */
#define JOB_OPTIONS_DIGEST_OWN 8  /* leading digits, of the options alone */

/*
 * Values of all options; a text is owned. Numbers are of the units that
 * job_option.h says.
 */
struct job_options {
	job_option_set given;
	/*
	 * The most minutes that a time limit which nobody asks for may have: a
	 * deadline where the namespace may choose none, or one that is no
	 * request. 0: no bound.
	 */
	int64_t most_minutes;
	union {
		char *text; /* NULL where not given */
		int64_t num;
	} v[JOB_OPTION_N];
};

/* What job_options_make() reads. All borrowed. */
struct job_options_ask {
	const struct bridge_config *bridge;
	const struct namespace_config *ns;
	/*
	 * metadata.annotations of the objects that speak for the group (NULL:
	 * it has none), the weaker first: a pod's, or a PodGroup's and its
	 * Job's.
	 */
	const json_object *const *notes;
	size_t n_notes;
	int64_t deadline_s; /* activeDeadlineSeconds of a Job; 0: none */
	int64_t within_s;   /* Kubernetes ends the pods before; 0: never */
};

/*
 * Read what is asked for into *out, which is all zero at first; the caller
 * clears it in any case. What is stronger comes later in: k8s.yaml,
 * a Job's activeDeadlineSeconds (rounded up to minutes; a time limit where the
 * namespace may choose one, else only a shorter one), then in each object
 * slurm-bridge's annotations, ours, the options of sbatch. Of an option with a
 * text that is given twice in one object only the last is read, as by sbatch.
 * It takes as long as the texts are long. 0; -EPERM: the namespace may not;
 * -EINVAL, -E2BIG: it is no such value, or unknown; -ENOMEM. The words name the
 * annotation or option, and where it could be allowed.
 */
int job_options_make(const struct job_options_ask *ask, struct job_options *out,
		     struct err *err);

/* Free its texts; then it is all zero. */
void job_options_clear(struct job_options *w);
#define _cleanup_job_options_ __attribute__((cleanup(job_options_clear)))

/*
 * The value of a key; NULL, or `def`, where it is not given. A text is
 * borrowed.
 */
const char *job_options_text(const struct job_options *w,
			     enum job_option_key key);
int64_t job_options_num(const struct job_options *w, enum job_option_key key,
			int64_t def);

/*
 * Write a digest that stands for all of it, over restarts and releases: so a
 * job can tell by which options it was made. 0; -EMSGSIZE: the values are too
 * long; -EIO; -ENOMEM.
 */
int job_options_digest(const struct job_options *w,
		       char out[JOB_OPTIONS_DIGEST_MAX]);

#endif
