/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes reservations to come have. Slurm shows of a node only one that
 * has begun, and takes a node that is deleted out of all others, so these are
 * asked for before a node is made anew.
 */
#include "base/clock.h"
#include "base/log.h"
#include "external/external_nodes.h"
#include "slurm/ctl_reserved.h"

#define AGAIN_MS 2000
#define SHARE 50    /* pause after a read, as a multiple of its time */
#define SOON_MS 500 /* until the step that asks */

void promised_nodes_begin(struct external_nodes *e)
{
	const int64_t begin = clock_ms();
	struct err err = {0};
	int64_t ms;

	if (!e->promised.asked || begin < e->promised.ask_at)
		return;
	e->promised.asked = false;
	if (ctl_reserved_load(&e->promised.now, &err))
		log_debug("%s", err.msg);
	ms = (clock_ms() - begin) * SHARE;
	e->promised.ask_at = clock_ms() + (ms > AGAIN_MS ? ms : AGAIN_MS);
}

int64_t promised_node_by(struct external_nodes *e, const char *node,
			 const char **by)
{
	const int64_t soon = clock_ms() + SOON_MS;

	e->promised.asked = true;
	*by = e->promised.now ? ctl_reserved_by(e->promised.now, node) : NULL;
	if (e->promised.now)
		return 0;
	return e->promised.ask_at > soon ? e->promised.ask_at : soon;
}

void promised_nodes_end(struct external_nodes *e)
{
	ctl_reserved_free(e->promised.now);
	e->promised.now = NULL;
}
