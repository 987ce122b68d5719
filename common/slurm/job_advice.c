/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/job_advice.h"

#include <slurm/slurm_errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

#define ACCOUNT                                                                \
	"ask for an account that its user has and the partition "              \
	"allows (annotation account), or for another partition"
#define CONSTRAINTS                                                            \
	"no node has what it asks for: see requests, devices, and "            \
	"the annotations constraints and sbatch-options, or ask for "          \
	"another partition"
#define DEPENDENCY                                                             \
	"ask for another dependency (--dependency in annotation "              \
	"sbatch-options), or delete the pods"
#define DEVICES                                                                \
	"ask for devices that nodes of its partition have: sinfo -o "          \
	"'%P %N %G'"
#define JOB_LESS                                                               \
	"request less, or less time, or split it: its account or "             \
	"QOS does not allow a single job that much (sacctmgr show "            \
	"assoc, qos)"
#define JOB_MORE                                                               \
	"request more: its QOS does not allow a job so little "                \
	"(sacctmgr show qos)"
#define MEMORY                                                                 \
	"request less memory: the partition has MaxMemPerNode or "             \
	"MaxMemPerCPU"
#define NODES                                                                  \
	"ask for as many nodes as its partition has and allows "               \
	"(scontrol show partition), or for another partition"
#define PARTITION                                                              \
	"its partition does not take its user, account, QOS or "               \
	"size: see scontrol show partition, or ask for another "               \
	"(annotation partition)"
#define QOS                                                                    \
	"ask for a QOS that its account and partition allow "                  \
	"(annotation qos)"
#define RESERVATION                                                            \
	"ask for a reservation that is there, and its user's "                 \
	"(annotation reservation), or for none"
#define SHORTER                                                                \
	"ask for less time (annotation timelimit, or "                         \
	"activeDeadlineSeconds), or for another partition"
#define SHORTER_BY_QOS                                                         \
	"ask for less time (annotation timelimit, or "                         \
	"activeDeadlineSeconds), or for another QOS or account"
#define SIZE                                                                   \
	"request no more than a node of its partition has, or has "            \
	"left beside other pods, or ask for another partition"

const char *job_advice_for_error(int code)
{
	switch (code) {
	case ESLURM_DEPENDENCY:
		return DEPENDENCY;
	case ESLURM_INVALID_ACCOUNT:
		return ACCOUNT;
	case ESLURM_INVALID_FEATURE:
		return "ask for features that nodes have (annotation "
		       "constraints): sinfo -o '%N %f'";
	case ESLURM_INSUFFICIENT_GRES:
	case ESLURM_INVALID_GRES:
	case ESLURM_INVALID_GRES_TYPE:
	case ESLURM_UNSUPPORTED_GRES:
		return DEVICES;
	case ESLURM_INVALID_LICENSES:
		return "ask for licenses that there are (annotation licenses): "
		       "scontrol show licenses";
	case ESLURM_INVALID_NODE_COUNT:
		return NODES;
	case ESLURM_INVALID_PARTITION_NAME:
		return "ask for a partition that there is (annotation "
		       "partition): sinfo";
	case ESLURM_INVALID_QOS:
		return QOS;
	case ESLURM_INVALID_TASK_MEMORY:
		return MEMORY;
	case ESLURM_INVALID_TIME_LIMIT:
		return SHORTER;
	case ESLURM_INVALID_WCKEY:
		return "ask for a wckey of its user's (annotation wckey): "
		       "sacctmgr show wckey";
	case ESLURM_JOB_MISSING_REQUIRED_PARTITION_GROUP:
		return "ask for a partition that its user may use (annotation "
		       "partition): scontrol show partition has AllowGroups";
	case ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE:
		return SIZE;
	case ESLURM_REQUESTED_NODES_NOT_IN_PARTITION:
		return "ask for nodes of its partition (--nodelist in "
		       "annotation sbatch-options): sinfo -N";
	case ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE:
		return PARTITION;
	case ESLURM_RESERVATION_ACCESS:
	case ESLURM_RESERVATION_INVALID:
		return RESERVATION;
	case ESLURM_TOO_MANY_REQUESTED_CPUS:
		return "request fewer CPUs than its partition has and allows "
		       "(scontrol show partition: TotalCPUs, MaxCPUsPerNode)";
	default:
		return NULL;
	}
}

/*
 * Where Slurm says more of a reason than its name (job_info_t.state_desc), the
 * name is not shown: these texts begin so (partition_mgr.c, node_scheduler.c,
 * reservation.c; 22.05 to 26.05).
 */
static const struct {
	const char *begin, *advice;
} descriptions[] = {
	{"Job's account not ", ACCOUNT},
	{"Job's QOS not ", QOS},
	{"Reservation ", RESERVATION},
};

static const struct {
	const char *reason, *advice;
} reasons[] = {
	{"AssocMaxWallDurationPerJobLimit", SHORTER_BY_QOS},
	{"BadConstraints", CONSTRAINTS},
	{"DependencyNeverSatisfied", DEPENDENCY},
	{"InvalidAccount", ACCOUNT},
	{"InvalidQOS", QOS},
	{"MaxMemPerLimit", MEMORY},
	{"PartitionConfig", PARTITION},
	{"PartitionNodeLimit", NODES},
	{"PartitionTimeLimit", SHORTER},
	{"QOSMaxWallDurationPerJobLimit", SHORTER_BY_QOS},
	{"QOSMinCpuNotSatisfied", JOB_MORE},
};

/* A limit of single jobs, which no other job's end lifts. */
static bool is_of_one_job(const char *reason)
{
	return (str_starts(reason, "AssocMax") ||
		str_starts(reason, "QOSMax")) &&
	       (str_ends(reason, "PerJob") || str_ends(reason, "PerJobLimit") ||
		str_ends(reason, "PerNode"));
}

const char *job_advice_for_reason(const char *reason)
{
	if (!reason)
		return NULL;
	for (size_t i = 0; i < sizeof(descriptions) / sizeof(*descriptions);
	     i++)
		if (str_starts(reason, descriptions[i].begin))
			return descriptions[i].advice;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strcmp(reason, reasons[i].reason))
			return reasons[i].advice;
	if (is_of_one_job(reason))
		return JOB_LESS;
	return str_starts(reason, "QOSMin") ? JOB_MORE : NULL;
}
