/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host_rules.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "objects/pod_requests.h"

#define CHECK "Kubernetes nodes"
#define FIX_MAX 1024
#define MIB (1024 * 1024)
#define LARGER "; or add a larger Kubernetes node"

/* A nodeset's pod, and all Kubernetes nodes that it could be on. */
struct look {
	const struct nodeset *set;
	const json_object *spec;
	const struct kube_node *hosts;
	size_t n;
	struct node_filter filter;
	struct pod_requests needs;
	struct findings *out;
};

static void tell(const struct look *l, const char *fix, const char *text)
{
	findings_add(l->out, FINDING_WARN, CHECK, fix,
		     "nodeset %s: %s, so its pods wait, unless an autoscaler "
		     "adds one",
		     l->set->name, text);
}

/* --- labels */

static bool some_has(const struct look *l, const char *key, const char *value)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *has = kube_node_label(&l->hosts[i], key);

		if (has && str_eq(has, value))
			return true;
	}
	return false;
}

static void no_label(const struct look *l)
{
	json_object *selector = jx_get(l->spec, "nodeSelector");
	char fix[FIX_MAX], text[FIX_MAX];

	if (jx_is(selector, json_type_object)) {
		json_object_object_foreach(selector, key, value)
		{
			const char *v = json_object_get_string(value);

			if (!v || some_has(l, key, v))
				continue;
			snprintf(
				text, sizeof(text),
				"no Kubernetes node has the label %s=%s of its "
				"nodeSelector",
				key, v);
			snprintf(fix, sizeof(fix),
				 "kubectl label node NODE %s=%s; or mend "
				 "nodeSelector in the pod template",
				 key, v);
			tell(l, fix, text);
			return;
		}
	}
	tell(l,
	     "mend nodeSelector, affinity or nodeName in the pod "
	     "template" RELOAD,
	     "no Kubernetes node has all that its nodeSelector, affinity or "
	     "nodeName ask for");
}

/* --- taints */

/*
 * Taints that come and go by themselves: of a machine that is not ready yet, of
 * its conditions, and of one that an autoscaler is about to remove. They say
 * nothing of the nodes that stay, or that an autoscaler adds, and a pod that
 * tolerates them is worse off. Sources: kubernetes.io, "Well-Known Labels,
 * Annotations and Taints"; the FAQ of cluster-autoscaler; karpenter.sh,
 * "Disruption" and "NodeClaims"; docs.cilium.io, "Taints"; the READMEs of AWS's
 * CSI drivers. A taint of a device, such as nvidia.com/gpu, stays.
 */
