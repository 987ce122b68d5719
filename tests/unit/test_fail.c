/* SPDX-License-Identifier: GPL-2.0-or-later */
/* k8s_resume_fail: what it says of its nodes costs slurmctld few RPCs. */
#include <string.h>

#include "fail.h"
#include "kube/verbs.h"
#include "t.h"

#define NODES 1000

static struct cluster cluster = {.name = (char *)"c", .ns = (char *)"ns"};
static struct nodeset set = {.name = (char *)"s", .cluster = &cluster};
static struct config config = {.clusters = &cluster, .n_clusters = 1};
static unsigned int rpcs;
static size_t said; /* nodes */

const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node);
const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node)
{
	(void)c, (void)node;
	return &set;
}

struct kube_client *__wrap_power_client(struct power_run *run,
					const struct nodeset *k,
					struct err *err);
struct kube_client *__wrap_power_client(struct power_run *run,
					const struct nodeset *k,
					struct err *err)
{
	(void)run, (void)k, (void)err;
	return (struct kube_client *)&set;
}

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

void __wrap_power_loop(struct power_run *run, const size_t *open);
void __wrap_power_loop(struct power_run *run, const size_t *open)
{
	(void)run;
	T_INT(*open, 0);
}

int __wrap_ctl_nodes_load(struct ctl_nodes **out, struct err *err);
int __wrap_ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	(void)err;
	*out = (struct ctl_nodes *)&set;
	return 0;
}

void __wrap_ctl_nodes_free(struct ctl_nodes *n);
void __wrap_ctl_nodes_free(struct ctl_nodes *n)
{
	(void)n;
}

bool __wrap_power_wants_pod(const struct ctl_nodes *now, const char *node);
bool __wrap_power_wants_pod(const struct ctl_nodes *now, const char *node)
{
	(void)now, (void)node;
	return false;
}

int __wrap_ctl_node_try(const char *nodes, enum ctl_node_update what,
			const char *text);
int __wrap_ctl_node_try(const char *nodes, enum ctl_node_update what,
			const char *text)
{
	(void)nodes, (void)what, (void)text;
	rpcs++;
	return 0;
}

int __wrap_ctl_nodes_comment(const struct ctl_nodes *n, char *const *nodes,
			     size_t count, const char *text, struct err *err);
int __wrap_ctl_nodes_comment(const struct ctl_nodes *n, char *const *nodes,
			     size_t count, const char *text, struct err *err)
{
	(void)n, (void)nodes, (void)err;
	T_STR(text, "k8s: its pod is gone");
	rpcs++;
	said += count;
	return 0;
}

int __wrap_ctl_node_comment(const struct ctl_nodes *n, const char *node,
			    const char *text, struct err *err);
int __wrap_ctl_node_comment(const struct ctl_nodes *n, const char *node,
			    const char *text, struct err *err)
{
	return __wrap_ctl_nodes_comment(n, (char *const *)&node, 1, text, err);
}

static void who_says_the_same_says_it_in_one_rpc(void)
{
	struct power_run run = {.config = &config,
				.site = {.cluster = (char *)"test"}};

	T_INT(hostlist_expand("n[1-1000]", &run.nodes, NULL), 0);
	T_INT(fail_pods(&run), 0);
	T_INT(said, NODES);
	T_INT(rpcs, 2); /* with that which makes them idle */
	hostlist_clear(&run.nodes);
}

T_MAIN("fail", T(who_says_the_same_says_it_in_one_rpc))
