/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "engine_lease.h"
#include "explain_parts.h"
#include "objects/worker_pod.h"
#include "pods.h"
#include "syntax/wellknown.h"

#define EVENTS_MAX 10 /* Events of a pod that are printed: the last ones */
#define PODS_MAX 8    /* pods of a job that are explained */

/* --- Events */

/*
 * The last Events of a pod, in a ring: the API server lists the oldest first.
 */
struct events {
	struct {
		char *text; /* owned; NULL: out of memory */
		bool warning;
	} last[EVENTS_MAX];
	size_t n; /* all Events that were listed */
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

/* --- a server */

static const char *or_none(const char *text)
{
	return text ? text : "";
}

/*
 * Print which API server answers, at what time, and whether an engine acts by
 * its answers. An error: the server does not answer.
 */
static int explain_server(struct explain *e, struct server *s, struct err *err)
{
	char now[CLOCK_RFC3339_MAX], words[ENGINE_WORDS_MAX];
	struct engine_lease lease;

	clock_write_rfc3339(clock_real_ms(), now);
	engine_lease_read(&s->api, e->cluster, &lease);
	if (!s->api.http)
		return err_set(err, -EIO, "%s", lease.err.msg);
	engine_lease_words(&lease, words);
	account_of(&e->account, "cluster", s->api.k->name,
		   "Kubernetes cluster %s: as its API server has it at %s",
		   s->api.k->name, now);
	account_why(&e->account, "engine", words);
	return 0;
}

/*
 * Open a cluster's API server once. One that has not answered is not asked
 * again: each try takes API_WAIT_MS.
 */
static int open_server(struct explain *e, const struct cluster_config *k,
		       struct server **out, struct err *err)
{
	struct server *s = &e->servers[k - e->site.config->clusters];
	int rc = 0;

	*out = s;
	if (s->away)
		return err_set(err, -ECANCELED, "not asked again");
	if (s->opened)
		return 0;
	rc = api_open(&s->api, k, err);
	s->opened = true;
	if (!rc && e->cluster)
		rc = explain_server(e, s, err);
	s->away = rc != 0;
	return rc;
}

/* --- a pod */

static int get_pod(struct explain *e, const struct cluster_config *k,
		   const struct kube_ref *ref, struct server **server,
		   json_object **pod)
{
	_cleanup_free_ char *name = str_printf("%s/%s", ref->ns, ref->name);
	struct err err = {0};
	int rc = open_server(e, k, server, &err);

	if (!rc) {
		rc = api_get(&(*server)->api, ref, pod, &err);
		(*server)->away = !(*server)->api.http;
		if (rc == -ENOENT)
			return rc;
	}
	account_of(&e->account, "pod", name, "pod %s in Kubernetes cluster %s",
		   or_none(name), k->name);
	if (rc) {
		e->incomplete = true;
		account_why(&e->account, "not known", err.msg);
	}
	return rc ? -EIO : 0;
}

/*
 * Say that slurmd has not registered: Kubernetes sees nothing wrong in such a
 * pod.
 */
static void explain_registration(struct explain *e, const struct pod_place *at,
				 const struct worker_pod *view)
{
	_cleanup_free_ char *text = NULL;

	if (!at->register_within_ms || view->running_ms < 0)
		return;
	text = str_printf("runs for %" PRId64 " s, and has not registered with "
			  "slurmctld; after %" PRId64 " s it is given up",
			  (clock_real_ms() - view->running_ms) / 1000,
			  at->register_within_ms / 1000);
	account_why(&e->account, "slurmd", text);
}

int explain_pod_at(struct explain *e, const struct pod_place *at, uint32_t *job)
{
	_cleanup_json_ json_object *pod = NULL;
	struct server *s;
	const struct kube_ref ref = {.api = KUBE_CORE_V1,
				     .ns = at->ns,
				     .resource = "pods",
				     .name = at->name};
	const char *host, *id;
	struct worker_pod view;
	int rc = get_pod(e, at->cluster, &ref, &s, &pod);

	if (rc)
		return rc;
	host = jx_str(pod, "spec", "nodeName");
	if (host && !*host)
		host = NULL;
	account_fact(&e->account, "phase", "%s%s%s%s",
		     or_none(jx_str(pod, "status", "phase")),
		     jx_get(pod, "metadata", "deletionTimestamp")
			     ? ", being deleted"
			     : "",
		     host ? ", on Kubernetes node " : "", or_none(host));
	account_fact(&e->account, "waits in Slurm", "%s",
		     or_none(jx_str(pod, "metadata", "annotations",
				    WK_BRIDGE_NOTE)));
	if (!worker_pod_of(pod, at->container, &view)) {
		account_why(&e->account, "Kubernetes says", view.words);
		explain_registration(e, at, &view);
	}
	explain_conditions(e, pod);
	explain_events(e, s, at->ns, jx_str(pod, "metadata", "uid"));
	id = jx_str(pod, "metadata", "labels", WK_BRIDGE_JOB_ID);
	if (job && id)
		*job = job_id_of(id);
	return 0;
}

/* --- pods of a job */

struct found {
	const char *job; /* the job's number as text */
	bool by_note;	 /* workers have a list of jobs in an annotation */
	struct {
		char *ns, *name; /* owned */
	} v[PODS_MAX];
	size_t n; /* all pods that were found */
	bool incomplete;
};

static int on_pod(void *arg, const char *const cells[],
		  const json_object *metadata)
{
	struct found *f = arg;
	const char *jobs = jx_str(metadata, "annotations", WK_NOTE_JOBS);
	const char *ns = jx_str(metadata, "namespace");
	const char *name = jx_str(metadata, "name");

	(void)cells;
	if (!ns || !name ||
	    (f->by_note && !str_list_has(jobs, f->job, strlen(f->job))))
		return 0;
	if (f->n < PODS_MAX) {
		f->v[f->n].ns = strdup(ns);
		f->v[f->n].name = strdup(name);
		f->incomplete |= !f->v[f->n].ns || !f->v[f->n].name;
	}
	f->n++;
	return 0;
}

static int list_pods(struct server *s, const char *ns, const char *labels,
		     struct found *f, struct err *err)
{
	const struct api_table table = {
		.ref = {.api = KUBE_CORE_V1, .ns = ns, .resource = "pods"},
		.labels = labels,
		.metadata = true,
		.on_row = on_pod,
		.arg = f,
	};

