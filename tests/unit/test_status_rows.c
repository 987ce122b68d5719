/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's nodes and jobs are the test's, and so are the pods. */
#include <string.h>

#include "base/cleanup.h"
#include "bridge/jobspec/job_identity.h"
#include "ctl_jobs_fixture.h"
#include "status_rows.h"
#include "t.h"

static struct ctl_node slurm[8];
static size_t n_slurm;
static struct ctl_occupant occupants[80];
static size_t n_occupants;

bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out);
bool __wrap_ctl_nodes_at(const struct ctl_nodes *n, size_t i,
			 struct ctl_node *out)
{
	(void)n;
	if (i < n_slurm)
		*out = slurm[i];
	return i < n_slurm;
}

void __wrap_ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn,
			      void *arg);
void __wrap_ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn,
			      void *arg)
{
	(void)j;
	for (size_t i = 0; i < n_occupants; i++)
		fn(arg, &occupants[i]);
}

/* The view of a cloud node each, without k8s.yaml. */
static struct status_view view_of(struct pod_row *workers, size_t n_workers,
				  struct pod_row *queued, size_t n_queued)
{
	static const char there;

	return (struct status_view){
		.nodes = (const struct ctl_nodes *)&there,
		.jobs = (const struct ctl_jobs *)&there,
		.workers = {workers, n_workers},
		.queued = {queued, n_queued},
		.pods_known = true,
	};
}

static struct pod_row pod(const char *node, uint32_t job, const char *name,
			  const char *status)
{
	return (struct pod_row){.ns = (char *)"team",
				.name = (char *)name,
				.node = (char *)node,
				.status = (char *)status,
				.age = (char *)"5m",
				.host = (char *)"host-1",
				.note = (char *)"",
				.job = job};
}

static struct ctl_node cloud(const char *name, enum ctl_node_power power)
{
	return (struct ctl_node){.name = name, .power = power, .cloud = true};
}

static void is_sheet(struct sheet *s, const char *text)
{
	_cleanup_free_ char *got = NULL;
	size_t len;
	FILE *out = open_memstream(&got, &len);

	if (!out)
		abort();
	sheet_print(s, out);
	fclose(out);
	T_STR(got, text);
	sheet_clear(s);
}

static void a_node_stands_beside_its_pod_and_jobs(void)
{
	struct pod_row workers[] = {pod("a", 0, "a", "Running"),
				    pod("gone", 0, "gone", "Pending")};
	struct status_view v = view_of(workers, 2, NULL, 0);
	struct sheet s;

	n_slurm = 5;
	slurm[0] = cloud("a", CTL_UP);
	slurm[0].busy = true;
	slurm[1] = cloud("b", CTL_POWERED_DOWN);
	slurm[2] = cloud("c", CTL_POWERED_DOWN);
	slurm[2].comment = "k8s: no room";
	slurm[3] = cloud("d", CTL_POWERING_UP);
	slurm[3].reason = "by hand";
	slurm[3].comment = "somebody's";
	slurm[4] = (struct ctl_node){.name = "other", .power = CTL_UP};
	n_occupants = 2;
	occupants[0] = (struct ctl_occupant){.node = "a", .job_id = 13};
	occupants[1] = (struct ctl_occupant){.node = "a", .job_id = 12};
	T_INT(status_nodes(&v, &s), 1);
	is_sheet(&s,
		 "NODE  STATE              POD   STATUS   AGE  KUBERNETES NODE"
		 "  JOBS   REASON\n"
		 "a     ALLOCATED          a     Running  5m   host-1         "
		 "  12,13  -\n"
		 "c     IDLE+POWERED_DOWN  -     -        -    -              "
		 "  -      k8s: no room\n"
		 "d     IDLE+POWERING_UP   -     -        -    -              "
		 "  -      by hand\n"
		 "gone  not in Slurm       gone  Pending  5m   host-1         "
		 "  -      -\n");
	v.all = true;
	T_INT(status_nodes(&v, &s), 0);
	T_INT(s.n, 5);
	sheet_clear(&s);
}

static void two_pods_of_one_node_are_no_stranger(void)
{
	struct pod_row workers[] = {pod("a", 0, "a", "Running"),
				    pod("a", 0, "copy", "Pending")};
	struct status_view v = view_of(workers, 2, NULL, 0);
	struct sheet s;

	n_slurm = 1;
	n_occupants = 0;
	slurm[0] = cloud("a", CTL_UP);
	status_nodes(&v, &s);
	T_INT(s.n, 1);
	T_STR(s.cells[2], "a");
	sheet_clear(&s);
	/* nobody's nodeset, and yet it has a pod */
	slurm[0].cloud = false;
	status_nodes(&v, &s);
	T_INT(s.n, 1);
	sheet_clear(&s);
	v.nodes = NULL;
	status_nodes(&v, &s);
	T_INT(s.n, 2);
	T_STR(s.cells[1], "?");
	sheet_clear(&s);
}

static void pods_that_are_not_known_are_not_said_to_be_missing(void)
{
	struct status_view v = view_of(NULL, 0, NULL, 0);
	struct sheet s;

	n_slurm = 1;
	n_occupants = 0;
	slurm[0] = cloud("a", CTL_UP);
	v.pods_known = false;
	status_nodes(&v, &s);
	T_STR(s.cells[2], "?");
	sheet_clear(&s);
}

