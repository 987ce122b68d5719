/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered of a node between two looks at it: since when it is so.
 * slurmctld, the link and its Kubernetes node are the test's, time passes when
 * a test says so, and the pods in view are real.
 */
#include "node_observe_fixture.h"

/* --- a host that is lost */

static void drain(bool drained)
{
	node.drained = drained;
	node.reason =
		drained ? "k8s: Kubernetes node worker-7 is not ready" : "";
}

static void a_host_is_lost_when_it_and_slurmd_are_silent_for_a_minute(void)
{
	begin();
	show("1", "Running", false);
	NOTHING(MINUTE_MS);
	host.ready = false;
	LOOK(0, NODE_DRAIN, POD_LEAVE, "host not ready");
	drain(true);
	for (int i = 0; i < 30; i++)
		NOTHING(FULL_MS);
	node.no_respond = true;
	NOTHING(FULL_MS);
	NOTHING(59999);
	LOOK(1, NODE_DOWN, POD_DELETE, "host lost");
	end();
}

static void each_break_of_the_silence_begins_it_anew(void)
{
	begin();
	show("1", "Running", false);
	host.ready = false;
	drain(true);
	node.no_respond = true;
	NOTHING(0);
	NOTHING(50000);
	node.no_respond = false;
	NOTHING(1000);
	node.no_respond = true;
	NOTHING(1000);
	NOTHING(50000);
	host.ready = true;
	LOOK(1000, NODE_UNDRAIN, POD_LEAVE, "host is back");
	host.ready = false;
	NOTHING(1000);
	NOTHING(50000);
	host.known = false;
	NOTHING(1000);
	host.known = true;
	NOTHING(1000);
	NOTHING(59999);
	LOOK(1, NODE_DOWN, POD_DELETE, "host lost");
	end();
}

/* Slurm says that such a node does not respond until it has registered. */
static void an_undrain_while_the_host_seems_lost_ends_no_jobs(void)
{
	begin();
	show("1", "Running", false);
	host.ready = false;
	LOOK(0, NODE_DRAIN, POD_LEAVE, "host not ready");
	drain(true);
	NOTHING(5 * MINUTE_MS);
	for (int i = 0; i < 3; i++) {
		drain(false);
		node.no_respond = true;
		LOOK(1000, NODE_DRAIN, POD_LEAVE, "host not ready");
		drain(true);
		NOTHING(1000);
		NOTHING(30000);
		NOTHING(29999);
	}
	LOOK(1, NODE_DOWN, POD_DELETE, "host lost");
	end();
}

/* --- a pod that has ended */

/* Kubernetes answers; uid NULL: it has none. */
static void answer(const char *uid, const char *phase, bool deleting)
{
	_cleanup_json_ json_object *pod =
		uid ? pod_json(uid, phase, deleting) : NULL;

	worker_pods_looked(pods, "cpu-1", "cpu-1", now_ms, pod);
}

/* The node is powered down, then up, and has a job; its last pod is in view. */
static void begin_anew(void)
{
	begin();
	node.busy = false;
	node.power = CTL_POWERING_DOWN;
	show("old", "Succeeded", true);
	node_observe(engine, &node, &(struct actions){0});
	answer("old", "Succeeded", true);
	live = false;
	now_ms += 2000;
	node.power = CTL_POWERED_DOWN;
	node_observe(engine, &node, &(struct actions){0});
	now_ms += 2000;
	node.power = CTL_POWERING_UP;
	node.busy = true;
	node_observe(engine, &node, &(struct actions){0});
	now_ms += 100;
	node.power = CTL_UP;
}

static void a_pod_that_ends_under_a_job_is_lost_when_kubernetes_says_so(void)
{
	begin();
	show("1", "Running", false);
	NOTHING(5 * MINUTE_MS);
	show("1", "Failed", false);
	LOOK(0, NODE_KEEP, POD_LOOK, "");
	answer("1", "Failed", false);
	LOOK(10, NODE_DOWN, POD_DELETE, "pod ended");
	show("1", "Failed", false); /* said once more */
	LOOK(10, NODE_DOWN, POD_DELETE, "pod ended");
	end();
}

static void the_end_of_the_pod_before_ends_no_jobs(void)
{
	static const char *const now[] = {"new", NULL};

	for (size_t i = 0; i < T_COUNT(now); i++) {
		t_row("%zu", i);
		begin_anew();
		LOOK(0, NODE_KEEP, POD_LOOK, "");
		LOOK(500, NODE_KEEP, POD_LOOK, "");
		answer(now[i], "Running", false);
		LOOK(500, NODE_KEEP, POD_LOOK, "");
		live = true;
		LOOK(500, NODE_KEEP, POD_LOOK, "");
		answer(now[i], "Running", false);
		LOOK(FULL_MS, NODE_KEEP, POD_LOOK, "");
		show("new", "Running", false);
		NOTHING(500);
		end();
	}
}

