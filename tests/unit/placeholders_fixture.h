/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the tests of common/bridge/placeholder/placeholders.c: slurmctld and the
 * rest of the bridge are the test's. Job 7, of pod p, runs on w-1.
 */
#ifndef SLURMK8S_TESTS_UNIT_PLACEHOLDERS_FIXTURE_H
#define SLURMK8S_TESTS_UNIT_PLACEHOLDERS_FIXTURE_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "slurm/ctl_schedule.h"
#include "t.h"

static struct placed job;		      /* the last one in lists */
static struct placed older;		      /* before it, if it has an id */
static enum placed_state fresh = PLACED_GONE; /* of job 8, which is younger */
static int64_t now;
static struct queue_entry *q,
	*next;		  /* of job 7, and of job 8, if there is one */
static int answers = -1;  /* so many about states are left; -1: all */
static int asked;	  /* for states, so often */
static int64_t answer_ms; /* so long each takes */
static char taken_back[64];
static int scheduled;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

static bool changed = true; /* since what is there of the last list */

int ctl_placeholders_load(struct ctl_reader *r, struct ctl_placeholders **set,
			  const struct placed_known *known, struct err *err)
{
	(void)r, (void)known;
	(void)err;
	if (*set && !changed)
		return 0;
	*set = (struct ctl_placeholders *)&job; /* (nobody looks) */
	return 1;
}

size_t ctl_placeholders_count(const struct ctl_placeholders *s)
{
	(void)s;
	return older.job_id ? 2 : 1;
}

const struct placed *ctl_placeholders_at(const struct ctl_placeholders *s,
					 size_t i)
{
	(void)s;
	return older.job_id && !i ? &older : &job;
}

bool ctl_placeholders_is_other(const struct ctl_placeholders *s,
			       uint32_t job_id)
{
	(void)s;
	(void)job_id;
	return false;
}

int ctl_placeholder_cancel(uint32_t job_id, struct err *err)
{
	T_OK(!job_id);
	return err_set(err, -EIO, "nobody asks for it here");
}

void ctl_placeholders_free(struct ctl_placeholders *s)
{
	(void)s;
}

int ctl_placeholder_states(const uint32_t *ids, size_t n,
			   struct placed_status *out, struct err *err)
{
	if (!answers)
		return err_set(err, -EAGAIN, "slurmctld does not answer");
	answers -= answers > 0;
	asked++;
	now += answer_ms;
	for (size_t i = 0; i < n; i++)
		out[i] = ids[i] == job.job_id
				 ? job.status
				 : (struct placed_status){
					   .state = ids[i] == 8 ? fresh
								: PLACED_GONE};
	return 0;
}

void ctl_layout_free(struct ctl_layout *l)
{
	free(l);
}

int allocation_nodes(const struct queue_entry *x, struct hostlist *out)
{
	return hostlist_expand((const char *)x->nodes.layout, out, NULL);
}

void ctl_schedule(void)
{
	scheduled++;
}

struct queue_entry *queue_entry_get(struct bridge *b, const char *key)
{
	(void)b;
	return strcmp(key, "next") ? q : next;
}

struct queue_entry *queue_entry_find(struct bridge *b, const char *key)
{
	(void)b;
	return strcmp(key, "next") ? q : next;
}

void queue_entry_touch(struct bridge *b, struct queue_entry *x)
{
	(void)b;
	x->look.touched = true;
}

void pod_group_key(const struct workload *of, char out[BRIDGE_KEY_MAX])
{
	snprintf(out, BRIDGE_KEY_MAX, "%s", of->name);
}

void pod_group_key_ns(const char *key, size_t size, char *out)
{
	snprintf(out, size, "%.*s", 2, key);
}

void pod_groups_mark(const char *key, char out[BRIDGE_KEY_MAX])
{
	snprintf(out, BRIDGE_KEY_MAX, "%s", key);
}

void pod_groups_lock(struct pod_groups *v)
{
	(void)v;
}

void pod_groups_unlock(struct pod_groups *v)
{
	(void)v;
}

static struct pod_group *pods; /* of the group; or NULL */

struct pod_group *pod_groups_find(struct pod_groups *v, const char *key)
{
	(void)v;
	(void)key;
	return pods;
}

void bridge_requests_unbind(struct bridge_requests *w, uint32_t job_id)
{
	(void)w;
	snprintf(taken_back, sizeof(taken_back), "%u", (unsigned)job_id);
}

/* --- */

static struct bridge_config config = {.cluster = (char *)"c",
				      .scheduler = (char *)"s"};

/* A job that runs on w-1, known from a list. */
static void begin(struct bridge *b, char id[BRIDGE_ID_MAX])
{
	const struct job_identity of = {
		.cluster = "c",
		.of = {.ns = "ns", .name = "p", .uid = "u"},
		.pods = 1};
	struct err err = {0};

	T_INT(job_identity_make(&of, id, &err), 0);
	*b = (struct bridge){.bridge = &config};
	q = calloc(1, sizeof(*q) + 2);
	*q->key = 'p';
	q->job.state = PLACEHOLDER_NONE;
	b->queue = NULL;
	HASH_ADD_KEYPTR(hh, b->queue, q->key, 1, q);
	now = 1000000;
	job = (struct placed){.job_id = 7,
			      .status = {.state = PLACED_RUNNING},
			      .reason = "",
			      .nodes = "w-1",
			      .has = {.cpus = 2, .memory_mib = 64},
			      .admin_comment = id,
			      .exclude = 5};
	placeholders_refresh(b);
	T_INT(b->jobs.lists, 1);
	T_INT(b->jobs.identities->exclude, 5);
	T_INT(q->job.state, PLACEHOLDER_RUNNING);
	T_STR(q->nodes.names, "w-1");
	T_INT(q->nodes.has.cpus, 2);
	T_INT(q->nodes.has.memory_mib, 64);
	*taken_back = '\0';
}

static void end(struct bridge *b)
{
	placeholders_free(b);
	HASH_DELETE(hh, b->queue, q);
	free(q->nodes.names);
	free(q->job.reason);
	free(q);
	older = (struct placed){0};
}

#endif
