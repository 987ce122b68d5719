/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The API server's answers are the test's. */
#include <errno.h>
#include <string.h>

#include "need_checks.h"
#include "t.h"

#define PATHS                                                                  \
	"/api/v1/namespaces/jobs/secrets/munge "                               \
	"/api/v1/namespaces/jobs/persistentvolumeclaims/home "

static int status_of_secret, status_of_claim;
static char asked[512];

void __wrap_api_ask(struct api_server *s, const struct kube_request *req,
		    struct api_answer *a);
void __wrap_api_ask(struct api_server *s, const struct kube_request *req,
		    struct api_answer *a)
{
	(void)s;
	T_STR(req->method, "GET");
	T_HAS(req->accept, "PartialObjectMetadata"); /* no Secret's data */
	snprintf(asked + strlen(asked), sizeof(asked) - strlen(asked), "%s ",
		 req->path);
	a->http = strstr(req->path, "secrets") ? status_of_secret
					       : status_of_claim;
	if (a->http != 200)
		err_set(&a->err, -EIO, "no good answer");
}

static void look(const char *more, const char *paths, struct findings *f)
{
	static const char format[] =
		"clusters: [{name: main, kubeconfig: k, namespace: jobs}, "
		"{name: other, kubeconfig: o}]\n"
		"nodesets: [{name: cpu, cluster: main, nodes: cpu-0, "
		"podTemplate: {spec: {%scontainers: [{name: slurmd}], "
		"volumes: [{name: m, secret: {secretName: munge}}, {name: h, "
		"persistentVolumeClaim: {claimName: home}}]}}}, "
		"{name: far, cluster: other, nodes: far-0, "
		"podTemplate: {spec: {containers: [{name: slurmd}], volumes: "
		"[{name: m, secret: {secretName: far}}]}}}]\n";
	struct config *c = NULL;
	char text[1024];
	struct api_server api = {0};
	struct err err = {0};

	snprintf(text, sizeof(text), format, more);
	*asked = '\0';
	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	if (!c)
		return;
	api.k = &c->clusters[0];
	need_checks(&api, c, f);
	T_STR(asked, paths);
	config_free(c);
}

static void what_is_not_there_is_wrong(void)
{
	static const struct {
		int secret, claim;
		enum finding_state state;
		const char *check, *text, *fix;
		size_t n;
	} rows[] = {
		{200, 200, FINDING_OK, "volumes", "2 of what", "", 1},
		{404, 200, FINDING_WRONG, "Secret",
		 "nodeset cpu: namespace jobs has no Secret munge, so its pods",
		 "make the Secret munge in namespace jobs, or mend", 2},
		{200, 404, FINDING_WRONG, "PersistentVolumeClaim",
		 "has no PersistentVolumeClaim home", "make the", 2},
		{403, 403, FINDING_SKIPPED, "volumes",
		 "Secret munge, PersistentVolumeClaim home: could not be "
		 "looked "
		 "at",
		 "", 1},
		{0, 200, FINDING_UNKNOWN, "Secret", "no good answer", "", 2},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct findings f = {0};

		t_row("%d, %d", rows[i].secret, rows[i].claim);
		status_of_secret = rows[i].secret;
		status_of_claim = rows[i].claim;
		look("", PATHS, &f);
		if (T_INT(f.n, rows[i].n)) {
			T_INT(f.v[0].state, rows[i].state);
			T_STR(f.v[0].check, rows[i].check);
			T_HAS(f.v[0].text, rows[i].text);
			T_HAS(f.v[0].fix ? f.v[0].fix : "", rows[i].fix);
		}
		findings_clear(&f);
	}
}

static void an_image_may_be_pulled_without_a_secret(void)
{
	struct findings f = {0};

	status_of_secret = 404;
	status_of_claim = 200;
	look("imagePullSecrets: [{name: registry}], ",
	     PATHS "/api/v1/namespaces/jobs/secrets/registry ", &f);
	if (T_INT(f.n, 3)) {
		T_INT(f.v[0].state, FINDING_WRONG);
		T_INT(f.v[1].state, FINDING_WARN);
		T_STR(f.v[1].check, "Secret");
		T_HAS(f.v[1].text,
		      "jobs has no Secret registry (imagePullSecrets): an "
		      "image of a private registry cannot be pulled");
		T_HAS(f.v[1].fix, "make the Secret registry in namespace jobs");
	}
	findings_clear(&f);
}

T_MAIN("need_checks", T(what_is_not_there_is_wrong),
       T(an_image_may_be_pulled_without_a_secret))
