/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * k8s_resume_fail: what it says of its nodes costs slurmctld few RPCs, and it
 * takes no node from an administrator.
 */
#include "fail.h"
#include "fake_power.h"
#include "kube/verbs.h"

#define NODES 1000
#define TIMED_OUT "ResumeTimeout reached"

/* n2, and whether it is so only when the pods are deleted. */
static struct {
	struct ctl_node n2;
	bool late;
} played;

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

bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out);
bool __wrap_ctl_nodes_find(const struct ctl_nodes *n, const char *name,
			   struct ctl_node *out)
{
	(void)n;
	*out = (struct ctl_node){.down = true, .reason = TIMED_OUT};
	if (!strcmp(name, "n2") && (!played.late || slurm.loads > 1))
		*out = played.n2;
	out->name = name;
	return true;
}

/* There are no pods: its exit code. */
static int fail(const char *nodes)
{
	struct power_run run = {.config = &config,
				.site = {.cluster = (char *)"test"}};
	int rc;

	T_INT(hostlist_expand(nodes, &run.nodes, NULL), 0);
	rc = fail_pods(&run);
	hostlist_clear(&run.nodes);
	return rc;
}

static void begin(struct ctl_node n2)
{
	memset(&slurm, 0, sizeof(slurm));
	memset(&played, 0, sizeof(played));
	played.n2 = n2;
	t_log_clear();
}

static void who_says_the_same_says_it_in_one_rpc(void)
{
	begin((struct ctl_node){.down = true, .reason = TIMED_OUT});
	T_INT(fail("n[1-1000]"), 0);
	T_INT(slurm.commented, NODES);
	T_STR(slurm.comment, "k8s: its pod is gone");
	T_HAS(slurm.resume, "n1,n2,n3,");
	T_INT(slurm.updates, 2);
}

/* Slurm has taken his DRAIN away, and left his words before its own. */
static void what_an_administrator_drained_stays_down(void)
{
	static const struct {
		const char *reason;
		bool up;
		const char *resume;
	} rows[] = {
		{TIMED_OUT, false, "n1,n2,n3"},
		{"k8s: exceeded quota", false, "n1,n2,n3"},
		{"k8s: exceeded quota : " TIMED_OUT, false, "n1,n2,n3"},
		{"reboot issued : " TIMED_OUT, false, "n1,n2,n3"},
		{"maintenance : " TIMED_OUT, false, "n1,n3"},
		{"maintenance", false, "n1,n3"},
		{TIMED_OUT, true, "n1,n3"}, /* somebody has resumed it */
		{NULL, true, "n1,n3"},
	};

	for (size_t i = 0; i < 2 * T_COUNT(rows); i++) {
		const char *reason = rows[i / 2].reason;
		const bool up = rows[i / 2].up;

		t_row("%zu", i / 2);
		begin((struct ctl_node){.down = !up, .reason = reason});
		played.late = i % 2;
		T_INT(fail("n[1-3]"), 0);
		T_STR(slurm.resume, rows[i / 2].resume);
		T_INT(slurm.commented, 3);
		if (!up && !strcmp(slurm.resume, "n1,n3"))
			T_HAS(t_log(), "n2: stays down, for its Reason is not "
				       "ours: maintenance");
		else
			T_LACKS(t_log(), "stays down");
	}
}

static void nothing_is_resumed_unseen(void)
{
	begin((struct ctl_node){.down = true, .reason = TIMED_OUT});
	slurm.answers = 1; /* before the pods are deleted */
	slurm.refusals = 1;
	T_INT(fail("n[1-3]"), 1);
	T_INT(slurm.loads, 2);
	T_INT(slurm.updates, 0);
}

T_MAIN("fail", T(who_says_the_same_says_it_in_one_rpc),
       T(what_an_administrator_drained_stays_down),
       T(nothing_is_resumed_unseen))
