/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurm-k8s status has looked at: slurmctld, k8s.yaml, the API servers,
 * and what the engine has left behind. Main thread of a program.
 */
#ifndef SLURMK8S_TOOL_STATUS_READ_H
#define SLURMK8S_TOOL_STATUS_READ_H

#include "base/buf.h"
#include "engine_lease.h"
#include "last_pass.h"
#include "site.h"
#include "status_rows.h"

/* What one Kubernetes cluster says. */
struct cluster_view {
	const char *name;
	struct engine_lease engine;
	struct err err; /* why its pods are not known; code 0: they are */
};

struct status {
	struct site site;
	struct status_view view;
	struct hostlist only; /* nodes that are asked for */
	struct job_ref *jobs; /* jobs that are asked for: view.n_only_jobs */
	struct cluster_view *clusters;
	size_t n_clusters;
	const char *cluster; /* ClusterName; NULL: not known */
	char *unasked;	     /* ClusterName of slurm.conf, without slurmctld */
	int64_t pass_ms;     /* age of the engine's last pass; -1: not known */
	/* words about the last pass; "": k8s.yaml has no `metrics` */
	char pass_words[LAST_PASS_WORDS_MAX];
	struct buf notes; /* what Slurm does not have: lines for people */
	bool incomplete;  /* not all could be looked at */
};

/*
 * Ask slurmctld, the API servers and the engine. `file` NULL: k8s.yaml beside
 * slurm.conf. `names`, which end with NULL: hostlists and ids of jobs; none of
 * them: everything. What Slurm does not have is said in `notes`, as far as
 * there is room. The caller calls status_clear(), also after an error. 0;
 * -EINVAL or -ENOMEM with words: `names` are wrong.
 */
int status_read(struct status *s, const char *file, char *const names[],
		bool all, struct err *err);
void status_clear(struct status *s);

#endif
