/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A group of pods and its job, of which a plan is made; the rest of the bridge
 * is played. Each file uses a part of it.
 */
#ifndef SLURMK8S_TESTS_UNIT_JUDGE_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_JUDGE_FIXTURE_H

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "bridge_fixture.h"
#include "t.h"

static struct pod_group *groups; /* all */
static struct queue_entry *jobs;
static const char *cannot_see;	    /* objects above pods, for now; or NULL */
static int cannot_see_rc = -EAGAIN; /* with this error */
static const char *objects[WORKLOAD_KINDS]; /* else these */
/* One of them, g, made anew or not. */
#define NAMED(object, more)                                                    \
	"{\"metadata\": {\"name\": \"g\", \"namespace\": \"ns\", "             \
	"\"uid\": \"1-2\", \"annotations\": {\"job.slurm-k8s.io/job-name\": "  \
	"\"" object "\"}}, \"spec\": {" more "}}"

static const char *being_bound;		/* the uid of a pod, or NULL */
static struct placed_node layout[2];	/* of the job: n1, n2 */
static const struct placed_node *large; /* or these, so many */
static size_t n_large;
static bool room = true;

bool bridge_requests_has(struct bridge_requests *w,
			 enum bridge_request_what what, const char *uid)
{
	(void)w;
	return what == BRIDGE_REQUEST_BIND && being_bound &&
	       !strcmp(uid, being_bound);
}

static const char *going; /* likewise, by the group's job */
bool bridge_requests_way(struct bridge_requests *w, const char *uid,
			 uint32_t job_id, char *node, size_t size)
{
	(void)w;
	(void)job_id;
	(void)node;
	(void)size;
	return going && strstr(going, uid);
}

static bool is_kept = true; /* by what is there instead */
bool nodes_are_free(struct bridge *b, const struct queue_entry *q, bool *kept)
{
	(void)b;
	(void)q;
	*kept = is_kept;
	return room;
}

static bool overcommitted;
bool is_overcommitted(struct bridge *b, const struct queue_entry *q,
		      const struct pod_group *g)
{
	(void)b;
	(void)q;
	(void)g;
	return overcommitted;
}

static struct ctl_node only_node; /* of Slurm, if any are known */
bool ctl_nodes_at(const struct ctl_nodes *n, size_t i, struct ctl_node *out)
{
	*out = only_node;
	return n && !i;
}

json_object *pod_groups_labels(struct pod_groups *v, const char *ns)
{
	(void)v;
	(void)ns;
	return NULL;
}

static bool has_space = true; /* the namespace is in view */
bool pod_groups_has_space(struct pod_groups *v, const char *ns)
{
	(void)v;
	(void)ns;
	return has_space;
}

static char tied[BRIDGE_TIES][WORKLOAD_NAME_MAX]; /* of the last group */
void pod_groups_tie(struct pod_groups *v, struct pod_group *g,
		    enum pod_tie_as as, enum workload_kind kind,
		    const char *name)
{
	(void)v;
	(void)g;
	(void)kind;
	str_copy(tied[as], name, sizeof(tied[as]));
}

static bool left_out; /* pods, for there are too many */
bool pod_groups_left_out(const struct pod_groups *v, const char *key)
{
	(void)v;
	(void)key;
	return left_out;
}

static enum job_size_change change; /* of a job that waits */
static int no_order;	     /* there is nothing to ask of Slurm: this error */
static const char *excluded; /* nodes that do not fit; NULL: all do */

int job_spec_make(struct job_specs *js, const struct pod_group *g,
		  const struct namespace_config *ns, struct job_spec *o,
		  struct err *err)
{
	(void)js;
	(void)g;
	(void)ns;
	if (no_order)
		return err_set(err, no_order, "as the nodes are now");
	o->size.change = o->had_pods ? change : JOBSIZE_SAME;
	o->exclude = excluded ? strdup(excluded) : NULL;
	return 0;
}

static int no_places; /* where pods run is not known: this error */
int job_spec_places(struct job_specs *js, const struct pod_group *g, char **out,
		    struct err *err)
{
	(void)js;
	if (no_places)
		return err_set(err, no_places, "that node is none of Slurm's");
	*out = strdup(g->members->pod->node);
	return 0;
}

int allocation_nodes(const struct queue_entry *q, struct hostlist *out)
{
	return q->nodes.names ? hostlist_expand(q->nodes.names, out, NULL)
			      : -EAGAIN;
}

