/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a probe asks of Slurm is the test's: ctl_nodes_find() and
 * ctl_resume_shortest() are wrapped.
 */
#ifndef SLURMK8S_TESTS_UNIT_PROBE_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_PROBE_FIXTURE_H

#include "slurm/ctl.h"
#include "slurm/ctl_resume.h"

static enum ctl_node_power power; /* of all nodes */

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	(void)n;
	*out = (struct ctl_node){
		.name = name, .cpus = 4, .memory_mib = 1000, .power = power};
	return true;
}

int __wrap_ctl_resume_shortest(char *const nodes[], size_t n, bool reboot,
			       struct ctl_resume *out, struct err *err);
int __wrap_ctl_resume_shortest(char *const nodes[], size_t n, bool reboot,
			       struct ctl_resume *out, struct err *err)
{
	(void)nodes, (void)n, (void)reboot, (void)err;
	out->timeout_s = 180;
	return 0;
}

#endif
