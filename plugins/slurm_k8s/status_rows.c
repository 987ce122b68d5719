/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "bridge/jobspec/job_identity.h"
#include "node_state.h"
#include "slurm/ctl_job_list.h"
#include "syntax/names.h"
#include "syntax/node_reason.h"
#include "syntax/wellknown.h"
#include "user_name.h"

#define LIST_MAX 200 /* bytes of a cell that is a list */

static const struct sheet_column node_columns[] = {
	{"node", "NODE"}, {"state", "STATE"},
	{"pod", "POD"},	  {"status", "STATUS"},
	{"age", "AGE"},	  {"kubernetesNode", "KUBERNETES NODE"},
	{"jobs", "JOBS"}, {"reason", "REASON"},
	{NULL},
};
static const struct sheet_column job_columns[] = {
	{"job", "JOB"},
	{"state", "STATE"},
	{"user", "USER"},
	{"partition", "PARTITION"},
	{"workload", "WORKLOAD"},
	{"pods", "PODS"},
	{"nodes", "NODES"},
	{"reason", "REASON"},
	{NULL},
};

/* --- jobs on nodes */

struct node_job {
	char *node;
	uint32_t job;
};

struct node_jobs {
	struct node_job *v;
	size_t n;
	bool incomplete;
};

static void add_job(void *arg, const struct ctl_occupant *o)
{
	struct node_jobs *all = arg;
	struct node_job *v = reallocarray(all->v, all->n + 1, sizeof(*v));
	char *node = strdup(o->node);

	if (v)
		all->v = v;
	if (!v || !node) {
		free(node);
		all->incomplete = true;
		return;
	}
	all->v[all->n++] = (struct node_job){node, o->job_id};
}

static int by_node(const void *a, const void *b)
{
	const struct node_job *x = a, *y = b;
	int rc = strcmp(x->node, y->node);

	return rc ? rc : (x->job > y->job) - (x->job < y->job);
}

static int is_node(const void *key, const void *v)
{
	return strcmp(key, ((const struct node_job *)v)->node);
}

static void node_jobs_clear(struct node_jobs *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->v[i].node);
	free(all->v);
}

/* "12,13": the jobs of a node, the first of many. */
static void jobs_of(const struct node_jobs *all, const char *node,
		    char out[LIST_MAX])
{
	const struct node_job *at =
		all->n ? bsearch(node, all->v, all->n, sizeof(*at), is_node)
		       : NULL;
	const struct node_job *end = all->v + all->n;
	size_t len = 0;

	*out = '\0';
	while (at && at > all->v && !strcmp(at[-1].node, node))
		at--;
	for (; at && at < end && !strcmp(at->node, node); at++) {
		if (len + 16 > LIST_MAX) {
			str_copy(out + len, ",...", LIST_MAX - len);
			return;
		}
		len += (size_t)snprintf(out + len, LIST_MAX - len, "%s%" PRIu32,
					len ? "," : "", at->job);
	}
}

/* --- nodes */

static int has_label(const void *key, const void *v)
{
	return strcmp(key, ((const struct pod_row *)v)->node);
}

/*
 * The pod of a node, NULL: there is none. Several have its label where a pod
 * was copied, or made in another cluster: the one of the node's name comes
 * first. All of them are marked as known, unless `known` is NULL.
 */
static const struct pod_row *pod_of(const struct pod_rows *p, const char *node,
				    bool *known)
{
	char label[DNS_LABEL_MAX + 1], name[DNS_LABEL_MAX + 1];
	const struct pod_row *at, *best;

	name_label_of(node, label);
	name_pod_of_node(node, name);
	at = p->n ? bsearch(label, p->v, p->n, sizeof(*p->v), has_label) : NULL;
	if (!at)
		return NULL;
	while (at > p->v && !strcmp(at[-1].node, label))
		at--;
	for (best = at; at < p->v + p->n && !strcmp(at->node, label); at++) {
		if (!strcmp(at->name, name))
			best = at;
		if (known)
			known[at - p->v] = true;
	}
	return best;
}

