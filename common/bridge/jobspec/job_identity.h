/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The identity of a placeholder job: one JSON text in its admin_comment, which
 * only SlurmUser and Slurm's operators can write. Nothing else of a job is
 * believed. Pure. Any thread.
 *
 *   {"k8s":{"cluster":"prod","kind":"Job","namespace":"team-a","name":"train",
 *    "uid":"6ba7b810-...","pods":4,"wish":"0123456789abcdef"}}
 *
 * "scheduler":"slurm" behind the cluster is the schedulerName of its pods, as
 * k8s.yaml had it then: pods of another name are not in view, and their absence
 * says nothing. Builds before it was written have none.
 *
 * "nodes":2,"cpus":8 behind that of a gang that was sized by nodes, and
 * "again":true behind that of a job that the bridge cancels itself, written
 * before it is cancelled: its pods are to get another one. So a later engine
 * can tell it from a job that its user or an administrator has cancelled.
 */
#ifndef SLURMK8S_BRIDGE_JOBSPEC_JOB_IDENTITY_H
#define SLURMK8S_BRIDGE_JOBSPEC_JOB_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "bridge/jobspec/job_options.h"
#include "objects/workload.h"

#define BRIDGE_ID_MAX 2048 /* bytes of the text, with NUL */
#define BRIDGE_ID_PODS_MAX 65536

struct job_identity {
	char cluster[64]; /* name of the Kubernetes cluster in k8s.yaml */
	/* schedulerName in k8s.yaml; "": not told */
	char scheduler[WORKLOAD_NAME_MAX];
	struct workload of; /* kind, ns, name, part, uid */
	uint32_t pods;	    /* number of pods that the job was made for */
	/*
	 * Digest of the options that the job was made by; the digits behind
	 * JOB_OPTIONS_DIGEST_OWN are also of the nodes that fit. "": not told.
	 * The text has it as "wish", as jobs of earlier builds do.
	 */
	char options_digest[JOB_OPTIONS_DIGEST_MAX];
	/* nodes_each and cpus_each of struct job_size */
	uint32_t nodes, cpus;
	bool again; /* the bridge cancels it: its pods get another one */
};

/*
 * Write the text of an identity. 0; -EINVAL with words: something does not fit,
 * or could not be read back; -ENOMEM.
 */
int job_identity_make(const struct job_identity *id, char out[BRIDGE_ID_MAX],
		      struct err *err);

/*
 * Read a text, which may be NULL. It is strict: only what job_identity_make()
 * writes, byte for byte. False: it is none of ours, or memory is short; *out is
 * then of no use.
 */
bool job_identity_parse(const char *text, struct job_identity *out);

#endif
