/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/named_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "slurm/release.h"

struct named_node {
	UT_hash_handle hh;
	int failed;
	const char *by; /* lies behind the name */
	char name[];
};

static int add(struct named_nodes *m, const char *node, const char *by,
	       struct err *err)
{
	const size_t len = strlen(node), by_len = strlen(by);
	struct named_node *one;

	if (m->n_seen++ >= NAMED_NODES_MAX)
		return err_set(err, -E2BIG, "more than %d nodes in sum",
			       NAMED_NODES_MAX);
	if (named_nodes_by(m, node))
		return 0;
	one = calloc(1, sizeof(*one) + len + by_len + 2);
	if (!one)
		return err_oom(err);
	memcpy(one->name, node, len + 1);
	memcpy(one->name + len + 1, by, by_len + 1);
	one->by = one->name + len + 1;
	HASH_ADD_KEYPTR(hh, m->by_name, one->name, len, one);
	if (!one->failed)
		return 0;
	free(one);
	return err_oom(err);
}

int named_nodes_add(struct named_nodes *m, const char *list, const char *by,
		    struct err *err)
{
	release_hostlist nodes = slurm_hostlist_create(list);
	int rc = 0;
	char *node;

	if (!nodes)
		return err_set(err, -EIO, "no list of nodes");
	while (!rc && (node = slurm_hostlist_shift(nodes))) {
		rc = add(m, node, by, err);
		free(node);
	}
	slurm_hostlist_destroy(nodes);
	return rc;
}

const char *named_nodes_by(const struct named_nodes *m, const char *node)
{
	const struct named_node *one;

	HASH_FIND_STR(m->by_name, node, one);
	return one ? one->by : NULL;
}

void named_nodes_clear(struct named_nodes *m)
{
	struct named_node *one = NULL, *next = NULL;

	HASH_ITER(hh, m->by_name, one, next)
	{
		HASH_DELETE(hh, m->by_name, one);
		free(one);
	}
	m->n_seen = 0;
}
