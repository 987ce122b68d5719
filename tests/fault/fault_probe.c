/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm-k8s check --probe against a server that fails: no pod is left. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "fault.h"
#include "interrupt.h"
#include "probe.h"
#include "probe_fixture.h"
#include "syntax/wellknown.h"

/* --- Kubernetes */

/* The number of pods that the server has. */
static size_t pods_there(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	const struct kube_request get = {.method = "GET", .path = PODS};
	_cleanup_json_ json_object *list = NULL;
	_cleanup_got_ struct got g = {0};

	fault_call(l.client, &get, &g);
	T_INT(g.rc, 0);
	if (!g.body || jx_parse(g.body, strlen(g.body), &list, NULL))
		return 99;
	return json_object_array_length(jx_get(list, "items"));
}

/* Probe for a second a pod that nobody starts; the caller clears. */
static struct findings probed(void)
{
	static const char nodes; /* is not looked into */
	struct cluster_config cluster = {.name = (char *)"c",
					 .kubeconfig =
						 (char *)fault()->kubeconfig,
					 .ns = (char *)"ns"};
	struct nodeset set = {.name = (char *)"s",
			      .cluster = &cluster,
			      .nodes = (char *)"n1",
			      .resources = RESOURCES_TEMPLATE,
			      .container = (char *)WK_CONTAINER};
	const struct config config = {.clusters = &cluster,
				      .n_clusters = 1,
				      .nodesets = &set,
				      .n_nodesets = 1};
	_cleanup_(site_config_freep) struct site_config *conf =
		site_config_read("SlurmctldHost = ctl\n");
	const struct probe_facts facts = {.config = &config,
					  .conf = conf,
					  .nodes = (const void *)&nodes,
					  .slurm_cluster = "site",
					  .timeout_s = 1};
	struct findings found = {0};

	set.template =
		t_parse("{\"spec\":{\"containers\":[{\"name\":\"slurmd\"}]}}");
	probe_nodesets(&facts, &found);
	json_object_put(set.template);
	return found;
}

static const char *words_of(const struct findings *f)
{
	static char words[4096];

	*words = '\0';
	for (size_t i = 0; i < f->n; i++)
		snprintf(words + strlen(words), sizeof(words) - strlen(words),
			 "%s\n", f->v[i].text);
	return words;
}

static void no_pod_is_left(void)
{
	static const struct {
		const char *rules, *words;
		size_t creates, deletes; /* requests; deletes at least */
	} rows[] = {
		{"", "did not start within", 1, 1},
		/* created, and nobody has heard of it */
		{"{'method':'POST','path':'/pods','do':'lost'}",
		 "was not created", 1, 1},
		{"{'method':'POST','path':'/pods','do':'half'}",
		 "was not created", 1, 1},
		{"{'method':'POST','path':'/pods','do':'status','code':403}",
		 "was not created", 1, 0},
		{"{'method':'GET','path':'/pods/','do':'status','code':500,"
		 "'times':3}",
		 "did not start within", 1, 1},
		{"{'method':'GET','path':'/events','do':'garbage','times':9}",
		 "did not start within", 1, 1},
		{"{'method':'DELETE','path':'/pods/','do':'reset'}",
		 "did not start within", 1, 2},
		{"{'method':'DELETE','path':'/pods/','do':'lost'}",
		 "did not start within", 1, 1},
		{"{'method':'DELETE','path':'/pods/','do':'status','code':"
		 "503}",
		 "did not start within", 1, 2},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct findings f;

		t_row("%zu", i);
		fault_script("'rules':[%s]", rows[i].rules);
		f = probed();
		T_HAS(words_of(&f), rows[i].words);
		T_LACKS(words_of(&f), "may still be there");
		T_INT(fault_requests("POST", PODS), rows[i].creates);
		T_OK(fault_requests("DELETE", PODS) >= rows[i].deletes);
		T_INT(pods_there(), 0);
		findings_clear(&f);
	}
}

/* A pod of that name that is not the one that was created stays. */
static void only_the_very_pod_is_deleted(void)
{
	struct findings f;

	fault_script("'rules':[{'method':'DELETE','path':'/pods/','do':"
		     "'swap'}]");
	f = probed();
	T_LACKS(words_of(&f), "may still be there");
	T_INT(pods_there(), 1);
	findings_clear(&f);
}

/* The last one: nothing takes that signal back. */
static void an_interrupt_starts_no_pod(void)
{
	struct findings f;

	fault_script("'rules':[]");
	interrupt_catch();
	raise(SIGTERM);
	f = probed();
	T_INT(fault_requests("POST", PODS), 0);
	findings_clear(&f);
}

T_MAIN("fault_probe", T(no_pod_is_left), T(only_the_very_pod_is_deleted),
       T(an_interrupt_starts_no_pod))
