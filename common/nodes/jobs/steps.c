/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which steps run on which node, to be noted on its pod. Slurm tells all of
 * them at once: they are asked for often while nodes of ours are up, but never
 * for more than a small part of the time. What has ended before it is old
 * enough is never noted: short steps cost no patch. Of those that cost one a
 * user may start any number, on all nodes at once: see steps_turn.c.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "nodes/jobs/jobs.h"
#include "slurm/ctl_steps.h"

#define POLL_MS 300
#define POLL_SHARE 50	 /* lists of steps take at most a 50th of the time */
#define OLD_MS 500	 /* age at which a step whose job is known is noted */
#define OLD_S 2		 /* age at which it is noted, by Slurm's clock */
#define PATIENCE_MS 1000 /* age at which a step is noted without its job */
#define LAYOUTS_MAX 16	 /* RPCs in one pass */
#define SIGHTS_MAX 100000

/* What is remembered of a step. */
struct sight {
	UT_hash_handle hh;
	int failed;
	char id[STEPNOTES_ID_MAX];
	int64_t since;	   /* when it was first seen; monotonic, ms */
	unsigned int pass; /* number of the last list that had it */
	uint32_t *tasks;   /* tasks on each node of its list; NULL: not known */
	size_t n_tasks;
	bool asked; /* `tasks` has been asked for */
};

static void sight_drop(struct nodes *nodes, struct sight *s)
{
	HASH_DELETE(hh, nodes->steps.sights, s);
	free(s->tasks);
	free(s);
}

void steps_forget(struct nodes *nodes)
{
	struct sight *s = NULL, *next = NULL;

	HASH_ITER(hh, nodes->steps.sights, s, next)
	{
		sight_drop(nodes, s);
	}
	ctl_steps_free(nodes->steps.all);
	nodes->steps.all = NULL;
}

static struct sight *sight_of(struct nodes *nodes, const char *id)
{
	struct sight *s;

	HASH_FIND_STR(nodes->steps.sights, id, s);
	if (s || HASH_COUNT(nodes->steps.sights) >= SIGHTS_MAX)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	str_copy(s->id, id, sizeof(s->id));
	s->since = clock_ms();
	HASH_ADD_KEYPTR(hh, nodes->steps.sights, s->id, strlen(s->id), s);
	if (s->failed) {
		free(s);
		return NULL;
	}
	return s;
}

/* --- how many tasks a step has on each node */

/* Ask for a step's tasks, once, as they stay as they are. */
static void ask_tasks(struct sight *s, const struct ctl_step *step,
		      size_t n_nodes)
{
	struct err err = {0};

	s->asked = true;
	s->tasks = calloc(n_nodes, sizeof(*s->tasks));
	if (!s->tasks)
		return;
	s->n_tasks = n_nodes;
	if (n_nodes == 1) {
		s->tasks[0] = step->tasks;
	} else if (ctl_step_tasks(step, s->tasks, &s->n_tasks, &err)) {
		log_debug("%s", err.msg);
		s->n_tasks = 0;
	}
}

/* --- writing a step into its nodes' annotations */

/* A step on its nodes, one after the other. */
struct walk {
	struct nodes *nodes;
	struct step_annotation note;
	const struct sight *sight;
	size_t n, n_ours;
};

static struct node_state *memo_at(struct nodes *nodes, const char *node)
{
	struct node_state *m;

	m = node_state_find(nodes, node);
	return m;
}

static void count_node(void *arg, const char *node)
{
	struct walk *w = arg;

	w->n++;
	w->n_ours += memo_at(w->nodes, node) != NULL;
}

static void put_down(void *arg, const char *node)
{
	struct walk *w = arg;
	const struct sight *s = w->sight;
	struct node_state *m = memo_at(w->nodes, node);

	w->note.tasks = w->n < s->n_tasks ? s->tasks[w->n] : 0;
	w->n++;
	if (m)
		step_annotations_add(&m->steps.notes, &w->note);
}

/* True if the step is to be noted now. */
static bool is_ready(const struct sight *s, const struct ctl_step *step,
		     const struct node_job *fact)
{
	int64_t age = clock_ms() - s->since;

	if (age >= PATIENCE_MS)
		return true;
	if (!fact)
		return false;
	return age >= OLD_MS ||
	       clock_real_ms() / 1000 - step->started_s > OLD_S;
}