static void an_answer_counts_in_its_power_state_for_a_minute(void)
{
	begin_anew();
	LOOK(0, NODE_KEEP, POD_LOOK, "");
	answer("old", "Succeeded", true); /* slurmd runs without it */
	LOOK(MINUTE_MS, NODE_DOWN, POD_LEAVE, "pod ended");
	LOOK(1, NODE_KEEP, POD_LOOK, "");
	end();
}

/* --- much is lost at once */

static unsigned int said_begin, said_end, said_long;

static void sink(enum log_level level, const char *line)
{
	said_begin += level == LOG_LEVEL_WARN && strstr(line, "SlurmdTimeout");
	said_end += level == LOG_LEVEL_INFO && strstr(line, " again (");
	said_long += level == LOG_LEVEL_WARN && strstr(line, "are too long");
}

static void show_of(const struct ctl_node *of)
{
	_cleanup_free_ char *text =
		str_printf("{\"metadata\": {\"name\": \"%s\", \"uid\": \"1\","
			   " \"labels\": {\"" WK_LABEL_NODE "\": \"%s\","
			   "  \"" WK_LABEL_NODESET "\": \"cpu\"}},"
			   " \"spec\": {\"nodeName\": \"worker-7\"},"
			   " \"status\": {\"phase\": \"Running\"}}",
			   of->name, of->name);
	_cleanup_json_ json_object *pod = t_parse(text);

	T_OK(worker_pods_put(pods, pod, WK_CONTAINER));
}

static void begin_many(size_t n)
{
	static const char *const names[] = {"cpu-0", "cpu-1", "cpu-2", "cpu-3",
					    "cpu-4", "cpu-5", "cpu-6", "cpu-7",
					    "cpu-8", "cpu-9"};

	begin();
	for (n_all = 0; n_all < n; n_all++) {
		all[n_all] = node;
		all[n_all].name = names[n_all];
		show_of(&all[n_all]);
	}
	said_begin = said_end = said_long = 0;
	log_set_sink(sink);
}

static void end_many(void)
{
	log_set_sink(NULL);
	end();
}

static size_t n_down(void)
{
	size_t n = 0;

	for (size_t i = 0; i < n_all; i++)
		n += all[i].down;
	return n;
}

/* What is to be done is looked at twice, as engine.c does; then it is done. */
static void confirm_down(struct ctl_node *of)
{
	struct actions again = {0};

	node_observe(engine, of, &again);
	if (again.n && again.v[0].plan.slurm == NODE_DOWN)
		*of = (struct ctl_node){.name = of->name,
					.power = CTL_POWERING_DOWN,
					.down = true,
					.features = "",
					.features_active = ""};
	free(again.v);
}

static struct ctl_node *node_of(const struct action *a)
{
	for (size_t i = 0; i < n_all; i++)
		if (!strcmp(all[i].name, a->memo->name))
			return &all[i];
	return NULL;
}

/* For so long; of what Kubernetes is asked at once it answers one by one. */
static void pass(int64_t ms)
{
	for (const int64_t until = now_ms + ms; now_ms < until; now_ms += 100) {
		struct actions a = {0};
		bool answers = true;

		nodes_observe(engine, &a);
		disrupted_see(engine);
		for (size_t i = 0; i < a.n; i++) {
			struct ctl_node *of = node_of(&a.v[i]);

			if (a.v[i].plan.slurm == NODE_DOWN)
				confirm_down(of);
			if (a.v[i].plan.kube == POD_LOOK && answers) {
				worker_pods_looked(pods, of->name, of->name,
						   now_ms, NULL);
				answers = false;
			}
		}
		free(a.v);
	}
}

/* The first ones: a watch shows it, or a list has them no more. */
static void lose(size_t n, bool seen)
{
	worker_pods_begin(pods);
	for (size_t i = 0; i < n && seen; i++) {
		_cleanup_free_ char *text =
			str_printf("{\"metadata\": {\"name\": \"%s\","
				   " \"uid\": \"1\"}}",
				   all[i].name);
		_cleanup_json_ json_object *pod = t_parse(text);

		worker_pods_delete(pods, pod);
	}
	for (size_t i = n; i < n_all; i++)
		show_of(&all[i]);
	worker_pods_synced(pods);
}

