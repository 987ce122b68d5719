/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said while slurmctld does not answer. The API server is the test's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api_fixture.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "ctl_jobs_fixture.h"
#include "explain_parts.h"
#include "syntax/wellknown.h"
#include "t.h"

static struct {
	bool away;
	const char *lease; /* NULL: there is none */
	json_object *pods; /* a list */
	size_t gets, lists;
} server;

int64_t __wrap_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void)
{
	return clock_parse_rfc3339("2026-01-01T00:01:00Z");
}

int64_t __wrap_ctl_jobs_expected_start(const struct ctl_jobs *j,
				       uint32_t job_id);
int64_t __wrap_ctl_jobs_expected_start(const struct ctl_jobs *j,
				       uint32_t job_id)
{
	(void)j;
	return job_id == 8 ? 60 : 0;
}

static const json_object *pod_named(const char *ns, const char *name)
{
	for (size_t i = 0; i < json_object_array_length(server.pods); i++) {
		const json_object *p =
			json_object_array_get_idx(server.pods, i);

		if (str_eq(jx_str(p, "metadata", "name"), name) &&
		    str_eq(jx_str(p, "metadata", "namespace"), ns))
			return p;
	}
	return NULL;
}

int __wrap_api_get(struct api_server *s, const struct kube_ref *ref,
		   json_object **out, struct err *err);
int __wrap_api_get(struct api_server *s, const struct kube_ref *ref,
		   json_object **out, struct err *err)
{
	const json_object *pod;

	server.gets++;
	*out = NULL;
	s->http = 0;
	if (server.away)
		return err_set(err, -EIO, "Couldn't connect");
	s->http = 200;
	if (str_eq(ref->resource, "leases")) {
		T_STR(ref->name, "slurm-k8s-site");
		*out = server.lease ? t_parse(server.lease) : NULL;
		return *out ? 0 : -ENOENT;
	}
	pod = pod_named(ref->ns, ref->name);
	*out = json_object_get((json_object *)pod);
	return pod ? 0 : -ENOENT;
}

int __wrap_api_list(struct api_server *s, const struct api_table *t,
		    struct err *err);
int __wrap_api_list(struct api_server *s, const struct api_table *t,
		    struct err *err)
{
	const char *const no_cells[] = {"", "", "", "", NULL};

	(void)err;
	s->http = 200;
	server.lists++;
	if (str_eq(t->ref.resource, "events"))
		return 0;
	for (size_t i = 0; i < json_object_array_length(server.pods); i++)
		t->on_row(t->arg, no_cells,
			  jx_get(json_object_array_get_idx(server.pods, i),
				 "metadata"));
	return 0;
}

static struct ctl_job task(uint32_t number, const char *state, bool ended)
{
	struct ctl_job job = janes_job(100 + number, state);

	job.array_id = 100;
	job.task = number;
	job.ended = ended;
	job.nodes = ended ? "" : "cpu-0";
	return job;
}

#define POD "podTemplate: {spec: {containers: [{name: slurmd}]}}"

static struct config *config_of(void)
{
	static const char text[] =
		"clusters: [{name: main, kubeconfig: k, namespace: slurm}]\n"
		"nodesets: [{name: cpu, cluster: main, nodes: 'cpu-[0-9]', " POD
		"}, {name: far, cluster: main, nodes: 'far-[0-9]', create: "
		"{cpus: 1, memory: 100}, " POD "}]\n";
	struct config *c = NULL;
	struct err err = {0};

	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	return c;
}

struct told {
	struct explain e;
	char *text;
	size_t len;
};

static void begin(struct told *t, const char *lease, const char *pods)
{
	*t = (struct told){.e = {.cluster = "site"}};
	t->e.site.config = config_of();
	t->e.servers = calloc(1, sizeof(*t->e.servers));
	t->e.account.out = open_memstream(&t->text, &t->len);
	if (!t->e.site.config || !t->e.servers || !t->e.account.out)
		abort();
	memset(&server, 0, sizeof(server));
	server.lease = lease;
	server.pods = t_parse(pods);
}

static void is_told(struct told *t, const char *text)
{
	account_end(&t->e.account, t->e.found, 0);
	fclose(t->e.account.out);
	T_STR(t->text, text);
	free(t->text);
	free(t->e.servers);
	config_free(t->e.site.config);
	json_object_put(server.pods);
}

#define LEASE                                                                  \
	"{'spec': {'holderIdentity': 'ctl', 'renewTime': "                     \
	"'2026-01-01T00:00:57.000000Z', 'leaseDurationSeconds': 15}}"
#define POD_OF(ns, name, jobs)                                                 \
	"{'metadata': {'namespace': '" ns "', 'name': '" name                  \
	"', 'uid': 'u', 'annotations': {'slurm-k8s.io/job-ids': '" jobs        \
	"'}}, 'spec': {'nodeName': 'host'}, 'status': {'phase': "              \
	"'Running\\u001b[2J'}}"
