/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * External nodes that are to be deleted in Slurm, and jobs that name them.
 * Slurm looks up the nodes of a job's ExcNodeList and ReqNodeList at each
 * change of it, and when one was deleted refuses all changes, for ever. So
 * the lists of jobs that wait are changed first (host_leaves()), and no node
 * goes before. Those of jobs that run cannot be changed: for an ExcNodeList
 * none stays, or an autoscaler's would pile up. A ReqNodeList may have more
 * nodes than its job got: the job is ended when slurmctld is started without
 * one of them, so all of them stay.
 */
#include "base/clock.h"
#include "base/log.h"
#include "external/external_actions.h"
#include "external/external_memo.h"
#include "external/external_nodes.h"
#include "slurm/ctl_placeholder_names.h"

#define NAMED_AGAIN_MS 10000 /* all jobs are not asked for more often */
/* how long a node stays once all jobs had their turn */
#define NAMED_MAX_MS 600000
#define NAMED_END_MS 7200000 /* how long a node stays in all */
/* a node that was not to go for so long stays anew */
#define NAMED_OLD_MS 60000
/* pause after a list of all jobs, as a multiple of its time */
#define NAMED_SHARE 20

int64_t external_nodes_unwanted_for(struct external_nodes *e, const char *name)
{
	struct external_node_memo *m = external_memo_of(e, name);
	const int64_t now = clock_ms();

	if (!m)
		return 0;
	if (!m->removal.gone_at)
		m->removal.gone_at = now;
	return now - m->removal.gone_at;
}

/* A job that waits names the node: true if the node is to stay for now. */
static bool stays(struct external_nodes *e, const char *name)
{
	struct external_node_memo *m = external_memo_of(e, name);
	const int64_t now = clock_ms();

	if (!m)
		return true; /* out of memory: look later */
	if (!m->removal.named_at ||
	    now > m->removal.named_until + NAMED_OLD_MS) {
		m->removal.named_at = m->removal.named_first = now;
		m->removal.named_told = false;
		log_info("bridge: node %s is deleted in Slurm when no job that "
			 "waits names it any more, or in %d minutes",
			 name, NAMED_MAX_MS / 60000);
	}
	if (e->lists_change && now - m->removal.named_first < NAMED_END_MS)
		m->removal.named_at = now;
	if (now - m->removal.named_at < NAMED_MAX_MS) {
		m->removal.named_until = e->named.ask_at;
		e->named.until = m->removal.named_until + NAMED_AGAIN_MS;
		return true;
	}
	if (!m->removal.named_told)
		log_warn("bridge: node %s is deleted in Slurm, though jobs "
			 "that wait name it still: Slurm refuses to change or "
			 "release these, and their pods get others",
			 name);
	m->removal.named_told = true;
	return false;
}

/* Keep the node until slurmctld may be asked whether a job names it. */
static void wait_to_ask(struct external_nodes *e, const char *name)
{
	struct external_node_memo *m = external_memo_of(e, name);

	if (m)
		m->removal.named_until = e->named.ask_at;
}

/* A job that runs names the node: it stays until that has ended. */
static void stays_on(struct external_nodes *e, const char *name)
{
	external_node_log(e, name,
			  "it is deleted in Slurm when no job that runs has it "
			  "in its ReqNodeList: Slurm would end that job when "
			  "slurmctld is started");
	wait_to_ask(e, name);
	e->named.until = e->named.ask_at + NAMED_AGAIN_MS;
}

void external_nodes_named(struct external_nodes *e, const char *const *names,
			  size_t n, bool *stay)
{
	enum ctl_named by[EXTERNAL_ACTIONS_MAX] = {CTL_NAMED_BY_NONE};
	const int64_t begin = clock_ms();
	struct err err = {0};
	int64_t ms;
	int rc;

	if (!n || begin < e->named.ask_at) {
		for (size_t i = 0; i < n; i++) {
			wait_to_ask(e, names[i]);
			stay[i] = true;
		}
		return;
	}
	rc = ctl_placeholders_name(e->reader, names, n, by, &err);
	if (rc)
		log_debug("%s", err.msg);
	ms = (clock_ms() - begin) * NAMED_SHARE;
	e->named.ask_at =
		clock_ms() + (ms > NAMED_AGAIN_MS ? ms : NAMED_AGAIN_MS);
	for (size_t i = 0; i < n; i++) {
		stay[i] = by[i] == CTL_NAMED_BY_RUNNING ||
			  ((rc || by[i]) && stays(e, names[i]));
		if (by[i] == CTL_NAMED_BY_RUNNING)
			stays_on(e, names[i]);
	}
}
