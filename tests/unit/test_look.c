/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered of a node between two looks at it: since when it is so.
 * slurmctld, the link and its Kubernetes node are the test's, time passes when
 * a test says so, and the pods in view are real.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "engine/engine_internal.h"
#include "t.h"

#define MINUTE_MS 60000
#define FULL_MS 10000 /* a look at least so often: engine.c */

static int64_t now_ms = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

static struct cluster cluster = {.name = (char *)"c", .ns = (char *)"ns"};
static struct config config = {.clusters = &cluster, .n_clusters = 1};
static struct features features;
static struct nodeset set = {.name = (char *)"cpu",
			     .cluster = &cluster,
			     .known = &features,
			     .container = (char *)WK_CONTAINER};

const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node);
const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node)
{
	(void)c, (void)node;
	return &set;
}

/* --- the link */

static struct pod_cache *pods;
static struct plan_host host;
static bool live;

struct pod_cache *link_pods(struct link *l)
{
	(void)l;
	return pods;
}

struct work *link_work(struct link *l)
{
	(void)l;
	return NULL;
}

bool link_held(struct link *l)
{
	(void)l;
	return true;
}

bool link_live(struct link *l)
{
	(void)l;
	return live;
}

void link_host(struct link *l, const char *name, struct plan_host *out)
{
	(void)l, (void)name;
	*out = host;
}

bool work_busy(struct work *w, const char *pod)
{
	(void)w, (void)pod;
	return false;
}

bool work_may_note(struct work *w)
{
	(void)w;
	return false;
}

bool work_note(struct work *w, const struct plan_pod *pod,
	       const struct pod_jobs *jobs)
{
	(void)w, (void)pod, (void)jobs;
	return false;
}

void work_delete(struct work *w, const struct plan_pod *pod, int64_t grace_s)
{
	(void)w, (void)pod, (void)grace_s;
}

void work_event(struct work *w, const struct plan_pod *pod, bool warning,
		const char *reason, const char *message)
{
	(void)w, (void)pod, (void)warning, (void)reason, (void)message;
}

/* --- Slurm, and the rest of the engine */

bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	(void)n, (void)i, (void)out;
	return false;
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n, (void)name, (void)out;
	return false;
}

static struct cooling cooling;

struct cooling *cooling_of(struct engine *e, const struct nodeset *of)
{
	(void)e, (void)of;
	return &cooling;
}

const char *cooling_words(struct engine *e, const struct nodeset *of,
			  const struct memo *m)
{
	(void)e, (void)of, (void)m;
	return NULL;
}

void cooling_success(struct engine *e, const struct nodeset *of,
		     feature_set worn, int64_t began)
{
	(void)e, (void)of, (void)worn, (void)began;
}

void occupants_forget(struct memo *m)
{
	(void)m;
}

uint32_t note_sum(const struct memo *m)
{
	(void)m;
	return 0;
}

/* --- */

static struct engine *engine;
static struct ctl_node node;

/* cpu-1 is up and has a job; its pod is in view, if a test puts one there. */
static void begin(void)
{
	static struct link *links[1];

	pods = pod_cache_new();
	engine = calloc(1, sizeof(*engine));
	if (!pods || !engine)
		abort();
	engine->config = &config;
	engine->links = links;
	host = (struct plan_host){.known = true, .ready = true};
	live = true;
	node = (struct ctl_node){.name = "cpu-1",
				 .power = CTL_UP,
				 .busy = true,
				 .extra = "rack 7",
				 .features = "",
				 .features_active = ""};
}

static void end(void)
{
	struct memo *m, *next;

	HASH_ITER(hh, engine->memos, m, next)
	{
		HASH_DELETE(hh, engine->memos, m);
		free(m);
	}
	free(engine);
	pod_cache_free(pods);
}

static json_object *pod_json(const char *uid, const char *phase, bool deleting)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\": {\"name\": \"cpu-1\", \"uid\": \"%s\", %s"
		" \"labels\": {\"" WK_LABEL_NODE "\": \"cpu-1\","
		"  \"" WK_LABEL_NODESET "\": \"cpu\"}},"
		" \"spec\": {\"nodeName\": \"worker-7\"},"
		" \"status\": {\"phase\": \"%s\"}}",
		uid,
		deleting ? "\"deletionTimestamp\": \"2026-01-02T03:04:05Z\","
			 : "",
		phase);

	return t_parse(text);
}

/* A watch shows it. */
static void show(const char *uid, const char *phase, bool deleting)
{
	_cleanup_json_ json_object *pod = pod_json(uid, phase, deleting);

	T_OK(pod_cache_put(pods, pod, WK_CONTAINER));
}

/* What is to be done after so many ms: in Slurm, then in Kubernetes. */
static void check_look(struct t_at at, int64_t after, enum plan_slurm slurm,
		       enum plan_kube kube, const char *row)
{
	struct actions a = {0};
	struct plan p = {.row = ""};

	now_ms += after;
	look_at_node(engine, &node, &a);
	if (a.n)
		p = a.v[0].plan;
	t_int(at, p.slurm, slurm);
	t_int(at, p.kube, kube);
	t_str(at, p.row, row);
	free(a.v);
}
#define LOOK(after, slurm, kube, row)                                          \
	check_look(T_HERE, after, slurm, kube, row)
