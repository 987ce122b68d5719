/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_resume.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "slurm/release.h"
#include "slurm/rpc.h"

/*
 * The longest ResumeTimeout of one node so far, and the partition that has it.
 */
struct own {
	uint16_t timeout_s;	      /* NO_VAL16: no partition has one */
	const partition_info_t *part; /* borrowed from the message */
};

static int by_bytes(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/*
 * Take the ResumeTimeout of a partition for its nodes among `nodes`; own[i] is
 * of nodes[i].
 */
static void take_part(const partition_info_t *part, char *const nodes[],
		      size_t n, struct own *own)
{
	release_hostlist list;
	char *name;

	if (part->resume_timeout == NO_VAL16 || !part->nodes || !*part->nodes ||
	    !(list = slurm_hostlist_create(part->nodes)))
		return;
	while ((name = slurm_hostlist_shift(list))) {
		char *const *at =
			bsearch(&name, nodes, n, sizeof(*nodes), by_bytes);
		struct own *mine = at ? &own[at - nodes] : NULL;

		if (mine && (mine->timeout_s == NO_VAL16 ||
			     mine->timeout_s < part->resume_timeout))
			*mine = (struct own){part->resume_timeout, part};
		free(name);
	}
	slurm_hostlist_destroy(list);
}

static void take_name(const partition_info_t *part, struct ctl_resume *out)
{
	const char *name = part && part->name ? part->name : "";

	if (strlen(name) >= sizeof(out->partition))
		name = "";
	str_copy(out->partition, name, sizeof(out->partition));
}

static void take_shortest(char *const nodes[], size_t n, const struct own *own,
			  struct ctl_resume *out)
{
	const uint32_t all = out->timeout_s;

	for (size_t i = 0; i < n; i++) {
		const bool has = own[i].timeout_s != NO_VAL16;
		const uint32_t its = has ? own[i].timeout_s : all;

		if (i && its >= out->timeout_s)
			continue;
		out->timeout_s = its;
		out->node = has ? nodes[i] : NULL;
		take_name(own[i].part, out);
	}
}

int ctl_resume_shortest(char *const nodes[], size_t n, bool reboot,
			struct ctl_resume *out, struct err *err)
{
	partition_info_msg_t *msg = NULL;
	struct own *own;

	if (!n || (reboot && !release_reboots_by_partition()))
		return 0;
	if (slurm_load_partitions(0, &msg, SHOW_ALL))
		return rpc_err(err, "cannot read slurmctld's partitions");
	own = calloc(n, sizeof(*own));
	for (size_t i = 0; own && i < n; i++)
		own[i].timeout_s = NO_VAL16;
	for (uint32_t i = 0; own && i < msg->record_count; i++)
		take_part(&msg->partition_array[i], nodes, n, own);
	if (own)
		take_shortest(nodes, n, own, out);
	release_free_partitions(msg);
	if (!own)
		return err_oom(err);
	free(own);
	return 0;
}
