/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube_checks.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "api_server.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "cred_modes.h"
#include "host_checks.h"
#include "installed.h"
#include "kube/cred.h"
#include "kube/cred_expiry.h"
#include "kube/verbs.h"
#include "need_checks.h"
#include "node_facts.h"
#include "nodes/pod/manifest.h"
#include "pod_refusals.h"
#include "rights.h"
#include "server_rules.h"
#include "syntax/hostlist.h"
#include "syntax/wellknown.h"

#define AUTHORIZATION_V1 "apis/authorization.k8s.io/v1"
#define EXPIRY_WARN_MS (3LL * 24 * 3600 * 1000)

/* One API server. */
struct server {
	const struct kube_facts *facts;
	const struct cluster_config *k;
	struct api_server api;
	struct findings *out;
};

static bool kubeconfig_file(struct server *s)
{
	const char *path = s->k->kubeconfig;

	if (s->k->in_cluster || !access(path, R_OK))
		return true;
	findings_add(s->out, FINDING_WRONG, "kubeconfig",
		     errno == ENOENT
			     ? "put it there, SlurmUser's, with mode 600"
			     : "make SlurmUser its owner, with mode 600",
		     "cluster %s: SlurmUser cannot read %s: %s", s->k->name,
		     path, strerror(errno));
	return false;
}

/*
 * Check that other users cannot read the credential. In a pod the pod's own is
 * not looked at.
 */
static void kubeconfig_mode(struct server *s)
{
	const char *path = s->k->in_cluster ? NULL
					    : cred_everybodys(s->api.config,
							      s->k->kubeconfig);
	char fix[2 * PATH_MAX + 128];

	if (path) {
		cred_modes_fix(path, fix, sizeof(fix));
		findings_add(s->out, FINDING_WRONG, "kubeconfig", fix,
			     "cluster %s: all users may read %s, which has a "
			     "credential",
			     s->k->name, path);
	} else {
		findings_add(s->out, FINDING_OK, "kubeconfig", NULL,
			     "cluster %s: %s", s->k->name,
			     s->api.config->source);
	}
}

/* kubectl prints nothing for a CA that a kubeconfig does not have. */
static const char *kubeconfig_cure(const char *words)
{
	return strstr(words, "certificate-authority-data is empty")
		       ? "take the line certificate-authority-data: out, if a "
			 "public CA has signed the API server's certificate; "
			 "else put the cluster's CA there, in base64"
		       : "mend what it names in the kubeconfig";
}

static bool connect_to(struct server *s)
{
	struct err err = {0};

	if (!kubeconfig_file(s))
		return false;
	if (api_open(&s->api, s->k, &err)) {
		findings_add(s->out, FINDING_WRONG, "kubeconfig",
			     kubeconfig_cure(err.msg), "cluster %s: %s",
			     s->k->name, err.msg);
		return false;
	}
	kubeconfig_mode(s);
	return true;
}

/* Where a credential is renewed. */
static const char *renewal(const struct server *s)
{
	const struct kube_config *c = s->api.config;

	if (c->exec)
		return "see why the credential plugin of the kubeconfig gives "
		       "none";
	if (s->k->in_cluster)
		return "see the ServiceAccount of this pod";
	return c->token_file ? "renew it in its tokenFile"
			     : "renew it in the kubeconfig";
}

/* The credential that there is now: a plugin is run for it. */
static bool has_credential(struct server *s)
{
	_cleanup_(kube_cred_freep) struct kube_cred *cred =
		kube_cred_new(s->api.config);
	struct kube_secret secret;
	struct err err = {0};

	if (!cred)
		err_oom(&err);
	else
		kube_cred_get(cred, &secret, &err);
	if (err.code)
		findings_add(s->out, FINDING_WRONG, "credential", renewal(s),
			     "cluster %s: %s", s->k->name, err.msg);
	return !err.code;
}

static bool reaches(struct server *s)
{
	struct api_answer a = {0};
	struct kube_request req = api_request("GET", "/version", &a);
	_cleanup_json_ json_object *version = NULL;
	struct server_facts told = {.cluster = s->k->name,
				    .sent_ms = clock_real_ms()};
	const char *name;

	req.no_retry = true;
	req.peer = true;
	api_ask(&s->api, &req, &a);
	if (a.err.code && a.http != 401 && a.http != 403) {
		findings_add(s->out, a.http ? FINDING_UNKNOWN : FINDING_WRONG,
			     "API server",
			     a.http ? NULL
				    : "make it answer at the kubeconfig's "
				      "server:, with a certificate of its "
				      "certificate-authority",
			     "cluster %s: %s: %s", s->k->name,
			     s->api.config->server, a.err.msg);
		return false;
	}
	if (a.body)
		jx_parse(a.body, strlen(a.body), &version, NULL);
	name = jx_str(version, "gitVersion");
	findings_add(s->out, FINDING_OK, "API server", NULL,
		     "cluster %s: %s, Kubernetes %s, %" PRId64 " ms",
		     s->k->name, s->api.config->server,
		     name ? name : "of a version that it does not tell",
		     a.took_ms);
	told.version = name;
	told.now_ms = clock_real_ms();
	told.peer = a.peer;
	told.ca = kube_validity_last(s->api.config->ca_pem);
	server_rules(&told, s->out);
	free(a.body);
	return true;
}

