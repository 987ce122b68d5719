/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes/features/switch_decide.h"

#include "syntax/gres_request.h"

#define COST 50 /* pauses are so many times as long as the search */
#define PAUSE_MAX_MS 60000

bool swap_fits(const struct swap_size *node, const struct swap_size *job)
{
	return (!node->cpus || node->cpus >= job->cpus) &&
	       (!node->memory_mib || node->memory_mib >= job->memory_mib) &&
	       gres_covers(node->gres, job->gres);
}

/* Could the node satisfy the alternative, in some guise? */
static bool could_serve(const struct swap_node *n, const struct request *r,
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

bool swap_is_idle(const struct swap_node *n)
{
	return n->up && !n->told && !n->in_use && !n->unsure;
}

/* (told to, it does so at Slurm's next look, in seconds) */
bool swap_goes_down(const struct swap_node *n)
{
	return n->powering_down || (n->up && n->told);
}

enum swap_use swap_use_of(const struct swap_node *n, const struct request *r,
			  const struct alternative *a)
{
	if (n->in_use || !could_serve(n, r, a) ||
	    (!swap_is_idle(n) && !n->powered_down && !swap_goes_down(n)))
		return SWAP_NO_USE;
	if (swap_goes_down(n))
		return SWAP_SOON;
	if (n->powered_down ||
	    !(a->set & ~features_of_list(n->known, n->active)))
		return SWAP_READY;
	return SWAP_OTHER_GUISE;
}

/* (a job that is held has to be released when it could have them at once) */
bool swap_enough(const struct swap_count *c)
{
	return (c->held ? c->ready : c->ready + c->soon) >= c->wanted;
}

bool swap_add(struct swap_count *c, enum swap_use use)
{
	c->ready += use == SWAP_READY;
	c->soon += use == SWAP_SOON;
	c->others += use == SWAP_OTHER_GUISE;
	return swap_enough(c);
}

bool swap_now(const struct swap_count *c)
{
	return c->ready >= c->wanted;
}

int64_t swap_lacks(const struct swap_count *c)
{
	size_t have = c->ready + c->soon;

	if (have >= c->wanted)
		return 0;
	return have + c->others < c->wanted ? -1 : (int64_t)(c->wanted - have);
}

int64_t swap_pause(int64_t took)
{
	return took * COST < PAUSE_MAX_MS ? took * COST : PAUSE_MAX_MS;
}