#define NOTHING(after) LOOK(after, PLAN_KEEP, PLAN_LEAVE, "")

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
	LOOK(0, PLAN_DRAIN, PLAN_LEAVE, "host not ready");
	drain(true);
	for (int i = 0; i < 30; i++)
		NOTHING(FULL_MS);
	node.no_respond = true;
	NOTHING(FULL_MS);
	NOTHING(59999);
	LOOK(1, PLAN_DOWN, PLAN_DELETE, "host lost");
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
	LOOK(1000, PLAN_UNDRAIN, PLAN_LEAVE, "host is back");
	host.ready = false;
	NOTHING(1000);
	NOTHING(50000);
	host.known = false;
	NOTHING(1000);
	host.known = true;
	NOTHING(1000);
	NOTHING(59999);
	LOOK(1, PLAN_DOWN, PLAN_DELETE, "host lost");
	end();
}

/* Slurm says that such a node does not respond until it has registered. */
static void an_undrain_while_the_host_seems_lost_ends_no_jobs(void)
{
	begin();
	show("1", "Running", false);
	host.ready = false;
	LOOK(0, PLAN_DRAIN, PLAN_LEAVE, "host not ready");
	drain(true);
	NOTHING(5 * MINUTE_MS);
	for (int i = 0; i < 3; i++) {
		drain(false);
		node.no_respond = true;
		LOOK(1000, PLAN_DRAIN, PLAN_LEAVE, "host not ready");
		drain(true);
		NOTHING(1000);
		NOTHING(30000);
		NOTHING(29999);
	}
	LOOK(1, PLAN_DOWN, PLAN_DELETE, "host lost");
	end();
}

/* --- a pod that has ended */

/* Kubernetes answers; uid NULL: it has none. */
static void answer(const char *uid, const char *phase, bool deleting)
{
	_cleanup_json_ json_object *pod =
		uid ? pod_json(uid, phase, deleting) : NULL;

	pod_cache_looked(pods, "cpu-1", "cpu-1", now_ms, pod);
}

/* The node is powered down, then up, and has a job; its last pod is in view. */
static void begin_anew(void)
{
	begin();
	node.busy = false;
	node.power = CTL_POWERING_DOWN;
	show("old", "Succeeded", true);
	look_at_node(engine, &node, &(struct actions){0});
	answer("old", "Succeeded", true);
	live = false;
	now_ms += 2000;
	node.power = CTL_POWERED_DOWN;
	look_at_node(engine, &node, &(struct actions){0});
	now_ms += 2000;
	node.power = CTL_POWERING_UP;
	node.busy = true;
	look_at_node(engine, &node, &(struct actions){0});
	now_ms += 100;
	node.power = CTL_UP;
}

static void a_pod_that_ends_under_a_job_is_lost_when_kubernetes_says_so(void)
{
	begin();
	show("1", "Running", false);
	NOTHING(5 * MINUTE_MS);
	show("1", "Failed", false);
	LOOK(0, PLAN_KEEP, PLAN_LOOK, "");
	answer("1", "Failed", false);
	LOOK(10, PLAN_DOWN, PLAN_DELETE, "pod ended");
	show("1", "Failed", false); /* said once more */
	LOOK(10, PLAN_DOWN, PLAN_DELETE, "pod ended");
	end();
}

static void the_end_of_the_pod_before_ends_no_jobs(void)
{
	static const char *const now[] = {"new", NULL};

	for (size_t i = 0; i < T_COUNT(now); i++) {
		t_row("%zu", i);
		begin_anew();
		LOOK(0, PLAN_KEEP, PLAN_LOOK, "");
		LOOK(500, PLAN_KEEP, PLAN_LOOK, "");
		answer(now[i], "Running", false);
		LOOK(500, PLAN_KEEP, PLAN_LOOK, "");
		live = true;
		LOOK(500, PLAN_KEEP, PLAN_LOOK, "");
		answer(now[i], "Running", false);
		LOOK(FULL_MS, PLAN_KEEP, PLAN_LOOK, "");
		show("new", "Running", false);
		NOTHING(500);
		end();
	}
}

static void an_answer_counts_in_its_power_state_for_a_minute(void)
{
	begin_anew();
	LOOK(0, PLAN_KEEP, PLAN_LOOK, "");
	answer("old", "Succeeded", true); /* slurmd runs without it */
	LOOK(MINUTE_MS, PLAN_DOWN, PLAN_LEAVE, "pod ended");
	LOOK(1, PLAN_KEEP, PLAN_LOOK, "");
	end();
}

T_MAIN("look", T(a_host_is_lost_when_it_and_slurmd_are_silent_for_a_minute),
       T(each_break_of_the_silence_begins_it_anew),
       T(an_undrain_while_the_host_seems_lost_ends_no_jobs),
       T(a_pod_that_ends_under_a_job_is_lost_when_kubernetes_says_so),
       T(the_end_of_the_pod_before_ends_no_jobs),
       T(an_answer_counts_in_its_power_state_for_a_minute))
