/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

/*
 * Sources: the kubelet's reasons (pkg/kubelet/images, pkg/kubelet/container),
 * kube-scheduler's plugins, the API server's admission, slurm.h's enum
 * job_state_reason as squeue writes it, and the words of the engine and of
 * power_k8s.
 */
enum how {
	WITHIN, /* the words stand anywhere in the text */
	RBAC,	/* RBAC's: forbidden: User "x" cannot list resource "pods" */
	/* a job's Reason, alone or at the beginning of the text */
	REASON,
	REASONS, /* all Reasons that begin with the words */
};

static const struct {
	const char *words, *help;
	enum how how;
} table[] = {
	/* Kubernetes: the image */
	{"ImagePullBackOff",
	 "see that the image's name and tag exist, and that the template has "
	 "imagePullSecrets for a private registry"},
	{"ErrImagePull",
	 "see that the image's name and tag exist, and that the template has "
	 "imagePullSecrets for a private registry"},
	{"ErrImageNeverPull",
	 "load the image onto the Kubernetes node, or change imagePullPolicy"},
	{"InvalidImageName", "mend the image's name in the pod's template"},
	/* Kubernetes: the container */
	{"CrashLoopBackOff",
	 "read why the container ends: kubectl logs --previous; when the pod "
	 "is "
	 "gone: slurm-k8s check --probe. slurmd's slurm.conf, key and version "
	 "are to fit slurmctld's"},
	{"CreateContainerConfigError",
	 "create the Secret or ConfigMap that the template names, in the pod's "
	 "namespace"},
	{"RunContainerError",
	 "see the command, mounts and securityContext of the template"},
	{"OOMKilled", "give the container more memory, or the job less work"},
	{"FailedMount", "see that the Secrets, ConfigMaps and volumes of the "
			"template exist in "
			"the pod's namespace"},
	{"Evicted",
	 "see which resource the Kubernetes node ran out of: kubectl "
	 "describe node"},
	/* Kubernetes: room */
	{"Insufficient ",
	 "add Kubernetes nodes (or wait for the autoscaler), or see that "
	 "RealMemory, CPUs and Gres in slurm.conf are no more than a "
	 "Kubernetes node can give: kubectl describe node, Allocatable"},
	{"untolerated taint",
	 "add a toleration to the template, or take the taint off the "
	 "Kubernetes nodes"},
	{"node affinity/selector",
	 "see that Kubernetes nodes have the labels of the template's "
	 "nodeSelector and affinity"},
	{"exceeded quota",
	 "raise the ResourceQuota of the namespace, or wait until pods have "
	 "gone"},
	{"violates PodSecurity",
	 "make the template fit the namespace's Pod Security level, or change "
	 "the level"},
	{"unbound immediate PersistentVolumeClaims",
	 "see why the claim is not bound: kubectl describe pvc"},
	/* the API server */
	{"Unauthorized", "renew the kubeconfig's credential: slurm-k8s check"},
	{"forbidden", "see which right is missing: slurm-k8s check", RBAC},
	/* words of slurm-k8s */
	{"no engine acts there",
	 "see that slurmctld runs, with SchedulerType=sched/backfill and our "
	 "folder first in PluginDir, and may write its Lease: slurm-k8s check"},
	{"its old pod is still being deleted",
	 "see why the kubelet does not end it: kubectl describe pod; a "
	 "Kubernetes node that is gone for good: kubectl delete node"},
	{"there is a pod of this name that is not this Slurm node's",
	 "delete or rename that pod, or the Slurm node"},
	{" is cordoned", "kubectl uncordon the Kubernetes node"},
	{" is not ready", "see why: kubectl describe node"},
	{" is lost",
	 "see why: kubectl describe node; kubectl delete node if it "
	 "does not come back"},
	{"has not registered with slurmctld",
	 "see the container's log: kubectl logs; and that pod and slurmctld "
	 "reach each other (SlurmctldPort, SlurmdPort): slurm-k8s check "
	 "--probe"},
	{"its slurmd did not register",
	 "see the container's log: kubectl logs; and that pod and slurmctld "
	 "reach each other (SlurmctldPort, SlurmdPort): slurm-k8s check "
	 "--probe"},
	/* Slurm: nodes */
	{"slurmd in its pod does not respond",
	 "see that slurmd runs in the pod: kubectl logs; and that pods and "
	 "slurmctld reach each other: slurm-k8s check --probe=NODESET"},
	{"Not responding",
	 "see that slurmd runs in the pod: kubectl logs; and that pods and "
	 "slurmctld reach each other: slurm-k8s check --probe=NODESET"},
	/* Slurm: jobs */
	{"JobHeldUser", "its user releases it: scontrol release", REASON},
	{"JobHeldAdmin", "an administrator releases it: scontrol release",
	 REASON},
	{"launch failed requeued held",
	 "see slurmd's log of its nodes, then: scontrol release"},
	{"BeginTime",
	 "it waits for its begin time (after a requeue some two minutes): "
	 "scontrol show job has EligibleTime",
	 REASON},
	{"ReqNodeNotAvail",
	 "a node that it asks for is down, drained or reserved: scontrol show "
	 "node",
	 REASON},
	{"Nodes required for job are DOWN, DRAINED",
	 "a node that it asks for is down, drained or reserved: sinfo -R"},
	{"BadConstraints",
	 "no node can be what it asks for: scontrol show job has Features and "
	 "ReqTRES; scontrol release when that is mended",
	 REASON},
	{"PartitionConfig", "it asks for more than its partition has or allows",
	 REASON},
	{"PartitionNodeLimit",
	 "it asks for more nodes than its partition has or allows", REASON},
	{"PartitionTimeLimit",
	 "its time limit is over that of the partition: scontrol update job",
	 REASON},
	{"PartitionDown", "scontrol update partition=... state=up", REASON},
	{"PartitionInactive", "scontrol update partition=... state=up", REASON},
	{"DependencyNeverSatisfied", "its dependency failed: scancel it",
	 REASON},
	{"Dependency", "it waits for other jobs: scontrol show job", REASON},
	{"Licenses", "it waits for licenses: scontrol show licenses", REASON},
	{"Reservation", "it waits for its reservation: scontrol show res",
	 REASON},
	{"Resources", "it waits until jobs end; squeue --start says when",
	 REASON},
	{"Priority", "jobs of higher priority are first: sprio, squeue --start",
	 REASON},
	{"InvalidQOS",
	 "its QOS is not there, or not for its account: sacctmgr show assoc, "
	 "then scontrol update job",
	 REASON},
	{"InvalidAccount",
	 "its account is not there any more: sacctmgr show assoc, then "
	 "scontrol update job",
	 REASON},
	{"QOSNotAllowed",
	 "its partition does not take its QOS: scontrol show partition has "
	 "AllowQos and DenyQos",
	 REASON},
	{"QOS", "a limit of its QOS is reached: sacctmgr show qos", REASONS},
	{"Assoc",
	 "a limit of its account or user is reached: sacctmgr show "
	 "assoc",
	 REASONS},
};

static bool is_reason(enum how how)
{
	return how == REASON || how == REASONS;
}

static bool fits(const char *text, const char *words, enum how how)
{
	switch (how) {
	case RBAC:
		return strstr(text, words) && strstr(text, "cannot ");
	case REASON:
		return str_starts(text, words) &&
		       !isalnum((unsigned char)text[strlen(words)]);
	case REASONS:
		return str_starts(text, words);
	case WITHIN:
	default:
		return strstr(text, words);
	}
}

const char *advice_for(const char *words, size_t i)
{
	const char *last = NULL;
	bool has_reason = false; /* true: the text's one Reason was found */

	if (!words)
		return NULL;
	for (size_t k = 0; k < sizeof(table) / sizeof(*table); k++) {
		const enum how how = table[k].how;

		if ((has_reason && is_reason(how)) ||
		    !fits(words, table[k].words, how))
			continue;
		has_reason = has_reason || is_reason(how);
		if (table[k].help == last)
			continue;
		last = table[k].help;
		if (!i--)
			return last;
	}
	return NULL;
}
