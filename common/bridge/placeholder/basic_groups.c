/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of the built-in API with the basic policy: their pods do not start
 * together, so each is what it is without the group, mostly a pod for itself.
 * The group's object tells the policy; for pods that have a job already the job
 * tells it. Under the lock of `seen`.
 */
#include <errno.h>

#include "bridge/intake/owners.h"
#include "bridge/placeholder/placeholder.h"

/* True if Slurm has a job for what this pod is without the group. */
static bool has_job(struct bridge *b, const struct group_pod *m)
{
	char key[BRIDGE_KEY_MAX];
	const struct queue_entry *q;

	if (!m->besides || m->apart)
		return false;
	pod_group_key(m->besides, key);
	q = queue_entry_find(b, key);
	return q && q->job.id;
}

void basic_expect_jobs(struct bridge *b)
{
	char key[BRIDGE_KEY_MAX];

	for (struct pod_group *g = pod_groups_first(b->groups); g;
	     g = g->hh.next) {
		if (!workload_is_built_in(&g->of))
			continue;
		for (struct group_pod *m = g->members; m; m = m->next) {
			struct queue_entry *q = NULL;

			if (m->besides && !m->apart) {
				pod_group_key(m->besides, key);
				q = queue_entry_get(b, key);
			}
			/* a group without a job is forgotten at its look */
			if (q)
				queue_entry_touch(b, q);
		}
	}
}

void basic_by_jobs(struct bridge *b)
{
	for (struct pod_group *g = pod_groups_first(b->groups); g;
	     g = g->hh.next) {
		struct group_pod *m = g->members, *next;

		for (; m && workload_is_built_in(&g->of); m = next) {
			next = m->next;
			if (has_job(b, m))
				pod_groups_apart(b->groups, m);
		}
	}
}

/*
 * Note that the bridge begins now for what a pod is without the group: until
 * the group's object was in view nobody could look for its job.
 */
static void begin(struct bridge *b, const struct group_pod *m)
{
	char key[BRIDGE_KEY_MAX];
	struct queue_entry *q = NULL;

	if (m->besides && !m->apart) {
		pod_group_key(m->besides, key);
		q = queue_entry_get(b, key);
	}
	if (!q || q->job.id)
		return;
	queue_entry_begins(q);
	queue_entry_touch(b, q);
}

void basic_by_object(struct bridge *b, struct queue_entry *q,
		     struct pod_group *g)
{
	const bool begins = q->early.begins || q->early.undecided;
	_cleanup_json_ json_object *o = NULL;
	struct workload of;
	bool basic = false;
	int rc;

	q->early.undecided = false;
	/* A group that has an active job is a gang. */
	if (!g->n || !workload_is_built_in(&g->of) || job_is_active(q))
		return;
	of = g->of;
	rc = owners_get(b->objects, of.kind, of.ns, of.name, &o, NULL);
	/* A group that has had a job, also one that has ended, is a gang. */
	q->early.undecided =
		!q->job.id && (rc == -EAGAIN || rc == -ENOMEM || rc == -EDQUOT);
	if (rc || workload_take(&of, o, &basic, NULL) || !basic)
		return;
	for (struct group_pod *m = g->members, *next; m; m = next) {
		next = m->next;
		if (begins)
			begin(b, m);
		pod_groups_apart(b->groups, m);
	}
}
