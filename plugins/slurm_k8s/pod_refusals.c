/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pod_refusals.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

/*
 * How to mend a pod that Pod Security refuses below "privileged": slurmd needs
 * no more than "baseline" (docs/security.md).
 */
#define PRIVILEGED                                                             \
	"pod template: take out what these words name, for slurmd needs none " \
	"of it; or, if it has to stay: kubectl label --overwrite namespace "   \
	"%N pod-security.kubernetes.io/enforce=privileged"

/*
 * What helps against the server's `words`. In a cure `%N` is the namespace,
 * `%K` the folder with its manifests, `%W` the next word behind `words`, and
 * `%Q` what stands in the first quotes there: the name of what is missing, or
 * refuses.
 */
static const struct {
	const char *words, *cure;
	bool passes; /* the pod may be taken later as it is */
} table[] = {
	{"exceeded quota",
	 "raise the quota, or wait until pods have gone: "
	 "kubectl -n %N describe quota",
	 .passes = true},
	{"failed quota",
	 "k8s.yaml: resources: fromNode; or give the template the requests and "
	 "limits that the quota counts, then: scontrol reconfigure"},
	{"usage per ",
	 "make the LimitRange fit the nodes' CPUs and RealMemory, "
	 "or these fit it: kubectl -n %N describe limitrange"},
	{"violates PodSecurity \"baseline", PRIVILEGED},
	{"violates PodSecurity", "kubectl label --overwrite namespace %N "
				 "pod-security.kubernetes.io/enforce=baseline; "
				 "or make the template fit "
				 "that level"},
	{"no PriorityClass with name ",
	 "kubectl create priorityclass %W --value=0; or take priorityClassName "
	 "out of the template"},
	{"error looking up service account ",
	 "kubectl -n %N create serviceaccount %Q; or mend serviceAccountName "
	 "in "
	 "the template"},
	{"RuntimeClass ", "make the RuntimeClass %Q, or take runtimeClassName "
			  "out of the template"},
	{"failed calling webhook ",
	 "make the webhook %Q answer, or remove it: kubectl get "
	 "validatingwebhookconfigurations,mutatingwebhookconfigurations"},
	{"admission webhook ",
	 "change what the webhook %Q wants, leave the namespace out of its "
	 "namespaceSelector, or make the template fit"},
	{"ValidatingAdmissionPolicy ",
	 "change the ValidatingAdmissionPolicy %Q or its binding, or make the "
	 "template fit"},
	{"because it is being terminated",
	 "wait until the namespace %N is gone, then: kubectl apply -k %K; and "
	 "make again what has gone with it: the Secret with munge's key (or "
	 "slurm.key, with auth/slurm), the account's token, and the kubeconfig "
	 "with that (steps 3 to 5 of docs/install.md)"},
	{"namespaces \"", "kubectl create namespace %N; or mend namespace: of "
			  "k8s.yaml"},
	{"cannot create resource ",
	 "add it to the Role of this kubeconfig's account: "
	 "%K/role.yaml has the rule"},
};

/*
 * Copy a name for a command line of a shell. Nothing that Kubernetes allows in
 * a name has to be quoted there; a text with anything else is no name.
 */
static void take_name(const char *from, size_t len, char out[256])
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";

	if (!len || len > 253 || strspn(from, plain) < len)
		str_copy(out, "NAME", 256);
	else
		snprintf(out, 256, "%.*s", (int)len, from);
}

static void quoted(const char *text, char out[256])
{
	const char *from = strpbrk(text, "\"'");
	const char *to = from ? strchr(from + 1, *from) : NULL;

	take_name(to ? from + 1 : "", to ? (size_t)(to - from - 1) : 0, out);
}

static void fill(const char *cure, const struct pod_refusal *r,
		 const char *rest, char fix[POD_CURE_MAX])
{
	char name[256], word[256];
	size_t n = 0;

	quoted(rest, name);
	take_name(rest, strcspn(rest, " "), word);
	for (; *cure && n + 1 < POD_CURE_MAX; cure++) {
		const char *part = cure[0] != '%'   ? NULL
				   : cure[1] == 'N' ? r->ns
				   : cure[1] == 'K' ? r->manifests
				   : cure[1] == 'Q' ? name
				   : cure[1] == 'W' ? word
						    : NULL;

		if (part) {
			str_copy(fix + n, part, POD_CURE_MAX - n);
			n += strlen(fix + n);
			cure++;
		} else {
			fix[n++] = *cure;
		}
	}
	fix[n < POD_CURE_MAX ? n : POD_CURE_MAX - 1] = '\0';
}

/*
 * True if Pod Security has refused the pod, and its level "baseline" would,
 * too, by the words of its checks (k8s.io/pod-security-admission/policy).
 */
static bool needs_privileged(const char *words)
{
	static const char *const of_baseline[] = {
		"privileged (", "hostPath",    "host namespaces",
		"hostPort",	"hostProcess", "non-default capabilities"};

	if (!strstr(words, "violates PodSecurity"))
		return false;
	for (size_t i = 0; i < sizeof(of_baseline) / sizeof(*of_baseline); i++)
		if (strstr(words, of_baseline[i]))
			return true;
	return false;
}

bool pod_refusal_cure(const struct pod_refusal *r, char fix[POD_CURE_MAX])
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const char *at = strstr(r->words, table[i].words);

		if (!at)
			continue;
		fill(needs_privileged(r->words) ? PRIVILEGED : table[i].cure, r,
		     at + strcspn(table[i].words, "\""), fix);
		return table[i].passes;
	}
	if (r->http == 422)
		snprintf(fix, POD_CURE_MAX,
			 "mend what it names in the template, then: scontrol "
			 "reconfigure; the pod: k8s_resume --dry-run %s",
			 r->node);
	else
		snprintf(fix, POD_CURE_MAX,
			 "make the template or the namespace fit; the pod: "
			 "k8s_resume --dry-run %s",
			 r->node);
	return false;
}

bool pod_refusal_is_admission(const char *words)
{
	return strstr(words, "failed calling webhook ") != NULL;
}
