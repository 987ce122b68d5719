/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/job_advice.h"

#include <slurm/slurm_errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

#define ACCOUNT                                                                \
	"ask for an account that its user has there (annotation "              \
	"account), or have the user added to it: sacctmgr add user"
#define DEPENDENCY                                                             \
	"ask for another dependency (--dependency in annotation "              \
	"sbatch-options), or delete the pods"
#define DEVICES                                                                \
	"ask for devices that nodes of its partition have: sinfo -o "          \
	"'%P %N %G'"
#define JOB_LESS                                                               \
	"request less, or split it: its account or QOS does not "              \
	"allow a single job that much (sacctmgr show assoc, qos)"
#define JOB_MORE                                                               \
	"request more: its QOS does not allow a job so little "                \
	"(sacctmgr show qos)"
#define MEMORY                                                                 \
	"request less memory: the partition has MaxMemPerNode or "             \
	"MaxMemPerCPU"
#define NODES                                                                  \
	"ask for as many nodes as its partition has and allows "               \
	"(scontrol show partition), or for another partition"
#define QOS                                                                    \
	"ask for a QOS that its account and partition allow "                  \
	"(annotation qos)"
#define RESERVATION                                                            \
	"ask for a reservation that is there, and its user's "                 \
	"(annotation reservation), or for none"
#define SHORTER                                                                \
	"ask for less time (annotation timelimit, or "                         \
	"activeDeadlineSeconds), or for another partition"
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
	case ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE:
	case ESLURM_TOO_MANY_REQUESTED_CPUS:
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
	case ESLURM_RESERVATION_ACCESS:
	case ESLURM_RESERVATION_INVALID:
		return RESERVATION;
	default:
		return NULL;
	}
}

static const struct {
	const char *reason, *advice;
} reasons[] = {
	{"AccountNotAllowed", ACCOUNT},
	{"AssocMaxWallDurationPerJobLimit", SHORTER},
	{"BadConstraints", SIZE},
	{"DependencyNeverSatisfied", DEPENDENCY},
	{"InvalidAccount", ACCOUNT},
	{"InvalidQOS", QOS},
	{"MaxMemPerLimit", MEMORY},
	{"PartitionConfig", NODES},
	{"PartitionNodeLimit", NODES},
	{"PartitionTimeLimit", SHORTER},
	{"QOSMaxWallDurationPerJobLimit", SHORTER},
	{"QOSMinCpuNotSatisfied", JOB_MORE},
	{"QOSNotAllowed", QOS},
	{"ReservationDeleted", RESERVATION},
};

static bool ends(const char *text, const char *end)
{
	const size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

/* A limit of single jobs, which no other job's end lifts. */
static bool is_of_one_job(const char *reason)
{
	return (str_starts(reason, "AssocMax") ||
		str_starts(reason, "QOSMax")) &&
	       (ends(reason, "PerJob") || ends(reason, "PerJobLimit") ||
		ends(reason, "PerNode"));
}

const char *job_advice_for_reason(const char *reason)
{
	if (!reason)
		return NULL;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strcmp(reason, reasons[i].reason))
			return reasons[i].advice;
	if (is_of_one_job(reason))
		return JOB_LESS;
	return str_starts(reason, "QOSMin") ? JOB_MORE : NULL;
}
