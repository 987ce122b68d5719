/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every name that we write into Kubernetes or Slurm, in one place. Constants.
 */
#ifndef SLURMK8S_SYNTAX_WELLKNOWN_H
#define SLURMK8S_SYNTAX_WELLKNOWN_H

#define WK_PREFIX "slurm-k8s.io/"

/*
 * How messages of our programs to the engine begin (base/notify.h), and what
 * follows.
 */
/* what follows: NODE WORDS; the node has got no pod */
#define WK_SAY_REFUSED "refused "
/* what follows: HOSTLIST; a job has these nodes */
#define WK_SAY_ALLOCATED "allocated "

/*
 * The pods of a job with more nodes than this do not start before k8s_resume
 * comes, which sees to it that all come up or none: a node that is up already
 * when another one's pod is refused would stay.
 */
#define WK_EARLY_NODES_MAX 1

/*
 * Labels that say to which Slurm node a pod belongs: the pair (cluster, node).
 */
#define WK_LABEL_CLUSTER WK_PREFIX "cluster"	/* Slurm's ClusterName */
#define WK_LABEL_NODE WK_PREFIX "node"		/* Slurm's NodeName */
#define WK_LABEL_NODESET WK_PREFIX "nodeset"	/* a nodeset of k8s.yaml */
#define WK_LABEL_HASH WK_PREFIX "template-hash" /* hash of the manifest */
/*
 * The label of a pod of "slurm-k8s check --probe", which is no node's, in place
 * of WK_LABEL_CLUSTER, WK_LABEL_NODE and WK_LABEL_HASH: the ClusterName.
 */
#define WK_LABEL_PROBE WK_PREFIX "probe"
/*
 * The annotation of a probe pod that says for how many seconds after its
 * creation the check may need it. It is no activeDeadlineSeconds, for quotas
 * tell pods apart by that (kubernetes.io, "Resource Quotas", scope
 * Terminating).
 */
#define WK_ANNOTATION_PROBE_SECONDS WK_PREFIX "probe-seconds"

/*
 * Labels and annotations of a pod on whose node jobs run. WK_LABEL_BUSY, a
 * label, is "true", or absent.
 */
#define WK_LABEL_BUSY WK_PREFIX "busy"
#define WK_NOTE_JOBS WK_PREFIX "job-ids"
#define WK_NOTE_USERS WK_PREFIX "users"
#define WK_NOTE_ACCOUNTS WK_PREFIX "accounts"
/* bytes of each of the three lists above, NUL included */
#define WK_NOTE_MAX 256
/*
 * An annotation with the steps of the node, as a JSON array, and a label of
 * this name for columns of kubectl.
 */
#define WK_NOTE_STEPS WK_PREFIX "steps"
/*
 * A checksum of what jobs on the node have asked for on the pod, and have got.
 */
#define WK_NOTE_ASKED WK_PREFIX "asked"
/*
 * What autoscalers go by when they take a machine away (cluster-autoscaler's
 * FAQ, "What types of pods can prevent CA from removing a node?"; karpenter.sh,
 * "Disruption"). A pod without an owner keeps its machine unless WK_SCALE_SAFE
 * is "true".
 */
#define WK_SCALE_SAFE "cluster-autoscaler.kubernetes.io/safe-to-evict"
#define WK_SCALE_KEEP "karpenter.sh/do-not-disrupt"
/* The changeable features that a pod was made with: "a,b" */
#define WK_ANNOTATION_FEATURES WK_PREFIX "features"

/* Recommended labels (kubernetes.io "Recommended Labels") */
#define WK_LABEL_APP_NAME "app.kubernetes.io/name"
#define WK_LABEL_APP_PART_OF "app.kubernetes.io/part-of"
#define WK_LABEL_APP_MANAGED_BY "app.kubernetes.io/managed-by"
#define WK_APP_NAME "slurmd"
#define WK_APP_PART_OF "slurm"
#define WK_APP_MANAGED_BY "slurm-k8s"

/*
 * The name of the Lease of a Slurm cluster's engine is this, and ClusterName.
 */
#define WK_LEASE_PREFIX "slurm-k8s-"

