/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a group's plan is made by; the rest of the bridge is the test's. */
#include <time.h>

#include "group_observe_fixture.h"

static void what_may_not_enter_is_nobodys_orphan(void)
{
	static const struct {
		const char *ns, *row;
	} rows[] = {{"ns", "orphan"}, {"other", "outside"}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene(rows[i].ns, PLACEHOLDER_NONE, NULL);

		t_row("%s", rows[i].ns);
		s.q->job.state_at = clock_ms() - BRIDGE_ORPHAN_MS - 1;
		add_pod(s.g, "n1", false);
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
	}
}

/* The API server did not answer, and the job was cancelled meanwhile. */
static void what_is_being_bound_gets_no_job_yet(void)
{
	static const enum placeholder_state rows[] = {PLACEHOLDER_ENDED,
						      PLACEHOLDER_NONE};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i], NULL);

		t_row("%zu", i);
		add_pod(s.g, "", false);
		add_pod(s.g, "", false);
		being_bound = "u1";
		look(&s);
		T_STR(s.j.plan.row, "being bound");
		T_INT(s.j.plan.action, GROUP_KEEP);
		being_bound = NULL;
		look(&s);
		T_STR(s.j.plan.row, "submit");
	}
}

/* (a job that waits keeps its age) */
static void what_is_not_seen_for_now_cancels_nothing(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_PENDING, NULL);

	cannot_see = "PodGroups cannot be seen: reset";
	s.g->of.kind = WORKLOAD_PODGROUP;
	s.g->of.members = 0;
	add_pod(s.g, "", false);
	look(&s);
	T_OK(!s.j.view.refusal);
	T_HAS(s.j.not_yet, cannot_see);
	T_OK(s.j.plan.action != GROUP_CANCEL);
	s.q->job.state = PLACEHOLDER_NONE;
	look(&s);
	T_INT(s.j.plan.action, GROUP_WAIT);
	T_HAS(s.j.plan.words, cannot_see);
	cannot_see = NULL;
}

/* (its Job may be there: it is not refused, nor is its job cancelled) */
static void who_has_too_many_objects_waits_and_is_told(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_NONE, NULL);

	cannot_see = "too many";
	cannot_see_rc = -EDQUOT;
	s.g->of.top = WORKLOAD_JOB;
	strcpy(s.g->of.top_name, "j");
	add_pod(s.g, "", false);
	look(&s);
	T_STR(s.j.plan.row, "unknown size");
	T_INT(s.j.plan.action, GROUP_WAIT);
	T_STR(s.j.plan.words, "Job ns/j: too many");
	T_STR(s.j.too_many, "Too many objects");
	s.q->job.state = PLACEHOLDER_PENDING;
	s.q->job.id = 7;
	s.q->job.reason = (char *)"Priority";
	look(&s);
	T_STR(s.j.plan.row, "note");
	T_OK(!s.j.too_many);
	/* what may be gone is not known to be */
	s.q->job.state = PLACEHOLDER_NONE;
	s.g->of.top = WORKLOAD_POD;
	s.g->of.kind = WORKLOAD_GROUP;
	look(&s);
	T_STR(s.j.plan.row, "unknown size");
	T_STR(s.j.too_many, "Too many objects");
	cannot_see = NULL;
	cannot_see_rc = -EAGAIN;
}

/* The built-in PodGroup, the Job of its pod, the Workload it was made of. */
static void who_is_above_speaks_louder(void)
{
	static const struct {
		bool job, workload;
		const char *name;
	} rows[] = {
		{false, false, "group"},
		{true, false, "job"},
		{false, true, "workload"},
		{true, true, "workload"},
	};
	const job_option_set allow = served.allow;

	served.allow = ~(job_option_set)0;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_NONE, NULL);

		t_row("%s, %zu", rows[i].name, i);
		objects[WORKLOAD_GROUP] =
			NAMED("group",
			      "\"schedulingPolicy\": {\"gang\": {\"minCount\": "
			      "1}}, \"podGroupTemplateRef\": {\"workload\": "
			      "{\"workloadName\": \"w\"}}");
		objects[WORKLOAD_JOB] = rows[i].job ? NAMED("job", "") : NULL;
		objects[WORKLOAD_WORKLOAD] =
			rows[i].workload ? NAMED("workload", "") : NULL;
		s.g->of.kind = WORKLOAD_GROUP;
		s.g->of.members = 0;
		strcpy(s.g->of.name, "g");
		s.g->of.top = rows[i].job ? WORKLOAD_JOB : WORKLOAD_POD;
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.plan.row, "submit");
		T_STR(job_options_text(&s.j.order.options, JOB_OPTION_JOB_NAME),
		      rows[i].name);
	}
	served.allow = allow;
	memset(objects, 0, sizeof(objects));
}

