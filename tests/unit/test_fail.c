/* SPDX-License-Identifier: GPL-2.0-or-later */
/* k8s_resume_fail: what it says of its nodes costs slurmctld few RPCs. */
#include "fail.h"
#include "fake_power.h"
#include "kube/verbs.h"

#define NODES 1000

/* There is no pod. */
struct kube_call *__wrap_kube_get(struct kube_client *c,
				  const struct kube_ref *ref,
				  const struct kube_reply *to);
struct kube_call *__wrap_kube_get(struct kube_client *c,
				  const struct kube_ref *ref,
				  const struct kube_reply *to)
{
	const struct kube_result res = {.http = 404};

	(void)ref;
	to->on_done(to->arg, &res);
	return (struct kube_call *)c;
}

bool __wrap_power_wants_pod(const struct ctl_nodes *now, const char *node);
bool __wrap_power_wants_pod(const struct ctl_nodes *now, const char *node)
{
	(void)now, (void)node;
	return false;
}

static void who_says_the_same_says_it_in_one_rpc(void)
{
	struct power_run run = {.config = &config,
				.site = {.cluster = (char *)"test"}};

	T_INT(hostlist_expand("n[1-1000]", &run.nodes, NULL), 0);
	T_INT(fail_pods(&run), 0);
	T_INT(slurm.commented, NODES);
	T_STR(slurm.comment, "k8s: its pod is gone");
	T_OK(*slurm.resume);
	T_INT(slurm.updates, 2);
	hostlist_clear(&run.nodes);
}

T_MAIN("fail", T(who_says_the_same_says_it_in_one_rpc))