static void review_step(struct nodes *nodes, const struct ctl_step *step,
			int *layouts)
{
	const struct node_job *fact = node_job_of(nodes, step->job_id);
	struct walk w = {.nodes = nodes};
	char id[STEPNOTES_ID_MAX];
	struct sight *s;

	ctl_hostlist_each(step->nodes, count_node, &w);
	ctl_step_name(step, id, sizeof(id));
	s = w.n_ours ? sight_of(nodes, id) : NULL;
	if (!s)
		return;
	s->pass = nodes->steps.pass;
	/*
	 * The job's facts are asked for only for some time, because a step that
	 * ends may stay in the list for longer than its job is known.
	 */
	if (!fact && clock_ms() - s->since < PATIENCE_MS) {
		job_index_expire(nodes);
		nodes->jobs.facts_stale = true;
	}
	if (!is_ready(s, step, fact) || (!s->asked && *layouts <= 0)) {
		nodes->steps.young = true;
		return;
	}
	if (!s->asked) {
		*layouts -= w.n > 1;
		ask_tasks(s, step, w.n);
	}
	w.note = (struct step_annotation){
		.id = id,
		.name = step->name,
		.user = fact ? fact->user : node_user_name(nodes, step->uid),
		.account = fact ? fact->account : NULL,
		.started_s = step->started_s,
	};
	w.sight = s;
	w.n = 0;
	ctl_hostlist_each(step->nodes, put_down, &w);
}

static void review(struct nodes *nodes)
{
	struct sight *s = NULL, *next = NULL;
	struct node_state *m = NULL, *other = NULL;
	int layouts = LAYOUTS_MAX;
	struct ctl_step step;
	uint32_t sum;

	nodes->steps.pass++;
	nodes->steps.young = false;
	HASH_ITER(hh, nodes->memos, m, other)
	{
		step_annotations_reset(&m->steps.notes);
	}
	for (size_t i = 0; ctl_steps_at(nodes->steps.all, i, &step); i++)
		if (step.nodes)
			review_step(nodes, &step, &layouts);
	HASH_ITER(hh, nodes->steps.sights, s, next)
	{
		if (s->pass != nodes->steps.pass)
			sight_drop(nodes, s);
	}
	HASH_ITER(hh, nodes->memos, m, other)
	{
		sum = str_sum(step_annotations_text(&m->steps.notes));
		step_annotations_label(&m->steps.notes);
		m->steps.changed = m->steps.changed || sum != m->steps.sum;
		m->steps.sum = sum;
	}
}

/* --- when */

/*
 * The pause between two lists, in ms, by the fastest of the last lists: what
 * else the machine does only adds time.
 */
static int64_t poll_ms(const struct nodes *nodes)
{
	int64_t least = nodes->steps.took[0];

	for (size_t i = 1; i < STEPS_TOOK_MAX; i++)
		if (nodes->steps.took[i] < least)
			least = nodes->steps.took[i];
	least *= POLL_SHARE;
	return least < POLL_MS ? POLL_MS : least;
}

static bool is_wanted(const struct nodes *nodes)
{
	return !nodes->site.has_stepmgr &&
	       (nodes->count.up || nodes->count.busy || nodes->steps.sights ||
		!nodes->steps.all);
}

int64_t steps_next(const struct nodes *nodes)
{
	return is_wanted(nodes) ? nodes->steps.at + poll_ms(nodes) : INT64_MAX;
}

static bool refresh(struct nodes *nodes)
{
	const int64_t begin = clock_ms();
	struct err err = {0};
	int rc = ctl_steps_refresh(&nodes->steps.all, &err);

	if (rc < 0)
		log_debug("%s", err.msg);
	if (rc > 0 || (!rc && nodes->steps.young))
		review(nodes);
	nodes->steps.at = clock_ms();
	if (rc > 0) /* "no change" takes no time, so it is not counted */
		nodes->steps.took[nodes->steps.polls++ % STEPS_TOOK_MAX] =
			nodes->steps.at - begin;
	return rc >= 0;
}

bool steps_step(struct nodes *nodes)
{
	return clock_ms() >= steps_next(nodes) && refresh(nodes);
}
