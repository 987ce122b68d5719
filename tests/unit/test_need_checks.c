/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The API server's answers are the test's. */
#include <errno.h>
#include <string.h>

#include "need_checks.h"
#include "t.h"

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

static void look(struct findings *f)
{
	static const char text[] =
		"clusters: [{name: main, kubeconfig: k, namespace: jobs}, "
		"{name: other, kubeconfig: o}]\n"
		"nodesets: [{name: cpu, cluster: main, nodes: cpu-0, "
		"podTemplate: {spec: {containers: [{name: slurmd}], volumes: "
		"[{name: m, secret: {secretName: munge}}, {name: h, "
		"persistentVolumeClaim: {claimName: home}}]}}}, "
		"{name: far, cluster: other, nodes: far-0, "
		"podTemplate: {spec: {containers: [{name: slurmd}], volumes: "
		"[{name: m, secret: {secretName: far}}]}}}]\n";
	struct config *c = NULL;
	struct api_server api = {0};
	struct err err = {0};

	*asked = '\0';
	T_INT(config_parse("k8s.yaml", text, strlen(text), &c, &err), 0);
	T_STR(err.msg, "");
	if (!c)
		return;
	api.k = &c->clusters[0];
	need_checks(&api, c, f);
	T_STR(asked, "/api/v1/namespaces/jobs/secrets/munge "
		     "/api/v1/namespaces/jobs/persistentvolumeclaims/home ");
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
		look(&f);
		if (T_INT(f.n, rows[i].n)) {
			T_INT(f.v[0].state, rows[i].state);
			T_STR(f.v[0].check, rows[i].check);
			T_HAS(f.v[0].text, rows[i].text);
			T_HAS(f.v[0].fix ? f.v[0].fix : "", rows[i].fix);
		}
		findings_clear(&f);
	}
}

T_MAIN("need_checks", T(what_is_not_there_is_wrong))
