/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_parts.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/str.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

#define NAMES_MAX ((size_t)1 << 20) /* bytes of names of partitions */
/* length of a chain of Alternates that is followed */
#define ALTERNATES_MAX 16

struct part {
	UT_hash_handle hh;
	int failed;
	uint32_t minutes;  /* time limit of a job that has none of its own */
	const char *nodes; /* lies behind the name */
	char name[];
};

struct ctl_parts {
	int64_t loaded_at; /* clock_ms() */
	time_t last_update;
	bool any_closed; /* some are RootOnly */
	char *closed;	 /* names with commas; "": none */
	/* the default partition, if it is closed; or NULL */
	char *closed_first;
	struct part *all;
	struct part *first; /* the default partition; or NULL */
};

void ctl_parts_free(struct ctl_parts *p)
{
	struct part *t = NULL, *next = NULL;

	if (!p)
		return;
	HASH_ITER(hh, p->all, t, next)
	{
		HASH_DELETE(hh, p->all, t);
		free(t);
	}
	free(p->closed);
	free(p->closed_first);
	free(p);
}

static int take_part(const partition_info_t *part, struct ctl_parts *p)
{
	const char *nodes = part->nodes ? part->nodes : "";
	const size_t size = strlen(part->name) + 1, more = strlen(nodes) + 1;
	struct part *t = calloc(1, sizeof(*t) + size + more);

	if (!t)
		return -ENOMEM;
	memcpy(t->name, part->name, size);
	t->nodes = memcpy(t->name + size, nodes, more);
	t->minutes = part->default_time == NO_VAL ? part->max_time
						  : part->default_time;
	HASH_ADD_KEYPTR(hh, p->all, t->name, size - 1, t);
	if (t->failed) {
		free(t);
		return -ENOMEM;
	}
	if (part->flags & PART_FLAG_DEFAULT)
		p->first = t;
	return 0;
}

static const partition_info_t *part_of(const partition_info_msg_t *msg,
				       const char *name)
{
	for (uint32_t i = 0; name && i < msg->record_count; i++)
		if (str_eq(msg->partition_array[i].name, name))
			return &msg->partition_array[i];
	return NULL;
}

/*
 * For a partition that takes no jobs now Slurm takes its Alternate (job_mgr.c,
 * _alt_part_test()).
 */
static bool is_closed(const partition_info_msg_t *msg,
		      const partition_info_t *part)
{
	for (int hops = 0; part && hops < ALTERNATES_MAX; hops++) {
		if (part->flags & PART_FLAG_ROOT_ONLY)
			return true;
		if (part->state_up & PARTITION_SUBMIT)
			return false;
		part = part_of(msg, part->alternate);
	}
	return part != NULL;
}

static int take_closed(const partition_info_msg_t *msg,
		       const partition_info_t *part, struct ctl_parts *p,
		       struct buf *closed)
{
	p->any_closed |= (part->flags & PART_FLAG_ROOT_ONLY) != 0;
	if (!is_closed(msg, part))
		return 0;
	if (buf_add_item(closed, part->name))
		return -ENOMEM;
	if (!(part->flags & PART_FLAG_DEFAULT) || p->closed_first)
		return 0;
	p->closed_first = strdup(part->name);
	return p->closed_first ? 0 : -ENOMEM;
}

static int take(const partition_info_msg_t *msg, struct ctl_parts *p)
{
	_cleanup_buf_ struct buf closed = BUF_INIT(NAMES_MAX);

	for (uint32_t i = 0; i < msg->record_count; i++) {
		const partition_info_t *part = &msg->partition_array[i];

		if (part->name &&
		    (take_closed(msg, part, p, &closed) || take_part(part, p)))
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
	if (slurm_load_partitions(rpc_since(old ? old->last_update : 0), &msg,
				  SHOW_ALL)) {
		if (!old || errno != SLURM_NO_CHANGE_IN_DATA) {
			rpc_err(err, "cannot read slurmctld's partitions");
			return -EAGAIN;
		}
		old->loaded_at = clock_ms();
		return 0;
	}
	p = calloc(1, sizeof(*p));
	rc = p ? take(msg, p) : -ENOMEM;
	release_free_partitions(msg);
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
		    const char *reservation, struct err *err)
{
	size_t len;

	if ((!asked || !*asked) && reservation && *reservation)
		return p->any_closed
			       ? err_set(err, -EPERM,
					 "reservation %.64s: its partition is "
					 "to be named, too, for some are "
					 "closed "
					 "to users (RootOnly=YES in "
					 "slurm.conf)",
					 reservation)
			       : 0;
	if ((!asked || !*asked) && p->closed_first)
		return closed(p->closed_first, strlen(p->closed_first), err);
	for (; (len = str_next_item(&asked)); asked += len)
		if (str_list_has(p->closed, asked, len))
			return closed(asked, len, err);
	return 0;
}

int ctl_parts_nodes(const struct ctl_parts *p, const char *asked,
		    struct buf *out)
{
	const struct part *t = p->first;
	size_t len;
	int rc = 0;

	if (!asked || !*asked)
		return t ? buf_add_item(out, t->nodes) : -ENOENT;
	for (; !rc && (len = str_next_item(&asked)); asked += len) {
		HASH_FIND(hh, p->all, asked, len, t);
		rc = !t ? -ENOENT : *t->nodes ? buf_add_item(out, t->nodes) : 0;
	}
	return rc;
}

uint32_t ctl_parts_shorten(const struct ctl_parts *p, const char *asked,
			   uint32_t most)
{
	uint32_t least = INFINITE;
	size_t len;

	if ((!asked || !*asked) && p->first)
		least = p->first->minutes;
	for (; (len = str_next_item(&asked)); asked += len) {
		struct part *t = NULL;

		HASH_FIND(hh, p->all, asked, len, t);
		if (t && t->minutes < least)
			least = t->minutes;
	}
	/*
	 * INFINITE is the greatest number; a partition that is not known Slurm
	 * refuses.
	 */
	return most < least ? most : 0;
}

void ctl_parts_each(const struct ctl_parts *p,
		    void (*fn)(void *arg, const char *name, const char *nodes),
		    void *arg)
{
	const struct part *t = NULL, *next = NULL;

	HASH_ITER(hh, p->all, t, next)
	{
		fn(arg, t->name, t->nodes);
	}
}
