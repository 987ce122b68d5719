/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_part_list.h"

#include <stdlib.h>

#include "slurm/release.h"
#include "slurm/rpc.h"

struct ctl_part_list {
	partition_info_msg_t *msg;
};

int ctl_part_list_load(struct ctl_part_list **out, struct err *err)
{
	struct ctl_part_list *p = calloc(1, sizeof(*p));

	if (!p)
		return err_oom(err);
	if (slurm_load_partitions(0, &p->msg, SHOW_ALL)) {
		const int rc =
			rpc_err(err, "cannot read slurmctld's partitions");

		free(p);
		return rc;
	}
	*out = p;
	return 0;
}

void ctl_part_list_free(struct ctl_part_list *p)
{
	if (!p)
		return;
	release_free_partitions(p->msg);
	free(p);
}

/*
 * A time of 32 bits, for which NO_VAL is what NO_VAL16 is for 16 bits; -1:
 * none.
 */
static int64_t own_time(uint32_t value)
{
	if (value == NO_VAL)
		return -1;
	return value == INFINITE ? INT64_MAX : value;
}

bool ctl_part_list_at(const struct ctl_part_list *p, size_t i,
		      struct ctl_part *out)
{
	const partition_info_t *part;

	if (i >= p->msg->record_count)
		return false;
	part = &p->msg->partition_array[i];
	out->name = part->name ? part->name : "";
	out->nodes = part->nodes ? part->nodes : "";
	out->suspend_time_s = own_time(part->suspend_time);
	out->suspend_timeout_s =
		part->suspend_timeout == NO_VAL16 ? -1 : part->suspend_timeout;
	return true;
}
