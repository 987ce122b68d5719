/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a group's plan is made by; the rest of the bridge is the test's. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "engine/bridge_internal.h"
#include "t.h"

static struct bridge_group *groups; /* all */
static struct queued *jobs;
static const char *cannot_see; /* objects above pods, for now; or NULL */

struct queued *queued_find(struct bridge_thread *b, const char *key)
{
	struct queued *q = NULL;

	(void)b;
	HASH_FIND_STR(jobs, key, q);
	return q;
}

struct bridge_group *bridge_seen_first(struct bridge_seen *v)
{
	(void)v;
	return groups;
}

json_object *bridge_seen_labels(struct bridge_seen *v, const char *ns)
{
	(void)v;
	(void)ns;
	return NULL;
}

int order_make(struct bridge_thread *b, const struct bridge_group *g,
	       const struct bridge_ns *ns, struct order *o, struct err *err)
{
	(void)b;
	(void)g;
	(void)ns;
	(void)o;
	(void)err;
	return 0;
}

int act_nodes(const struct queued *q, struct hostlist *out)
{
	return q->nodes ? hostlist_expand(q->nodes, out, NULL) : -EAGAIN;
}

int bridge_objects_get(struct bridge_objects *o, enum workload_kind kind,
		       const char *ns, const char *name, json_object **out,
		       struct err *err)
{
	(void)o;
	(void)kind;
	(void)ns;
	(void)name;
	(void)out;
	return err_set(err, -EAGAIN, "%s", cannot_see);
}

/* --- one group */

static struct bridge_ns served = {.name = (char *)"ns"};
static const struct bridge config = {.ns = &served, .n_ns = 1, .n_named = 1};
static struct bridge_shape shape = {.ports = true};

struct scene {
	struct bridge_thread b;
	struct bridge_group *g;
	struct queued *q;
	struct judged j;
};

static void add_pod(struct bridge_group *g, const char *node, bool deleting)
{
	struct bridge_member *m = calloc(1, sizeof(*m));
	char text[512];
	_cleanup_json_ json_object *pod = NULL;

	snprintf(text, sizeof(text),
		 "{\"metadata\":{\"name\":\"p%zu\",\"namespace\":\"%s\","
		 "\"uid\":\"u%zu\"%s},\"spec\":{\"nodeName\":\"%s\"},"
		 "\"status\":{\"phase\":\"%s\"}}",
		 g->n, g->of.ns, g->n,
		 deleting ? ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\""
			  : "",
		 node, *node ? "Running" : "Pending");
	pod = t_parse(text);
	m->pod = bpod_of(pod);
	m->shape = &shape;
	m->group = g;
	m->next = g->members;
	g->members = m;
	g->n++;
}

static struct bridge_group *add_group(const char *key, const char *ns)
{
	struct bridge_group *g = calloc(1, sizeof(*g) + strlen(key) + 1);

	strcpy(g->key, key);
	str_copy(g->of.ns, ns, sizeof(g->of.ns));
	str_copy(g->of.name, key, sizeof(g->of.name));
	g->of.members = 1;
	HASH_ADD_KEYPTR(hh, groups, g->key, strlen(g->key), g);
	return g;
}

static struct queued *add_job(const char *key, enum bridge_job job,
			      const char *nodes)
{
	struct queued *q = calloc(1, sizeof(*q) + strlen(key) + 1);

	strcpy(q->key, key);
	q->job = job;
	q->job_id = job == BRIDGE_NONE ? 0 : 7;
	q->made_for = 1;
	q->nodes = nodes ? strdup(nodes) : NULL;
	HASH_ADD_KEYPTR(hh, jobs, q->key, strlen(q->key), q);
	return q;
}

static void clear(struct scene *s)
{
	struct bridge_group *g = NULL, *next = NULL;
	struct queued *q = NULL, *next_q = NULL;
	struct stale *stale = NULL, *next_stale = NULL;

	HASH_ITER(hh, groups, g, next)
	{
		while (g->members) {
			struct bridge_member *m = g->members;

			g->members = m->next;
			bpod_free(m->pod);
			free(m);
		}
		HASH_DELETE(hh, groups, g);
		free(g);
	}
	HASH_ITER(hh, jobs, q, next_q)
	{
		HASH_DELETE(hh, jobs, q);
		free(q->nodes);
		free(q);
	}
	HASH_ITER(hh, s->b.stale, stale, next_stale)
	{
		HASH_DELETE(hh, s->b.stale, stale);
		free(stale);
	}
	order_clear(&s->j.order);
	bridge_hosts_free(s->b.hosts);
}
#define _cleanup_scene_ __attribute__((cleanup(clear)))

static void ring(void *arg)
{
	(void)arg;
}

static struct scene scene(const char *ns, enum bridge_job job,
			  const char *nodes)
{
	static const struct bridge_hosts_options opt = {
		.cluster = "c", .label = "l", .scheduler = "s", .ring = ring};
	struct scene s = {.b = {.bridge = &config, .jobs_known = true}};
	struct informer_handler on;

	s.b.hosts = bridge_hosts_new(&opt);
	bridge_hosts_handler(s.b.hosts, &on);
	for (int i = 1; i <= 3; i++) {
		char text[128];
		_cleanup_json_ json_object *node = NULL;

		snprintf(text, sizeof(text),
			 "{\"metadata\":{\"name\":\"n%d\",\"uid\":\"u%d\"}}", i,
			 i);
		node = t_parse(text);
		on.on_object(on.arg, node);
	}
	s.g = add_group("mine", ns);
	s.q = add_job("mine", job, nodes);
	return s;
}