/*
 * What a Slurm cluster has to itself (cluster/claim_lease.h): the Lease in a
 * namespace, this and the schedulerName; the label of a Kubernetes node; the
 * annotations that say since when, and, on Lease and node, by which Lease its
 * engine acts, "NAMESPACE/NAME".
 */
#define WK_CLAIM_LEASE_PREFIX "slurm-k8s-claim."
#define WK_CLAIM_NODE WK_LABEL_CLUSTER
#define WK_CLAIM_AT WK_PREFIX "claimed-at"
#define WK_CLAIM_BY WK_PREFIX "claimed-by"

#define WK_FIELD_MANAGER "slurm-k8s"
#define WK_USER_AGENT "slurm-k8s/" SLURMK8S_VERSION

/* The container that runs slurmd, unless the nodeset names another. */
#define WK_CONTAINER "slurmd"

/*
 * Environment of WK_CONTAINER. Jobs get to see variables that begin with
 * WK_ENV.
 */
#define WK_ENV "SLURM_K8S_"
#define WK_ENV_POD_NAME WK_ENV "POD_NAME"
#define WK_ENV_NAMESPACE WK_ENV "NAMESPACE"
#define WK_ENV_POD_UID WK_ENV "POD_UID"
#define WK_ENV_POD_IP WK_ENV "POD_IP"
#define WK_ENV_KUBE_NODE WK_ENV "NODE_NAME"
#define WK_ENV_CLUSTER WK_ENV "CLUSTER"
#define WK_ENV_NODESET WK_ENV "NODESET"
#define WK_ENV_TEMPLATE WK_ENV "TEMPLATE"
#define WK_ENV_FEATURES WK_ENV "FEATURES"
#define WK_ENV_NODE "SLURM_NODE_NAME"
/* What slurm.conf would say of the node. */
#define WK_ENV_NODE_CONF "SLURM_NODE_CONF"

/* The feature of Slurm nodes that we have created, by which we know our own. */
#define WK_FEATURE_CREATED "k8s-created"

/*
 * Labels and annotations of the Kubernetes nodes of the bridge. They are read,
 * not written; ours win over those of slurm-bridge (WK_COMPAT_...), whose users
 * keep their manifests.
 */
/* present or not, whatever its value */
#define WK_HOST_EXTERNAL WK_PREFIX "external-node"
#define WK_HOST_SLURM_NODE WK_PREFIX "slurm-nodename"
#define WK_HOST_PARTITIONS WK_PREFIX "external-node-partitions"
#define WK_HOST_TOPOLOGY WK_PREFIX "topology"
#define WK_COMPAT_HOST_EXTERNAL "scheduler.slinky.slurm.net/external-node"
#define WK_COMPAT_HOST_SLURM_NODE "slinky.slurm.net/slurm-nodename"
#define WK_COMPAT_HOST_PARTITIONS                                              \
	"scheduler.slinky.slurm.net/external-node-partitions"
#define WK_COMPAT_HOST_TOPOLOGY "topology.slinky.slurm.net/spec"
/* The feature of external Slurm nodes that we have created. */
#define WK_FEATURE_EXTERNAL "k8s-external"

/*
 * The begin of a placeholder job's admin_comment, which says whose pods it
 * stands for. Only Slurm's operators can write one.
 */
#define WK_BRIDGE_ID "{\"k8s\":{"

/*
 * The begin of every Reason that we set on a Slurm node; we clear only those.
 */
#define WK_REASON_PREFIX "k8s: "
/*
 * Slurm's own Reason, in all releases (slurmctld's agent.c): slurmctld was
 * killed before it had saved a job, and slurmd, or the slurmd of its pod, still
 * has that job.
 */
#define WK_REASON_DUPLICATE "Duplicate jobid"
/*
 * Slurm's own Reason, in all releases (ping_nodes.c), of a node that slurmctld
 * has set DOWN because its slurmd does not answer.
 */
#define WK_REASON_SILENT "Not responding"
/* Slurm's own Reason, in all releases, of a reboot that took too long. */
#define WK_REASON_REBOOT_TIMED_OUT "reboot timed out"
#define WK_REASON_MAX 200
/* How a node's Extra begins while minRunning keeps it up. */
#define WK_KEPT "kept up by minRunning"
#define WK_EXTRA_KEPT WK_REASON_PREFIX WK_KEPT
/*
 * Reasons of ours, behind the prefix, of nodes that rest after failures: "k8s:
 * nodeset cpu cools down: ...", and of one that rests alone.
 */
