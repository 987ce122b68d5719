/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the programs of power saving share: options, configuration, log,
 * connections. Main thread of a program.
 */
#ifndef SLURMK8S_POWER_POWER_H
#define SLURMK8S_POWER_POWER_H

#include "config/config.h"
#include "kube/client.h"
#include "nodes/pod/pod_op.h"
#include "nodes/pod/resume_file.h"
#include "slurm/ctl.h"
#include "syntax/hostlist.h"

struct program {
	const char *name;  /* k8s_resume */
	const char *usage; /* arguments, as the usage prints them */
	const char *about;
	bool takes_features; /* a second argument, as RebootProgram gets */
	bool reads_resume_file;
};

struct power_run {
	const struct program *program;
	struct config *config;
	struct kube_config **kube; /* per cluster of the configuration */
	struct kube_client **clients;
	struct ctl_site site;
	struct ctl_nodes *slurm_nodes;
	struct hostlist nodes; /* no duplicates */
	/* features that Slurm wants the nodes to have, or NULL */
	const char *features;
	struct resumefile file;
	int64_t start_ms; /* monotonic */
	int64_t since_ms; /* epoch */
	int64_t deadline_ms;
	bool dry_run;
	/*
	 * why slurmctld does not load the engine; code 0: nothing is known
	 * against it (ctl_plugin.h)
	 */
	struct err refused;
};

/*
 * Read arguments, environment and files, and slurmctld's configuration and
 * nodes by RPC; connect to nothing in Kubernetes yet. 0: go on; else *exit_code
 * is what main is to return. power_end() follows in both cases.
 */
int power_start(const struct program *p, int argc, char **argv,
		struct power_run *run, int *exit_code);
/* End all calls, and free what `run` holds. */
void power_end(struct power_run *run);

/*
 * The client of a nodeset's cluster, made at its first use, borrowed. NULL: it
 * cannot be made, with code and words in err.
 */
struct kube_client *power_client(struct power_run *run,
				 const struct nodeset *set, struct err *err);

/*
 * Step all clients once, waiting for at most 1 s, or 5 ms each if there are
 * several.
 */
void power_step(struct power_run *run);

/* Step all clients until `*open` is 0. */
void power_loop(struct power_run *run, const size_t *open);

/*
 * True if Slurm has the node up, or powering up. Then its pod stays, whoever
 * asked for its end: Slurm may have powered it up again since it called us, or
 * an administrator has called us by hand.
 */
bool power_wants_pod(const struct ctl_nodes *now, const char *node);

/* Log what became of a node: "cpu-1: pod created in 0.31 s". */
void power_report(const struct pod_op *op);

/*
 * Count the outcomes in one closing line. Returns the exit code: 0 if all nodes
 * are as they are to be, else 1.
 */
int power_summary(const struct power_run *run, const struct pod_op *ops,
		  size_t n);

#endif