static bool is_transient(const struct kube_taint *t)
{
	static const char *const keys[] = {
		"ToBeDeletedByClusterAutoscaler",
		"DeletionCandidateOfClusterAutoscaler",
		"karpenter.sh/disrupted",
		"karpenter.sh/disruption", /* before 1.0 */
		"karpenter.sh/unregistered",
		"node.cilium.io/agent-not-ready",
		"ebs.csi.aws.com/agent-not-ready",
		"efs.csi.aws.com/agent-not-ready",
		"fsx.csi.aws.com/agent-not-ready",
	};
	static const char *const prefixes[] = {
		"node.kubernetes.io/",
		"node.cloudprovider.kubernetes.io/",
		"startup-taint.cluster-autoscaler.kubernetes.io/",
		"ignore-taint.cluster-autoscaler.kubernetes.io/",
		"status-taint.cluster-autoscaler.kubernetes.io/",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (str_eq(t->key, keys[i]))
			return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (t->key && str_starts(t->key, prefixes[i]))
			return true;
	return false;
}

/* The first taint that keeps the pod away, and stays; NULL: none does. */
static const struct kube_taint *away(const struct look *l,
				     const struct kube_node *host)
{
	for (size_t i = 0; i < host->n_taints; i++) {
		struct kube_node one = *host;
		struct err why;

		one.taints = &host->taints[i];
		one.n_taints = 1;
		if (!is_transient(one.taints) &&
		    !node_filter_fits(&l->filter, &one, &why))
			return one.taints;
	}
	return NULL;
}

/*
 * True if the pod fits, transient taints aside; *leaving: a transient taint
 * keeps it away now.
 */
static bool fits(const struct look *l, const struct kube_node *host,
		 bool *leaving)
{
	struct kube_taint kept[HOST_TAINTS_MAX];
	struct kube_node stays = *host;
	struct err why;

	*leaving = false;
	if (node_filter_fits(&l->filter, host, &why))
		return true;
	*leaving = true;
	stays.taints = kept;
	stays.n_taints = 0;
	for (size_t i = 0; i < host->n_taints && i < HOST_TAINTS_MAX; i++)
		if (!is_transient(&host->taints[i]))
			kept[stays.n_taints++] = host->taints[i];
	return node_filter_fits(&l->filter, &stays, &why);
}

/* True if only taints keep the pod from this node. */
static bool fits_untainted(const struct look *l, const struct kube_node *host)
{
	struct kube_node bare = *host;
	struct err why;

	bare.n_taints = 0;
	return node_filter_fits(&l->filter, &bare, &why);
}

static void tainted(const struct look *l, const struct kube_node *host)
{
	const struct kube_taint *t = away(l, host);
	char fix[FIX_MAX], text[FIX_MAX];

	if (!t)
		return;
	snprintf(text, sizeof(text),
		 "all Kubernetes nodes that it could be on have a taint that "
		 "its pods do not tolerate, %s the taint %s=%s:%s",
		 host->name, t->key, t->value, t->effect);
	snprintf(fix, sizeof(fix),
		 "pod template: add to tolerations: {key: %s, value: \"%s\", "
		 "effect: %s}" RELOAD,
		 t->key, t->value, t->effect);
	tell(l, fix, text);
}

/* --- size */

static bool has_room(const struct look *l, const struct kube_node *host)
{
	const struct pod_requests *needs = &l->needs;

	if (needs->cpu_milli > host->cpu_milli ||
	    needs->memory_bytes > host->memory_bytes)
		return false;
	for (uint32_t i = 0; i < needs->n_ext; i++)
		if (needs->ext[i].count >
		    kube_node_count(host, needs->ext[i].name))
			return false;
	return true;
}

/* The most that a node has that the pod could be on. */
struct most {
	int64_t cpu_milli, memory_bytes, ext[PODNEED_EXT_MAX];
	size_t fit, open, large;
};

static void take(const struct look *l, const struct kube_node *host,
		 bool leaving, struct most *most)
{
	most->fit++;
	most->open += host->ready && !host->closed && !leaving;
	most->large += has_room(l, host);
	if (host->cpu_milli > most->cpu_milli)
		most->cpu_milli = host->cpu_milli;
	if (host->memory_bytes > most->memory_bytes)
		most->memory_bytes = host->memory_bytes;
	for (uint32_t i = 0; i < l->needs.n_ext; i++) {
		int64_t has = kube_node_count(host, l->needs.ext[i].name);

		if (has > most->ext[i])
			most->ext[i] = has;
	}
}

/* cpu in thousandths of a CPU, memory in bytes */
struct others {
	int64_t cpu, memory;
};

/*
 * What all but slurmd's container request: of a node's CPUs and memory they
 * take their part, and slurm.conf has a say in slurmd's alone.
 */
static struct others others_of(const struct look *l)
{
	_cleanup_json_ json_object *pod = json_object_new_object();
	json_object *spec = json_object_new_object();
	json_object *list = json_object_new_array();
	struct pod_requests own = {0};
	struct err err;

	json_object_array_add(
		list, json_object_get(jx_by_name(jx_get(l->spec, "containers"),
						 l->set->container)));
	json_object_object_add(spec, "containers", list);
	json_object_object_add(pod, "spec", spec);
	if (pod_requests_of(pod, &own, &err))
		return (struct others){0};
	return (struct others){l->needs.cpu_milli - own.cpu_milli,
			       l->needs.memory_bytes - own.memory_bytes};
}

/* How to make the pod smaller: `left` is what slurmd may have, in
 * CPUs or MiB. */
static void smaller(const struct look *l, bool cpu, int64_t left,
		    char fix[FIX_MAX])
{
	if (left < 1)
		snprintf(fix, FIX_MAX,
			 "pod template: smaller requests of the containers "
			 "beside %s" RELOAD LARGER,
			 l->set->container);
	else if (l->set->create.wanted)
		snprintf(fix, FIX_MAX,
			 "k8s.yaml: create: %s: %" PRId64
			 " at most for its nodes" RELOAD LARGER,
			 cpu ? "cpus" : "memory", left);
	else if (l->set->resources == RESOURCES_TEMPLATE)
		snprintf(fix, FIX_MAX,
			 "pod template: requests of %s: %s: %" PRId64
			 "%s at most" RELOAD LARGER,
			 l->set->container, cpu ? "cpu" : "memory", left,
			 cpu ? "" : "Mi");
	else
		snprintf(fix, FIX_MAX,
			 "slurm.conf: %s=%" PRId64
			 " at most for its nodes, then restart "
			 "slurmctld" LARGER,
			 cpu ? "CPUs" : "RealMemory", left);
}

static void too_large(const struct look *l, const struct most *most)
{
	const struct pod_requests *needs = &l->needs;
	const struct others others = others_of(l);
	char fix[FIX_MAX], text[FIX_MAX];

	str_copy(fix, "make its pods smaller, or add a larger Kubernetes node",
		 sizeof(fix));
	snprintf(text, sizeof(text),
		 "no Kubernetes node has all that its pod requests at once");
	if (needs->cpu_milli > most->cpu_milli) {
		snprintf(text, sizeof(text),
			 "its pod requests %" PRId64
			 "m CPUs, and no Kubernetes node has more than "
			 "%" PRId64 "m",
			 needs->cpu_milli, most->cpu_milli);
		smaller(l, true, (most->cpu_milli - others.cpu) / 1000, fix);
	} else if (needs->memory_bytes > most->memory_bytes) {
		snprintf(text, sizeof(text),
			 "its pod requests %" PRId64
			 " MiB, and no Kubernetes node has more than %" PRId64,
			 needs->memory_bytes / MIB +
				 !!(needs->memory_bytes % MIB),
			 most->memory_bytes / MIB);
		smaller(l, false, (most->memory_bytes - others.memory) / MIB,
			fix);
	}
	for (uint32_t i = 0; i < needs->n_ext; i++)
		if (needs->ext[i].count > most->ext[i])
			snprintf(text, sizeof(text),
				 "its pod requests %" PRId64
				 " %s, and no Kubernetes node has more than "
				 "%" PRId64,
				 needs->ext[i].count, needs->ext[i].name,
				 most->ext[i]);
	tell(l, fix, text);
}

static void closed(const struct look *l, const struct most *most)
{
	char text[FIX_MAX];

	snprintf(text, sizeof(text),
		 "the %zu Kubernetes nodes that it could be on are cordoned, "
		 "not ready, or about to be removed by an autoscaler",
		 most->fit);
	tell(l,
	     "kubectl uncordon, or see why it is not ready: kubectl describe "
	     "node",
	     text);
}

static void look_at(const struct look *l)
{
	const struct kube_node *only_tainted = NULL;
	struct most most = {0};
	bool leaving;

	for (size_t i = 0; i < l->n; i++) {
		const struct kube_node *host = &l->hosts[i];

		if (host->unread)
			continue;
		if (fits(l, host, &leaving))
			take(l, host, leaving, &most);
		else if (!only_tainted && fits_untainted(l, host))
			only_tainted = host;
	}
	if (!l->n)
		tell(l, "add a Kubernetes node", "there is no Kubernetes node");
	else if (!most.fit && only_tainted)
		tainted(l, only_tainted);
	else if (!most.fit)
		no_label(l);
	else if (!most.large)
		too_large(l, &most);
	else if (!most.open)
		closed(l, &most);
	else
		findings_add(l->out, FINDING_OK, CHECK, NULL,
			     "nodeset %s: %zu of %zu can take its pods",
			     l->set->name, most.large, l->n);
}

void host_rules(const struct nodeset *set, const json_object *pod,
		const struct kube_node *hosts, size_t n, struct findings *out)
{
	struct look l = {.set = set,
			 .spec = jx_get(pod, "spec"),
			 .hosts = hosts,
			 .n = n,
			 .out = out};
	const char *scheduler = jx_str(l.spec, "schedulerName");
	struct err err = {0};

	/* another scheduler has rules of its own */
	if (scheduler && !str_eq(scheduler, "default-scheduler"))
		return;
	if (node_filter_of(pod, &l.filter, &err) ||
	    pod_requests_of(pod, &l.needs, &err))
		findings_add(out, FINDING_UNKNOWN, CHECK, NULL,
			     "nodeset %s: %s", set->name, err.msg);
	else
		look_at(&l);
	node_filter_clear(&l.filter);
}
