/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps that come and go on many nodes at once, from slurmctld's list to the
 * notes on the pods. slurmctld, the link and the clock are the test's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "cluster_fixture.h"
#include "own_lists.h"
#include "slurm/ctl_steps.h"
#include "t.h"

#define NODES_MAX 1000
#define LASTS_MS 1500 /* a step, and the pause after it */
#define LOOK_MS 100

static int64_t now_ms = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

static struct cluster_config cluster = {.name = (char *)"c",
					.ns = (char *)"ns"};
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

static struct worker_pods *pods;
static char names[NODES_MAX][8];
static size_t n_nodes;
static unsigned int notes[NODES_MAX], all_notes, idle_notes;

struct worker_pods *watch_pods(struct cluster *l)
{
	(void)l;
	return pods;
}

/* A watch shows it: with a job, and these steps. */
static void show(const char *name, const char *steps)
{
	_cleanup_json_ json_object *pod = t_parse("{}");
	json_object *meta = jx_need(pod, "metadata", json_type_object);
	json_object *at;

	jx_set_str(meta, "name", name);
	jx_set_str(meta, "uid", name);
	at = jx_need(meta, "labels", json_type_object);
	jx_set_str(at, WK_LABEL_NODE, name);
	jx_set_str(at, WK_LABEL_NODESET, "cpu");
	jx_set_str(at, WK_LABEL_BUSY, "true");
	at = jx_need(meta, "annotations", json_type_object);
	jx_set_str(at, WK_SCALE_SAFE, "false");
	jx_set_str(at, WK_SCALE_KEEP, "true");
	jx_set_str(at, WK_NOTE_JOBS, "7");
	jx_set_str(at, WK_NOTE_STEPS, steps);
	at = jx_need(pod, "status", json_type_object);
	jx_set_str(at, "phase", "Running");
	T_OK(worker_pods_put(pods, pod, WK_CONTAINER));
}

bool node_requests_may_note(struct node_requests *w)
{
	(void)w;
	return true;
}

bool node_requests_note(struct node_requests *w, const struct pod_view *pod,
			const struct pod_jobs *jobs, bool only_steps)
{
	(void)w;
	T_INT(only_steps, jobs->busy);
	idle_notes += !jobs->busy;
	all_notes++;
	notes[atoi(pod->name + 1)]++;
	if (jobs->busy)
		show(pod->name, jobs->steps);
	return true;
}

void node_requests_delete(struct node_requests *w, const struct pod_view *pod)
{
	(void)w, (void)pod;
}

void node_requests_create(struct node_requests *w, const struct nodeset *of,
			  const char *node, char *body, const char *hash,
			  int64_t since_ms, bool early)
{
	(void)w, (void)of, (void)node, (void)hash, (void)since_ms, (void)early;
	free(body);
}

bool node_requests_look(struct node_requests *w, const char *node)
{
	(void)w, (void)node;
	return true;
}

/* --- Slurm: one step on all nodes, or none */

static uint32_t step_id;
static bool runs;

static void node_of(const char *name, struct ctl_node *out)
{
	*out = (struct ctl_node){.name = name,
				 .power = CTL_UP,
				 .busy = true,
				 .extra = "rack 7",
				 .features = "",
				 .features_active = ""};
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n;
	node_of(name, out);
	return true;
}

int ctl_steps_refresh(struct ctl_steps **steps, struct err *err)
{
	(void)err;
	*steps = (struct ctl_steps *)&runs;
	return 1;
}

void ctl_steps_free(struct ctl_steps *s)
{
	(void)s;
}

bool ctl_steps_at(const struct ctl_steps *s, size_t i, struct ctl_step *out)
{
	(void)s;
	*out = (struct ctl_step){.job_id = 7,
				 .step_id = step_id,
				 .name = "wide",
				 .nodes = "n[0-999]",
				 .tasks = (uint32_t)n_nodes,
				 .started_s = 1};
	return runs && i == 0;
}

