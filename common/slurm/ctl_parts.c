/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_parts.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

#define NAMES_MAX ((size_t)1 << 20) /* bytes of names of partitions */

struct ctl_parts {
	int64_t loaded_at; /* monotonic */
	time_t last_update;
	char *closed;	    /* names with commas; "": none */
	char *closed_first; /* the default partition, if it is one; or NULL */
};

void ctl_parts_free(struct ctl_parts *p)
{
	if (!p)
		return;
	free(p->closed);
	free(p->closed_first);
	free(p);
}

static int take(const partition_info_msg_t *msg, struct ctl_parts *p)
{
	_cleanup_buf_ struct buf closed = BUF_INIT(NAMES_MAX);

	for (uint32_t i = 0; i < msg->record_count; i++) {
		const partition_info_t *part = &msg->partition_array[i];

		if (!(part->flags & PART_FLAG_ROOT_ONLY) || !part->name)
			continue;
		if (buf_add_item(&closed, part->name))
			return -ENOMEM;
		if (!(part->flags & PART_FLAG_DEFAULT) || p->closed_first)
			continue;
		p->closed_first = strdup(part->name);
		if (!p->closed_first)
			return -ENOMEM;
	}
	p->last_update = msg->last_update;
	p->closed = strdup(buf_str(&closed));
	return p->closed ? 0 : -ENOMEM;
}

int ctl_parts_refresh(struct ctl_parts **parts, struct err *err)
{
	_cleanup_(ctl_parts_freep) struct ctl_parts *p = NULL;
	partition_info_msg_t *msg = NULL;
	struct ctl_parts *old = *parts;
	int rc;

	if (old && clock_ms() < old->loaded_at + CTL_PARTS_MS)
		return 0;
	errno = 0;
	if (slurm_load_partitions(old ? old->last_update : 0, &msg, SHOW_ALL)) {
		if (!old || errno != SLURM_NO_CHANGE_IN_DATA) {
			rpc_err(err, "cannot read slurmctld's partitions");
			return -EAGAIN;
		}
		old->loaded_at = clock_ms();
		return 0;
	}
	p = calloc(1, sizeof(*p));
	rc = p ? take(msg, p) : -ENOMEM;
	slurm_free_partition_info_msg(msg);
	if (rc)
		return err_oom(err);
	p->loaded_at = clock_ms();
	ctl_parts_free(old);
	*parts = steal_ptr(p);
	return 0;
}

static int closed(const char *name, size_t len, struct err *err)
{
	return err_set(err, -EPERM,
		       "partition %.*s is closed to users (RootOnly=YES in "
		       "slurm.conf)",
		       (int)(len < 64 ? len : 64), name);
}

int ctl_parts_check(const struct ctl_parts *p, const char *asked,
		    struct err *err)
{
	size_t len;

	if ((!asked || !*asked) && p->closed_first)
		return closed(p->closed_first, strlen(p->closed_first), err);
	for (; (len = str_next_item(&asked)); asked += len)
		if (str_list_has(p->closed, asked, len))
			return closed(asked, len, err);
	return 0;
}
