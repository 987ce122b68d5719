/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pods whose labels or annotations were changed while no engine ran, so that
 * they are in another group than the one whose job has bound them.
 */
#include <string.h>

#include "base/str.h"
#include "bridge/binding/binding.h"

/*
 * The key that a pod of a built-in group may have been bound by: if the pod was
 * taken out of the group, that of the group, else that of what it is without
 * the group. False: the pod is of no such group.
 */
static bool other_key(const struct pod_group *g, const struct group_pod *m,
		      char out[BRIDGE_KEY_MAX])
{
	struct workload built_in = {.kind = WORKLOAD_GROUP};

	if (!m->besides)
		return false;
	str_copy(built_in.ns, g->of.ns, sizeof(built_in.ns));
	str_copy(built_in.name, g->of.group, sizeof(built_in.name));
	pod_group_key(m->apart ? &built_in : m->besides, out);
	return true;
}

static bool is_its_key(const struct pod_group *g, const struct group_pod *m,
		       const char *key)
{
	char other[BRIDGE_KEY_MAX];

	return !strcmp(key, g->key) ||
	       (other_key(g, m, other) && !strcmp(key, other));
}

/* True if the pod's mark, which it has, is its group's, `mine`. */
static bool is_its_mark(const struct pod_group *g, const struct group_pod *m,
			const char *mine)
{
	char other[BRIDGE_KEY_MAX], mark[BRIDGE_KEY_MAX];

	if (!strcmp(m->pod->group, mine))
		return true;
	if (!other_key(g, m, other))
		return false;
	pod_groups_mark(other, mark);
	return !strcmp(m->pod->group, mark);
}

/*
 * True if the pod was bound by the job of another group. A condition of the pod
 * says so, also when Slurm has forgotten that job. Without the condition Slurm
 * says it as long as it knows the job. A job that this engine has made is no
 * proof: it may have the number of one that slurmctld has lost.
 */
static bool is_moved(struct bridge *b, const struct pod_group *g,
		     const struct group_pod *m, const char *mine)
{
	const uint32_t id = m->pod->job_id;
	const struct known_placeholder *k = NULL;

	if (!*m->pod->node || !id || m->pod->ended)
		return false;
	if (*m->pod->group)
		return !is_its_mark(g, m, mine);
	HASH_FIND(hh, b->jobs.identities, &id, sizeof(id), k);
	if (!k)
		return m->look.moved; /* Slurm has no such job: as before */
	return !k->made && *k->key && !is_its_key(g, m, k->key);
}

/*
 * A condition of the pod says which engine has bound it. A pod that an earlier
 * build bound has none: for it a job of that number and group is proof, while
 * Slurm knows the job.
 */
bool is_bound_by_us(struct bridge *b, const struct group_pod *m)
{
	const uint32_t id = m->pod->job_id;
	const struct known_placeholder *k = NULL;
	char mark[BRIDGE_KEY_MAX];

	if (!*m->pod->node || !id)
		return false;
	if (*m->pod->by)
		return str_eq(m->pod->by, b->bound_by);
	HASH_FIND(hh, b->jobs.identities, &id, sizeof(id), k);
	if (!k || !*k->key || !*m->pod->group)
		return false;
	pod_groups_mark(k->key, mark);
	return !strcmp(m->pod->group, mark);
}

bool find_moved(struct bridge *b, const struct pod_group *g,
		const struct queue_entry *q, struct group_observation *j)
{
	const uint32_t kill_wait_s = placeholder_kill_wait(b->kill_wait_s);
	struct group_counts *p = &j->view.pods;
	char mine[BRIDGE_KEY_MAX];
	bool any = false;

	pod_groups_mark(g->key, mine);
	for (struct group_pod *m = g->members; m; m = m->next) {
		const bool live = pod_runs(m->pod);
		bool counts;

		m->look.moved = is_moved(b, g, m, mine);
		m->look.ours = is_bound_by_us(b, m);
		any |= m->look.moved;
		counts = m->look.moved &&
			 (live || m->pod->grace_s > kill_wait_s);
		p->moved += counts;
		p->ours += counts && m->look.ours;
		p->by_earlier_job -= m->look.moved && live && q->job.id &&
				     q->job.id != m->pod->job_id;
	}
	return any;
}