void ctl_step_name(const struct ctl_step *step, char *out, size_t size)
{
	snprintf(out, size, "7.%u", (unsigned)step->step_id);
}

int ctl_step_tasks(const struct ctl_step *step, uint32_t *tasks, size_t *n,
		   struct err *err)
{
	(void)step, (void)err;
	for (size_t i = 0; i < *n; i++)
		tasks[i] = 1;
	return 0;
}

void ctl_hostlist_each(const char *nodes,
		       void (*fn)(void *arg, const char *node), void *arg)
{
	(void)nodes;
	for (size_t i = 0; i < n_nodes; i++)
		fn(arg, names[i]);
}

/* (nothing is done to nodes and jobs) */

bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	(void)n, (void)i, (void)out;
	return false;
}

int ctl_nodes_load(struct ctl_nodes **out, struct err *err)
{
	(void)out;
	return err_oom(err);
}

int ctl_nodes_load_one(const char *name, struct ctl_nodes **out,
		       struct err *err)
{
	(void)name;
	return ctl_nodes_load(out, err);
}

void ctl_nodes_free(struct ctl_nodes *n)
{
	(void)n;
}

int ctl_node_try(const char *nodes, enum ctl_node_update what, const char *text)
{
	(void)nodes, (void)what, (void)text;
	return 0;
}

int ctl_node_update(const char *nodes, enum ctl_node_update what,
		    const char *text, struct err *err)
{
	(void)nodes, (void)what, (void)text, (void)err;
	return 0;
}

int ctl_nodes_keep(const struct ctl_nodes *now, const char *nodes,
		   enum ctl_node_update what)
{
	(void)now, (void)nodes, (void)what;
	return 0;
}

int ctl_nodes_power_down_new(const struct ctl_nodes *now, const char *nodes)
{
	(void)now, (void)nodes;
	return 0;
}

int ctl_node_features(const char *nodes, const char *active,
		      const char *available)
{
	(void)nodes, (void)active, (void)available;
	return 0;
}

int ctl_node_comment(const struct ctl_nodes *n, const char *node,
		     const char *text, struct err *err)
{
	(void)n, (void)node, (void)text, (void)err;
	return 0;
}

void ctl_reason(const char *words, char out[WK_REASON_MAX])
{
	str_copy(out, words, WK_REASON_MAX);
}

int ctl_jobs_load(struct ctl_jobs **out, struct err *err)
{
	(void)out;
	return err_oom(err);
}

void ctl_jobs_free(struct ctl_jobs *j)
{
	(void)j;
}

size_t ctl_jobs_count(const struct ctl_jobs *j)
{
	(void)j;
	return 0;
}

void ctl_jobs_on_nodes(const struct ctl_jobs *j, ctl_on_node_fn fn, void *arg)
{
	(void)j, (void)fn, (void)arg;
}

int ctl_job_comment(const struct ctl_jobs *j, uint32_t job_id, const char *text,
		    struct err *err)
{
	(void)j, (void)job_id, (void)text, (void)err;
	return 0;
}

void requeued_add(struct nodes *of, uint32_t job_id, int64_t begin_s)
{
	(void)of, (void)job_id, (void)begin_s;
}

void requeued_hold(struct nodes *of, uint32_t job_id)
{
	(void)of, (void)job_id;
}

void requeued_sent_back(struct nodes *of)
{
	(void)of;
}

/* --- */

static struct nodes *e;

