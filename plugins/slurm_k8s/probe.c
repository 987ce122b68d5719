/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "api_server.h"
#include "base/clock.h"
#include "base/str.h"
#include "installed.h"
#include "interrupt.h"
#include "leftover.h"
#include "node_facts.h"
#include "nodes/pod/manifest.h"
#include "pod_refusals.h"
#include "probe_findings.h"
#include "progress.h"
#include "slurm/ctl_resume.h"
#include "syntax/hostlist.h"
#include "syntax/wellknown.h"
#include "tcp_reach.h"

#define LOOK_MS 500	 /* between two looks at the pod */
#define EVENTS_MS 5000	 /* between two looks at its Events */
#define EVENTS_MAX "100" /* Events that are listed at a time */
#define REACH_MS 1000	 /* longest wait for a connection */
#define GONE_MS 30000	 /* longest wait until a deleted pod is gone */
#define GRACE_S 1	 /* the probe's shell has nothing to clean up */

struct probe {
	const struct probe_facts *facts;
	const struct nodeset *set;
	struct findings *out;
	struct api_server api;
	struct probe_plan plan;
	struct probe_seen seen;
	struct probe_reach reach;
	char node[HOSTLIST_NAME_MAX + 1]; /* Slurm node whose pod is copied */
	char *uid;			  /* UID of the pod; NULL: not known */
	bool all_up;
	bool may_be_there; /* the pod was created, or that is not known */
	bool may_come;	   /* the server may still be about to create the pod */
	int64_t next_events_ms;
};

static void unknown(struct probe *p, const char *words)
{
	findings_add(p->out, FINDING_UNKNOWN, "probe", NULL, "nodeset %s: %s",
		     p->set->name, words);
}

/* --- the pod */

/*
 * Choose a node that is not up, for then there should be room for one more pod;
 * else any. False: what nodes have is not known.
 */
static bool choose_node(struct probe *p, const struct hostlist *h,
			struct node_facts *facts)
{
	const struct ctl_nodes *nodes = p->facts->nodes;
	struct ctl_node node;

	for (size_t i = 0; i < h->n; i++) {
		p->all_up = ctl_nodes_find(nodes, h->names[i], &node) &&
			    node.power == CTL_UP;
		if (!p->all_up &&
		    facts_of_new_node(p->set, nodes, h->names[i], facts))
			return true;
	}
	return h->n && facts_of_new_node(p->set, nodes, h->names[0], facts);
}

static int make_pod(struct probe *p, struct manifest *m, struct err *err)
{
	const struct probe_facts *f = p->facts;
	_cleanup_hostlist_ struct hostlist h = {0};
	struct node_facts facts = {0};
	uint64_t number;
	int rc = hostlist_expand(p->set->nodes, &h, err);

	if (rc)
		return rc;
	if (!choose_node(p, &h, &facts))
		return err_set(err, -ENOENT,
			       "Slurm does not say what its nodes have");
	str_copy(p->node, facts.name, sizeof(p->node));
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return err_set(err, -errno, "no random number");
	rc = manifest_make(f->slurm_cluster, p->set, &facts, m, err);
	if (rc)
		return rc;
	p->plan = (struct probe_plan){.slurm_cluster = f->slurm_cluster,
				      .container = p->set->container,
				      .needed_s = f->timeout_s + PROBE_END_S};
	probe_name(&p->plan, p->set->name, number);
	probe_plan_conf(&p->plan, f->conf,
			jx_by_name(jx_get(m->pod_json, "spec", "containers"),
				   p->set->container));
	if (f->plugstack && p->plan.configless)
		probe_needs_plugins(f->plugstack, &p->plan.needs);
	return probe_pod(m->pod_json, &p->plan, err);
}

/* --- its life */

static struct kube_ref pod_ref(const struct probe *p)
{
	return (struct kube_ref){.api = KUBE_CORE_V1,
				 .ns = p->set->cluster->ns,
				 .resource = "pods",
				 .name = p->plan.name};
}

/*
 * Read the probe's pod; the caller puts *pod. Its name has a random number, so
 * a pod of this name is ours. -ENOENT: there is none.
 */
static int look(struct probe *p, json_object **pod, struct err *err)
{
	const struct kube_ref ref = pod_ref(p);
	int rc = api_get(&p->api, &ref, pod, err);
	const char *uid = jx_str(*pod, "metadata", "uid");

	if (!rc && !p->uid && uid)
		p->uid = strdup(uid);
	if (!rc && p->uid && !str_eq(uid, p->uid))
		return -ENOENT;
	return rc;
}

/* True if the server has judged the pod, and so does not create it later. */
static bool is_refusal(const struct api_answer *a)
{
	return a->http == 400 || a->http == 403 || a->http == 404 ||
	       a->http == 422 || pod_refusal_is_admission(a->err.msg);
}