#define MAIN                                                                   \
	"Kubernetes cluster main: as its API server has it at "                \
	"2026-01-01T00:01:00Z\n"
#define ACTS "  engine            the engine acts, as of 3 s ago, from ctl\n"
#define IS_POD(name)                                                           \
	"pod slurm/" name " in Kubernetes cluster main\n"                      \
	"  phase             Running [2J, on Kubernetes node host\n"

static void a_node_without_slurmctld_has_its_pod(void)
{
	struct told t;

	begin(&t, LEASE, "[" POD_OF("slurm", "cpu-0", "12") "]");
	explain_unknown_node(&t.e, &t.e.site.config->nodesets[0], "cpu-0");
	T_OK(t.e.found && !t.e.incomplete);
	is_told(&t, "node cpu-0 of nodeset cpu\n"
		    "  state             not known, for slurmctld does not "
		    "answer\n" MAIN ACTS IS_POD("cpu-0"));
}

#define RUNS                                                                   \
	"{'metadata': {'namespace': 'slurm', 'name': 'cpu-0', 'uid': 'u'}, "   \
	"'spec': {'nodeName': 'host'}, 'status': {'phase': 'Running', "        \
	"'containerStatuses': [{'name': 'slurmd', 'state': {'running': "       \
	"{'startedAt': '2026-01-01T00:00:04Z'}}}]}}"

static void a_slurmd_that_does_not_register_is_told(void)
{
	static const char words[] =
		"  slurmd            runs for 56 s, and has not registered "
		"with slurmctld; after 60 s it is given up\n";
	struct ctl_node node = {.name = "cpu-0", .power = CTL_POWERING_UP};

	for (int up = 0; up < 2; up++) {
		struct told t;

		t_row("up: %d", up);
		begin(&t, LEASE, "[" RUNS "]");
		if (up)
			node.power = CTL_UP;
		explain_node(&t.e, &node);
		account_end(&t.e.account, true, 0);
		fclose(t.e.account.out);
		T_OK((strstr(t.text, words) != NULL) == !up);
		T_OK((strstr(t.text, "slurm-k8s check --probe") != NULL) ==
		     !up);
		free(t.text);
		free(t.e.servers);
		config_free(t.e.site.config);
		json_object_put(server.pods);
	}
}

static void a_nodeset_that_rests_says_until_when(void)
{
	struct ctl_node node = {
		.name = "cpu-0",
		.drained = true,
		.reason = "k8s: nodeset cpu cools down: ErrImagePull: no",
		.reason_ms = clock_parse_rfc3339("2026-01-01T00:00:50Z")};

	for (int drained = 0; drained < 2; drained++) {
		struct told t;

		t_row("drained: %d", drained);
		begin(&t, LEASE, "[]");
		node.drained = drained;
		explain_node(&t.e, &node);
		account_end(&t.e.account, true, 0);
		fclose(t.e.account.out);
		T_OK((strstr(t.text,
			     "  cool-down         30 s after a failure, ") !=
		      NULL) == node.drained);
		T_OK((strstr(t.text,
			     "until 2026-01-01T00:10:50Z at the latest\n") !=
		      NULL) == node.drained);
		free(t.text);
		free(t.e.servers);
		config_free(t.e.site.config);
		json_object_put(server.pods);
	}
}

static void a_node_that_slurm_does_not_have_is_told_so(void)
{
	static const char there;
	struct told t;

	begin(&t, NULL, "[]");
	t.e.site.nodes = (struct ctl_nodes *)(uintptr_t)&there;
	explain_unknown_node(&t.e, &t.e.site.config->nodesets[0], "cpu-0");
	explain_unknown_node(&t.e, &t.e.site.config->nodesets[1], "far-0");
	is_told(&t,
		"node cpu-0 of nodeset cpu\n"
		"  state             Slurm does not have it: no node of this "
		"name is in slurm.conf\n" MAIN
		"  engine            no engine acts there\n"
		"it has no pod\n"
		"node far-0 of nodeset far\n"
		"  state             Slurm does not have it (yet): the engine "
		"creates it\n"
		"it has no pod\n"
		"\nWhat would help:\n"
		"- see that slurmctld runs, with "
		"SchedulerType=sched/backfill and our folder first in "
		"PluginDir, and may write its Lease: slurm-k8s check\n");
}

static void a_server_that_does_not_answer_is_asked_once(void)
{
	struct told t;

	begin(&t, NULL, "[]");
	server.away = true;
	explain_unknown_node(&t.e, &t.e.site.config->nodesets[0], "cpu-0");
	explain_unknown_node(&t.e, &t.e.site.config->nodesets[0], "cpu-1");
	T_INT(server.gets, 1);
	T_OK(t.e.incomplete);
	is_told(&t,
		"node cpu-0 of nodeset cpu\n"
		"  state             not known, for slurmctld does not answer\n"
		"pod slurm/cpu-0 in Kubernetes cluster main\n"
		"  not known         Couldn't connect\n"
		"node cpu-1 of nodeset cpu\n"
		"  state             not known, for slurmctld does not answer\n"
		"pod slurm/cpu-1 in Kubernetes cluster main\n"
		"  not known         not asked again\n");
}

