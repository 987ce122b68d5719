/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "explain.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "api_server.h"
#include "base/log.h"
#include "base/str.h"
#include "bridge/jobspec/job_identity.h"
#include "job_id.h"
#include "node_state.h"
#include "objects/worker_pod.h"
#include "site.h"
#include "slurm/ctl_job_list.h"
#include "slurm_user.h"
#include "syntax/hostlist.h"
#include "syntax/names.h"
#include "syntax/wellknown.h"
#include "user_name.h"

#define NODES_MAX 8   /* of a job that are explained */
#define JOBS_MAX 8    /* of an array, or of a heterogeneous job */
#define EVENTS_MAX 10 /* of a pod: the last ones */

/* A cluster's, for all pods there. */
struct server {
	struct api_server api;
	bool opened;
	bool away; /* it gave no answer: it is not asked again */
};

struct explain {
	const char *file, *target;
	struct site site;
	struct server *servers; /* one for each cluster of site.config */
	struct account account;
	bool found, incomplete;
};

void explain_usage(FILE *f)
{
	fprintf(f, "usage: slurm-k8s explain [--config FILE] "
		   "NODE|JOBID|NAMESPACE/POD\n"
		   "\n"
		   "Print why a node, job or pod waits, in the words of Slurm "
		   "and Kubernetes, and\nwhat would help.\n\n"
		   "  --config FILE  configuration (default: k8s.yaml beside "
		   "slurm.conf)\n"
		   "  --help         print this\n"
		   "\n"
		   "Exit code: 0; 1: there is no such thing; 2: not all could "
		   "be looked at.\n");
}

/* --- a pod */

/* The API server lists the oldest first: the last ones, in a ring. */
struct events {
	struct {
		char *text; /* owned; NULL: out of memory */
		bool warning;
	} last[EVENTS_MAX];
	size_t n; /* of all */
};

enum event_column { SEEN, TYPE, REASON, MESSAGE };

static int on_event(void *arg, const char *const cells[],
		    const json_object *metadata)
{
	struct events *events = arg;
	const size_t i = events->n++ % EVENTS_MAX;

	(void)metadata;
	free(events->last[i].text);
	events->last[i].text = str_printf("%s ago: %s: %s", cells[SEEN],
					  cells[REASON], cells[MESSAGE]);
	events->last[i].warning = str_eq(cells[TYPE], "Warning");
	return 0;
}

/* Print what is in the ring, and free it. */
static void print_events(struct account *account, struct events *events)
{
	const size_t earlier =
		events->n > EVENTS_MAX ? events->n - EVENTS_MAX : 0;

	if (earlier)
		account_fact(account, "events", "and %zu earlier ones",
			     earlier);
	for (size_t k = earlier; k < events->n; k++) {
		const size_t i = k % EVENTS_MAX;
		const char *text = events->last[i].text;

		if (events->last[i].warning)
			account_why(account, "warning", text);
		else
			account_fact(account, "event", "%s", text ? text : "");
		free(events->last[i].text);
	}
}

static void explain_events(struct explain *e, struct server *s, const char *ns,
			   const char *uid)
{
	_cleanup_free_ char *fields =
		str_printf("involvedObject.uid=%s", uid ? uid : "");
	struct events events = {0};
	const struct api_table table = {
		.ref = {.api = KUBE_CORE_V1, .ns = ns, .resource = "events"},
		.fields = fields,
		.columns = {[SEEN] = "Last Seen",
			    [TYPE] = "Type",
			    [REASON] = "Reason",
			    [MESSAGE] = "Message"},
		.on_row = on_event,
		.arg = &events,
	};
	struct err err = {0};
	int rc;

	if (!fields || !uid)
		return;
	rc = api_list(&s->api, &table, &err);
	s->away = !s->api.http;
	print_events(&e->account, &events);
	if (rc)
		account_fact(&e->account, "events",
			     "cannot be listed: %s; kubectl -n %s get events",
			     err.msg, ns);
}

static void explain_conditions(struct explain *e, const json_object *pod)
{
	const json_object *list = jx_get(pod, "status", "conditions");
	size_t n = jx_is(list, json_type_array) ? json_object_array_length(list)
						: 0;

	for (size_t i = 0; i < n; i++) {
		const json_object *c = json_object_array_get_idx(list, i);
		const char *reason = jx_str(c, "reason");
		const char *message = jx_str(c, "message");
		const char *type = jx_str(c, "type");
		_cleanup_free_ char *text = NULL;

		if (!str_eq(jx_str(c, "status"), "False") || !message)
			continue;
		text = str_printf("%s: %s", reason ? reason : "False", message);
		account_why(&e->account, type ? type : "condition", text);
	}
}

