/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_reserved.h"

#include <errno.h>
#include <stdlib.h>

#include "slurm/named_nodes.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

struct ctl_reserved {
	struct named_nodes nodes;
};

void ctl_reserved_free(struct ctl_reserved *r)
{
	if (!r)
		return;
	named_nodes_clear(&r->nodes);
	free(r);
}

static bool keeps_its_nodes(const reserve_info_t *resv)
{
	return resv->node_list && *resv->node_list &&
	       !(resv->flags &
		 (RESERVE_FLAG_ALL_NODES | RESERVE_FLAG_PART_NODES));
}

static int take_all(struct ctl_reserved *r, const reserve_info_msg_t *msg,
		    struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < msg->record_count; i++) {
		const reserve_info_t *resv = &msg->reservation_array[i];
		const char *name = resv->name ? resv->name : "";

		if (!keeps_its_nodes(resv))
			continue;
		rc = named_nodes_add(&r->nodes, resv->node_list, name, err);
		if (rc)
			rc = err_wrap(err, rc,
				      "the nodes of reservation %.100s", name);
	}
	return rc;
}

int ctl_reserved_load(struct ctl_reserved **out, struct err *err)
{
	_cleanup_(ctl_reserved_freep) struct ctl_reserved *r =
		calloc(1, sizeof(*r));
	reserve_info_msg_t *msg = NULL;
	int rc;

	if (!r)
		return err_oom(err);
	errno = 0;
	if (slurm_load_reservations(0, &msg) || !msg)
		return rpc_err(err, "cannot read slurmctld's reservations");
	rc = take_all(r, msg, err);
	release_free_reservations(msg);
	if (!rc)
		*out = steal_ptr(r);
	return rc;
}

const char *ctl_reserved_by(const struct ctl_reserved *r, const char *node)
{
	return named_nodes_by(&r->nodes, node);
}