static void a_job_without_slurmctld_has_pods_that_name_it(void)
{
	struct told t;

	begin(&t, LEASE,
	      "[" POD_OF("slurm", "cpu-0", "1,12") "," POD_OF(
		      "slurm", "cpu-1", "120,112") "," POD_OF("slurm", "cpu-2",
							      "12") "]");
	explain_pods_of_job(&t.e, 12);
	T_OK(t.e.found && !t.e.incomplete);
	is_told(&t, MAIN ACTS IS_POD("cpu-0") IS_POD("cpu-2"));
}

static void eight_pods_of_a_job_are_enough(void)
{
	_cleanup_free_ char *pods =
		t_repeat(POD_OF("slurm", "cpu-0", "12") ",", 20);
	_cleanup_free_ char *list = str_printf("[%s%s]", pods ? pods : "",
					       POD_OF("slurm", "cpu-0", "12"));
	struct told t;

	T_NEED(list);
	begin(&t, LEASE, list);
	explain_pods_of_job(&t.e, 12);
	account_end(&t.e.account, true, 0);
	fflush(t.e.account.out);
	T_HAS(t.text, "and 13 more pods of job 12\n");
	T_INT(server.gets, 1 + 8);
	fclose(t.e.account.out);
	free(t.text);
	free(t.e.servers);
	config_free(t.e.site.config);
	json_object_put(server.pods);
}

/* PrivateData=nodes: a user has his jobs, and no nodes. */
static void a_job_is_told_without_its_nodes(void)
{
	static const char there;
	struct told t;

	begin(&t, NULL, "[]");
	t.e.site.jobs = (struct ctl_jobs *)(uintptr_t)&there;
	n_jobs = 2;
	jobs[0] = task(3, "RUNNING", false);
	jobs[1] = task(4, "RUNNING", false);
	explain_jobs(&t.e, &(struct job_ref){
				   .id = 100, .part = JOB_TASKS, .tasks = "4"});
	T_OK(t.e.found);
	T_INT(server.gets, 0);
	is_told(&t, "job 100_4 (104) of jane in partition all\n"
		    "  state             RUNNING\n"
		    "  reason            None\n"
		    "  nodes             cpu-0\n");
}

static void a_job_that_waits_has_its_place_in_the_queue(void)
{
	static const char there;
	struct told t;

	begin(&t, NULL, "[]");
	t.e.site.jobs = (struct ctl_jobs *)(uintptr_t)&there;
	n_jobs = 2;
	for (uint32_t i = 0; i < n_jobs; i++) {
		jobs[i] = janes_job(i + 7, "PENDING");
		jobs[i].queued = true;
		jobs[i].account = "chem";
	}
	jobs[0].priority = 1;
	explain_jobs(&t.e, &(struct job_ref){.id = 8});
	is_told(&t, "job 8 of jane in partition all\n"
		    "  state             PENDING\n"
		    "  reason            None\n"
		    "  jobs before it    1\n"
		    "  of its account    1\n"
		    "  expected start    1970-01-01T00:01:00Z\n");
}

static void eight_tasks_are_enough_those_that_run_first(void)
{
	static const char there;
	struct told t;

	begin(&t, NULL, "[]");
	t.e.site.jobs = (struct ctl_jobs *)(uintptr_t)&there;
	n_jobs = T_COUNT(jobs);
	for (uint32_t i = 0; i < n_jobs; i++)
		jobs[i] = task(i, i < 5 ? "COMPLETED" : "RUNNING", i < 5);
	explain_jobs(&t.e, &(struct job_ref){.id = 100});
	fflush(t.e.account.out);
	T_HAS(t.text, "job 100_5 (105)");
	T_HAS(t.text, "job 100_11 (111)");
	T_HAS(t.text, "job 100_0 (100)");
	T_OK(!strstr(t.text, "job 100_1 (101)"));
	T_HAS(t.text, "and 4 more of these jobs\n");
	T_OK(strstr(t.text, "100_5 ") < strstr(t.text, "100_0 "));
	account_end(&t.e.account, true, 0);
	fclose(t.e.account.out);
	free(t.text);
	free(t.e.servers);
	config_free(t.e.site.config);
	json_object_put(server.pods);
}

T_MAIN("explain", T(a_node_without_slurmctld_has_its_pod),
       T(a_slurmd_that_does_not_register_is_told),
       T(a_nodeset_that_rests_says_until_when),
       T(a_node_that_slurm_does_not_have_is_told_so),
       T(a_server_that_does_not_answer_is_asked_once),
       T(a_job_without_slurmctld_has_pods_that_name_it),
       T(eight_pods_of_a_job_are_enough), T(a_job_is_told_without_its_nodes),
       T(a_job_that_waits_has_its_place_in_the_queue),
       T(eight_tasks_are_enough_those_that_run_first))