static const char *or_none(const char *text)
{
	return text ? text : "";
}

/* Each that gives no answer takes API_WAIT_MS. */
static int open_server(struct server *s, const struct cluster_config *k,
		       struct err *err)
{
	int rc = 0;

	if (s->away)
		return err_set(err, -ECANCELED, "not asked again");
	if (!s->opened)
		rc = api_open(&s->api, k, err);
	s->opened = true;
	s->away = rc != 0;
	return rc;
}

static int get_pod(struct explain *e, struct server *s,
		   const struct cluster_config *k, const struct kube_ref *ref,
		   json_object **pod)
{
	struct err err = {0};
	int rc = open_server(s, k, &err);

	if (!rc) {
		rc = api_get(&s->api, ref, pod, &err);
		s->away = !s->api.http;
		if (rc == -ENOENT)
			return rc;
	}
	account_of(&e->account, "pod %s/%s in Kubernetes cluster %s", ref->ns,
		   ref->name, k->name);
	if (rc) {
		e->incomplete = true;
		account_why(&e->account, "not known", err.msg);
	}
	return rc ? -EIO : 0;
}

/* The pod as Kubernetes has it. -ENOENT: there is none. */
static int explain_pod_at(struct explain *e, const struct cluster_config *k,
			  const char *ns, const char *name,
			  const char *container, uint32_t *job)
{
	struct server *s = &e->servers[k - e->site.config->clusters];
	_cleanup_json_ json_object *pod = NULL;
	const struct kube_ref ref = {.api = KUBE_CORE_V1,
				     .ns = ns,
				     .resource = "pods",
				     .name = name};
	const char *host, *id;
	struct worker_pod view;
	int rc = get_pod(e, s, k, &ref, &pod);

	if (rc)
		return rc;
	host = jx_str(pod, "spec", "nodeName");
	account_fact(&e->account, "phase", "%s%s%s%s",
		     or_none(jx_str(pod, "status", "phase")),
		     jx_get(pod, "metadata", "deletionTimestamp")
			     ? ", being deleted"
			     : "",
		     host ? ", on Kubernetes node " : "", or_none(host));
	account_fact(&e->account, "waits in Slurm", "%s",
		     or_none(jx_str(pod, "metadata", "annotations",
				    WK_BRIDGE_NOTE)));
	if (!worker_pod_of(pod, container, &view))
		account_why(&e->account, "Kubernetes says", view.words);
	explain_conditions(e, pod);
	explain_events(e, s, ns, jx_str(pod, "metadata", "uid"));
	id = jx_str(pod, "metadata", "labels", WK_BRIDGE_JOB_ID);
	if (job && id)
		*job = job_id_of(id);
	return 0;
}

/* --- a node */

static void explain_worker(struct explain *e, const struct nodeset *set,
			   const char *node, enum ctl_node_power power)
{
	char name[DNS_LABEL_MAX + 1];

	name_pod_of_node(node, name);
	if (explain_pod_at(e, set->cluster, set->cluster->ns, name,
			   set->container, NULL) == -ENOENT)
		account_of(&e->account, "%s",
			   power == CTL_POWERING_UP
				   ? "its pod is not there: k8s_resume makes "
				     "it, or the engine (see slurmctld.log, "
				     "and that of k8s_resume)"
			   : power == CTL_UP
				   ? "its pod is not there, and Slurm takes it "
				     "to be up: the engine mends that"
				   : "it has no pod");
}

static void on_its_job(void *arg, const struct ctl_occupant *o)
{
	struct explain *e = arg;

	if (str_eq(o->node, e->target))
		account_fact(&e->account, "job there", "%" PRIu32 " of %s",
			     o->job_id, user_name(o->user, o->uid));
}

static void explain_node(struct explain *e, const struct ctl_node *node)
{
	const struct nodeset *set =
		e->site.config ? config_nodeset_of(e->site.config, node->name)
			       : NULL;
	char state[NODE_STATE_MAX];

	e->found = true;
	node_state_words(node, state);
	account_of(&e->account, "node %s%s%s", node->name,
		   set ? " of nodeset " : "", set ? set->name : "");
	account_fact(&e->account, "state", "%s", state);
	account_why(&e->account, "reason", node->reason);
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
		explain_worker(e, set, node->name, node->power);
}

/* --- a job */

struct wanted {
	struct explain *e;
	const struct job_ref *ref;
	bool ended; /* those that have ended are meant, or the others */
	size_t n;
};

