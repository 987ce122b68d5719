/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm-k8s check --probe: a pod of each nodeset's template, which is started,
 * listened to and deleted. I/O: main thread, as SlurmUser.
 */
#ifndef SLURMK8S_TOOL_PROBE_H
#define SLURMK8S_TOOL_PROBE_H

#include "config/config.h"
#include "findings.h"
#include "site_config.h"
#include "slurm/ctl.h"

#define PROBE_TIMEOUT_S 300
#define PROBE_TIMEOUT_MIN_S 10
#define PROBE_TIMEOUT_MAX_S 3600
/* How long its pod may be needed after that: until it is deleted, and gone. */
#define PROBE_END_S 60

struct probe_facts {
	const struct config *config;
	const struct site_config *conf;
	const struct ctl_nodes *nodes;
	const char *slurm_cluster;
	uint32_t resume_timeout_s; /* for all nodes */
	const char *nodesets;	   /* "a,b"; NULL: all */
	const char *plugstack; /* text of the one beside slurm.conf, or NULL */
	int64_t timeout_s;     /* for one pod */
};

/*
 * Probe one nodeset after the other. From then on ^C and its like do not end
 * this process (interrupt.h): they end the waiting. Each pod is deleted before
 * the next one, or it is a finding that it may be left.
 */
void probe_nodesets(const struct probe_facts *facts, struct findings *out);

#endif