#define WK_REASON_NODESET "nodeset "
#define WK_REASON_COOLS " cools down: "
#define WK_REASON_ALONE "its pod cannot be made, its Comment says why"
/*
 * Words about a pod with features that has failed begin so, after the prefix.
 */
#define WK_WITH_FEATURES "with features "
/* Words about an old pod that did not go end with this. */
#define WK_STILL_ENDING "it is still ending"
/* The engine's words about an old pod that is still there. */
#define WK_STAYS "its old pod is still being deleted"
/* Words about a pod that has a node's name by chance end with this. */
#define WK_FOREIGN "there is a pod of this name that is not this Slurm node's"
/* Words about what Slurm says of one node begin so; its name is next. */
#define WK_NODE_WORDS "node "

/*
 * What a pod asks of Slurm, by annotations: slurm-bridge's names under its
 * prefix and under ours (which wins), and what is ours alone.
 */
#define WK_ASK "job.slurm-k8s.io/"
#define WK_ASK_SLINKY "slurmjob.slinky.slurm.net/"
#define WK_ASK_OPTIONS "sbatch-options" /* an annotation, behind WK_ASK */
#define WK_ASK_GANG "gang" /* "true": all pods of a Job start together */
#define WK_ASK_GANG_SIZE "gang-size" /* how many pods start together */

/*
 * What a job asks of its pods, from the SPANK plugin to job_submit/k8s:
 * variables of the job's SPANK environment (prolog and epilog see them with
 * SPANK_ before their names), each with one item, "label KEY=VALUE".
 */
#define WK_ASK_VARIABLE "K8S_ASK_"
#define WK_ASK_ANNOTATION "annotation"
#define WK_ASK_LABEL "label"
#define WK_ASK_FEATURE "feature"
#define WK_ASKS_MAX 32
/* A job's AdminComment has its items behind this, as JSON, to its end. */
#define WK_ASK_CARRIER "k8s-pod: "
/*
 * What srun, sbatch and salloc put before the names of variables of the SPANK
 * environment for what runs inside the job.
 */
#define WK_ASK_INHERITED "SLURM_SPANK_"

/* What the bridge writes on its pods. */
#define WK_BRIDGE_JOB_ID WK_PREFIX "job-id" /* a label, and an annotation */
/* why the pod waits, and until when */
#define WK_BRIDGE_NOTE WK_PREFIX "queue"
/*
 * A condition of a pod, True just before it is bound; its message is the job's
 * id. Who may write pods cannot write it (pods/status is a right of its own).
 */
#define WK_BRIDGE_CONDITION WK_PREFIX "job"
#define WK_BRIDGE_CONDITION_REASON "Started" /* Slurm has started the job */
/*
 * Beside WK_BRIDGE_CONDITION, and written with it: the message is the node to
 * which the pod is bound.
 */
#define WK_BRIDGE_CONDITION_NODE WK_PREFIX "node"
/*
 * Beside WK_BRIDGE_CONDITION: the message is the group whose job it is, for
 * Slurm forgets jobs that have ended.
 */
#define WK_BRIDGE_CONDITION_GROUP WK_PREFIX "group"
/*
 * Beside WK_BRIDGE_CONDITION: the message is "NAMESPACE/NAME" of the Lease by
 * which the engine acts that has bound the pod, as in WK_CLAIM_BY, for two
 * Slurm clusters may have jobs of one number.
 */
#define WK_BRIDGE_CONDITION_BY WK_PREFIX "bound-by"
/*
 * slurm-bridge's own names for the job and the node, which we write, too:
 * labels; annotations when the pod is bound.
 */
#define WK_BRIDGE_JOB_ID_SLINKY "scheduler.slinky.slurm.net/slurm-jobid"
#define WK_BRIDGE_NODE_SLINKY "slinky.slurm.net/slurm-node"

/* The scheduler's name in pods, unless k8s.yaml has another. */
#define WK_BRIDGE_SCHEDULER "slurm-bridge-scheduler"

/* The configuration file, beside slurm.conf. */
#define WK_CONFIG_FILE "k8s.yaml"

#endif
