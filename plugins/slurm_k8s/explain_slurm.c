/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/str.h"
#include "bridge/jobspec/job_identity.h"
#include "explain_parts.h"
#include "node_state.h"
#include "queue_place.h"
#include "rest_words.h"
#include "slurm/ctl_job_list.h"
#include "syntax/hostlist.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"
#include "user_name.h"

#define NODES_MAX 8 /* nodes of a job that are explained */
#define JOBS_MAX 8  /* explained jobs of an array or a heterogeneous job */

/* --- a node */

static const char *or_none(const char *text)
{
	return text ? text : "";
}

/* Words about a node without a pod. `node` NULL: its state is not known. */
static const char *no_pod(const struct ctl_node *node)
{
	if (node && node->power == CTL_POWERING_UP)
		return "its pod is not there: k8s_resume makes it, or the "
		       "engine (see slurmctld.log, and that of k8s_resume)";
	if (node && node->power == CTL_UP)
		return "its pod is not there, and Slurm takes it to be up: the "
		       "engine mends that";
	return "it has no pod";
}

static void explain_worker(struct explain *e, const struct nodeset *set,
			   const char *name, const struct ctl_node *node)
{
	const bool waits = node && node->power == CTL_POWERING_UP;
	char pod[DNS_LABEL_MAX + 1];
	const struct pod_place at = {
		.cluster = set->cluster,
		.ns = set->cluster->ns,
		.name = pod,
		.container = set->container,
		.register_within_ms =
			waits ? set->failover.register_within_ms : 0};

	name_pod_of_node(name, pod);
	if (explain_pod_at(e, &at, NULL) == -ENOENT)
		account_of(&e->account, "note", NULL, "%s", no_pod(node));
}

static void on_its_job(void *arg, const struct ctl_occupant *o)
{
	struct explain *e = arg;

	if (str_eq(o->node, e->target))
		account_fact(&e->account, "job there", "%" PRIu32 " of %s",
			     o->job_id, user_name(o->user, o->uid));
}

void explain_node(struct explain *e, const struct ctl_node *node)
{
	const struct nodeset *set =
		e->site.config ? config_nodeset_of(e->site.config, node->name)
			       : NULL;
	char state[NODE_STATE_MAX], rest[REST_WORDS_MAX];

	e->found = true;
	node_state_words(node, state);
	account_of(&e->account, "node", node->name, "node %s%s%s", node->name,
		   set ? " of nodeset " : "", set ? set->name : "");
	account_fact(&e->account, "state", "%s", state);
	account_why(&e->account, "reason", node->reason);
	if (set && node->drained &&
	    rest_words(&set->failover, node->reason, node->reason_ms,
		       clock_real_ms(), rest))
		account_fact(&e->account, "cool-down", "%s", rest);
	account_why(&e->account, "comment", node->comment);
	account_fact(&e->account, "active features", "%s",
		     or_none(node->features_active));
	if (node->reservation)
		account_fact(&e->account, "reservation", "%s",
			     node->reservation);
	if (e->site.jobs && str_eq(node->name, e->target))
		ctl_jobs_on_nodes(e->site.jobs, on_its_job, e);
	if (node->external)
		account_fact(&e->account, "what it is",
			     "a Kubernetes node, see kubectl describe node");
	else if (!set && e->site.config)
		account_fact(&e->account, "what it is",
			     "in no nodeset of %s: no pod is made for it",
			     e->site.config->path);
	if (set)
		explain_worker(e, set, node->name, node);
}

void explain_unknown_node(struct explain *e, const struct nodeset *set,
			  const char *name)
{
	e->found = true;
	account_of(&e->account, "node", name, "node %s of nodeset %s", name,
		   set->name);
	account_fact(&e->account, "state", "%s",
		     !e->site.nodes ? "not known, for slurmctld does not answer"
		     : set->create.wanted
			     ? "Slurm does not have it (yet): the "
			       "engine creates it"
			     : "Slurm does not have it: no node of "
			       "this name is in slurm.conf");
	explain_worker(e, set, name, NULL);
}

/* --- a job */

struct wanted {
	struct explain *e;
	const struct job_ref *ref;
	bool ended; /* true: jobs that have ended; false: the others */
	size_t n;
};

static void explain_nodes_of(struct explain *e, const char *list)
{
	_cleanup_hostlist_ struct hostlist nodes = {0};
	size_t n = 0;

	/* PrivateData may keep the nodes of one's own job from a user */
	if (!e->site.nodes || !*list || hostlist_expand(list, &nodes, NULL))
		return;
	for (size_t i = 0; i < nodes.n; i++) {
		struct ctl_node node;

		if (!ctl_nodes_find(e->site.nodes, nodes.names[i], &node) ||
		    (node.power == CTL_UP && !node.down && !node.drained))
			continue;
		if (n++ < NODES_MAX)
			explain_node(e, &node);
	}
	if (n > NODES_MAX)
		account_of(&e->account, "note", NULL,
			   "and %zu more of its nodes", n - NODES_MAX);
}

static void explain_placeholder(struct explain *e, const struct ctl_job *job)
{
	struct job_identity who;

	if (!job_identity_parse(job->admin_comment, &who)) {
		account_why(&e->account, "AdminComment", job->admin_comment);
		return;
	}
	account_fact(&e->account, "stands for", "%" PRIu32 " pods of %s %s/%s",
		     who.pods, workload_api(who.of.kind)->kind, who.of.ns,
		     who.of.name);
}

/* How long a job may have to wait. */
static void explain_queue(struct explain *e, const struct ctl_job *job)
{
	const int64_t at = ctl_jobs_expected_start(e->site.jobs, job->id);
	char start[CLOCK_RFC3339_MAX];
	struct queue_place place;

	if (job->queued) {
		queue_place_of(e->site.jobs, job, &place);
		account_fact(&e->account, "jobs before it", "%zu",
			     place.before);
		if (place.before && *job->account)
			account_fact(&e->account, "of its account", "%zu",
				     place.of_account);
	}
	if (!at)
		return;
	clock_write_rfc3339(at * 1000, start);
	account_fact(&e->account, "expected start", "%s", start);
}

static int explain_job(void *arg, const struct ctl_job *job)
{
	struct wanted *wanted = arg;
	struct explain *e = wanted->e;
	char id[JOB_ID_TEXT_MAX];

	if (job->ended != wanted->ended || !job_ref_is(wanted->ref, job) ||
	    wanted->n++ >= JOBS_MAX)
		return 0;
	e->found = true;
	job_id_words(job, id);
	account_of(&e->account, "job", id, "job %s of %s in partition %s", id,
		   user_name(job->user, job->uid), job->partition);
	account_fact(&e->account, "state", "%s", job->state);
	account_why(&e->account, "reason", job->reason);
	explain_queue(e, job);
	account_fact(&e->account, "asks for", "%s", job->features);
	account_fact(&e->account, "nodes", "%s", job->nodes);
	explain_placeholder(e, job);
	if (!job->ended && !str_starts(job->admin_comment, WK_BRIDGE_ID))
		explain_nodes_of(e, job->nodes);
	return 0;
}

void explain_jobs(struct explain *e, const struct job_ref *ref)
{
	struct wanted wanted = {.e = e, .ref = ref};

	if (!e->site.jobs)
		return;
	ctl_jobs_each(e->site.jobs, explain_job, &wanted);
	wanted.ended = true;
	ctl_jobs_each(e->site.jobs, explain_job, &wanted);
	if (wanted.n > JOBS_MAX)
		account_of(&e->account, "note", NULL,
			   "and %zu more of these jobs", wanted.n - JOBS_MAX);
}