/* Pods without an owner: the Workload says what it was made for. */
static void the_workloads_controller_speaks_too(void)
{
	static const struct {
		const char *workload; /* annotations, which win; or none */
		bool job;	      /* it is there */
		const char *name;
	} rows[] = {
		{"", true, "job"},
		{"", false, "group"},
		{", \"annotations\": {\"job.slurm-k8s.io/job-name\": "
		 "\"workload\"}",
		 true, "workload"},
	};
	const job_option_set allow = served.allow;

	served.allow = ~(job_option_set)0;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_NONE, NULL);
		_cleanup_free_ char *workload = str_printf(
			"{\"metadata\": {\"name\": \"w\"%s}, \"spec\": "
			"{\"controllerRef\": {\"apiGroup\": \"batch\", "
			"\"kind\": \"Job\", \"name\": \"j\"}}}",
			rows[i].workload);

		t_row("%zu", i);
		objects[WORKLOAD_GROUP] =
			NAMED("group", "\"schedulingPolicy\": {\"gang\": "
				       "{\"minCount\": 1}}, \"workloadRef\": "
				       "{\"workloadName\": \"w\"}");
		objects[WORKLOAD_WORKLOAD] = workload;
		objects[WORKLOAD_JOB] = rows[i].job ? NAMED("job", "") : NULL;
		s.g->of.kind = WORKLOAD_GROUP;
		s.g->of.members = 0;
		strcpy(s.g->of.name, "g");
		add_pod(s.g, "", false);
		look(&s);
		T_STR(tied[BRIDGE_TIE_MADE_OF], "w");
		T_STR(tied[BRIDGE_TIE_MADE_FOR], "j");
		T_STR(s.j.plan.row, "submit");
		T_STR(job_options_text(&s.j.order.options, JOB_OPTION_JOB_NAME),
		      rows[i].name);
	}
	served.allow = allow;
	memset(objects, 0, sizeof(objects));
}

/* (each of its pods may have a job of its own: that is not known) */
static void of_a_group_that_is_not_known_nothing_that_runs_is_an_orphan(void)
{
	for (int known = 0; known < 2; known++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_NONE, NULL);

		t_row("%d", known);
		s.g->of.kind = WORKLOAD_GROUP;
		s.q->early.undecided = !known;
		s.q->job.state_at = clock_ms() - BRIDGE_ORPHAN_MS - 1;
		add_pod(s.g, "n1", false);
		look(&s);
		T_STR(s.j.plan.row, known ? "orphan" : "pods unknown");
	}
}

static void what_a_podgroup_cannot_have_is_said(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_NONE, NULL);

	objects[WORKLOAD_GROUP] = NAMED(
		"group", "\"schedulingPolicy\": {\"gang\": {\"minCount\": "
			 "1}}, \"schedulingConstraints\": {\"topology\": "
			 "[{\"key\": \"rack\"}]}");
	s.g->of.kind = WORKLOAD_GROUP;
	s.g->of.members = 0;
	strcpy(s.g->of.name, "g");
	add_pod(s.g, "", false);
	look(&s);
	T_STR(s.j.plan.row, "refused");
	T_STR(s.j.refusal,
	      "SchedulingPodGroup ns/g: has schedulingConstraints: Slurm has a "
	      "topology of its own; ask for --switches or --constraint by "
	      "annotation");
	memset(objects, 0, sizeof(objects));
}

/* Its uid and number are known of the pods; the rest is the Job's to say. */
static void a_job_that_is_a_gang_says_what_it_wants(void)
{
	const job_option_set allow = served.allow;

	served.allow = ~(job_option_set)0;
	objects[WORKLOAD_JOB] = NAMED("job", "\"parallelism\": 2, "
					     "\"activeDeadlineSeconds\": 600");
	for (uint32_t members = 0; members < 2; members++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_NONE, NULL);

		s.g->of.kind = WORKLOAD_JOB;
		s.g->of.members = members;
		strcpy(s.g->of.name, "g");
		strcpy(s.g->of.uid, "1-2");
		s.g->of.top = WORKLOAD_POD;
		add_pod(s.g, "", false);
		look(&s);
		t_row("%u", members);
		T_INT(s.j.view.members, members ? members : 2);
		T_STR(job_options_text(&s.j.order.options, JOB_OPTION_JOB_NAME),
		      "job");
		T_INT(job_options_num(&s.j.order.options, JOB_OPTION_TIMELIMIT,
				      0),
		      10);
	}
	served.allow = allow;
	memset(objects, 0, sizeof(objects));
}

