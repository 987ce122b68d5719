/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/features/switch_decide.h"

#include "nodes/watch/nodes.h"
#include "syntax/gres_request.h"

#define COST 50 /* a pause lasts this many times as long as the search */
#define PAUSE_MAX_MS 60000

bool switch_fits(const struct switch_size *node, const struct switch_size *job)
{
	return (!node->cpus || node->cpus >= job->cpus) &&
	       (!node->memory_mib || node->memory_mib >= job->memory_mib) &&
	       gres_covers(node->gres, job->gres);
}

/* True if the node could satisfy the alternative, with some of its features. */
static bool could_serve(const struct switch_node *n, const struct constraint *r,
			const struct alternative *a)
{
	feature_set has = features_of_list(n->known, n->features);

	if (a->set & ~(n->offered & has))
		return false;
	for (size_t i = 0; i < r->n_others; i++)
		if ((a->others >> i & 1) &&
		    !features_list_has(n->features, r->other[i]))
			return false;
	return true;
}

bool switch_is_idle(const struct switch_node *n)
{
	return n->up && !n->ending && !n->in_use && !n->unsure;
}

bool switch_goes_down(const struct switch_node *n)
{
	return n->powering_down || (n->up && n->ending);
}

enum switch_use switch_use_of(const struct switch_node *n,
			      const struct constraint *r,
			      const struct alternative *a)
{
	if (n->in_use || !could_serve(n, r, a) ||
	    (!switch_is_idle(n) && !n->powered_down && !switch_goes_down(n)))
		return SWITCH_NO_USE;
	if (switch_goes_down(n))
		return SWITCH_SOON;
	if (n->powered_down ||
	    !(a->set & ~features_of_list(n->known, n->active)))
		return SWITCH_READY;
	return SWITCH_NEEDS_POWER_DOWN;
}

bool switch_enough(const struct switch_count *c)
{
	return (c->held ? c->ready : c->ready + c->soon) >= c->wanted;
}

bool switch_add(struct switch_count *c, enum switch_use use)
{
	c->ready += use == SWITCH_READY;
	c->soon += use == SWITCH_SOON;
	c->others += use == SWITCH_NEEDS_POWER_DOWN;
	return switch_enough(c);
}

bool switch_now(const struct switch_count *c)
{
	return c->ready >= c->wanted;
}

int64_t switch_lacks(const struct switch_count *c)
{
	size_t have = c->ready + c->soon;

	if (have >= c->wanted)
		return 0;
	return have + c->others < c->wanted ? -1 : (int64_t)(c->wanted - have);
}

bool switch_releases(const struct switch_outcome *f)
{
	return f->held && f->has_all && !f->power_down;
}

bool switch_goes_on(const struct switch_outcome *f)
{
	return f->power_down || (f->held && !f->has_all && f->some_soon);
}

bool switch_may_release(struct released_jobs *r, uint32_t job_id,
			int64_t now_ms)
{
	for (int i = 0; i < RELEASED_MAX; i++)
		if (r->v[i].job_id == job_id &&
		    now_ms - r->v[i].at < SWITCH_RELEASE_MS)
			return false;
	r->v[r->next].job_id = job_id;
	r->v[r->next].at = now_ms;
	r->next = (r->next + 1) % RELEASED_MAX;
	return true;
}

int64_t switch_pause(int64_t took)
{
	return took * COST < PAUSE_MAX_MS ? took * COST : PAUSE_MAX_MS;
}