static void explain_nodes_of(struct explain *e, const char *list)
{
	_cleanup_hostlist_ struct hostlist nodes = {0};
	size_t n = 0;

	if (!*list || hostlist_expand(list, &nodes, NULL))
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
		account_of(&e->account, "and %zu more of its nodes",
			   n - NODES_MAX);
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
	account_of(&e->account, "job %s of %s in partition %s", id,
		   user_name(job->user, job->uid), job->partition);
	account_fact(&e->account, "state", "%s", job->state);
	account_why(&e->account, "reason", job->reason);
	account_fact(&e->account, "asks for", "%s", job->features);
	account_fact(&e->account, "nodes", "%s", job->nodes);
	explain_placeholder(e, job);
	if (!job->ended && !str_starts(job->admin_comment, WK_BRIDGE_ID))
		explain_nodes_of(e, job->nodes);
	return 0;
}

static void explain_jobs(struct explain *e, const struct job_ref *ref)
{
	struct wanted wanted = {.e = e, .ref = ref};

	if (!e->site.jobs)
		return;
	ctl_jobs_each(e->site.jobs, explain_job, &wanted);
	wanted.ended = true;
	ctl_jobs_each(e->site.jobs, explain_job, &wanted);
	if (wanted.n > JOBS_MAX)
		account_of(&e->account, "and %zu more of these jobs",
			   wanted.n - JOBS_MAX);
}

/* --- what it is that was asked for */

static void explain_pod(struct explain *e)
{
	const struct config *c = e->site.config;
	const char *slash = strchr(e->target, '/');
	_cleanup_free_ char *ns =
		strndup(e->target, (size_t)(slash - e->target));
	uint32_t job = 0;

	/* "slurm/" would be the path of a collection */
	if (!ns || !name_is_dns_label(ns) || !name_is_subdomain(slash + 1))
		return;
	for (size_t i = 0; c && i < c->n_clusters; i++)
		if (explain_pod_at(e, &c->clusters[i], ns, slash + 1,
				   WK_CONTAINER, &job) != -ENOENT)
			e->found = true;
	if (job)
		explain_jobs(e, &(struct job_ref){.id = job});
}

/* False, with words: it is not the name of anything. */
static bool explain_target(struct explain *e, struct err *err)
{
	struct ctl_node node;
	struct job_ref ref;
	int rc = 0;

	if (strchr(e->target, '/'))
		explain_pod(e);
	else if (e->site.nodes &&
		 ctl_nodes_find(e->site.nodes, e->target, &node))
		explain_node(e, &node);
	else
		rc = job_ref_of(e->target, &ref, err);
	if (rc > 0)
		explain_jobs(e, &ref);
	return rc >= 0;
}

/* One for each cluster; true if there was memory. */
static bool make_servers(struct explain *e)
{
	const size_t n = e->site.config ? e->site.config->n_clusters : 0;

	e->servers = calloc(n + 1, sizeof(*e->servers));
	return e->servers;
}

static void close_servers(struct explain *e)
{
	const size_t n = e->site.config ? e->site.config->n_clusters : 0;

	for (size_t i = 0; i < n; i++)
		api_close(&e->servers[i].api);
	free(e->servers);
}

static int explain(void *arg)
{
	struct explain *e = arg;
	struct err err = {0};
	bool is_name = true;

	log_set_level(LOG_LEVEL_ERROR); /* to standard error */
	ctl_init();
	site_load(&e->site, e->file);
	e->account.out = stdout;
	if (e->site.slurm_err.code) {
		e->incomplete = true;
		account_of(&e->account, "Slurm was not asked: %s",
			   e->site.slurm_err.msg);
	}
	if (e->site.config_err.code) {
		e->incomplete = true;
		account_of(&e->account, "Kubernetes was not asked: %s",
			   e->site.config_err.msg);
	}
	if (make_servers(e)) {
		is_name = explain_target(e, &err);
		close_servers(e);
	} else {
		e->incomplete = true;
		account_of(&e->account, "out of memory");
	}
	account_end(&e->account);
	if (!is_name)
		fprintf(stderr, "slurm-k8s: %s\n", err.msg);
	else if (!e->found)
		fprintf(stderr,
			"slurm-k8s: there is no node, job or pod %s%s\n",
			e->target, e->incomplete ? ", as far as is known" : "");
	site_clear(&e->site);
	return e->incomplete || !is_name ? 2 : e->found ? 0 : 1;
}

int explain_command(int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{0}};
	struct explain e = {0};
	int o;

	while ((o = getopt_long(argc, argv, "c:h", options, NULL)) != -1) {
		if (o == 'c')
			e.file = optarg;
		else
			return explain_usage(o == 'h' ? stdout : stderr),
			       o == 'h' ? 0 : 2;
	}
	if (optind + 1 != argc)
		return explain_usage(stderr), 2;
	e.target = argv[optind];
	return slurm_user_run(explain, &e);
}