static void what_ends_a_pod_ends_its_job(void)
{
	static const struct {
		int64_t pod_s;
		const char *job, *set; /* the object above; or NULL */
		int64_t minutes;
	} rows[] = {
		{0, NULL, NULL, 0},
		{90, NULL, NULL, 12}, /* and ten minutes */
		{90, "\"activeDeadlineSeconds\": 60", NULL, 1},
		{90, "\"activeDeadlineSeconds\": 6000", NULL, 12},
		{90, "\"parallelism\": 2", NULL, 12},
		{0, NULL,
		 "\"replicatedJobs\": [{\"template\": {\"spec\": "
		 "{\"activeDeadlineSeconds\": 600}}}, {\"template\": "
		 "{\"spec\": {\"activeDeadlineSeconds\": 1200}}}]",
		 30},
		{0, NULL,
		 "\"replicatedJobs\": [{\"template\": {\"spec\": "
		 "{\"activeDeadlineSeconds\": 600}}}, {\"template\": "
		 "{}}]",
		 0},
		{0, NULL, "\"replicatedJobs\": []", 0},
		{0, NULL, "\"replicatedJobs\": 7", 0},
	};
	const job_option_set allow = served.allow;

	served.allow = ~(job_option_set)0;
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_NONE, NULL);
		_cleanup_free_ char *text = NULL;

		t_row("%zu", i);
		s.g->of.top = rows[i].job   ? WORKLOAD_JOB
			      : rows[i].set ? WORKLOAD_JOBSET
					    : WORKLOAD_POD;
		if (s.g->of.top != WORKLOAD_POD) {
			strcpy(s.g->of.top_name, "g");
			text = str_printf("{\"metadata\": {}, \"spec\": {%s}}",
					  rows[i].job ? rows[i].job
						      : rows[i].set);
			objects[s.g->of.top] = text;
		}
		shape.deadline_s = rows[i].pod_s;
		add_pod(s.g, "", false);
		look(&s);
		T_INT(job_options_num(&s.j.order.options, JOB_OPTION_TIMELIMIT,
				      s.j.order.options.most_minutes),
		      rows[i].minutes);
		memset(objects, 0, sizeof(objects));
	}
	shape.deadline_s = 0;
	served.allow = allow;
}

/* (a pod names a Job that there is, by another uid) */
static void pods_of_another_job_of_that_name_wait(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_NONE, NULL);

	objects[WORKLOAD_JOB] = NAMED("job", "\"parallelism\": 1");
	s.g->of.kind = WORKLOAD_JOB;
	strcpy(s.g->of.name, "g");
	strcpy(s.g->of.uid, "6-6");
	add_pod(s.g, "", false);
	look(&s);
	T_STR(s.j.plan.row, "unknown size");
	T_HAS(s.j.plan.words, "Job g is another one now");
	memset(objects, 0, sizeof(objects));
}

/* Its job has ended with the pod that failed last; that one is made anew. */
static void a_jobset_does_not_wait_for_what_has_succeeded(void)
{
	static const struct {
		bool succeeded;
		const char *row;
	} rows[] = {{true, "submit"}, {false, "incomplete"}};
	const job_option_set allow = served.allow;

	served.allow = ~(job_option_set)0;
	objects[WORKLOAD_JOBSET] =
		NAMED("job", "\"replicatedJobs\": [{\"template\": {\"spec\": "
			     "{\"parallelism\": 2, \"completions\": 2}}}]");
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_ENDED, NULL);

		t_row("%zu", i);
		s.g->of.kind = WORKLOAD_JOBSET;
		s.g->of.members = 0;
		strcpy(s.g->of.name, "g");
		s.q->job.end = PLACEHOLDER_FAILED;
		add_pod(s.g, "n1", false);
		s.g->members->pod->ended = true;
		s.g->members->pod->job_id = 7;
		s.g->members->pod->phase =
			rows[i].succeeded ? POD_SUCCEEDED : POD_FAILED;
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
	}
	served.allow = allow;
	memset(objects, 0, sizeof(objects));
}