static void nobody_believes_that_many_pods_are_gone_at_once(void)
{
	static const struct {
		size_t nodes, lost;
		bool seen;
		size_t down;
	} rows[] = {
		{10, 6, false, 0},  {10, 10, false, 0}, {3, 3, false, 0},
		{10, 2, false, 2},  {10, 5, false, 5},	{3, 2, false, 2},
		{2, 2, false, 2},   {1, 1, false, 1},	{10, 6, true, 6},
		{10, 10, true, 10}, {3, 3, true, 3},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu of %zu, %d", rows[i].lost, rows[i].nodes,
		      rows[i].seen);
		begin_many(rows[i].nodes);
		pass(MINUTE_MS);
		lose(rows[i].lost, rows[i].seen);
		pass(2 * MINUTE_MS);
		T_INT(n_down(), rows[i].down);
		T_INT(said_begin, !rows[i].down);
		T_INT(said_end, 0);
		end_many();
	}
}

static void pods_that_are_back_end_it_and_time_counts_anew(void)
{
	begin_many(10);
	pass(MINUTE_MS);
	lose(6, false);
	pass(MINUTE_MS);
	live = false; /* no word of how it is */
	pass(MINUTE_MS);
	live = true;
	pass(MINUTE_MS);
	T_INT(said_begin, 1);
	T_INT(said_end, 0);
	lose(2, false);
	pass(9900);
	T_INT(n_down(), 0);
	T_INT(said_end, 1);
	pass(5000);
	T_INT(n_down(), 2);
	T_INT(said_begin, 1);
	end_many();
}

/* Nor does it count how many have lost theirs before: Slurm has decided. */
static void what_slurm_has_set_down_ends_it(void)
{
	begin_many(10);
	pass(MINUTE_MS);
	lose(10, false);
	pass(5 * MINUTE_MS);
	T_INT(n_down(), 0);
	for (size_t i = 0; i < 10; i++) {
		all[i].down = true;
		all[i].reason = "Not responding";
	}
	pass(10);
	T_INT(said_end, 1);
	node = all[3];
	worker_pods_looked(pods, node.name, node.name, now_ms, NULL);
	LOOK(0, NODE_POWER_OFF, POD_LEAVE, "down");
	end_many();
}

static void a_pod_that_a_watch_shows_late_is_no_loss(void)
{
	begin_many(10);
	pass(MINUTE_MS);
	lose(10, false);
	pass(4900);
	lose(0, false);
	pass(MINUTE_MS);
	T_INT(said_begin, 0);
	end_many();
}

static void nobody_believes_that_many_hosts_are_lost_at_once(void)
{
	static const struct {
		struct disruption_seen hosts;
		size_t down;
	} rows[] = {
		{{10, 6, 0}, 0}, {{10, 2, 0}, 10}, {{2, 2, 5}, 0},
		{{1, 1, 0}, 0},	 {{1, 1, 1}, 10},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu of %zu, %zu", rows[i].hosts.lost,
		      rows[i].hosts.nodes, rows[i].hosts.others_ready);
		begin_many(10);
		pass(MINUTE_MS);
		hosts = rows[i].hosts;
		host.ready = false;
		for (size_t k = 0; k < n_all; k++)
			all[k].no_respond = true;
		pass(5 * MINUTE_MS);
		T_INT(n_down(), rows[i].down);
		T_INT(said_begin, !rows[i].down);
		hosts.lost = 0; /* of these only the count is back */
		pass(MINUTE_MS);
		T_INT(n_down(), rows[i].down);
		T_INT(said_end, !rows[i].down);
		pass(5000);
		T_INT(n_down(), 10);
		end_many();
	}
}

/* --- pods of no node */

enum nodeset_is { HERE, THERE, THERE_WITH_POD, THERE_TOO, NOWHERE };

static int64_t nodes_age; /* when Slurm's nodes were read; ms ago */

/* cpu-1's pod is here, and its nodeset there; how many pods are deleted? */
static unsigned int deleted_strays(enum nodeset_is where)
{
	struct actions any = {0};

	begin();
	other_pods = worker_pods_new();
	links[0] = (struct cluster *)pods;
	links[1] = (struct cluster *)other_pods;
	config.n_clusters = 2;
	set.cluster = &clusters[where != HERE && where != NOWHERE];
	in_nodeset = where != NOWHERE;
	all[0] = node;
	all[0].power = found.power;
	n_all = found.name ? 1 : 0;
	show("1", "Running", false);
	if (where == THERE_WITH_POD || where == THERE_TOO) {
		_cleanup_json_ json_object *pod = pod_json(
			where == THERE_TOO ? "1" : "2", "Running", false);

		T_OK(worker_pods_put(other_pods, pod, WK_CONTAINER));
	}
	now_ms += MINUTE_MS;
	engine->slurm.whole_at = now_ms - nodes_age;
	deleted = 0;
	nodes_observe(engine, &any);
	free(any.v);
	in_nodeset = true;
	set.cluster = clusters;
	config.n_clusters = 1;
	links[0] = links[1] = NULL;
	worker_pods_free(other_pods);
	end();
	return deleted;
}