	return labels ? api_list(&s->api, &table, err) : err_oom(err);
}

/* Print what was found, and free it. */
static void explain_found(struct explain *e, const struct cluster_config *k,
			  struct found *f)
{
	const size_t n = f->n < PODS_MAX ? f->n : PODS_MAX;

	for (size_t i = 0; i < n; i++) {
		const struct pod_place at = {.cluster = k,
					     .ns = f->v[i].ns,
					     .name = f->v[i].name,
					     .container = WK_CONTAINER};

		if (at.ns && at.name && explain_pod_at(e, &at, NULL) != -ENOENT)
			e->found = true;
		free(f->v[i].ns);
		free(f->v[i].name);
	}
	if (f->n > n)
		account_of(&e->account, "note", NULL,
			   "and %zu more pods of job %s", f->n - n, f->job);
	e->incomplete |= f->incomplete;
}

static void find_in(struct explain *e, const struct cluster_config *k,
		    const char *job)
{
	const struct bridge_config *b = &e->site.config->bridge;
	const bool bridged = b->wanted && str_eq(b->cluster, k->name);
	_cleanup_free_ char *workers = pods_worker_labels(e->cluster);
	_cleanup_free_ char *label = str_printf(WK_BRIDGE_JOB_ID "=%s", job);
	struct found f = {.job = job, .by_note = true};
	struct server *s;
	struct err err = {0};
	int rc = open_server(e, k, &s, &err);

	if (!rc)
		rc = list_pods(s, k->ns, workers, &f, &err);
	f.by_note = false;
	if (!rc && bridged)
		rc = list_pods(s, NULL, label, &f, &err);
	if (rc) {
		e->incomplete = true;
		account_of(&e->account, "note", NULL,
			   "Kubernetes cluster %s: its pods are not known: %s",
			   k->name, err.msg);
	}
	explain_found(e, k, &f);
}

void explain_pods_of_job(struct explain *e, uint32_t job)
{
	const struct config *c = e->site.config;
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, job);
	for (size_t i = 0; c && e->cluster && i < c->n_clusters; i++)
		find_in(e, &c->clusters[i], text);
}