/* (u0 was told; then u1 has come, which waits by the same reason) */
static void a_pod_that_takes_anothers_place_is_told(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_PENDING, NULL);

	add_pod(s.g, "", false);
	s.q->job.reason = (char *)"Priority";
	s.q->told.reason = (char *)"Priority";
	s.q->told.pods = pod_sum("u0");
	look(&s);
	str_copy(s.q->job.options_digest, s.j.order.id.options_digest,
		 sizeof(s.q->job.options_digest));
	look(&s);
	T_STR(s.j.plan.row, "pending");
	add_pod(s.g, "", false);
	look(&s);
	T_STR(s.j.plan.row, "note");
}

/* Job "mine" had n1 before, and runs on n2 now: who is to be deleted? */
static void pods_on_earlier_nodes_are_misplaced(void)
{
	_cleanup_scene_ struct scene s =
		scene("ns", PLACEHOLDER_RUNNING, "n[2-3]");
	struct pod_selection chosen = {0};

	s.q->job.made_for = 2;
	add_pod(s.g, "n1", false);
	add_pod(s.g, "n2", false);
	look(&s);
	T_INT(s.j.view.pods.misplaced, 0); /* it was never put back */
	s.q->job.requeued = true;
	look(&s);
	T_INT(s.j.view.pods.misplaced, 1);
	T_STR(s.j.plan.row, "misplaced");
	T_INT(select_pods(s.g, &s.j, &chosen), 0);
	T_INT(chosen.n, 1);
	T_STR(chosen.n ? chosen.v->node : "", "n1");
	T_OK(chosen.n && chosen.v->ports);
	free(chosen.v);
	/* what is not known is left alone */
	free(s.q->nodes.names);
	s.q->nodes.names = NULL;
	look(&s);
	T_INT(s.j.view.pods.misplaced, 0);
	T_OK(!s.q->whereabouts.misplaced);
}

/* Their job is none of Slurm's, or has not started, just after our start. */
static void pods_that_run_are_asked_where(void)
{
	static const struct {
		enum placeholder_state job;
		uint32_t marked;
		bool early, requeued;
		const char *row, *places;
	} rows[] = {
		{PLACEHOLDER_NONE, 5, true, false, "lost", "n1"},
		{PLACEHOLDER_NONE, 0, true, false, "nothing", NULL},
		{PLACEHOLDER_PENDING, 0, true, false, "pods gone", NULL},
		{PLACEHOLDER_RUNNING, 0, true, false, "bound by others", NULL},
		{PLACEHOLDER_HELD, 7, true, false, "forgotten", "n1"},
		{PLACEHOLDER_NONE, 5, false, false, "orphan?", "n1"},
		{PLACEHOLDER_PENDING, 7, true, false, "forgotten", "n1"},
		{PLACEHOLDER_PENDING, 7, false, false, "forgotten", "n1"},
		{PLACEHOLDER_PENDING, 7, true, true, "requeued", NULL},
		{PLACEHOLDER_RUNNING, 7, true, false, "elsewhere", NULL},
		{PLACEHOLDER_RUNNING, 7, false, false, "running", NULL},
		{PLACEHOLDER_RUNNING, 7, true, true, "misplaced", NULL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s = scene("ns", rows[i].job, "n2");

		t_row("%zu", i);
		s.b.active.since =
			clock_ms() - (rows[i].early ? 1 : BRIDGE_EARLY_MS + 1);
		s.q->job.state_at = clock_ms();
		s.q->job.requeued = rows[i].requeued;
		add_pod(s.g, "n1", false);
		s.g->members->pod->job_id = rows[i].marked;
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		if (rows[i].places)
			T_STR(s.j.order.places, rows[i].places);
		else
			T_OK(!s.j.order.places);
	}
}

static void nothing_is_bound_before_there_is_room(void)
{
	for (int there_is = 0; there_is < 2; there_is++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_RUNNING, "n1");

		t_row("%d", there_is);
		room = there_is;
		add_pod(s.g, "", false);
		look(&s);
		T_STR(s.j.plan.row, there_is ? "bind" : "no room yet");
	}
}

