/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurm/ctl_resume.h"

#include <stdlib.h>
#include <string.h>

#include "slurm/release.h"
#include "slurm/rpc.h"

static int by_bytes(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* `own`: of each node, the longest so far; NO_VAL16: none has its own. */
static void take_part(const partition_info_t *part, char *const nodes[],
		      size_t n, uint16_t *own)
{
	release_hostlist list;
	char *name;

	if (part->resume_timeout == NO_VAL16 || !part->nodes || !*part->nodes ||
	    !(list = slurm_hostlist_create(part->nodes)))
		return;
	while ((name = slurm_hostlist_shift(list))) {
		char *const *at =
			bsearch(&name, nodes, n, sizeof(*nodes), by_bytes);
		uint16_t *mine = at ? &own[at - nodes] : NULL;

		if (mine && (*mine == NO_VAL16 || *mine < part->resume_timeout))
			*mine = part->resume_timeout;
		free(name);
	}
	slurm_hostlist_destroy(list);
}

static void take_shortest(char *const nodes[], size_t n, const uint16_t *own,
			  struct ctl_resume *out)
{
	const uint32_t all = out->timeout_s;

	for (size_t i = 0; i < n; i++) {
		const bool has = own[i] != NO_VAL16;

		if (i && (has ? own[i] : all) >= out->timeout_s)
			continue;
		out->timeout_s = has ? own[i] : all;
		out->node = has ? nodes[i] : NULL;
	}
}

int ctl_resume_shortest(char *const nodes[], size_t n, bool reboot,
			struct ctl_resume *out, struct err *err)
{
	partition_info_msg_t *msg = NULL;
	uint16_t *own;

	if (!n || (reboot && !release_reboots_by_partition()))
		return 0;
	if (slurm_load_partitions(0, &msg, SHOW_ALL))
		return rpc_err(err, "cannot read slurmctld's partitions");
	own = malloc(n * sizeof(*own));
	for (size_t i = 0; own && i < n; i++)
		own[i] = NO_VAL16;
	for (uint32_t i = 0; own && i < msg->record_count; i++)
		take_part(&msg->partition_array[i], nodes, n, own);
	release_free_partitions(msg);
	if (!own)
		return err_oom(err);
	take_shortest(nodes, n, own, out);
	free(own);
	return 0;
}
