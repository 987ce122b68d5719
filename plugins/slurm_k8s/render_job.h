/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pod has of the job that runs on its node. Main thread: of a job that
 * Slurm tells without its user's name the name service is asked (user_name.h).
 */
#ifndef SLURMK8S_TOOL_RENDER_JOB_H
#define SLURMK8S_TOOL_RENDER_JOB_H

#include "nodes/pod/manifest.h"
#include "slurm/ctl_job_list.h"

/*
 * Write the changeable features with which the node boots for this job, as
 * Slurm and node_features/k8s choose them. 1: these; 0: it asks for none, and
 * the node keeps what it has; -EINVAL with words: the node's nodeset does not
 * offer them together.
 */
int render_job_features(const struct config *c, const struct nodeset *set,
			const char *node, const struct ctl_job *job,
			char out[FEATURES_TEXT_MAX], struct err *err);

/*
 * Write into the pod what the engine writes on it while this job, and no other
 * one, runs there (nodes/pod/pod_annotations.h): that it is busy, whose job it
 * is, and the labels and annotations that the job asks for, as far as k8s.yaml
 * lets it. Not the steps, which come and go. 0; -ENOMEM.
 */
int render_job_write(const struct config *c, const struct ctl_job *job,
		     struct manifest *m);

#endif