/* Its node may have come to Slurm since these were read. */
static void by_an_old_list_of_nodes_no_pod_is_a_stray(void)
{
	found.name = NULL;
	nodes_age = MINUTE_MS - 19000;
	T_INT(deleted_strays(NOWHERE), 0);
	nodes_age = MINUTE_MS - 21000;
	T_INT(deleted_strays(NOWHERE), 1);
	nodes_age = 0;
}

static void a_pod_that_jobs_may_use_is_no_stray(void)
{
	static const struct {
		enum ctl_node_power power;
		unsigned int there, nowhere; /* deleted */
	} rows[] = {{CTL_UP, 0, 0},
		    {CTL_POWERING_DOWN, 0, 0},
		    {CTL_POWERING_UP, 0, 0},
		    {CTL_POWERED_DOWN, 1, 1}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		found = (struct ctl_node){.name = "cpu-1",
					  .power = rows[i].power};
		T_INT(deleted_strays(HERE), 0);
		T_INT(deleted_strays(THERE), rows[i].there);
		T_INT(deleted_strays(THERE_WITH_POD), 1);
		/* (both entries lead to one namespace) */
		T_INT(deleted_strays(THERE_TOO), 0);
		T_INT(deleted_strays(NOWHERE), rows[i].nowhere);
	}
	found.name = NULL;
	T_INT(deleted_strays(THERE), 1);
	T_INT(deleted_strays(NOWHERE), 1);
}

/* Its jobs end with the pod, and not because k8s.yaml has moved its node. */
static void a_node_that_is_up_in_a_pod_of_another_cluster_is_kept(void)
{
	begin();
	other_pods = worker_pods_new();
	links[0] = (struct cluster *)pods;
	links[1] = (struct cluster *)other_pods;
	config.n_clusters = 2;
	set.cluster = &clusters[1];
	show("1", "Running", false);
	for (int i = 0; i < 12; i++)
		NOTHING(FULL_MS);
	show("1", "Succeeded", false);
	NOTHING(0);
	/* (asked for by its name) */
	LOOK(FULL_MS, NODE_KEEP, POD_LOOK, "");
	set.cluster = clusters;
	config.n_clusters = 1;
	links[0] = links[1] = NULL;
	worker_pods_free(other_pods);
	end();
}

/*
 * Slurm 22.05, after a start: all features are active, those that can be
 * changed are named twice, and so jobs wait for the pod of such a node in vain.
 */
static void long_features_are_corrected_as_well(void)
{
	static struct feature gpu = {.name = (char *)"gpu"};
	static const struct {
		size_t letters, sent; /* lists: active, and available */
	} rows[] = {{160, 2}, {490, 2}, {500, 1}, {990, 1}, {1000, 0}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *site = t_repeat("x", rows[i].letters);
		_cleanup_free_ char *has = str_printf("%s,gpu,gpu", site);
		_cleanup_free_ char *both = str_printf("%s %s,gpu", site, site);
		struct actions a = {0};

		t_row("%zu", rows[i].letters);
		begin_many(0);
		features = (struct features){.v = &gpu, .n = 1};
		engine->site.has_features = true;
		cooling.features_told = node.busy = false;
		node.power = CTL_POWERED_DOWN;
		node.features = node.features_active = has;
		node_observe(engine, &node, &a);
		T_INT(a.n, rows[i].sent > 0);
		T_STR(a.n ? a.v[0].plan.words : "", rows[i].sent == 2	? both
						    : rows[i].sent == 1 ? site
									: "");
		node.features_active = site;
		if (rows[i].sent < 2)
			NOTHING(FULL_MS);
		T_INT(said_long, rows[i].sent < 2);
		free(a.v);
		features = (struct features){0};
		end_many();
	}
}

T_MAIN("node_observe",
       T(a_host_is_lost_when_it_and_slurmd_are_silent_for_a_minute),
       T(each_break_of_the_silence_begins_it_anew),
       T(an_undrain_while_the_host_seems_lost_ends_no_jobs),
       T(a_pod_that_ends_under_a_job_is_lost_when_kubernetes_says_so),
       T(the_end_of_the_pod_before_ends_no_jobs),
       T(an_answer_counts_in_its_power_state_for_a_minute),
       T(nobody_believes_that_many_pods_are_gone_at_once),
       T(pods_that_are_back_end_it_and_time_counts_anew),
       T(what_slurm_has_set_down_ends_it),
       T(a_pod_that_a_watch_shows_late_is_no_loss),
       T(nobody_believes_that_many_hosts_are_lost_at_once),
       T(by_an_old_list_of_nodes_no_pod_is_a_stray),
       T(a_pod_that_jobs_may_use_is_no_stray),
       T(a_node_that_is_up_in_a_pod_of_another_cluster_is_kept),
       T(long_features_are_corrected_as_well))
