/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_reserved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

struct reserved {
	UT_hash_handle hh;
	int failed;
	const char *by; /* of the message */
	char node[];
};

struct ctl_reserved {
	reserve_info_msg_t *msg;
	struct reserved *by_node;
	size_t n_seen; /* nodes of reservations, each as often as it is there */
};

void ctl_reserved_free(struct ctl_reserved *r)
{
	struct reserved *one = NULL, *next = NULL;

	if (!r)
		return;
	HASH_ITER(hh, r->by_node, one, next)
	{
		HASH_DELETE(hh, r->by_node, one);
		free(one);
	}
	release_free_reservations(r->msg);
	free(r);
}

static int add(struct ctl_reserved *r, const char *node, const char *by,
	       struct err *err)
{
	const size_t size = strlen(node) + 1;
	struct reserved *one;

	if (r->n_seen++ >= CTL_RESERVED_MAX)
		return err_set(err, -E2BIG,
			       "slurmctld's reservations have more than %d "
			       "nodes in sum",
			       CTL_RESERVED_MAX);
	if (ctl_reserved_by(r, node))
		return 0;
	one = calloc(1, sizeof(*one) + size);
	if (!one)
		return err_oom(err);
	memcpy(one->node, node, size);
	one->by = by;
	HASH_ADD_KEYPTR(hh, r->by_node, one->node, size - 1, one);
	if (!one->failed)
		return 0;
	free(one);
	return err_oom(err);
}

static int take(struct ctl_reserved *r, const reserve_info_t *resv,
		struct err *err)
{
	const char *name = resv->name ? resv->name : "";
	release_hostlist list = slurm_hostlist_create(resv->node_list);
	int rc = 0;
	char *node;

	if (!list)
		return err_set(err, -EIO,
			       "cannot read the nodes of reservation %.100s",
			       name);
	while (!rc && (node = slurm_hostlist_shift(list))) {
		rc = add(r, node, name, err);
		free(node);
	}
	slurm_hostlist_destroy(list);
	return rc;
}

static bool keeps_its_nodes(const reserve_info_t *resv)
{
	return resv->node_list && *resv->node_list &&
	       !(resv->flags &
		 (RESERVE_FLAG_ALL_NODES | RESERVE_FLAG_PART_NODES));
}

int ctl_reserved_load(struct ctl_reserved **out, struct err *err)
{
	_cleanup_(ctl_reserved_freep) struct ctl_reserved *r =
		calloc(1, sizeof(*r));
	int rc = 0;

	if (!r)
		return err_oom(err);
	errno = 0;
	if (slurm_load_reservations(0, &r->msg) || !r->msg)
		return rpc_err(err, "cannot read slurmctld's reservations");
	for (uint32_t i = 0; !rc && i < r->msg->record_count; i++)
		if (keeps_its_nodes(&r->msg->reservation_array[i]))
			rc = take(r, &r->msg->reservation_array[i], err);
	if (!rc)
		*out = steal_ptr(r);
	return rc;
}

const char *ctl_reserved_by(const struct ctl_reserved *r, const char *node)
{
	const struct reserved *one;

	HASH_FIND_STR(r->by_node, node, one);
	return one ? one->by : NULL;
}