size_t ctl_layout_count(const struct ctl_layout *l)
{
	(void)l;
	return large ? n_large : 2;
}

const struct placed_node *ctl_layout_at(const struct ctl_layout *l, size_t i)
{
	(void)l;
	return large ? &large[i] : &layout[i];
}

int owners_get(struct owners *o, enum workload_kind kind, const char *ns,
	       const char *name, json_object **out, struct err *err)
{
	(void)o;
	(void)ns;
	(void)name;
	if (cannot_see || !objects[kind])
		return err_set(err, cannot_see ? cannot_see_rc : -ENOENT, "%s",
			       cannot_see ? cannot_see : "there is none");
	*out = t_parse(objects[kind]);
	return 0;
}

/* --- one group */

static struct namespace_config served = {.name = (char *)"ns"};
static const struct bridge_config config = {
	.ns = &served, .n_ns = 1, .n_named = 1};
static struct pod_class shape = {.ports = true};

struct scene {
	struct bridge b;
	struct pod_group *g;
	struct queue_entry *q;
	struct group_observation j;
};

static void add_pod(struct pod_group *g, const char *node, bool deleting)
{
	struct group_pod *m = calloc(1, sizeof(*m));
	char text[512];
	_cleanup_json_ json_object *pod = NULL;

	snprintf(text, sizeof(text),
		 "{\"metadata\":{\"name\":\"p%zu\",\"namespace\":\"%s\","
		 "\"uid\":\"u%zu\"%s},\"spec\":{\"nodeName\":\"%s\"},"
		 "\"status\":{\"phase\":\"%s\",\"conditions\":[{\"type\":"
		 "\"slurm-k8s.io/job\",\"status\":\"True\",\"message\":"
		 "\"7\"}]}}",
		 g->n, g->of.ns, g->n,
		 deleting ? ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\""
			  : "",
		 node, *node ? "Running" : "Pending");
	pod = t_parse(text);
	m->pod = bridged_pod_of(pod);
	m->shape = &shape;
	m->group = g;
	m->next = g->members;
	g->members = m;
	g->n++;
}

static struct pod_group *add_group(const char *key, const char *ns)
{
	struct pod_group *g = calloc(1, sizeof(*g) + strlen(key) + 1);

	strcpy(g->key, key);
	str_copy(g->of.ns, ns, sizeof(g->of.ns));
	str_copy(g->of.name, key, sizeof(g->of.name));
	g->of.members = 1;
	HASH_ADD_KEYPTR(hh, groups, g->key, strlen(g->key), g);
	return g;
}

static struct queue_entry *add_job(const char *key, enum placeholder_state job,
				   const char *nodes)
{
	struct queue_entry *q = calloc(1, sizeof(*q) + strlen(key) + 1);

	strcpy(q->key, key);
	q->job.state = job;
	q->job.id = job == PLACEHOLDER_NONE ? 0 : 7;
	q->job.made_for = 1;
	q->nodes.names = nodes ? strdup(nodes) : NULL;
	HASH_ADD_KEYPTR(hh, jobs, q->key, strlen(q->key), q);
	return q;
}

static void clear(struct scene *s)
{
	struct pod_group *g = NULL, *next = NULL;
	struct queue_entry *q = NULL, *next_q = NULL;

	HASH_ITER(hh, groups, g, next)
	{
		while (g->members) {
			struct group_pod *m = g->members;

			g->members = m->next;
			bridged_pod_free(m->pod);
			free(m);
		}
		HASH_DELETE(hh, groups, g);
		free(g);
	}
	HASH_ITER(hh, jobs, q, next_q)
	{
		HASH_DELETE(hh, jobs, q);
		free(q->nodes.names);
		free(q);
	}
	job_spec_clear(&s->j.order);
	inventory_free(s->b.inventory);
}
#define _cleanup_scene_ __attribute__((cleanup(clear)))

static struct scene scene(const char *ns, enum placeholder_state job,
			  const char *nodes)
{
	struct scene s = {.b = {.bridge = &config,
				.whose.bridge = &config,
				.jobs.known = true,
				.kill_wait_s = 30}};

	s.b.inventory = fixture_hosts(3);
	s.g = add_group("mine", ns);
	s.q = add_job("mine", job, nodes);
	return s;
}

static void look(struct scene *s)
{
	job_spec_clear(&s->j.order);
	s->j = (struct group_observation){0};
	group_observe(&s->b, s->q, s->g, &s->j);
}

#endif