/* Job 5 was preempted while its binding to n1 was on its way; 7 has n2. */
static void what_an_earlier_job_has_bound_late_is_misplaced(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n2");

	add_pod(s.g, "n1", false);
	s.g->members->pod->job_id = 5;
	look(&s);
	T_INT(s.j.view.pods.misplaced, 1);
	T_STR(s.j.plan.row, "misplaced");
}

/* Its user has made job 7 smaller: n2 is somebody else's by now. */
static void pods_on_a_node_that_their_job_has_lost_go(void)
{
	static const enum placeholder_state states[] = {PLACEHOLDER_RUNNING,
							PLACEHOLDER_SUSPENDED};

	for (size_t i = 0; i < T_COUNT(states); i++) {
		_cleanup_scene_ struct scene s = scene("ns", states[i], "n1");
		struct pod_selection chosen = {0};

		t_row("%zu", i);
		s.q->job.made_for = 2;
		add_pod(s.g, "n1", false);
		add_pod(s.g, "n2", false);
		s.q->nodes.others_at = 1;
		look(&s);
		T_STR(s.j.plan.row, "misplaced");
		T_INT(select_pods(s.g, &s.j, &chosen), 0);
		T_INT(chosen.n, 1);
		if (chosen.n)
			T_STR(chosen.v[0].node, "n2");
		free(chosen.v);
		/* (which those are is not known for a moment) */
		free(s.q->nodes.names);
		s.q->nodes.names = NULL;
		look(&s);
		T_OK(strcmp(s.j.plan.row, "misplaced") != 0);
	}
}

/* Of job 7, which has ended, or of 8, which Slurm has forgotten? */
static void pods_of_a_forgotten_job_do_not_end_with_the_one_before(void)
{
	for (int forgotten = 0; forgotten < 2; forgotten++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_ENDED, "n1");

		t_row("%d", forgotten);
		s.q->job.end = PLACEHOLDER_COMPLETED;
		s.b.active.since = clock_ms() - 1;
		add_pod(s.g, "n1", false);
		s.g->members->pod->job_id = forgotten ? 8 : 7;
		look(&s);
		T_STR(s.j.plan.row, forgotten ? "lost" : "ended");
	}
}

/* What the job was given is its pods'; what is more is somebody else's. */
static void a_pod_that_was_resized_may_have_what_its_job_has(void)
{
	static const struct {
		int64_t cpu_milli, memory_bytes; /* of each pod */
		struct placed_node n1;
		bool resized;
		const char *row;
	} rows[] = {
		{1000, 1 << 20, {.cpus = 2, .memory_mib = 2}, true, "running"},
		{1001, 1 << 20, {.cpus = 2, .memory_mib = 2}, true, "resized"},
		{1000,
		 (1 << 20) + 1,
		 {.cpus = 2, .memory_mib = 2},
		 true,
		 "resized"},
		{1000, INT64_MAX / 4, {.cpus = 2}, true, "running"},
		{1000, INT64_MAX, {.cpus = 2}, true, "resized"},
		/* (with another size they were never made) */
		{9000, 1 << 20, {.cpus = 2, .memory_mib = 2}, false, "running"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_RUNNING, "n[1-2]");
		struct pod_selection chosen = {0};

		t_row("%zu", i);
		shape.need = (struct pod_requests){
			.cpu_milli = rows[i].cpu_milli,
			.memory_bytes = rows[i].memory_bytes};
		layout[0] = rows[i].n1;
		layout[0].name = "n1";
		layout[1] = (struct placed_node){.name = "n2", .cpus = 64};
		s.q->nodes.layout = (struct ctl_layout *)layout;
		s.q->job.made_for = 3;
		add_pod(s.g, "n1", false);
		add_pod(s.g, "n1", false);
		s.g->members->pod->respecced = rows[i].resized; /* u1 */
		add_pod(s.g, "n2", false);
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
		T_INT(select_pods(s.g, &s.j, &chosen), 0);
		T_INT(chosen.n, !strcmp(rows[i].row, "resized"));
		if (chosen.n)
			T_STR(chosen.v[0].uid, "u1");
		free(chosen.v);
		s.q->nodes.layout = NULL; /* not known: nothing is concluded */
		look(&s);
		T_STR(s.j.plan.row, "running");
	}
	shape.need = (struct pod_requests){0};
}

#define MANY 8000

