/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/pod/adoption.h"
#include "t.h"

/* Epoch; what matters is which is older, and by how much. */
#define BEFORE 100000
#define ASKED 200000
#define AFTER 201000

#define OURS .cluster = "prod", .node = "n1"
#define WANTED OURS, .hash = "h"

static const struct wanted_pod resume = {
	.cluster = "prod", .node = "n1", .hash = "h", .since_ms = ASKED};

static struct wanted_pod node_up(void)
{
	struct wanted_pod w = resume;

	w.node_up = true;
	return w;
}

static struct wanted_pod reboot(void)
{
	struct wanted_pod w = resume;

	w.fresh = true;
	return w;
}

static void expect(struct wanted_pod w, struct worker_pod pod,
		   enum adoption want)
{
	T_INT(adoption_of(&pod, &w), want);
}

static void a_pod_of_somebody_else_is_never_touched(void)
{
	static const struct worker_pod rows[] = {
		{.name = "n1", .hash = "h", .created_ms = AFTER},
		{.node = "n1", .hash = "h", .created_ms = AFTER},
		{.cluster = "prod", .hash = "h", .created_ms = AFTER},
		{.cluster = "test", .node = "n1", .hash = "h"},
		{.cluster = "prod", .node = "n11", .hash = "h"},
		{.cluster = "PROD", .node = "n1", .hash = "h"},
		{.cluster = "test", .node = "n1", .deleting = true},
		{.cluster = "test", .node = "n1", .phase = POD_FAILED},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		expect(resume, rows[i], ADOPTION_FOREIGN);
		expect(reboot(), rows[i], ADOPTION_FOREIGN);
		expect(node_up(), rows[i], ADOPTION_FOREIGN);
		T_OK(!pod_is_ours(&rows[i], "prod", "n1"));
	}
}

static void the_wanted_pod_is_adopted(void)
{
	static const struct worker_pod rows[] = {
		{WANTED, .phase = POD_PENDING, .created_ms = AFTER},
		{WANTED, .phase = POD_RUNNING, .created_ms = AFTER,
		 .slurmd_running = true},
		{WANTED, .phase = POD_UNKNOWN, .created_ms = AFTER},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		expect(resume, rows[i], ADOPTION_ADOPT);
		expect(node_up(), rows[i], ADOPTION_ADOPT);
	}
}

static void a_pod_that_is_ending_is_waited_for(void)
{
	struct worker_pod pod = {WANTED, .phase = POD_RUNNING, .deleting = true,
				 .created_ms = BEFORE};

	expect(resume, pod, ADOPTION_WAIT);
	expect(reboot(), pod, ADOPTION_WAIT);
	expect(node_up(), pod, ADOPTION_WAIT);
}

/* (its volumes and devices are the kubelet's to give back) */
static void so_is_one_whose_containers_have_ended(void)
{
	struct worker_pod pod = {WANTED, .phase = POD_RUNNING, .deleting = true,
				 .terminated = true};

	expect(resume, pod, ADOPTION_WAIT);
	pod.phase = POD_FAILED;
	expect(resume, pod, ADOPTION_WAIT);
}

static void a_pod_that_ended_by_itself_is_replaced(void)
{
	struct worker_pod pod = {WANTED, .phase = POD_FAILED,
				 .created_ms = AFTER};

	expect(resume, pod, ADOPTION_REPLACE);
	expect(node_up(), pod, ADOPTION_REPLACE);
	pod.phase = POD_SUCCEEDED;
	expect(resume, pod, ADOPTION_REPLACE);
}

static void
a_leftover_pod_whose_slurmd_started_before_the_power_up_is_replaced(void)
{
	struct worker_pod pod = {WANTED, .phase = POD_RUNNING,
				 .slurmd_running = true, .created_ms = BEFORE};

	expect(resume, pod, ADOPTION_REPLACE);
	pod.running_ms = BEFORE + 1000;
	expect(resume, pod, ADOPTION_REPLACE);
}

