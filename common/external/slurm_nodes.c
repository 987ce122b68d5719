/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's nodes as the bridge last read them, and whether they are others. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "external/external_nodes.h"
#include "slurm/nodes_pace.h"

#define NODES_MS 2000  /* least pause between two reads of Slurm's nodes */
#define NODES_SHARE 50 /* pause after a read, as a multiple of its time */

/* The pause from one answer of slurmctld to the next question, in ms. */
static int64_t pause_ms(const struct external_nodes *e)
{
	const int64_t ms = NODES_SHARE * e->slurm.cost_ms;

	if (!e->slurm.read_at) /* we changed some: nothing is done before */
		return nodes_pause_ms(ctl_nodes_count(e->slurm.nodes),
				      e->slurm.cost_ms, true);
	return ms > NODES_MS ? ms : NODES_MS;
}

/*
 * Another thread's list will do if it was asked for after this. It is newer
 * than ours, and than what we have done; and so young that ours is never older
 * than if slurmctld were asked at each pause's end.
 */
static int64_t not_before(const struct external_nodes *e, int64_t now)
{
	const int64_t ours = e->slurm.read.asked > e->slurm.expired_at
				     ? e->slurm.read.asked
				     : e->slurm.expired_at;
	const int64_t old = now - pause_ms(e);

	return !e->slurm.read_at || ours > old ? ours : old;
}

/*
 * After a change of ours another thread's list is looked for at once, else when
 * a pause is over: only then is there something to be gained. The first list is
 * asked for.
 */
static int read_nodes(struct external_nodes *e, struct ctl_read *read)
{
	const int64_t now = clock_ms();
	const bool due =
		!e->slurm.asked_at || now >= e->slurm.asked_at + pause_ms(e);
	struct err err = {0};
	int rc = -ENOENT;

	if (e->slurm.nodes && (due || !e->slurm.read_at))
		rc = ctl_reader_nodes_shared(e->reader, not_before(e, now),
					     &e->slurm.nodes, read);
	if (rc >= 0 || !due || now < e->slurm.rest_until)
		return rc;
	rc = ctl_reader_nodes(e->reader, CTL_READER_NOW, &e->slurm.nodes, read,
			      &err);
	if (rc >= 0)
		return rc;
	log_debug("%s", err.msg);
	e->slurm.asked_at = clock_ms();
	e->slurm.rest_until = e->slurm.asked_at + NODES_MS;
	return rc;
}

bool slurm_nodes_refresh(struct external_nodes *e)
{
	struct ctl_read read;
	const int rc = read_nodes(e, &read);

	if (rc < 0)
		return false;
	/*
	 * The shorter of the last two times counts: a single slow answer says
	 * nothing, as this machine may have been busy with something else.
	 */
	e->slurm.cost_ms =
		read.took < e->slurm.took_ms ? read.took : e->slurm.took_ms;
	e->slurm.took_ms = read.took;
	e->slurm.read = read;
	e->slurm.asked_at = read.asked + read.took;
	e->slurm.read_at = clock_ms();
	return rc > 0;
}

/* Which nodes waiting pods may get in Slurm, whatever these do. */
static uint32_t names_sum(struct external_nodes *e)
{
	struct ctl_node node;
	uint32_t sum = 1;

	inventory_lock(e->inventory);
	for (size_t i = 0;
	     e->slurm.nodes && ctl_nodes_at(e->slurm.nodes, i, &node); i++) {
		const struct inventory_node *x =
			inventory_of_slurm(e->inventory, node.name);

		if (!x || !host_leaves(x, &node))
			sum += str_hash(STR_HASH, node.name, strlen(node.name));
	}
	inventory_unlock(e->inventory);
	return sum;
}

bool slurm_nodes_changed(struct external_nodes *e, bool news)
{
	const uint64_t views = inventory_views(e->inventory);
	const bool ready = inventory_ready(e->inventory);
	const uint32_t sum = news ? names_sum(e) : e->slurm.names_sum;
	const bool others = sum != e->slurm.names_sum ||
			    views != e->slurm.hosts_views ||
			    ready != e->slurm.hosts_ready;

	e->slurm.names_sum = sum;
	e->slurm.hosts_views = views;
	e->slurm.hosts_ready = ready;
	return others;
}