static void expiry(struct server *s)
{
	int64_t at = kube_cred_expires_ms(s->api.config), left;
	char text[32];

	if (at == INT64_MAX)
		return;
	left = at - clock_real_ms();
	if (left < 0)
		findings_add(s->out, FINDING_WRONG, "credential", renewal(s),
			     "cluster %s: it expired %s ago", s->k->name,
			     server_duration(-left, text));
	else if (left < EXPIRY_WARN_MS && !s->api.config->token_file &&
		 !s->api.config->exec)
		findings_add(s->out, FINDING_WARN, "credential",
			     "use tokenFile:, a credential plugin, or a token "
			     "that lives longer",
			     "cluster %s: it expires in %s, and nobody renews "
			     "it",
			     s->k->name, server_duration(left, text));
	else
		findings_add(s->out, FINDING_OK, "credential", NULL,
			     "cluster %s: it expires in %s", s->k->name,
			     server_duration(left, text));
}

/* 1: we may; 0: we may not; -1: not known, with words in `a`. */
static int may(struct server *s, const struct right *r, const char *verb,
	       size_t len, struct api_answer *a)
{
	_cleanup_json_ json_object *review =
		right_review(r, verb, len, r->all ? NULL : s->k->ns);
	_cleanup_json_ json_object *told = NULL;
	struct kube_request req = api_request(
		"POST", "/" AUTHORIZATION_V1 "/selfsubjectaccessreviews", a);
	int rc;

	if (!review)
		return err_oom(&a->err), -1;
	req.body = json_object_to_json_string(review);
	req.body_len = strlen(req.body);
	api_ask(&s->api, &req, a);
	if (a->err.code)
		return -1;
	rc = jx_parse(a->body, strlen(a->body), &told, &a->err);
	free(a->body);
	a->body = NULL;
	if (!rc && right_answer(told) < 0)
		rc = err_set(&a->err, -EBADMSG,
			     "the answer does not say whether we may");
	return rc ? -1 : right_answer(told);
}

static void lacks(struct server *s, const struct right *r, const char *verbs)
{
	char what[128], folder[PATH_MAX], fix[PATH_MAX + 256];

	snprintf(what, sizeof(what), "%s%s%s%s%s", r->resource,
		 *r->group ? "." : "", r->group, r->sub ? "/" : "",
		 r->sub ? r->sub : "");
	installed_manifests(folder);
	snprintf(fix, sizeof(fix),
		 "add it to the %s of this kubeconfig's account: %s/%s has the "
		 "rule",
		 r->all ? "ClusterRole" : "Role", folder,
		 r->bridge ? "bridge.yaml"
		 : r->all  ? "clusterrole.yaml"
			   : "role.yaml");
	findings_add(s->out,
		     right_is_needed(r, s->facts->has_backup) ? FINDING_WRONG
							      : FINDING_WARN,
		     "rights", fix, "cluster %s: may not %s %s in %s%s: %s",
		     s->k->name, verbs, what,
		     r->all ? "all namespaces" : "namespace ",
		     r->all ? "" : s->k->ns, r->why);
}

/*
 * Check a right, and count it if it is missing. False: the server does not say,
 * with words in `a`.
 */
static bool has_right(struct server *s, const struct right *r, size_t *missing,
		      struct api_answer *a)
{
	char lacked[64] = "";
	const char *verb = r->verbs;
	size_t len;

	while ((len = str_next_item(&verb))) {
		int yes = may(s, r, verb, len, a);

		if (yes < 0)
			return false;
		if (!yes)
			snprintf(lacked + strlen(lacked),
				 sizeof(lacked) - strlen(lacked), "%s%.*s",
				 *lacked ? "," : "", (int)len, verb);
		verb += len;
	}
	if (*lacked) {
		lacks(s, r, lacked);
		(*missing)++;
	}
	return true;
}

static bool selects(const struct bridge_config *b)
{
	return b->n_ns > b->n_named;
}

/* Check all rights. False: the server does not accept the credential. */
static bool all_rights(struct server *s)
{
	const struct bridge_config *b = &s->facts->config->bridge;
	bool bridged = b->wanted && str_eq(b->cluster, s->k->name);
	struct api_answer a = {0};
	size_t missing = 0;
	bool told = true;

	for (size_t i = 0; told && i < n_rights; i++) {
		const struct right *r = &rights[i];

		if ((r->bridge && !bridged) || (r->selectors && !selects(b)))
			continue;
		told = has_right(s, r, &missing, &a);
	}
	if (a.http == 401)
		findings_add(s->out, FINDING_WRONG, "credential", renewal(s),
			     "cluster %s: %s", s->k->name, a.err.msg);
	else if (!told)
		findings_add(s->out, FINDING_UNKNOWN, "rights", NULL,
			     "cluster %s: %s", s->k->name, a.err.msg);
	else if (!missing)
		findings_add(s->out, FINDING_OK, "rights", NULL,
			     "cluster %s: all that are used", s->k->name);
	return a.http != 401;
}

