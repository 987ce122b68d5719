/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/nodes_again.h"

#include "base/clock.h"

int nodes_again_begin(struct nodes_again *a, size_t n,
		      const struct ctl_nodes *all, struct err *err)
{
	int rc = 0;

	if (!all && n > NODES_SINGLE_MAX) {
		rc = ctl_nodes_load(&a->own, err);
		all = rc ? NULL : a->own;
	}
	a->all = all;
	a->begin = clock_ms();
	return rc;
}

int nodes_again_find(struct nodes_again *a, const char *name,
		     struct ctl_node *node, struct err *err)
{
	int rc;

	if (a->all)
		return ctl_nodes_find(a->all, name, node);
	ctl_nodes_free(a->own);
	a->own = NULL;
	rc = ctl_nodes_load_one(name, &a->own, err);
	return rc ? rc : ctl_nodes_find(a->own, name, node);
}

bool nodes_again_is_late(const struct nodes_again *a)
{
	return clock_ms() - a->begin >= NODES_AGAIN_MS;
}

void nodes_again_end(struct nodes_again *a)
{
	ctl_nodes_free(a->own);
	*a = (struct nodes_again){0};
}
