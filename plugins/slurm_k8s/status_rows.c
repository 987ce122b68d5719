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

/* The pod of a node, NULL: there is none. */
static const struct pod_row *pod_of(const struct pod_rows *p, const char *node)
{
	char label[DNS_LABEL_MAX + 1];

	name_label_of(node, label);
	return p->n ? bsearch(label, p->v, p->n, sizeof(*p->v), has_label)
		    : NULL;
}

static bool is_wanted(const struct status_view *v, const struct ctl_node *node)
{
	if (v->only)
		return hostlist_has(v->only, node->name);
	return node->external ||
	       (v->config ? config_nodeset_of(v->config, node->name) != NULL
			  : node->cloud);
}

static const char *reason_of(const struct ctl_node *node)
{
	if (node->reason && *node->reason)
		return node->reason;
	return node->comment && str_starts(node->comment, WK_REASON_PREFIX)
		       ? node->comment
		       : "";
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

/* Pods of nodes that Slurm does not have. */
static void add_others(const struct status_view *v, struct sheet *out)
{
	_cleanup_free_ bool *known =
		v->workers.n ? calloc(v->workers.n, sizeof(*known)) : NULL;
	struct ctl_node node;

	if (!known)
		return;
	for (size_t i = 0; ctl_nodes_at(v->nodes, i, &node); i++) {
		const struct pod_row *pod = pod_of(&v->workers, node.name);

		if (pod)
			known[pod - v->workers.v] = true;
	}
	for (size_t i = 0; i < v->workers.n; i++) {
		const struct pod_row *p = &v->workers.v[i];

		if (known[i] || (i && !strcmp(p->node, p[-1].node)))
			continue;
		sheet_add(out, (const char *const[]){p->node, "not in Slurm",
						     p->name, p->status, p->age,
						     p->host, "", ""});
	}
}

size_t status_nodes(const struct status_view *v, struct sheet *out)
{
	struct node_jobs jobs = {0};
	struct ctl_node node;
	size_t left_out = 0;

	*out = (struct sheet){0};
	memcpy(out->columns, node_columns, sizeof(node_columns));
	if (v->jobs)
		ctl_jobs_on_nodes(v->jobs, add_job, &jobs);
	if (jobs.n)
		qsort(jobs.v, jobs.n, sizeof(*jobs.v), by_node);
	out->incomplete = jobs.incomplete;
	for (size_t i = 0; v->nodes && ctl_nodes_at(v->nodes, i, &node); i++) {
		const struct pod_row *pod = pod_of(&v->workers, node.name);
		char list[LIST_MAX];

		if (!is_wanted(v, &node))
			continue;
		jobs_of(&jobs, node.name, list);
		if (!v->all && !v->only && !pod && !*list &&
		    node.power == CTL_POWERED_DOWN && !node.down &&
		    !*reason_of(&node))
			left_out++;
		else
			add_node(&node, pod, list, v->pods_known ? "" : "?",
				 out);
	}
	if (v->nodes && !v->only)
		add_others(v, out);
	node_jobs_clear(&jobs);
	return left_out;
}

/* --- placeholder jobs */

/* "2 Running, 1 Pending" of pods with one job, from `at` on. */
static void count_pods(const struct pod_rows *p, size_t at, char out[LIST_MAX])
{
	const uint32_t job = p->v[at].job;
	size_t end = at, len = 0;

	*out = '\0';
	while (end < p->n && p->v[end].job == job)
		end++;
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

static int is_job(const void *key, const void *v)
{
	const uint32_t job = *(const uint32_t *)key;
	const struct pod_row *p = v;

	return (job > p->job) - (job < p->job);
}

static void workload_words(const struct workload *w, char out[LIST_MAX * 3])
{
	snprintf(out, LIST_MAX * 3, "%s %s/%s%s%s", workload_api(w->kind)->kind,
		 w->ns, w->name, *w->part ? "/" : "", w->part);
}

struct job_rows {
	const struct status_view *v;
	struct sheet *out;
	bool *told; /* of each queued pod: its job is one of Slurm's */
};

/* The first pod of a job, as a number; that of all pods: it has none. */
static size_t first_pod(const struct pod_rows *pods, uint32_t job)
{
	const struct pod_row *p =
		pods->n ? bsearch(&job, pods->v, pods->n, sizeof(*p), is_job)
			: NULL;

	while (p && p > pods->v && p[-1].job == job)
		p--;
	return p ? (size_t)(p - pods->v) : pods->n;
}

static int add_placeholder(void *arg, const struct ctl_job *job)
{
	struct job_rows *rows = arg;
	const struct pod_rows *pods = &rows->v->queued;
	const size_t first = first_pod(pods, job->id);
	char id[16], workload[LIST_MAX * 3], counts[LIST_MAX];
	struct job_identity who;

	for (size_t i = first; i < pods->n && pods->v[i].job == job->id; i++)
		rows->told[i] = true;
	if (job->ended || !str_starts(job->admin_comment, WK_BRIDGE_ID) ||
	    !job_identity_parse(job->admin_comment, &who))
		return 0;
	if (first < pods->n)
		count_pods(pods, first, counts);
	else
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

static bool has_ended(const struct pod_row *p)
{
	return str_eq(p->status, "Completed") || str_eq(p->status, "Error") ||
	       str_eq(p->status, "Succeeded") || str_eq(p->status, "Failed");
}

static void add_queued(const struct pod_row *p, struct sheet *out)
{
	char id[16] = "", name[LIST_MAX * 3], status[LIST_MAX];

	if (p->job)
		snprintf(id, sizeof(id), "%" PRIu32, p->job);
	snprintf(name, sizeof(name), "Pod %s/%s", p->ns, p->name);
	snprintf(status, sizeof(status), "1 %.24s", p->status);
	sheet_add(out, (const char *const[]){
			       id, p->job ? "not in Slurm" : "no job", "", "",
			       name, status, p->host, p->note});
}

void status_jobs(const struct status_view *v, struct sheet *out)
{
	_cleanup_free_ bool *told = calloc(v->queued.n + 1, sizeof(*told));
	struct job_rows rows = {v, out, told};

	*out = (struct sheet){0};
	memcpy(out->columns, job_columns, sizeof(job_columns));
	out->incomplete = !told;
	if (!told || !v->jobs)
		return;
	ctl_jobs_each(v->jobs, add_placeholder, &rows);
	for (size_t i = 0; i < v->queued.n; i++)
		if (!told[i] && !has_ended(&v->queued.v[i]))
			add_queued(&v->queued.v[i], out);
}