/* (each pod was compared with each node) */
static void a_large_gang_of_which_one_was_resized_is_judged_soon(void)
{
	_cleanup_scene_ struct scene s =
		scene("ns", PLACEHOLDER_RUNNING, "n[1-8000]");
	_cleanup_free_ struct placed_node *nodes = calloc(MANY, sizeof(*nodes));
	static char names[MANY][8];
	const clock_t begin = clock();
	clock_t making, judging;

	inventory_free(s.b.inventory);
	s.b.inventory = fixture_hosts(MANY);
	for (int i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "n%d", i + 1);
		nodes[i] = (struct placed_node){
			.name = names[i], .cpus = 2, .memory_mib = 2};
		add_pod(s.g, names[i], false);
	}
	making = clock() - begin;
	shape.need = (struct pod_requests){.cpu_milli = 2000,
					   .memory_bytes = 2 << 20};
	s.q->nodes.layout = (struct ctl_layout *)layout;
	s.q->job.made_for = MANY;
	s.g->members->next->pod->respecced = true;
	large = nodes;
	n_large = MANY;
	look(&s);
	T_STR(s.j.plan.row, "running");
	nodes[MANY - 2].cpus = 1; /* (of the last pod but one) */
	look(&s);
	judging = clock() - begin - making;
	T_STR(s.j.plan.row, "resized");
	T_INT(s.j.view.pods.grown, 1);
	T_OK(s.g->members->next->look.grown);
	T_OK(judging < making);
	large = NULL;
	s.q->nodes.layout = NULL;
	shape.need = (struct pod_requests){0};
}

static size_t chosen(struct scene *s)
{
	struct pod_selection pods = {0};
	size_t n;

	look(s);
	T_INT(select_pods(s->g, &s->j, &pods), 0);
	n = pods.n;
	free(pods.v);
	return n;
}

/* What Slurm says is new; what Kubernetes says is old. */
static void by_an_old_view_only_pods_of_jobs_that_ended_go(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_NONE, NULL);

	s.b.view.old = true;
	add_pod(s.g, "", false);
	T_INT(chosen(&s), 0); /* (else it is submitted) */
	T_STR(s.j.plan.row, "stale");
	s.q->job.state = PLACEHOLDER_RUNNING;
	s.q->job.id = 7;
	T_INT(chosen(&s), 0); /* (else it is bound) */
	T_STR(s.j.plan.row, "stale");
	s.q->job.state = PLACEHOLDER_ENDED;
	s.q->job.end = PLACEHOLDER_CANCELLED;
	T_INT(chosen(&s), 0);
	T_STR(s.j.plan.row, "stale");
	s.q->bound.job = 7; /* it may be bound, unseen */
	T_INT(chosen(&s), 1);
	T_STR(s.j.plan.row, "stale, ended");
	T_INT(s.j.plan.action, GROUP_DELETE_PODS);
	T_OK(s.j.plan.look);
	s.b.view.old = false;
	look(&s);
	T_INT(s.j.plan.action, GROUP_SUBMIT);
}

static void of_bound_pods_those_with_the_jobs_id_are_looked_at(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_ENDED, NULL);

	s.b.view.old = true;
	s.q->job.end = PLACEHOLDER_TIMEOUT;
	add_pod(s.g, "n1", false);
	add_pod(s.g, "n2", false);
	s.g->members->pod->job_id = 6;
	s.g->members->next->pod->job_id = 0;
	T_INT(chosen(&s), 0);
	T_STR(s.j.plan.row, "stale, ended");
	s.g->members->pod->job_id = 7;
	T_INT(chosen(&s), 1);
}

static void what_somebody_else_has_bound_stays(void)
{
	_cleanup_scene_ struct scene s = scene("ns", PLACEHOLDER_RUNNING, "n1");

	add_pod(s.g, "n2", false);
	add_pod(s.g, "n1", false);
	s.q->bound.taken = 7;
	look(&s);
	T_STR(s.j.plan.row, "taken");
	s.q->job.state = PLACEHOLDER_ENDED;
	s.q->job.end = PLACEHOLDER_CANCELLED;
	T_INT(chosen(&s), 2);
	s.g->members->foreign = true;
	T_INT(chosen(&s), 1);
}