static void refused(struct probe *p, const struct api_answer *a)
{
	char folder[PATH_MAX];
	const struct pod_refusal refusal = {.words = a->err.msg,
					    .manifests = folder,
					    .node = p->node,
					    .ns = p->set->cluster->ns,
					    .http = a->http};
	const bool answered = is_refusal(a);
	char fix[POD_CURE_MAX];
	bool passes;

	installed_manifests(folder);
	passes = pod_refusal_cure(&refusal, fix);
	findings_add(p->out,
		     !answered ? FINDING_UNKNOWN
		     : passes  ? FINDING_WARN
			       : FINDING_WRONG,
		     "probe", answered ? fix : NULL,
		     "nodeset %s: its pod was not created: %s", p->set->name,
		     a->err.msg);
}

/*
 * Create the pod. One try: a second one could be answered with 409 because of
 * the first. False, with a finding: the pod was not created, as far as is
 * known.
 */
static bool create(struct probe *p, const json_object *pod)
{
	struct kube_ref all = pod_ref(p);
	_cleanup_free_ char *path = NULL;
	_cleanup_json_ json_object *made = NULL;
	struct api_answer a = {0};
	struct kube_request req;
	const char *uid;

	all.name = NULL;
	path = kube_path(&all, NULL);
	if (!path)
		return unknown(p, "out of memory"), false;
	req = api_request("POST", path, &a);
	req.no_retry = true;
	req.body = json_object_to_json_string((json_object *)pod);
	req.body_len = req.body ? strlen(req.body) : 0;
	api_ask(&p->api, &req, &a);
	if (a.body)
		jx_parse(a.body, strlen(a.body), &made, NULL);
	free(a.body);
	uid = jx_str(made, "metadata", "uid");
	p->uid = uid ? strdup(uid) : NULL;
	p->may_be_there = !a.err.code || a.undecided;
	p->may_come = a.err.code && a.undecided && !is_refusal(&a);
	if (a.err.code)
		refused(p, &a);
	return !a.err.code;
}

static void look_at_events(struct probe *p)
{
	const struct kube_ref ref = {.api = KUBE_CORE_V1,
				     .ns = p->set->cluster->ns,
				     .resource = "events"};
	_cleanup_free_ char *field = NULL, *query = NULL, *path = NULL;
	_cleanup_json_ json_object *list = NULL;
	struct api_answer a = {0};
	struct kube_request req;

	p->next_events_ms = clock_ms() + EVENTS_MS;
	field = p->uid ? kube_escape(p->uid) : NULL;
	query = field ? str_printf("limit=" EVENTS_MAX
				   "&fieldSelector=involvedObject.uid%%3D%s",
				   field)
		      : NULL;
	path = query ? kube_path(&ref, query) : NULL;
	if (!path)
		return;
	req = api_request("GET", path, &a);
	api_ask(&p->api, &req, &a);
	if (a.body && !jx_parse(a.body, strlen(a.body), &list, NULL))
		probe_seen_events(&p->seen, list);
	free(a.body);
}

static void try_port(struct probe *p)
{
	struct probe_reach r = {.tried = true};

	r.reached = !tcp_reach(p->seen.ip, p->plan.slurmd_port, p->plan.hello,
			       REACH_MS, &r.err);
	p->reach = r;
}

/* One look. False: there is nothing more to wait for. */
static bool goes_on(struct probe *p)
{
	const bool had_started = p->seen.started_ms >= 0;
	_cleanup_json_ json_object *pod = NULL;
	struct err err = {0};
	int rc = look(p, &pod, &err);

	if (rc == -ENOENT) {
		p->seen.gone = true;
		return false;
	}
	if (rc)
		return true; /* the API server may be back in a moment */
	probe_seen_pod(&p->seen, pod, p->set->container, clock_ms());
	if (had_started != (p->seen.started_ms >= 0) ||
	    (p->seen.scheduled_ms >= 0 && p->seen.started_ms < 0 &&
	     clock_ms() >= p->next_events_ms))
		look_at_events(p);
	if (p->seen.ended)
		return false;
	if (p->seen.started_ms >= 0 && *p->seen.ip && !p->reach.reached)
		try_port(p);
	return !probe_seen_hopeless(&p->seen, &p->set->failover, clock_ms());
}

static void watch(struct probe *p)
{
	const int64_t end = clock_ms() + p->facts->timeout_s * 1000;

	while (!interrupted() && goes_on(p) && clock_ms() < end)
		kube_client_rest(p->api.client, LOOK_MS);
}

/* --- its end */

static void on_deleted(void *arg, const struct kube_result *res)
{
	struct err *err = arg;

	if (res->rc)
		err_set(err, res->rc, "%s", res->err->msg);
}

