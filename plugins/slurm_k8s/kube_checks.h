/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be asked of an API server without changing anything: who we are
 * there, what we may do, and whether it would take our pods. I/O: main thread.
 * To be called as SlurmUser: a kubeconfig may name a program that is run.
 */
#ifndef SLURMK8S_TOOL_KUBE_CHECKS_H
#define SLURMK8S_TOOL_KUBE_CHECKS_H

#include "config/config.h"
#include "findings.h"
#include "slurm/ctl.h"

struct kube_facts {
	const struct config *config;
	const char *slurm_cluster;     /* ClusterName; NULL: not known */
	const struct ctl_nodes *nodes; /* NULL: not known */
	bool has_backup;	       /* slurm.conf has two SlurmctldHost */
};

/*
 * Add findings about cluster `k`. At most some 200 requests, each of which may
 * take 10 s.
 */
void kube_checks(const struct kube_facts *facts, const struct cluster_config *k,
		 struct findings *out);

#endif
