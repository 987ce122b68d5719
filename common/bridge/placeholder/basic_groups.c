/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of the built-in API with the basic policy: their pods do not start
 * together, so each is what it is without the group, mostly a pod for itself.
 * Which policy it is the group's object says; of pods that have a job already,
 * that job. Under the lock of `seen`.
 */
#include <errno.h>

#include "bridge/reconcile/bridge_internal.h"

/* Has Slurm a job of what this pod is without the group? */
static bool has_job(struct bridge_thread *b, const struct bridge_member *m)
{
	char key[BRIDGE_KEY_MAX];
	const struct queued *q;

	if (!m->besides || m->apart)
		return false;
	bridge_seen_key(m->besides, key);
	q = queued_find(b, key);
	return q && q->job_id;
}

void basic_expect_jobs(struct bridge_thread *b)
{
	char key[BRIDGE_KEY_MAX];

	for (struct bridge_group *g = bridge_seen_first(b->seen); g;
	     g = g->hh.next) {
		if (!workload_is_built_in(&g->of))
			continue;
		for (struct bridge_member *m = g->members; m; m = m->next) {
			struct queued *q = NULL;

			if (m->besides && !m->apart) {
				bridge_seen_key(m->besides, key);
				q = queued_get(b, key);
			}
			if (q) /* (whoever has no job is forgotten then) */
				queued_touch(b, q);
		}
	}
}

void basic_by_jobs(struct bridge_thread *b)
{
	for (struct bridge_group *g = bridge_seen_first(b->seen); g;
	     g = g->hh.next) {
		struct bridge_member *m = g->members, *next;

		for (; m && workload_is_built_in(&g->of); m = next) {
			next = m->next;
			if (has_job(b, m))
				bridge_seen_apart(b->seen, m);
		}
	}
}

/*
 * For what a pod is without the group the bridge begins by now: until the
 * group's object was in view nobody could look for its job.
 */
static void begin(struct bridge_thread *b, const struct bridge_member *m)
{
	char key[BRIDGE_KEY_MAX];
	struct queued *q = NULL;

	if (m->besides && !m->apart) {
		bridge_seen_key(m->besides, key);
		q = queued_get(b, key);
	}
	if (!q || q->job_id)
		return;
	q->begins = true;
	queued_touch(b, q);
}

void basic_by_object(struct bridge_thread *b, struct queued *q,
		     struct bridge_group *g)
{
	const bool begins = q->begins || q->undecided;
	_cleanup_json_ json_object *o = NULL;
	struct workload of;
	bool basic = false;
	int rc;

	q->undecided = false;
	/* (a job of it says that it is a gang) */
	if (!g->n || !workload_is_built_in(&g->of) || job_is_active(q))
		return;
	of = g->of;
	rc = bridge_objects_get(b->objects, of.kind, of.ns, of.name, &o, NULL);
	/* (a job of the group, also one that has ended, says that it is a gang)
	 */
	q->undecided =
		!q->job_id && (rc == -EAGAIN || rc == -ENOMEM || rc == -EDQUOT);
	if (rc || workload_take(&of, o, &basic, NULL) || !basic)
		return;
	for (struct bridge_member *m = g->members, *next; m; m = next) {
		next = m->next;
		if (begins)
			begin(b, m);
		bridge_seen_apart(b->seen, m);
	}
}
