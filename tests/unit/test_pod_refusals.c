/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "pod_refusals.h"
#include "t.h"

/* The words are those of Kubernetes 1.37. */
static void each_refusal_has_its_cure(void)
{
	static const struct {
		const char *words, *fix;
		int http;
		bool passes;
	} rows[] = {
		{"pods \"cpu-0\" is forbidden: exceeded quota: small, "
		 "requested: pods=1, used: pods=0, limited: pods=0",
		 "raise the quota, or wait until pods have gone: kubectl -n "
		 "jobs "
		 "describe quota",
		 403, true},
		{"pods \"cpu-0\" is forbidden: failed quota: small: must "
		 "specify limits.cpu for: slurmd",
		 "k8s.yaml: resources: fromNode; or", 403},
		{"pods \"cpu-0\" is forbidden: maximum memory usage per "
		 "Container is 128Mi, but limit is 256Mi",
		 "kubectl -n jobs describe limitrange", 403},
		{"pods \"cpu-0\" is forbidden: minimum cpu usage per Pod is 2, "
		 "but request is 1",
		 "make the LimitRange fit", 403},
		{"pods \"cpu-0\" is forbidden: violates PodSecurity "
		 "\"restricted:latest\": allowPrivilegeEscalation != false",
		 "kubectl label --overwrite namespace jobs "
		 "pod-security.kubernetes.io/enforce=baseline; or make",
		 403},
		{"pods \"cpu-0\" is forbidden: violates PodSecurity "
		 "\"baseline:latest\": privileged",
		 "pod template: take out what these words name", 403},
		{"pods \"cpu-0\" is forbidden: violates PodSecurity "
		 "\"restricted:latest\": privileged (container \"slurmd\" must "
		 "not set securityContext.privileged=true)",
		 "pod template: take out what these words name", 403},
		{"pods \"cpu-0\" is forbidden: violates PodSecurity "
		 "\"restricted:latest\": restricted volume types (volume \"h\" "
		 "uses restricted volume type \"hostPath\")",
		 "pod template: take out what these words name", 403},
		{"pods \"cpu-0\" is forbidden: violates PodSecurity "
		 "\"restricted:latest\": host namespaces (hostNetwork=true)",
		 "pod template: take out what these words name", 403},
		{"pods \"cpu-0\" is forbidden: violates PodSecurity "
		 "\"restricted:latest\": hostPort (container \"slurmd\" uses "
		 "hostPort 6818)",
		 "pod template: take out what these words name", 403},
		{"admission webhook \"hostPath\" denied the request: no",
		 "change what the webhook hostPath wants", 403},
		{"pods \"cpu-0\" is forbidden: no PriorityClass with name "
		 "urgent "
		 "was found",
		 "kubectl create priorityclass urgent --value=0; or take", 403},
		{"pods \"cpu-0\" is forbidden: error looking up service "
		 "account "
		 "jobs/slurmd: serviceaccount \"slurmd\" not found",
		 "kubectl -n jobs create serviceaccount slurmd; or mend", 403},
		{"pods \"cpu-0\" is forbidden: pod rejected: RuntimeClass "
		 "\"kata\" not found",
		 "make the RuntimeClass kata, or take", 403},
		{"Internal error occurred: failed calling webhook "
		 "\"check.example.org\": failed to call webhook: Post ...",
		 "make the webhook check.example.org answer, or remove it",
		 500},
		{"admission webhook \"check.example.org\" denied the request: "
		 "no",
		 "change what the webhook check.example.org wants", 403},
		{"pods \"cpu-0\" is forbidden: ValidatingAdmissionPolicy "
		 "'own-names' with binding 'b' denied request: no",
		 "change the ValidatingAdmissionPolicy own-names or its "
		 "binding",
		 422},
		{"pods \"cpu-0\" is forbidden: unable to create new content in "
		 "namespace jobs because it is being terminated",
		 "wait until the namespace jobs is gone, then: kubectl apply "
		 "-k /usr/share/k; and make again what has gone with it: the "
		 "Secret",
		 403},
		{"namespaces \"jobs\" not found",
		 "kubectl create namespace jobs; or mend namespace: of "
		 "k8s.yaml",
		 404},
		{"pods is forbidden: User \"u\" cannot create resource "
		 "\"pods\" "
		 "in API group \"\" in the namespace \"jobs\"",
		 "account: /usr/share/k/role.yaml has the rule", 403},
		{"Pod \"cpu-0\" is invalid: spec.containers[0].image: Required",
		 "mend what it names in the template, then: scontrol "
		 "reconfigure; the pod: k8s_resume --dry-run cpu-0",
		 422},
		{"something else",
		 "make the template or the namespace fit; the pod: k8s_resume "
		 "--dry-run cpu-0",
		 403},
		/* a name for a shell's line is one, or is not taken */
		{"no PriorityClass with name a;reboot was found",
		 "create priorityclass NAME --value=0", 403},
		{"admission webhook without a name", "the webhook NAME wants",
		 403},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct pod_refusal r = {.words = rows[i].words,
					      .node = "cpu-0",
					      .ns = "jobs",
					      .manifests = "/usr/share/k",
					      .http = rows[i].http};
		char fix[POD_CURE_MAX];

		t_row("%s", rows[i].words);
		T_INT(pod_refusal_cure(&r, fix), rows[i].passes);
		T_HAS(fix, rows[i].fix);
		T_INT(pod_refusal_is_admission(rows[i].words),
		      rows[i].http == 500);
	}
}

/* What is printed first is what people do first. */
static void privileges_for_all_come_last(void)
{
	const struct pod_refusal r = {
		.words = "violates PodSecurity \"baseline:latest\": hostPath",
		.node = "n",
		.ns = "jobs",
		.http = 403};
	char fix[POD_CURE_MAX];

	T_OK(!pod_refusal_cure(&r, fix));
	T_HAS(fix, "; or, if it has to stay: kubectl label --overwrite "
		   "namespace jobs pod-security.kubernetes.io/"
		   "enforce=privileged");
}

static void a_long_name_is_no_name(void)
{
	char words[1024], fix[POD_CURE_MAX];
	struct pod_refusal r = {.words = words, .node = "n", .ns = "jobs"};

	memset(words, 'x', sizeof(words));
	memcpy(words, "admission webhook \"", 19);
	memcpy(words + 1000, "\" denied", 9);
	T_OK(!pod_refusal_cure(&r, fix));
	T_HAS(fix, "the webhook NAME wants");
}

T_MAIN("pod_refusals", T(each_refusal_has_its_cure),
       T(privileges_for_all_come_last), T(a_long_name_is_no_name))