static bool is_wanted(const struct status_view *v, const struct ctl_node *node,
		      const struct pod_row *pod)
{
	if (v->only)
		return hostlist_has(v->only, node->name);
	return pod || node->external ||
	       (v->config ? config_nodeset_of(v->config, node->name) != NULL
			  : node->cloud);
}

static const char *reason_of(const struct ctl_node *node)
{
	if (node->reason && *node->reason)
		return node->reason;
	return node_reason_is_ours(node->comment) ? node->comment : "";
}

static void add_node(const struct ctl_node *node, const struct pod_row *pod,
		     const char *jobs, const char *no_pod, struct sheet *out)
{
	char state[NODE_STATE_MAX];

	node_state_words(node, state);
	sheet_add(out, (const char *const[]){
			       node->name, state, pod ? pod->name : no_pod,
			       pod ? pod->status : "", pod ? pod->age : "",
			       node->external ? node->name
			       : pod	      ? pod->host
					      : "",
			       jobs, reason_of(node)});
}

/*
 * Add rows for pods of nodes that Slurm does not have; without slurmctld for
 * all pods.
 */
static void add_others(const struct status_view *v, const bool *known,
		       struct sheet *out)
{
	for (size_t i = 0; i < v->workers.n; i++) {
		const struct pod_row *p = &v->workers.v[i];

		if (known[i] || (v->only && !hostlist_has(v->only, p->node)))
			continue;
		sheet_add(out,
			  (const char *const[]){
				  p->node, v->nodes ? "not in Slurm" : "?",
				  p->name, p->status, p->age, p->host, "", ""});
	}
}

static bool is_to_leave_out(const struct status_view *v,
			    const struct ctl_node *node,
			    const struct pod_row *pod, const char *jobs)
{
	return !v->all && !v->only && !pod && !*jobs &&
	       node->power == CTL_POWERED_DOWN && !node->down &&
	       !*reason_of(node);
}

size_t status_nodes(const struct status_view *v, struct sheet *out)
{
	_cleanup_free_ bool *known = calloc(v->workers.n + 1, sizeof(*known));
	struct node_jobs jobs = {0};
	struct ctl_node node;
	size_t left_out = 0;

	*out = (struct sheet){0};
	memcpy(out->columns, node_columns, sizeof(node_columns));
	if (v->jobs)
		ctl_jobs_on_nodes(v->jobs, add_job, &jobs);
	if (jobs.n)
		qsort(jobs.v, jobs.n, sizeof(*jobs.v), by_node);
	out->incomplete = jobs.incomplete || !known;
	for (size_t i = 0; v->nodes && ctl_nodes_at(v->nodes, i, &node); i++) {
		const struct pod_row *pod =
			pod_of(&v->workers, node.name, known);
		char list[LIST_MAX];

		if (!is_wanted(v, &node, pod))
			continue;
		jobs_of(&jobs, node.name, list);
		if (is_to_leave_out(v, &node, pod, list))
			left_out++;
		else
			add_node(&node, pod, list, v->pods_known ? "" : "?",
				 out);
	}
	if (known)
		add_others(v, known, out);
	node_jobs_clear(&jobs);
	return left_out;
}

/* --- placeholder jobs */

/* "2 Running, 1 Pending" of the pods from `at` to `end`. */
static void count_pods(const struct pod_rows *p, size_t at, size_t end,
		       char out[LIST_MAX])
{
	size_t len = 0;

	*out = '\0';
	for (size_t i = at; i < end; i++) {
		size_t same = 0, first = at;

		while (strcmp(p->v[first].status, p->v[i].status) != 0)
			first++;
		if (first < i || len + 40 > LIST_MAX)
			continue;
		for (size_t k = i; k < end; k++)
			same += !strcmp(p->v[k].status, p->v[i].status);
		len += (size_t)snprintf(out + len, LIST_MAX - len,
					"%s%zu %.24s", len ? ", " : "", same,
					p->v[i].status);
	}
}

static void workload_words(const struct workload *w, char out[LIST_MAX * 3])
{
	snprintf(out, LIST_MAX * 3, "%s %s/%s%s%s", workload_api(w->kind)->kind,
		 w->ns, w->name, *w->part ? "/" : "", w->part);
}

