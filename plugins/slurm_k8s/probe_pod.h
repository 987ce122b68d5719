/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pod of a probe: that of a Slurm node, but nobody takes it for one, and
 * its container looks around instead of running slurmd. Pure. Any thread.
 */
#ifndef SLURMK8S_TOOL_PROBE_POD_H
#define SLURMK8S_TOOL_PROBE_POD_H

#include "base/err.h"
#include "probe_needs.h"
#include "probe_targets.h"
#include "syntax/names.h"
#include "json/json.h"

#define PROBE_NAME_PREFIX "slurm-k8s-probe-"
#define PROBE_HELLO_MAX 40
#define PROBE_SOCKET_MAX 108 /* unix(7) */
#define PROBE_PROGRAM_MAX 256

/* How long the container waits for the controller. */
#define PROBE_LISTEN_S 30

/* Texts are borrowed. */
struct probe_plan {
	char name[DNS_LABEL_MAX + 1]; /* the pod's */
	char hello[PROBE_HELLO_MAX];  /* by it both ends know each other */
	const char *slurm_cluster;
	const char *container; /* the one that runs slurmd */
	uint16_t slurmd_port;  /* where the pod listens */
	int64_t needed_s;      /* how long the pod may be needed */
	const char *auth;      /* AuthType's word: "munge", "slurm" */
	char munge_socket[PROBE_SOCKET_MAX]; /* as AuthInfo has it */
	/* path of slurmd that the template has; "": it has none */
	char slurmd[PROBE_PROGRAM_MAX];
	struct probe_targets targets;
	struct probe_needs needs;
	/*
	 * true: slurmd gets slurm.conf from slurmctld; false: its image has one
	 */
	bool configless;
};

/*
 * Fill in name and hello from a random number; a part of the nodeset's name is
 * in the pod's.
 */
void probe_name(struct probe_plan *plan, const char *nodeset, uint64_t number);

/* Fill in what slurm.conf and this container say; `conf` must outlive it. */
void probe_plan_conf(struct probe_plan *plan, const struct site_config *conf,
		     const json_object *container);

/*
 * Make a node's pod (of nodes/pod/manifest.h) a probe's, in place: with that
 * name, the label WK_LABEL_PROBE and none that says that it is a node's, and
 * the annotation WK_ANNOTATION_PROBE_SECONDS; it is never restarted. What else
 * its nodeset's template has stays, so that scheduler, admission and kubelet
 * treat it as a node's. 0; -EINVAL with words: it has no such container;
 * -ENOMEM.
 */
int probe_pod(json_object *pod, const struct probe_plan *plan, struct err *err);

#endif