static void only_the_nodes_that_are_asked_for(void)
{
	char *names[] = {(char *)"b"};
	const struct hostlist only = {.names = names, .n = 1};
	struct pod_row workers[] = {pod("gone", 0, "gone", "Pending")};
	struct status_view v = view_of(workers, 1, NULL, 0);
	struct sheet s;

	n_slurm = 2;
	slurm[0] = cloud("a", CTL_UP);
	slurm[1] = (struct ctl_node){.name = "b", .power = CTL_POWERED_DOWN};
	v.only = &only;
	T_INT(status_nodes(&v, &s), 0);
	T_INT(s.n, 1);
	T_STR(s.cells[0], "b");
	sheet_clear(&s);
}

static void many_jobs_of_a_node_are_cut(void)
{
	struct status_view v = view_of(NULL, 0, NULL, 0);
	struct sheet s;

	n_slurm = 1;
	slurm[0] = cloud("a", CTL_UP);
	n_occupants = T_COUNT(occupants);
	for (size_t i = 0; i < n_occupants; i++)
		occupants[i] = (struct ctl_occupant){
			.node = "a", .job_id = 1000000 + (uint32_t)i};
	status_nodes(&v, &s);
	T_HAS(s.cells[6], "1000000,1000001,");
	T_HAS(s.cells[6], ",...");
	sheet_clear(&s);
	n_occupants = 0;
}

static struct ctl_job placeholder(uint32_t id, const char *state,
				  const char *comment)
{
	struct ctl_job job = janes_job(id, state);

	job.reason = "Resources";
	job.partition = "k8s";
	job.admin_comment = comment;
	return job;
}

static void a_job_stands_beside_its_pods(void)
{
	struct pod_row queued[] = {pod("", 0, "early", "Pending"),
				   pod("", 7, "x-0", "Running"),
				   pod("", 7, "x-1", "Pending"),
				   pod("", 7, "x-2", "Running"),
				   pod("", 99, "lost", "Running"),
				   pod("", 99, "lost-2", "Running")};
	struct status_view v = view_of(NULL, 0, queued, T_COUNT(queued));
	struct job_identity id = {.cluster = "main",
				  .of = {.kind = WORKLOAD_JOB,
					 .ns = "team",
					 .name = "train",
					 .uid = "u"},
				  .pods = 3};
	static char comment[BRIDGE_ID_MAX];
	struct err err = {0};
	struct sheet s;

	queued[0].note = (char *)"the namespace's quota is used up";
	/* somebody else's pod with the label of that job is none of its pods */
	queued[T_COUNT(queued) - 1].ns = (char *)"foreign";
	queued[T_COUNT(queued) - 1].job = 7;
	pods_sort(&v.queued);
	T_INT(job_identity_make(&id, comment, &err), 0);
	n_jobs = 4;
	jobs[0] = placeholder(5, "RUNNING", "somebody's own");
	jobs[1] = placeholder(6, "COMPLETED", comment);
	jobs[1].ended = true;
	jobs[2] = placeholder(7, "PENDING", comment);
	jobs[3] = placeholder(8, "PENDING", comment);
	status_jobs(&v, &s);
	is_sheet(
		&s,
		"JOB  STATE        USER  PARTITION  WORKLOAD            PODS   "
		"               NODES   REASON\n"
		"7    PENDING      jane  k8s        Job team/train      2 "
		"Running, 1 Pending  -       Resources\n"
		"8    PENDING      jane  k8s        Job team/train      none   "
		"               -       Resources\n"
		"-    no job       -     -          Pod team/early      1 "
		"Pending             host-1  the namespace's quota is used up\n"
		"7    no such job  -     -          Pod foreign/lost-2  1 "
		"Running             host-1  -\n"
		"99   no such job  -     -          Pod team/lost       1 "
		"Running             host-1  -\n");
}

static void only_the_jobs_that_are_asked_for(void)
{
	static const struct job_ref ref = {.id = 8};
	static const struct hostlist none;
	struct pod_row queued[] = {pod("", 0, "early", "Pending"),
				   pod("", 8, "x-0", "Running")};
	struct status_view v = view_of(NULL, 0, queued, T_COUNT(queued));
	struct sheet s;

	n_jobs = 4; /* those of before */
	v.only = &none;
	status_jobs(&v, &s);
	T_INT(s.n, 0);
	sheet_clear(&s);
	v.only_jobs = &ref;
	v.n_only_jobs = 1;
	status_jobs(&v, &s);
	T_INT(s.n, 1);
	T_STR(s.cells[0], "8");
	T_STR(s.cells[5], "1 Running");
	sheet_clear(&s);
}

static void without_slurmctld_there_are_pods(void)
{
	struct pod_row queued[] = {pod("", 0, "early", "Pending"),
				   pod("", 7, "x-0", "Running")};
	struct status_view v = view_of(NULL, 0, queued, T_COUNT(queued));
	struct sheet s;

	v.nodes = NULL;
	v.jobs = NULL;
	status_jobs(&v, &s);
	is_sheet(&s, "JOB  STATE  USER  PARTITION  WORKLOAD        PODS       "
		     "NODES   REASON\n"
		     "-    ?      -     -          Pod team/early  1 Pending  "
		     "host-1  -\n"
		     "7    ?      -     -          Pod team/x-0    1 Running  "
		     "host-1  -\n");
}

T_MAIN("status_rows", T(a_node_stands_beside_its_pod_and_jobs),
       T(two_pods_of_one_node_are_no_stranger),
       T(pods_that_are_not_known_are_not_said_to_be_missing),
       T(only_the_nodes_that_are_asked_for), T(many_jobs_of_a_node_are_cut),
       T(a_job_stands_beside_its_pods), T(only_the_jobs_that_are_asked_for),
       T(without_slurmctld_there_are_pods))
