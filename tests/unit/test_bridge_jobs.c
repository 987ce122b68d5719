/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How placeholders go on; slurmctld and the rest of the bridge are the test's.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "engine/bridge_internal.h"
#include "slurm/ctl_schedule.h"
#include "t.h"

static struct placed job; /* the only one */
static int64_t now;
static struct queued *q;
static char taken_back[64];

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

int ctl_placeholders_load(struct ctl_placeholders **set, struct err *err)
{
	(void)set;
	(void)err;
	return 1;
}

size_t ctl_placeholders_count(const struct ctl_placeholders *s)
{
	(void)s;
	return 1;
}

const struct placed *ctl_placeholders_at(const struct ctl_placeholders *s,
					 size_t i)
{
	(void)s;
	(void)i;
	return &job;
}

void ctl_placeholders_free(struct ctl_placeholders *s)
{
	(void)s;
}

int ctl_placeholder_states(const uint32_t *ids, size_t n,
			   struct placed_status *out, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < n; i++)
		out[i] = ids[i] == job.job_id
				 ? job.status
				 : (struct placed_status){.state = PLACED_GONE};
	return 0;
}

void ctl_layout_free(struct ctl_layout *l)
{
	free(l);
}

void ctl_schedule(void)
{
}

struct queued *queued_get(struct bridge_thread *b, const char *key)
{
	(void)b;
	(void)key;
	return q;
}

struct queued *queued_find(struct bridge_thread *b, const char *key)
{
	(void)b;
	(void)key;
	return q;
}

void queued_touch(struct bridge_thread *b, struct queued *x)
{
	(void)b;
	x->touched = true;
}

void bridge_seen_key(const struct workload *of, char out[BRIDGE_KEY_MAX])
{
	snprintf(out, BRIDGE_KEY_MAX, "%s", of->name);
}

void bridge_seen_lock(struct bridge_seen *v)
{
	(void)v;
}

void bridge_seen_unlock(struct bridge_seen *v)
{
	(void)v;
}

struct bridge_group *bridge_seen_find(struct bridge_seen *v, const char *key)
{
	(void)v;
	(void)key;
	return NULL;
}

void bridge_work_unbind(struct bridge_work *w, uint32_t job_id)
{
	(void)w;
	snprintf(taken_back, sizeof(taken_back), "%u", (unsigned)job_id);
}

/* --- */

static struct bridge config = {.cluster = (char *)"c"};

/* A job that runs on w-1, known from a list. */
static void begin(struct bridge_thread *b, char id[BRIDGE_ID_MAX])
{
	const struct bridge_id of = {
		.cluster = "c",
		.of = {.ns = "ns", .name = "p", .uid = "u"},
		.pods = 1};
	struct err err = {0};

	T_INT(bridge_id_make(&of, id, &err), 0);
	*b = (struct bridge_thread){.bridge = &config};
	q = calloc(1, sizeof(*q) + 2);
	q->job = BRIDGE_NONE;
	b->queue = NULL;
	HASH_ADD_KEYPTR(hh, b->queue, q->key, 1, q);
	now = 1000000;
	job = (struct placed){.job_id = 7,
			      .status = {.state = PLACED_RUNNING},
			      .reason = "",
			      .nodes = "w-1",
			      .admin_comment = id};
	jobs_refresh(b);
	T_INT(q->job, BRIDGE_RUNNING);
	T_STR(q->nodes, "w-1");
	*taken_back = '\0';
}

static void end(struct bridge_thread *b)
{
	jobs_free(b);
	HASH_DELETE(hh, b->queue, q);
	free(q->nodes);
	free(q->reason);
	free(q);
}

/* A pod that was bound then would run beside the next job. */
static void what_was_not_sent_is_taken_back_when_a_job_stops(void)
{
	static const struct {
		enum placed_state state;
		uint32_t job_id;
		const char *back;
	} rows[] = {
		{PLACED_RUNNING, 7, ""},    {PLACED_COMPLETING, 7, "7"},
		{PLACED_PENDING, 7, "7"},   {PLACED_ENDED, 7, "7"},
		{PLACED_SUSPENDED, 7, "7"}, {PLACED_RUNNING, 8, "7"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct bridge_thread b;
		char id[BRIDGE_ID_MAX];

		t_row("%zu", i);
		begin(&b, id);
		job.status.state = rows[i].state;
		job.job_id = rows[i].job_id;
		now += 60000;
		jobs_refresh(&b);
		T_STR(taken_back, rows[i].back);
		end(&b);
	}
}

/* (pods on its former nodes are to go) */
static void other_nodes_are_looked_at(void)
{
	struct bridge_thread b;
	char id[BRIDGE_ID_MAX];

	begin(&b, id);
	q->touched = false;
	q->layout = malloc(1); /* of its nodes before */
	now += 60000;
	jobs_refresh(&b);
	T_OK(!q->touched && q->layout);
	job.nodes = "w-2";
	job.restarts = 1;
	now += 60000;
	jobs_refresh(&b);
	T_OK(q->touched && q->requeued && !q->layout);
	T_STR(q->nodes, "w-2");
	end(&b);
}

T_MAIN("bridge_jobs", T(other_nodes_are_looked_at),
       T(what_was_not_sent_is_taken_back_when_a_job_stops))
