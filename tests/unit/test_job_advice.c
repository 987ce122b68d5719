/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the owner of a pod can change where Slurm does not start its job. */
#include <errno.h>
#include <string.h>

#include "slurm/job_advice.h"
#include "slurm/release.h"
#include "t.h"

static void is(const char *advice, const char *words)
{
	T_OK(words ? advice && strstr(advice, words) : !advice);
}

static void reasons_that_do_not_pass_have_advice(void)
{
	static const struct {
		const char *reason, *words;
	} rows[] = {
		{"Job's account not permitted to use this partition (p allows "
		 "a not b)",
		 "annotation account"},
		{"Job's QOS not known, so it can't use this partition (p "
		 "allows a)",
		 "annotation qos"},
		{"Reservation r was deleted", "annotation reservation"},
		{"BadConstraints", "annotations constraints"},
		{"PartitionConfig", "user, account, QOS or size"},
		{"AssocMaxCpuMinutesPerJobLimit", "or less time"},
		{"DependencyNeverSatisfied", "another dependency"},
		{"PartitionNodeLimit", "as many nodes as its partition"},
		{"PartitionTimeLimit", "annotation timelimit"},
		{"AssocMaxWallDurationPerJobLimit", "another QOS"},
		{"AssocMaxCpuPerJobLimit", "does not allow a single job"},
		{"AssocMaxMemPerNode", "does not allow a single job"},
		{"QOSMaxMemoryPerJob", "does not allow a single job"},
		{"QOSMaxGRESPerJob", "does not allow a single job"},
		{"QOSMinCpuNotSatisfied", "request more"},
		{"QOSMinGRES", "request more"},
		/* others' ends, or an administrator, lift these */
		{"Resources", NULL},
		{"Priority", NULL},
		{"AssocGrpCpuLimit", NULL},
		{"AssocMaxJobsLimit", NULL},
		{"QOSGrpGRES", NULL},
		{"QOSMaxCpuPerUserLimit", NULL},
		{"PartitionDown", NULL},
		{"JobHeldAdmin", NULL},
		{"Reservation", NULL},
		{"MaxMemoryPerAccount", NULL},
		/* names that others begin, or end, with */
		{"Dependency", NULL},
		{"PartitionTimeLimits", NULL},
		{"PerJob", NULL},
		{"GRESPerJob", NULL},
		{"", NULL},
		{NULL, NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].reason ? rows[i].reason : "none");
		is(job_advice_for_reason(rows[i].reason), rows[i].words);
	}
}

static void refusals_that_do_not_pass_have_advice(void)
{
	static const struct {
		int code;
		const char *words;
	} rows[] = {
		{ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE,
		 "request no more than a node"},
		{ESLURM_TOO_MANY_REQUESTED_CPUS, "fewer CPUs"},
		{ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE,
		 "user, account, QOS or size"},
		{ESLURM_INVALID_ACCOUNT, "annotation account"},
		{ESLURM_INVALID_PARTITION_NAME, "annotation partition"},
		{ESLURM_INVALID_TIME_LIMIT, "annotation timelimit"},
		{ESLURM_INVALID_QOS, "annotation qos"},
		{ESLURM_INVALID_GRES, "sinfo -o '%P %N %G'"},
		{ESLURM_INVALID_FEATURE, "annotation constraints"},
		{ESLURM_RESERVATION_INVALID, "annotation reservation"},
		{ESLURM_ACCOUNTING_POLICY, NULL},
		{ESLURM_NODES_BUSY, NULL},
		{EAGAIN, NULL},
		{SLURM_ERROR, NULL},
		{0, NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%d", rows[i].code);
		is(job_advice_for_error(rows[i].code), rows[i].words);
	}
}

T_MAIN("job_advice", T(reasons_that_do_not_pass_have_advice),
       T(refusals_that_do_not_pass_have_advice))
