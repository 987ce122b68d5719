/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs that wait are told other nodes (their ExcNodeList) when the nodes
 * change: thousands of jobs by one node. slurmctld has its jobs locked for each
 * such update, for 5 to 40 ms. So updates get a share of the time, one after
 * the other, and each job is told the nodes as they are when its turn comes:
 * changes before that cost no update more. When a node was made anew
 * (external_creations), jobs whose lists have not changed are updated, too, so
 * that Slurm looks the names up. A job that starts before its turn, on nodes
 * that do not fit its pods, is found out before they are bound (check_fit() of
 * bind.c).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/reconcile/reconcile.h"
#include "syntax/hostlist.h"

#define AGAIN_MS 2000	 /* until an update that failed is tried again */
#define REFUSED_MS 60000 /* until an update that was refused is tried again */
#define NO_NODE_MS 10000 /* until a node that is lacking counts as deleted */

/* Tell pods and the log that the job cannot be changed to what pods ask for. */
static void say_unchanged(struct bridge *b, const struct queue_entry *q,
			  const struct group_observation *j,
			  const struct pod_selection *pods, const char *why)
{
	char words[ERR_MSG_MAX + 64];

	snprintf(words, sizeof(words), "its job stays as it is: %s", why);
	group_log(b, LOG_LEVEL_WARN, &j->order.id.of, words);
	snprintf(words, sizeof(words), "job %u stays as it is: %s", q->job.id,
		 why);
	for (size_t i = 0; i < pods->n; i++) {
		const struct selected_pod *c = &pods->v[i];
		const struct pod_ref ref = {c->ns, c->name, c->uid};

		bridge_requests_event(b->requests, &ref, true,
				      "Refused by Slurm", words);
	}
}

/*
 * Give the job another list of excluded nodes, as other nodes fit. With `same`
 * it keeps its list, of which Slurm looks up the names anew. All else of the
 * job, maybe set by scontrol, stays, and so does its size.
 */
static int update_exclude(const struct queue_entry *q, const struct job_spec *o,
			  bool same, struct err *err)
{
	char text[BRIDGE_ID_MAX];
	/* The job may have had a list: "" takes it away. */
	const struct placeholder p = {.exclude = same	      ? NULL
						 : o->exclude ? o->exclude
							      : "",
				      .admin_comment = text};
	struct job_identity id = o->id;
	int rc;

	id.pods = q->job.made_for;
	id.nodes = q->job.made_nodes;
	id.cpus = q->job.made_cpus;
	rc = job_identity_make(&id, text, err);
	return rc ? rc : ctl_placeholder_update(q->job.id, &p, err);
}

/*
 * Slurm has answered that it has no such node. Either the new list has a node
 * that was deleted since Slurm's nodes were last read, or the node is being
 * made anew: both pass. Or the job has named the node before it was deleted,
 * and can never be changed again: the plan makes such a job anew (no_node).
 */
static void has_no_node(struct bridge *b, struct queue_entry *q, int64_t now,
			const struct err *err)
{
	slurm_nodes_expire(&b->external);
	if (q->update.no_node != q->job.id) {
		q->update.no_node = q->job.id;
		q->update.no_node_at = now;
	}
	log_debug("bridge: job %u: %s", q->job.id, err->msg);
	if (now < q->update.no_node_at + NO_NODE_MS) {
		queue_entry_later(b, q, AGAIN_MS);
		return;
	}
	q->update.at = now + REFUSED_MS;
	queue_entry_later(b, q, REFUSED_MS);
	queue_entry_touch(b, q);
}

/* True if Slurm has each node of a list; NULL: an empty list. */
static bool has_each(const struct bridge *b, const char *list)
{
	struct hostlist names = {0};
	struct ctl_node node;
	bool has = true;

	if (!list)
		return true;
	if (!b->external.slurm.nodes || hostlist_expand(list, &names, NULL))
		return false;
	for (size_t i = 0; i < names.n && has; i++)
		has = ctl_nodes_find(b->external.slurm.nodes, names.names[i],
				     &node);
	hostlist_clear(&names);
	return has;
}

static bool has_all_nodes(const struct bridge *b, const struct job_spec *o)
{
	return has_each(b, o->exclude) &&
	       has_each(b, job_options_text(&o->options, JOB_OPTION_NODELIST));
}

void updates_do(struct bridge *b, struct queue_entry *q,
		struct group_observation *j, const struct pod_selection *pods)
{
	const unsigned int anew = b->external.creations.anew;
	const bool same =
		!strcmp(j->order.id.options_digest, q->job.options_digest);
	int64_t now = clock_ms();
	struct err err = {0};
	int rc;

	if (now < q->update.at) {
		queue_entry_later(b, q, q->update.at - now);
		return;
	}
	if (!quota_may_exclude(b, q, &j->order, sizeof(err.msg), err.msg)) {
		q->update.at = now + REFUSED_MS;
		queue_entry_later(b, q, REFUSED_MS);
		j->too_many = WORDS_TOO_MANY_NAMES;
		act_tell_busy(b, q, j, pods, &err);
		return;
	}
	if (!updates_turn(b, q, now))
		return;
	/*
	 * While it lacks a node that the job names Slurm would refuse the
	 * update, and forget which nodes the job names. The update is due again
	 * when Slurm has other nodes: they may have been read while one was
	 * being made anew.
	 */
	if (same && !has_all_nodes(b, &j->order)) {
		q->update.lacks = updates_version(b);
		return;
	}
	rc = update_exclude(q, &j->order, same, &err);
	updates_pace(b, now);
	now = clock_ms();
	placeholders_expire(b);
	if (rc == -EAGAIN || rc == -ENOMEM) {
		queue_entry_later(b, q, AGAIN_MS);
		act_tell_busy(b, q, j, pods, &err);
		return;
	}
	if (rc == -ENODEV) {
		has_no_node(b, q, now, &err);
		return;
	}
	q->update.no_node = 0;
	if (rc) {
		q->update.at = now + REFUSED_MS;
		queue_entry_later(b, q, REFUSED_MS);
		say_unchanged(b, q, j, pods, err.msg);
		return;
	}
	quota_excludes(b, q, &j->order);
	queue_entry_job_told(q, j->order.id.options_digest);
	q->update.anew = anew;
	q->update.lacks = 0;
	log_info("bridge: job %u is told other nodes", q->job.id);
}