/*
 * Delete the pod by its UID, and wait until it is gone. That there is none
 * proves nothing while the request to create it may still be under way. False:
 * the pod may still be there.
 */
static bool remove_pod(struct probe *p)
{
	const int64_t end = clock_ms() + GONE_MS;
	const struct kube_ref ref = pod_ref(p);
	bool asked = false;

	do {
		_cleanup_json_ json_object *pod = NULL;
		struct err unseen = {0}, err = {0};
		const struct kube_reply to = {.on_done = on_deleted,
					      .arg = &err,
					      .no_retry = true,
					      .conflict_is_final = true,
					      .deadline_ms =
						      clock_ms() + API_WAIT_MS};

		if (look(p, &pod, &unseen) == -ENOENT &&
		    (p->uid || !p->may_come))
			return true;
		if (!asked && p->uid) {
			kube_delete(p->api.client, &ref, p->uid, GRACE_S, &to);
			api_wait(&p->api);
			asked = !err.code;
		}
		clock_nap(LOOK_MS);
	} while (clock_ms() < end);
	return false;
}

static void clean_up(struct probe *p)
{
	const int64_t needed_s = p->plan.needed_s > LEFTOVER_AGE_S
					 ? p->plan.needed_s
					 : LEFTOVER_AGE_S;
	char fix[64];

	snprintf(fix, sizeof(fix), "slurm-k8s gc, in %" PRId64 " minutes",
		 (needed_s + 59) / 60);
	if (!remove_pod(p))
		findings_add(p->out, FINDING_UNKNOWN, "probe", fix,
			     "nodeset %s: its pod %s/%s may still be there",
			     p->set->name, p->set->cluster->ns, p->plan.name);
}

/* --- all of it */

/*
 * The shortest ResumeTimeout of the set's nodes; timeout_s 0: not known. Its
 * node's name is borrowed from `h`, which the caller clears.
 */
static struct ctl_resume resume_timeout(const struct probe *p,
					struct hostlist *h)
{
	struct ctl_resume resume = {.timeout_s = p->facts->resume_timeout_s};
	struct err err;

	if (!hostlist_expand(p->set->nodes, h, &err)) {
		hostlist_sort(h);
		ctl_resume_shortest(h->names, h->n, false, &resume, &err);
	}
	return resume;
}

static void tell(const struct probe *p)
{
	const struct probe_facts *f = p->facts;
	const char *version = site_config_get(f->conf, "SLURM_VERSION");
	_cleanup_hostlist_ struct hostlist h = {0};
	const struct probe_result result = {
		.set = p->set,
		.plan = &p->plan,
		.seen = &p->seen,
		.reach = &p->reach,
		.all_up = p->all_up,
		.ended_ms = clock_ms(),
		.resume = resume_timeout(p, &h),
		.slurm_version = version ? version : ctl_version(),
	};

	probe_findings(&result, p->out);
}

static void run(struct probe *p)
{
	_cleanup_manifest_ struct manifest m = {0};
	struct err err = {0};
	bool created;

	if (make_pod(p, &m, &err) || api_open(&p->api, p->set->cluster, &err))
		return unknown(p, err.msg);
	progress_says("nodeset %s: waiting for probe %s/%s, %lld s at most",
		      p->set->name, p->set->cluster->ns, p->plan.name,
		      (long long)p->facts->timeout_s);
	created = create(p, m.pod_json);
	probe_seen_begin(&p->seen, clock_ms());
	if (created)
		watch(p);
	if (interrupted())
		unknown(p, "interrupted");
	else if (created)
		tell(p);
	if (p->may_be_there)
		clean_up(p);
}

static void probe_one(const struct probe_facts *facts,
		      const struct nodeset *set, struct findings *out)
{
	struct probe p = {.facts = facts, .set = set, .out = out};

	run(&p);
	api_close(&p.api);
	free(p.uid);
}

/* Add a finding for each name of --probe that k8s.yaml does not have. */
static void unknown_nodesets(const struct probe_facts *facts,
			     struct findings *out)
{
	const char *list = facts->nodesets;
	size_t len;

	for (; (len = str_next_item(&list)); list += len) {
		_cleanup_free_ char *name = strndup(list, len);

		if (name && !config_nodeset_named(facts->config, name))
			findings_add(out, FINDING_UNKNOWN, "probe", NULL,
				     "k8s.yaml has no nodeset %s", name);
	}
}

void probe_nodesets(const struct probe_facts *facts, struct findings *out)
{
	const struct config *c = facts->config;

	interrupt_catch();
	unknown_nodesets(facts, out);
	for (size_t i = 0; !interrupted() && i < c->n_nodesets; i++) {
		const char *name = c->nodesets[i].name;

		if (!facts->nodesets ||
		    str_list_has(facts->nodesets, name, strlen(name)))
			probe_one(facts, &c->nodesets[i], out);
	}
}
