/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "account.h"
#include "advice.h"
#include "base/cleanup.h"
#include "t.h"

static void words_lead_to_what_helps(void)
{
	static const struct {
		const char *words, *help;
	} rows[] = {
		{"k8s: ImagePullBackOff: Back-off pulling image \"x\"",
		 "image's name and tag"},
		{"0/3 nodes are available: 3 Insufficient cpu.",
		 "add Kubernetes nodes"},
		{"pods \"a\" is forbidden: exceeded quota: q",
		 "raise the ResourceQuota"},
		{"CreateContainerConfigError: secret \"munge\" not found",
		 "create the Secret"},
		{"k8s: pod a runs, but its slurmd did not register within 300 "
		 "s",
		 "the container's log"},
		{"k8s: Kubernetes node h is cordoned", "kubectl uncordon"},
		{"no engine acts there", "SchedulerType=sched/backfill and our "
					 "folder first in PluginDir"},
		/* scontrol ping asks slurmctlds only */
		{"k8s: slurmd in its pod does not respond",
		 "slurm-k8s check --probe=NODESET"},
		{"Not responding", "slurm-k8s check --probe=NODESET"},
		{"JobHeldAdmin", "scontrol release"},
		{"QOSMaxJobsPerUserLimit", "sacctmgr show qos"},
		{"AssocGrpCPULimit", "sacctmgr show assoc"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].words);
		T_HAS(advice_for(rows[i].words, 0), rows[i].help);
	}
	T_OK(!advice_for("all is well", 0));
	T_OK(!advice_for("", 0));
	T_OK(!advice_for(NULL, 0));
}

static void more_than_one_may_help(void)
{
	const char *words = "0/3 nodes are available: 1 Insufficient cpu, "
			    "2 node(s) had untolerated taint {a: b}";

	T_HAS(advice_for(words, 0), "add Kubernetes nodes");
	T_HAS(advice_for(words, 1), "toleration");
	T_OK(!advice_for(words, 2));
	/* two words of one thing: one advice */
	T_OK(!advice_for("ErrImagePull, ImagePullBackOff", 1));
}

static void words_of_others_do_not_count(void)
{
	static const struct {
		const char *words, *help; /* NULL: none; else just this */
	} rows[] = {
		/* what is forbidden, but not for a right */
		{"pods \"a\" is forbidden: exceeded quota: q",
		 "raise the ResourceQuota"},
		{"pods \"a\" is forbidden: violates PodSecurity "
		 "\"restricted:latest\": privileged",
		 "Pod Security level"},
		{"403 Forbidden: pods is forbidden: User \"x\" cannot list "
		 "resource \"pods\" in API group \"\"",
		 "which right"},
		/* Slurm's reasons in others' words */
		{"no PriorityClass with name a was found", NULL},
		{"PriorityClass a was not found", NULL},
		{"waits for Resources of QOS a: Dependency, Reservation", NULL},
		{"Priority", "sprio"},
		{"Resources", "squeue --start says when"},
		{"Dependency", "other jobs"},
		{"DependencyNeverSatisfied", "scancel"},
		{"ReqNodeNotAvail, UnavailableNodes:a-[0-3]", "drained"},
		{"InvalidQOS", "its QOS is not there"},
		{"InvalidAccount", "its account is not there"},
		{"QOSNotAllowed", "AllowQos"},
		{"QOSGrpNodeLimit", "a limit of its QOS"},
		{"AssocMaxJobsLimit", "a limit of its account"},
		{"ReservationDeleted", NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].words);
		if (rows[i].help)
			T_HAS(advice_for(rows[i].words, 0), rows[i].help);
		T_OK(!advice_for(rows[i].words, rows[i].help ? 1 : 0));
	}
}

static void an_account_ends_with_what_would_help(void)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	struct account a = {.out = open_memstream(&text, &len)};

	if (!a.out)
		abort();
	account_of(&a, "node", "a", "node %s", "a\nb");
	account_fact(&a, "jobs", "%s", "");
	account_fact(&a, "state", "%s", "IDLE");
	account_fact(&a, "a\033[2Jb", "%s", "c\033d");
	account_why(&a, "reason", "k8s: ErrImagePull");
	account_why(&a, "warning", "ErrImagePull");
	account_why(&a, "comment", NULL);
	account_end(&a, true, 0);
	fclose(a.out);
	T_STR(text, "node a b\n"
		    "  state             IDLE\n"
		    "  a [2Jb            c d\n"
		    "  reason            k8s: ErrImagePull\n"
		    "  warning           ErrImagePull\n"
		    "\nWhat would help:\n"
		    "- see that the image's name and tag exist, and that the "
		    "template has imagePullSecrets for a private registry\n");
}

static void an_account_is_json_for_programs(void)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	struct account a = {.out = open_memstream(&text, &len), .json = true};

	if (!a.out)
		abort();
	account_of(&a, "node", "a\n", "node %s", "a\033b");
	account_fact(&a, "jobs", "%s", "");
	account_fact(&a, "state", "%s", "IDLE");
	account_of(&a, "note", NULL, "it has no pod");
	account_why(&a, "reason", "ErrImageNeverPull");
	T_OK(!a.incomplete);
	T_INT(account_end(&a, true, 2), 0);
	fclose(a.out);
	T_STR(text,
	      "{\"help\":[\"load the image onto the Kubernetes node, or change "
	      "imagePullPolicy\"],\"things\":[{\"kind\":\"node\",\"name\":"
	      "\"a \",\"text\":\"node a b\",\"facts\":[{\"name\":\"state\","
	      "\"text\":\"IDLE\"}]},{\"kind\":\"note\",\"text\":\"it has no "
	      "pod\",\"facts\":[{\"name\":\"reason\",\"text\":"
	      "\"ErrImageNeverPull\"}]}],\"found\":true,\"exit\":2}\n");
}

static void an_account_of_nothing_is_json_too(void)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	struct account a = {.out = open_memstream(&text, &len), .json = true};

	if (!a.out)
		abort();
	T_INT(account_end(&a, false, 1), 0);
	fclose(a.out);
	T_STR(text, "{\"help\":[],\"things\":[],\"found\":false,\"exit\":1}\n");
}

T_MAIN("advice", T(words_lead_to_what_helps), T(more_than_one_may_help),
       T(words_of_others_do_not_count), T(an_account_ends_with_what_would_help),
       T(an_account_is_json_for_programs), T(an_account_of_nothing_is_json_too))
