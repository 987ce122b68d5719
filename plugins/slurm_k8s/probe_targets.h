/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a slurmd in a pod will look for slurmctld. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_PROBE_TARGETS_H
#define SLURMK8S_TOOL_PROBE_TARGETS_H

#include <stddef.h>
#include <stdint.h>

#include "site_config.h"
#include "slurmctld_at.h"
#include "json/json.h"

/*
 * The report of a probe has two lines for each target, and fits into a
 * termination message (4096 bytes: kubernetes.io, "Determine the Reason for Pod
 * Failure").
 */
#define PROBE_TARGETS_MAX 6

struct probe_target {
	char host[SLURMCTLD_AT_MAX];
	uint16_t port;
	const char *from; /* the key that names it: "SlurmctldHost"; static */
};

struct probe_targets {
	struct probe_target v[PROBE_TARGETS_MAX];
	size_t n;
};

/*
 * What slurm.conf has as SlurmctldAddr, which Slurm takes instead of all hosts;
 * else as SlurmctldHost (its address, where it has one, as Slurm does); with
 * SlurmctldPort (the first of a range), and what the container's
 * SLURM_CONF_SERVER names, if its value stands in the template. Each once; no
 * more than PROBE_TARGETS_MAX; a host that is too long, or no name, is left
 * out.
 */
void probe_targets(const struct site_config *conf, const json_object *container,
		   struct probe_targets *out);

#endif