/* All nodes are up and have a job, which their pods say. */
static void begin(size_t n)
{
	struct ctl_node node;
	struct node_state *m;

	hosts = (struct disruption_seen){4, 0, 0};
	n_nodes = n;
	memset(notes, 0, sizeof(notes));
	all_notes = idle_notes = 0;
	runs = false;
	pods = worker_pods_new();
	e = calloc(1, sizeof(*e));
	if (!pods || !e)
		abort();
	e->config = &config;
	e->links = calloc(1, sizeof(*e->links));
	e->disrupted = calloc(1, sizeof(*e->disrupted));
	e->turns = calloc(1, sizeof(*e->turns));
	e->cooling = calloc(1, sizeof(*e->cooling));
	config.nodesets = &set;
	config.n_nodesets = 1;
	for (size_t i = 0; i < n; i++) {
		struct actions a = {0};

		snprintf(names[i], sizeof(names[i]), "n%zu", i);
		show(names[i], "");
		node_of(names[i], &node);
		node_observe(e, &node, &a);
		T_INT(a.n, 0);
		free(a.v);
		HASH_FIND_STR(e->memos, names[i], m);
		buf_add_item(&m->jobs.jobs, "7");
	}
}

static void end(void)
{
	struct node_state *m, *next;

	steps_forget(e);
	user_names_forget(&e->user_names);
	HASH_ITER(hh, e->memos, m, next)
	{
		HASH_DELETE(hh, e->memos, m);
		job_index_forget(m);
		buf_free(&m->jobs.jobs);
		step_annotations_free(&m->steps.notes);
		free(m);
	}
	free(e->links);
	free(e->disrupted);
	free(e->turns);
	free(e->cooling);
	free(e);
	worker_pods_free(pods);
}

static void look(void)
{
	struct actions a = {0};

	if (steps_step(e))
		nodes_observe_steps(e, &a);
	nodes_apply(e, &a);
	free(a.v);
}

/* A step comes or goes each LASTS_MS. */
static void loop(int64_t ms)
{
	for (int64_t t = 0; t < ms; t += LOOK_MS) {
		if (t % LASTS_MS == 0) {
			runs = !runs;
			step_id += runs;
		}
		now_ms += LOOK_MS;
		look();
	}
}

static void wide_steps_cost_no_more_than_some_notes_a_second(void)
{
	unsigned int least = ~0u, most = 0;

	begin(NODES_MAX);
	loop(60000);
	T_OK(all_notes >= 1000);
	T_OK(all_notes <=
	     POD_ANNOTATIONS_AT_ONCE + 60000 / POD_ANNOTATIONS_TURN_MS + 1);
	for (size_t i = 0; i < n_nodes; i++) {
		least = notes[i] < least ? notes[i] : least;
		most = notes[i] > most ? notes[i] : most;
	}
	/* each pod had its turn before one had its third */
	T_OK(least >= 1);
	T_OK(most <= 2);
	end();
}

static void who_has_no_job_any_more_waits_for_no_turn(void)
{
	struct actions a = {0};
	struct ctl_node node;

	begin(NODES_MAX);
	loop(6000);
	node_of(names[NODES_MAX - 1], &node);
	node.busy = false;
	node_observe(e, &node, &a);
	T_INT(a.n, 1);
	nodes_apply(e, &a);
	T_INT(idle_notes, 1);
	free(a.v);
	end();
}

/* All steps are noted, at once. */
static void few_pods_wait_for_no_turn(void)
{
	begin(20);
	for (int i = 0; i < 40; i++) {
		const unsigned int before = all_notes;

		t_row("%d", i);
		loop(LASTS_MS);
		T_INT(all_notes - before, 20);
	}
	end();
}

/* (a step that goes on for long is on all pods after a while) */
static void all_pods_show_a_wide_step_in_the_end(void)
{
	begin(NODES_MAX);
	runs = true;
	step_id++;
	for (int i = 0; i < 50 * 1000 / LOOK_MS; i++) {
		now_ms += LOOK_MS;
		look();
	}
	T_INT(all_notes, NODES_MAX);
	T_INT(notes[0], 1);
	T_INT(notes[NODES_MAX - 1], 1);
	end();
}

T_MAIN("steps_turn", T(wide_steps_cost_no_more_than_some_notes_a_second),
       T(who_has_no_job_any_more_waits_for_no_turn),
       T(few_pods_wait_for_no_turn), T(all_pods_show_a_wide_step_in_the_end))
