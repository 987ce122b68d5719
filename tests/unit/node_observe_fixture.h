/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node and its pod, as the engine sees both; the rest of it is played. Each
 * file uses a part of it. */
#ifndef SLURMK8S_TESTS_UNIT_NODE_OBSERVE_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_NODE_OBSERVE_FIXTURE_H

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "cluster_fixture.h"
#include "t.h"

#define MINUTE_MS 60000
#define FULL_MS 10000 /* a look at least so often: engine.c */

static int64_t now_ms = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

static struct cluster_config clusters[] = {
	{.name = (char *)"c", .ns = (char *)"ns"},
	{.name = (char *)"d", .ns = (char *)"ns"}};
static struct config config = {.clusters = clusters, .n_clusters = 1};
static struct features features;
static struct nodeset set = {.name = (char *)"cpu",
			     .cluster = clusters,
			     .known = &features,
			     .container = (char *)WK_CONTAINER};

static bool in_nodeset = true;

const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node);
const struct nodeset *__wrap_config_nodeset_of(const struct config *c,
					       const char *node)
{
	(void)c, (void)node;
	return in_nodeset ? &set : NULL;
}

/* --- the link */

static struct cluster *links[2]; /* pods are the first one's */
static struct worker_pods *pods, *other_pods;

struct worker_pods *watch_pods(struct cluster *l)
{
	return l && l == links[1] ? other_pods : pods;
}

bool node_requests_may_note(struct node_requests *w)
{
	(void)w;
	return false;
}

bool node_requests_note(struct node_requests *w, const struct pod_view *pod,
			const struct pod_jobs *jobs, bool only_steps)
{
	(void)w, (void)pod, (void)jobs, (void)only_steps;
	return false;
}

static unsigned int deleted;

void node_requests_delete(struct node_requests *w, const struct pod_view *pod)
{
	(void)w, (void)pod;
	deleted++;
}

/* --- Slurm, and the rest of the engine */

static struct ctl_node all[10];
static size_t n_all;
static struct ctl_node found; /* by its name; NULL: none */

bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	(void)n;
	if (i >= n_all)
		return false;
	*out = all[i];
	return true;
}

bool ctl_nodes_find(const struct ctl_nodes *n, const char *name,
		    struct ctl_node *out)
{
	(void)n, (void)name;
	*out = found;
	return found.name;
}

static struct cooldown cooling;

struct cooldown *cooldown_of(struct nodes *e, const struct nodeset *of)
{
	(void)e, (void)of;
	return &cooling;
}

const char *cooldown_words(struct nodes *e, const struct nodeset *of,
			   const struct node_state *m)
{
	(void)e, (void)of, (void)m;
	return NULL;
}

void cooldown_success(struct nodes *e, const struct nodeset *of,
		      feature_set active, int64_t began)
{
	(void)e, (void)of, (void)active, (void)began;
}

void job_index_expire(struct nodes *nodes)
{
	nodes->jobs.stale = true;
}

void job_index_forget(struct node_state *m)
{
	(void)m;
}

uint32_t note_sum(const struct node_state *m)
{
	(void)m;
	return 0;
}

/* --- */

static struct nodes *engine;
static struct ctl_node node;

/* cpu-1 is up and has a job; its pod is in view, if a test puts one there. */
static void begin(void)
{
	static struct disrupted disrupted[T_COUNT(links)];
	static struct note_turns turns[T_COUNT(links)];

	pods = worker_pods_new();
	engine = calloc(1, sizeof(*engine));
	if (!pods || !engine)
		abort();
	engine->config = &config;
	engine->links = links;
	engine->disrupted = disrupted;
	engine->turns = turns;
	memset(disrupted, 0, sizeof(disrupted));
	hosts = (struct disruption_seen){4, 1, 0};
	n_all = 0;
	host = (struct kube_node_state){.known = true, .ready = true};
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
	struct node_state *m, *next;

	HASH_ITER(hh, engine->memos, m, next)
	{
		HASH_DELETE(hh, engine->memos, m);
		free(m);
	}
	free(engine);
	worker_pods_free(pods);
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

	T_OK(worker_pods_put(pods, pod, WK_CONTAINER));
}

/* What is to be done after so many ms: in Slurm, then in Kubernetes. */
static void check_look(struct t_at at, int64_t after, enum node_action slurm,
		       enum pod_action kube, const char *row)
{
	struct actions a = {0};
	struct node_decision p = {.row = ""};

	now_ms += after;
	node_observe(engine, &node, &a);
	if (a.n)
		p = a.v[0].plan;
	t_int(at, p.slurm, slurm);
	t_int(at, p.kube, kube);
	t_str(at, p.row, row);
	free(a.v);
}
#define LOOK(after, slurm, kube, row)                                          \
	check_look(T_HERE, after, slurm, kube, row)
#define NOTHING(after) LOOK(after, NODE_KEEP, POD_LEAVE, "")

#endif