/* Whoever changes schedulerName in k8s.yaml must not end what runs. */
static void a_job_for_pods_of_another_scheduler_is_left_alone(void)
{
	static const struct {
		enum placeholder_state job;
		const char *row, *otherwise;
	} rows[] = {
		{PLACEHOLDER_PENDING, "pods unknown", "pods gone"},
		{PLACEHOLDER_HELD, "pods unknown", "pods gone"},
		{PLACEHOLDER_STARTING, "pods unknown", "pods gone"},
		{PLACEHOLDER_RUNNING, "pods unknown", "pods gone"},
		{PLACEHOLDER_SUSPENDED, "pods unknown", "pods gone"},
		{PLACEHOLDER_COMPLETING, "pods unknown", "completing"},
		/* (nothing of it can be ended any more) */
		{PLACEHOLDER_ENDED, "nothing", "nothing"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		for (int other_scheduler = 0; other_scheduler < 2;
		     other_scheduler++) {
			_cleanup_scene_ struct scene s =
				scene("ns", rows[i].job, NULL);

			t_row("%zu %d", i, other_scheduler);
			s.q->job.other_scheduler = other_scheduler;
			s.q->job.by_us =
				other_scheduler; /* (nor is it given up) */
			look(&s);
			T_STR(s.j.plan.row, other_scheduler
						    ? rows[i].row
						    : rows[i].otherwise);
			T_INT(s.j.plan.action, other_scheduler || i > 4
						       ? GROUP_KEEP
						       : GROUP_CANCEL);
		}
	}
}

/* A JobSet that was made anew under its name, say, with the new one. */
static void its_groups_other_pods_wait_and_are_told(void)
{
	for (int old = 0; old < 2; old++) {
		_cleanup_scene_ struct scene s =
			scene("ns", PLACEHOLDER_RUNNING, "n1");

		t_row("%d", old);
		objects[WORKLOAD_JOBSET] = NAMED("job", "\"parallelism\": 1");
		s.g->of.kind = WORKLOAD_JOBSET;
		strcpy(s.g->of.name, "g");
		strcpy(s.q->job.uid, "1-1");
		s.q->job.other_scheduler = true;
		s.b.view.old = old;
		add_pod(s.g, "", false);
		look(&s);
		T_INT(s.j.plan.action, old ? GROUP_KEEP : GROUP_WAIT);
		T_STR(s.j.plan.row, old ? "stale" : "pods unknown");
		T_HAS(s.j.plan.words,
		      old ? "" : "job 7 of its group is for pods of another");
		/* (nor are those ended that are bound) */
		s.q->job.state = PLACEHOLDER_PENDING;
		s.q->job.requeued = true;
		add_pod(s.g, "n2", false);
		look(&s);
		T_INT(s.j.plan.action, old ? GROUP_KEEP : GROUP_WAIT);
		/* when it has ended they get their own */
		s.q->job.state = PLACEHOLDER_NONE;
		s.q->job.id = 0;
		s.b.view.old = false;
		look(&s);
		T_OK(strcmp(s.j.plan.row, "pods unknown") != 0);
	}
	memset(objects, 0, sizeof(objects));
}

T_MAIN("group_observe", T(a_job_for_pods_of_another_scheduler_is_left_alone),
       T(its_groups_other_pods_wait_and_are_told),
       T(by_an_old_view_only_pods_of_jobs_that_ended_go),
       T(of_bound_pods_those_with_the_jobs_id_are_looked_at),
       T(what_somebody_else_has_bound_stays),
       T(what_may_not_enter_is_nobodys_orphan),
       T(what_is_being_bound_gets_no_job_yet),
       T(what_is_not_seen_for_now_cancels_nothing),
       T(who_has_too_many_objects_waits_and_is_told),
       T(who_is_above_speaks_louder), T(the_workloads_controller_speaks_too),
       T(of_a_group_that_is_not_known_nothing_that_runs_is_an_orphan),
       T(what_a_podgroup_cannot_have_is_said),
       T(a_job_that_is_a_gang_says_what_it_wants),
       T(what_ends_a_pod_ends_its_job),
       T(pods_of_another_job_of_that_name_wait),
       T(a_jobset_does_not_wait_for_what_has_succeeded),
       T(a_pod_that_takes_anothers_place_is_told),
       T(pods_on_earlier_nodes_are_misplaced), T(pods_that_run_are_asked_where),
       T(nothing_is_bound_before_there_is_room),
       T(pods_on_a_node_that_their_job_has_lost_go),
       T(what_an_earlier_job_has_bound_late_is_misplaced),
       T(pods_of_a_forgotten_job_do_not_end_with_the_one_before),
       T(a_pod_that_was_resized_may_have_what_its_job_has),
       T(a_large_gang_of_which_one_was_resized_is_judged_soon))