static void look(struct scene *s)
{
	order_clear(&s->j.order);
	s->j = (struct judged){0};
	s->b.stale_known = false;
	judge(&s->b, s->q, s->g, &s->j);
}

/* --- */

static void what_may_not_enter_is_nobodys_orphan(void)
{
	static const struct {
		const char *ns, *row;
	} rows[] = {{"ns", "orphan"}, {"other", "outside"}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s =
			scene(rows[i].ns, BRIDGE_NONE, NULL);

		t_row("%s", rows[i].ns);
		s.q->state_at = clock_ms() - BRIDGE_ORPHAN_MS - 1;
		add_pod(s.g, "n1", false);
		look(&s);
		T_STR(s.j.plan.row, rows[i].row);
	}
}

/* (a job that waits keeps its age) */
static void what_is_not_seen_for_now_cancels_nothing(void)
{
	_cleanup_scene_ struct scene s = scene("ns", BRIDGE_PENDING, NULL);

	cannot_see = "PodGroups cannot be seen: reset";
	s.g->of.kind = WORKLOAD_PODGROUP;
	s.g->of.members = 0;
	add_pod(s.g, "", false);
	look(&s);
	T_OK(!s.j.view.refusal);
	T_HAS(s.j.not_yet, cannot_see);
	T_OK(s.j.plan.action != BRIDGE_CANCEL);
	s.q->job = BRIDGE_NONE;
	look(&s);
	T_INT(s.j.plan.action, BRIDGE_WAIT);
	T_HAS(s.j.plan.words, cannot_see);
}

/* (u0 was told; then u1 has come, which waits by the same reason) */
static void a_pod_that_takes_anothers_place_is_told(void)
{
	_cleanup_scene_ struct scene s = scene("ns", BRIDGE_PENDING, NULL);

	add_pod(s.g, "", false);
	s.q->reason = (char *)"Priority";
	s.q->told.reason = (char *)"Priority";
	s.q->told.pods = pod_sum("u0");
	look(&s);
	str_copy(s.q->wish, s.j.order.id.wish, sizeof(s.q->wish));
	look(&s);
	T_STR(s.j.plan.row, "pending");
	T_STR(s.j.plan.row, "pending");
	add_pod(s.g, "", false);
	look(&s);
	T_STR(s.j.plan.row, "note");
}

/* Job "mine" had n1 before, and runs on n2 now: who is to be deleted? */
static void pods_on_former_nodes_are_astray(void)
{
	_cleanup_scene_ struct scene s = scene("ns", BRIDGE_RUNNING, "n[2-3]");
	struct choice chosen = {0};

	s.q->made_for = 2;
	add_pod(s.g, "n1", false);
	add_pod(s.g, "n2", false);
	look(&s);
	T_INT(s.j.view.pods.astray, 0); /* it was never put back */
	s.q->requeued = true;
	look(&s);
	T_INT(s.j.view.pods.astray, 1);
	T_STR(s.j.plan.row, "astray");
	T_INT(choose(s.g, &s.j, &chosen), 0);
	T_INT(chosen.n, 1);
	T_STR(chosen.n ? chosen.v->node : "", "n1");
	T_OK(chosen.n && chosen.v->ports);
	free(chosen.v);
	/* what is not known is left alone */
	free(s.q->nodes);
	s.q->nodes = NULL;
	look(&s);
	T_INT(s.j.view.pods.astray, 0);
	T_OK(!s.q->strays);
}

/* n1 is another group's now */
static void nobody_gets_a_node_before_pods_astray_are_gone(void)
{
	_cleanup_scene_ struct scene s = scene("ns", BRIDGE_RUNNING, "n2");
	struct scene other = s;

	add_pod(s.g, "n1", true); /* it is leaving */
	s.q->requeued = true;
	look(&s);
	T_INT(s.j.view.pods.astray, 0);
	T_INT(s.j.view.pods.leaving, 1);
	other.g = add_group("other", "ns");
	other.q = add_job("other", BRIDGE_RUNNING, "n1");
	add_pod(other.g, "", false);
	for (int gone = 0; gone < 2; gone++) {
		t_row("%d", gone);
		if (gone)
			s.g->members->pod->ended = true;
		other.b.stale = s.b.stale;
		look(&other);
		s.b.stale = other.b.stale;
		T_STR(other.j.plan.row, gone ? "bind" : "no room yet");
	}
	order_clear(&other.j.order);
}

T_MAIN("bridge_judge", T(what_may_not_enter_is_nobodys_orphan),
       T(what_is_not_seen_for_now_cancels_nothing),
       T(a_pod_that_takes_anothers_place_is_told),
       T(pods_on_former_nodes_are_astray),
       T(nobody_gets_a_node_before_pods_astray_are_gone))
