/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the probe of a nodeset has found. Pure. Any thread. */
#ifndef SLURMK8S_TOOL_PROBE_FINDINGS_H
#define SLURMK8S_TOOL_PROBE_FINDINGS_H

#include "findings.h"
#include "probe_pod.h"
#include "probe_report.h"
#include "probe_seen.h"
#include "slurm/ctl_resume.h"

/* Whether the controller has reached the pod's SlurmdPort. */
struct probe_reach {
	bool tried, reached;
	struct err err; /* error of the last try */
};

/* All borrowed. */
struct probe_result {
	const struct nodeset *set;
	const struct probe_plan *plan;
	const struct probe_seen *seen;
	const struct probe_reach *reach;
	bool all_up;		   /* all nodes are up: there may be no room */
	int64_t ended_ms;	   /* clock_ms() when we stopped looking */
	struct ctl_resume resume;  /* timeout_s 0: not known */
	const char *slurm_version; /* slurmctld's: "22.05.8" */
};

/* Add the findings about `r`. */
void probe_findings(const struct probe_result *r, struct findings *out);

#endif
