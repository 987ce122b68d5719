/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rights.h"

#include "base/cleanup.h"

#define CORE ""
#define OWNERS "what made a pod is not known: no gangs"

/* In the order of docs/security.md. */
const struct right rights[] = {
	{CORE, "pods", NULL, "create,get,delete", "no pods of nodes"},
	{CORE, "pods", NULL, "list,watch,patch", "the engine sees no pods"},
	{CORE, "events", NULL, "list,watch", "no word why a pod does not start",
	 .may_lack = true},
	{CORE, "events", NULL, "create", "no Events about what was done",
	 .may_lack = true},
	{"policy", "poddisruptionbudgets", NULL, "create",
	 "pods with jobs may be evicted", .may_lack = true},
	{"coordination.k8s.io", "leases", NULL, "create,get,update",
	 "two slurmctlds may act at a time", .may_lack = true, .fences = true},
	{CORE, "nodes", NULL, "list,watch",
	 "Kubernetes nodes that are cordoned or lost are not seen", .all = true,
	 .may_lack = true},
	{CORE, "pods", NULL, "get,list,watch,delete",
	 "no pods in Slurm's queue", .all = true, .bridge = true},
	{CORE, "pods", "binding", "create", "no pod of the queue starts",
	 .all = true, .bridge = true},
	{CORE, "pods", "status", "patch", "no pod of the queue starts",
	 .all = true, .bridge = true},
	{CORE, "events", NULL, "create", "pods are not told why they wait",
	 .all = true, .bridge = true, .may_lack = true},
	{CORE, "namespaces", NULL, "list,watch",
	 "no namespace enters by labels", .all = true, .bridge = true,
	 .selectors = true},
	{"coordination.k8s.io", "leases", NULL, "create,get",
	 "two Slurm clusters may take one namespace", .all = true,
	 .bridge = true, .may_lack = true},
	{CORE, "nodes", NULL, "get,patch",
	 "two Slurm clusters may take one Kubernetes node", .all = true,
	 .bridge = true, .may_lack = true},
	{"batch", "jobs", NULL, "list,watch", OWNERS, .all = true,
	 .bridge = true, .may_lack = true},
	{"apps", "replicasets", NULL, "list,watch", OWNERS, .all = true,
	 .bridge = true, .may_lack = true},
	{"apps", "statefulsets", NULL, "list,watch", OWNERS, .all = true,
	 .bridge = true, .may_lack = true},
	{"scheduling.x-k8s.io", "podgroups", NULL, "list,watch", OWNERS,
	 .all = true, .bridge = true, .may_lack = true},
	{"scheduling.volcano.sh", "podgroups", NULL, "list,watch", OWNERS,
	 .all = true, .bridge = true, .may_lack = true},
	{"scheduling.k8s.io", "podgroups", NULL, "list,watch", OWNERS,
	 .all = true, .bridge = true, .may_lack = true},
	{"scheduling.k8s.io", "workloads", NULL, "list,watch", OWNERS,
	 .all = true, .bridge = true, .may_lack = true},
	{"scheduling.k8s.io", "podgroups", "status", "patch",
	 "PodGroups are not told whether they were scheduled", .all = true,
	 .bridge = true, .may_lack = true},
	{"leaderworkerset.x-k8s.io", "leaderworkersets", NULL, "list,watch",
	 OWNERS, .all = true, .bridge = true, .may_lack = true},
	{"jobset.x-k8s.io", "jobsets", NULL, "list,watch", OWNERS, .all = true,
	 .bridge = true, .may_lack = true},
};
const size_t n_rights = sizeof(rights) / sizeof(*rights);

bool right_is_needed(const struct right *r, bool has_backup)
{
	return !r->may_lack || (r->fences && has_backup);
}

json_object *right_review(const struct right *r, const char *verb, size_t len,
			  const char *ns)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	json_object *spec, *what;

	if (!o || jx_set_str(o, "apiVersion", "authorization.k8s.io/v1") ||
	    jx_set_str(o, "kind", "SelfSubjectAccessReview"))
		return NULL;
	spec = jx_need(o, "spec", json_type_object);
	what = spec ? jx_need(spec, "resourceAttributes", json_type_object)
		    : NULL;
	if (!what ||
	    jx_set(what, "verb", json_object_new_string_len(verb, (int)len)) ||
	    jx_set_str(what, "group", r->group) ||
	    jx_set_str(what, "resource", r->resource) ||
	    (r->sub && jx_set_str(what, "subresource", r->sub)) ||
	    (ns && jx_set_str(what, "namespace", ns)))
		return NULL;
	return steal_ptr(o);
}

int right_answer(const json_object *review)
{
	const json_object *allowed = jx_get(review, "status", "allowed");

	return jx_is(allowed, json_type_boolean)
		       ? json_object_get_boolean(allowed)
		       : -1;
}