struct job_rows {
	const struct status_view *v;
	struct sheet *out;
	bool *told; /* per queued pod: Slurm has its job */
};

/*
 * By what the pods of a job are found: its number, and its workload's
 * namespace, for a pod's label is no more than the word of the pod's author.
 */
struct job_key {
	uint32_t job;
	const char *ns;
};

static int compare(const struct job_key *k, const struct pod_row *p)
{
	return k->job != p->job ? (k->job > p->job ? 1 : -1)
				: strcmp(k->ns, p->ns);
}

static int is_job(const void *key, const void *v)
{
	return compare(key, v);
}

/* The pods of a job: indices from *first up to the result. */
static size_t pods_of_job(const struct pod_rows *pods,
			  const struct job_key *key, size_t *first)
{
	const struct pod_row *p =
		pods->n ? bsearch(key, pods->v, pods->n, sizeof(*p), is_job)
			: NULL;
	size_t end;

	*first = p ? (size_t)(p - pods->v) : pods->n;
	end = *first;
	while (p && *first && !compare(key, &pods->v[*first - 1]))
		(*first)--;
	while (end < pods->n && !compare(key, &pods->v[end]))
		end++;
	return end;
}

static bool is_wanted_job(const struct status_view *v,
			  const struct ctl_job *job)
{
	bool is = !v->only;

	for (size_t i = 0; !is && i < v->n_only_jobs; i++)
		is = job_ref_is(&v->only_jobs[i], job);
	return is;
}

static int add_placeholder(void *arg, const struct ctl_job *job)
{
	struct job_rows *rows = arg;
	const struct pod_rows *pods = &rows->v->queued;
	char id[16], workload[LIST_MAX * 3], counts[LIST_MAX] = "";
	struct job_identity who;
	struct job_key key = {.job = job->id};
	size_t first, end;

	if (!str_starts(job->admin_comment, WK_BRIDGE_ID) ||
	    !job_identity_parse(job->admin_comment, &who) ||
	    !is_wanted_job(rows->v, job))
		return 0;
	key.ns = who.of.ns;
	end = pods_of_job(pods, &key, &first);
	for (size_t i = first; i < end; i++)
		rows->told[i] = true;
	if (job->ended)
		return 0;
	count_pods(pods, first, end, counts);
	if (!*counts)
		str_copy(counts, rows->v->pods_known ? "none" : "?",
			 sizeof(counts));
	snprintf(id, sizeof(id), "%" PRIu32, job->id);
	workload_words(&who.of, workload);
	sheet_add(rows->out,
		  (const char *const[]){id, job->state,
					user_name(job->user, job->uid),
					job->partition, workload, counts,
					job->nodes, job->reason});
	return 0;
}

static void add_queued(const struct status_view *v, const struct pod_row *p,
		       struct sheet *out)
{
	char id[16] = "", name[LIST_MAX * 3], status[LIST_MAX];

	if (p->job)
		snprintf(id, sizeof(id), "%" PRIu32, p->job);
	snprintf(name, sizeof(name), "Pod %s/%s", p->ns, p->name);
	snprintf(status, sizeof(status), "1 %.24s", p->status);
	sheet_add(out, (const char *const[]){id,
					     !v->jobs ? "?"
					     : p->job ? "no such job"
						      : "no job",
					     "", "", name, status, p->host,
					     p->note});
}

void status_jobs(const struct status_view *v, struct sheet *out)
{
	_cleanup_free_ bool *told = calloc(v->queued.n + 1, sizeof(*told));
	struct job_rows rows = {v, out, told};

	*out = (struct sheet){0};
	memcpy(out->columns, job_columns, sizeof(job_columns));
	out->incomplete = !told;
	if (!told)
		return;
	if (v->jobs)
		ctl_jobs_each(v->jobs, add_placeholder, &rows);
	for (size_t i = 0; !v->only && i < v->queued.n; i++)
		if (!told[i])
			add_queued(v, &v->queued.v[i], out);
}