/*
 * Choose a node of the nodeset that is not up: its pod would be a further one,
 * as quota has to allow. False, with *why: there is none whose size is known.
 */
static bool free_node(const struct server *s, const struct nodeset *set,
		      const struct hostlist *h, struct node_facts *facts,
		      const char **why)
{
	*why = "all its nodes are up";
	for (size_t i = 0; i < h->n; i++) {
		struct ctl_node node;

		if (s->facts->nodes &&
		    ctl_nodes_find(s->facts->nodes, h->names[i], &node) &&
		    node.power == CTL_UP)
			continue;
		if (facts_of_node(set, s->facts->nodes, h->names[i], facts)) {
			/* No features are active at a power-up. */
			facts->features = NULL;
			return true;
		}
		*why = "Slurm does not say what its nodes have";
	}
	return false;
}

static void tell_of_pod(struct server *s, const struct nodeset *set,
			const char *node, const struct api_answer *a)
{
	char folder[PATH_MAX];
	const struct pod_refusal r = {.words = a->err.msg,
				      .manifests = folder,
				      .node = node,
				      .ns = s->k->ns,
				      .http = a->http};
	bool refused = a->http == 400 || a->http == 403 || a->http == 404 ||
		       a->http == 422 || pod_refusal_is_admission(a->err.msg);
	char fix[POD_CURE_MAX];
	bool passes;

	installed_manifests(folder);
	passes = pod_refusal_cure(&r, fix);
	/* 409: one of this name is there, so it was taken */
	if (!a->err.code || a->http == 409)
		findings_add(s->out, FINDING_OK, "pod", NULL,
			     "nodeset %s: namespace %s takes the pod of %s",
			     set->name, s->k->ns, node);
	else if (refused)
		findings_add(
			s->out, passes ? FINDING_WARN : FINDING_WRONG, "pod",
			fix,
			"nodeset %s: namespace %s refuses the pod of %s: %s",
			set->name, s->k->ns, node, a->err.msg);
	else
		findings_add(s->out, FINDING_UNKNOWN, "pod", NULL,
			     "nodeset %s: no answer about the pod of %s: %s",
			     set->name, node, a->err.msg);
}

/* A dry run, so that quota, admission and Pod Security have their word. */
static void dry_run(struct server *s, const struct nodeset *set)
{
	struct kube_ref pods = {
		.api = KUBE_CORE_V1, .ns = s->k->ns, .resource = "pods"};
	_cleanup_free_ char *path = kube_path(&pods, "dryRun=All");
	_cleanup_hostlist_ struct hostlist h = {0};
	_cleanup_manifest_ struct manifest m = {0};
	struct node_facts facts = {0};
	const char *why;
	struct api_answer a = {0};
	struct kube_request req = api_request("POST", path, &a);

	if (!path || hostlist_expand(set->nodes, &h, &a.err)) {
		findings_add(s->out, FINDING_UNKNOWN, "pod", NULL,
			     "nodeset %s: %s", set->name, a.err.msg);
		return;
	}
	if (!free_node(s, set, &h, &facts, &why)) {
		findings_add(s->out, FINDING_SKIPPED, "pod", NULL,
			     "nodeset %s: %s", set->name, why);
		return;
	}
	if (manifest_make(s->facts->slurm_cluster ? s->facts->slurm_cluster
						  : "cluster",
			  set, &facts, &m, &a.err)) {
		findings_add(s->out, FINDING_WRONG, "pod", NULL,
			     "nodeset %s: %s", set->name, a.err.msg);
		return;
	}
	req.body = json_object_to_json_string(m.pod_json);
	req.body_len = strlen(req.body);
	req.failure_is_final = true; /* an admission that fails gives 500 */
	api_ask(&s->api, &req, &a);
	tell_of_pod(s, set, facts.name, &a);
	free(a.body);
}

static void pods(struct server *s)
{
	const struct config *c = s->facts->config;

	for (size_t i = 0; i < c->n_nodesets; i++)
		if (c->nodesets[i].cluster == s->k)
			dry_run(s, &c->nodesets[i]);
}

void kube_checks(const struct kube_facts *facts, const struct cluster_config *k,
		 struct findings *out)
{
	struct server s = {.facts = facts, .k = k, .out = out};
	bool asked = false;

	if (connect_to(&s) && has_credential(&s)) {
		expiry(&s);
		asked = reaches(&s) && all_rights(&s);
	}
	if (asked) {
		need_checks(&s.api, facts->config, out);
		host_checks(&s.api, facts, out);
		pods(&s);
	} else
		findings_add(out, FINDING_SKIPPED, "pod", NULL,
			     "cluster %s: whether it takes pods was not looked "
			     "at",
			     k->name);
	api_close(&s.api);
}