/* It was made when its job got the node, and a job may run there by now. */
static void a_pod_whose_slurmd_started_lately_is_adopted_however_old(void)
{
	struct worker_pod pod = {WANTED, .phase = POD_RUNNING,
				 .slurmd_running = true, .created_ms = BEFORE,
				 .running_ms = ASKED - POD_CLOCK_SLACK_MS};

	expect(resume, pod, ADOPTION_ADOPT);
	pod.running_ms--;
	expect(resume, pod, ADOPTION_REPLACE);
}

static void a_leftover_pod_whose_slurmd_has_not_started_is_adopted(void)
{
	struct worker_pod pod = {WANTED, .phase = POD_PENDING,
				 .created_ms = BEFORE};

	expect(resume, pod, ADOPTION_ADOPT);
}

static void a_pod_of_a_node_in_use_stays_whatever_its_age_and_hash(void)
{
	struct worker_pod pod = {OURS, .hash = "old", .phase = POD_RUNNING,
				 .slurmd_running = true, .created_ms = BEFORE};

	expect(node_up(), pod, ADOPTION_ADOPT);
}

static void a_pod_of_an_older_template_is_replaced(void)
{
	struct worker_pod pod = {OURS, .hash = "old", .phase = POD_PENDING,
				 .created_ms = AFTER};

	expect(resume, pod, ADOPTION_REPLACE);
	pod.hash[0] = '\0';
	expect(resume, pod, ADOPTION_REPLACE);
}

static void a_pod_of_another_template_stays_if_it_may(void)
{
	struct worker_pod pod = {OURS, .hash = "new", .phase = POD_RUNNING,
				 .slurmd_running = true, .created_ms = AFTER};
	struct wanted_pod w = resume;

	w.any_hash = true;
	expect(w, pod, ADOPTION_ADOPT);
	pod.created_ms = BEFORE;
	expect(w, pod, ADOPTION_REPLACE);
}

static void a_reboot_replaces_whatever_is_there_even_if_in_use(void)
{
	static const int64_t created[] = {BEFORE, ASKED, AFTER, -1};

	for (size_t i = 0; i < T_COUNT(created); i++) {
		struct worker_pod pod = {WANTED, .phase = POD_RUNNING,
					 .slurmd_running = true,
					 .created_ms = created[i]};
		struct wanted_pod w = reboot();

		t_row("created %lld", (long long)created[i]);
		expect(w, pod, ADOPTION_REPLACE);
		w.node_up = true;
		expect(w, pod, ADOPTION_REPLACE);
	}
}

static void clocks_that_differ_a_little_do_not_make_a_pod_old(void)
{
	struct worker_pod pod = {WANTED, .phase = POD_RUNNING,
				 .slurmd_running = true};

	pod.created_ms = ASKED - POD_CLOCK_SLACK_MS;
	expect(resume, pod, ADOPTION_ADOPT);
	pod.created_ms--;
	expect(resume, pod, ADOPTION_REPLACE);
}

static void a_pod_of_unknown_age_is_not_called_old(void)
{
	struct worker_pod pod = {WANTED, .phase = POD_RUNNING,
				 .slurmd_running = true, .created_ms = -1};

	expect(resume, pod, ADOPTION_ADOPT);
}

T_MAIN("adoption", T(a_pod_of_somebody_else_is_never_touched),
       T(the_wanted_pod_is_adopted), T(a_pod_that_is_ending_is_waited_for),
       T(so_is_one_whose_containers_have_ended),
       T(a_pod_that_ended_by_itself_is_replaced),
       T(a_leftover_pod_whose_slurmd_started_before_the_power_up_is_replaced),
       T(a_pod_whose_slurmd_started_lately_is_adopted_however_old),
       T(a_leftover_pod_whose_slurmd_has_not_started_is_adopted),
       T(a_pod_of_a_node_in_use_stays_whatever_its_age_and_hash),
       T(a_pod_of_an_older_template_is_replaced),
       T(a_pod_of_another_template_stays_if_it_may),
       T(a_reboot_replaces_whatever_is_there_even_if_in_use),
       T(clocks_that_differ_a_little_do_not_make_a_pod_old),
       T(a_pod_of_unknown_age_is_not_called_old))
