/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe's life, with an API server and a pod that are played. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api_fixture.h"
#include "api_server.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "probe.h"
#include "probe_fixture.h"
#include "probe_pod.h"
#include "progress_fixture.h"
#include "slurm/ctl_resume.h"
#include "syntax/wellknown.h"
#include "t.h"
#include "tcp_reach.h"

/* --- time: it goes on when somebody waits */

static int64_t now_ms;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now_ms;
}

void __wrap_clock_nap(int64_t ms);
void __wrap_clock_nap(int64_t ms)
{
	now_ms += ms;
}

/* --- Kubernetes: a pod as its script has it, one step at each look */

struct server {
	const char *const *statuses; /* ends with NULL: the last one stays */
	int create_http;	     /* 0: no answer */
	const char *refusal;	     /* NULL: a quota's */
	bool create_unseen;	     /* the pod is there nevertheless */
	int appears_at;		     /* from this look on, with create_unseen */
	bool undecided;		     /* it may be there, and never is */
	int get_rc;		     /* of each look, until it is deleted */
	unsigned int stubborn;	     /* looks, until a deleted pod is gone */
	bool refuses_delete;
	bool gone_at_once;
	int signal_at; /* at this look; 0: none */
	/* what happened */
	char name[64];
	int created, looks, looks_of_one, deletes;
	bool there, deleting;
	char *posted;
};
static struct server server;

#define UID "11111111-2222-3333-4444-555555555555"

void __wrap_api_wait(struct api_server *s);
void __wrap_api_wait(struct api_server *s)
{
	(void)s;
}

static void post(const struct kube_request *req, struct api_answer *a)
{
	_cleanup_json_ json_object *pod = t_parse(req->body);

	T_OK(req->no_retry);
	T_STR(req->path, "/api/v1/namespaces/jobs/pods");
	server.created++;
	str_copy(server.name, jx_str(pod, "metadata", "name"),
		 sizeof(server.name));
	free(server.posted);
	server.posted = strdup(req->body);
	a->http = server.create_http;
	a->undecided = server.create_unseen || server.undecided;
	server.there = a->http == 201 || server.create_unseen;
	server.deleting = server.gone_at_once;
	server.looks_of_one = 0;
	if (a->http == 201)
		a->body = strdup("{\"metadata\": {\"uid\": \"" UID "\"}}");
	else
		err_set(&a->err, -EIO, "pods is forbidden: %s",
			server.refusal ? server.refusal : "exceeded quota");
}

void __wrap_api_ask(struct api_server *s, const struct kube_request *req,
		    struct api_answer *a);
void __wrap_api_ask(struct api_server *s, const struct kube_request *req,
		    struct api_answer *a)
{
	(void)s;
	if (!strcmp(req->method, "POST")) {
		post(req, a);
		return;
	}
	T_STR(req->path, "/api/v1/namespaces/jobs/events?limit=100&"
			 "fieldSelector=involvedObject.uid%3D" UID);
	a->body = strdup("{\"items\": []}");
}

int __wrap_api_get(struct api_server *s, const struct kube_ref *ref,
		   json_object **out, struct err *err);
int __wrap_api_get(struct api_server *s, const struct kube_ref *ref,
		   json_object **out, struct err *err)
{
	const char *status = "{}";
	_cleanup_free_ char *text = NULL;

	(void)s;
	*out = NULL;
	T_STR(ref->name, server.name);
	if (++server.looks == server.signal_at)
		raise(SIGINT);
	if (server.deleting && server.stubborn)
		server.stubborn--;
	else if (server.deleting)
		server.there = false;
	if (server.get_rc && !server.deleting)
		return err_set(err, server.get_rc, "no answer");
	if (!server.there || server.looks < server.appears_at)
		return err_set(err, -ENOENT, "there is none");
	for (int i = 0;
	     server.statuses && server.statuses[i] && i <= server.looks_of_one;
	     i++)
		status = server.statuses[i];
	server.looks_of_one++;
	text = str_printf("{\"metadata\": {\"name\": \"%s\", \"uid\": \"" UID
			  "\"}, \"spec\": {\"nodeName\": \"k-1\"}, "
			  "\"status\": %s}",
			  server.name, status);
	*out = t_parse(text);
	return 0;
}

struct kube_call *__wrap_kube_delete(struct kube_client *c,
				     const struct kube_ref *ref,
				     const char *uid, int64_t grace_s,
				     const struct kube_reply *to);
struct kube_call *__wrap_kube_delete(struct kube_client *c,
				     const struct kube_ref *ref,
				     const char *uid, int64_t grace_s,
				     const struct kube_reply *to)
{
	const struct err refused = {.code = -EACCES, .msg = "forbidden"};
	const struct kube_result res = {
		.rc = server.refuses_delete ? -EACCES : 0, .err = &refused};

	T_STR(ref->name, server.name);
	T_STR(uid, UID);
	T_INT(grace_s, 1);
	server.deletes++;
	server.deleting = !server.refuses_delete;
	to->on_done(to->arg, &res);
	return (void *)c;
}

void __wrap_kube_client_rest(struct kube_client *c, int timeout_ms);
void __wrap_kube_client_rest(struct kube_client *c, int timeout_ms)
{
	(void)c;
	now_ms += timeout_ms;
}

static int reached;

int __wrap_tcp_reach(const char *address, uint16_t port, const char *hello,
		     int wait_ms, struct err *err);
int __wrap_tcp_reach(const char *address, uint16_t port, const char *hello,
		     int wait_ms, struct err *err)
{
	(void)wait_ms, (void)err;
	T_STR(address, "10.0.0.9");
	T_INT(port, 6818);
	T_OK(str_starts(hello, PROBE_NAME_PREFIX));
	reached++;
	return 0;
}

/* --- the tests */

#define RUNNING                                                                \
	"{\"phase\": \"Running\", \"podIP\": \"10.0.0.9\", "                   \
	"\"containerStatuses\": [{\"name\": \"slurmd\", \"state\": "           \
	"{\"running\": {}}}]}"
#define ENDED                                                                  \
	"{\"phase\": \"Succeeded\", \"containerStatuses\": [{\"name\": "       \
	"\"slurmd\", \"state\": {\"terminated\": {\"startedAt\": "             \
	"\"2026-01-02T03:04:05Z\"}}}]}"
#define NO_IMAGE                                                               \
	"{\"phase\": \"Pending\", \"containerStatuses\": [{\"name\": "         \
	"\"slurmd\", \"state\": {\"waiting\": {\"reason\": "                   \
	"\"ImagePullBackOff\"}}}]}"

static const char *const life[] = {"{}", RUNNING, RUNNING, ENDED, NULL};
static const char *const nothing[] = {"{}", NULL};
static const char *const no_image[] = {NO_IMAGE, NULL};

/* Probe `list` for 20 s; the caller clears the findings. */
static struct findings probed(const char *list, struct server played)
{
	static const char text[] =
		"clusters: [{name: main, kubeconfig: k, namespace: jobs}]\n"
		"nodesets:\n"
		"- {name: a, cluster: main, nodes: 'a-[0-1]', podTemplate: "
		"{spec: {containers: [{name: slurmd}]}}}\n"
		"- {name: b, cluster: main, nodes: b-0, podTemplate: "
		"{spec: {containers: [{name: slurmd}]}}}\n";
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(site_config_freep) struct site_config *conf =
		site_config_read("SlurmctldHost = ctl\nSLURM_VERSION = "
				 "22.05.8\nAuthType = auth/munge\n");
	static const char nodes; /* is not looked into */
	struct probe_facts facts = {.conf = conf,
				    .nodes = (const void *)&nodes,
				    .slurm_cluster = "site",
				    .nodesets = list,
				    .timeout_s = 20};
	struct findings found = {0};
	struct err err = {0};

	free(server.posted);
	server = played;
	now_ms = 1000;
	reached = 0;
	T_INT(config_parse("k8s.yaml", text, sizeof(text) - 1, &config, &err),
	      0);
	facts.config = config;
	probe_nodesets(&facts, &found);
	return found;
}

static bool tells(const struct findings *f, enum finding_state state,
		  const char *words)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].state == state && strstr(f->v[i].text, words))
			return true;
	return false;
}

static void each_nodeset_has_its_pod_for_a_moment(void)
{
	_cleanup_json_ json_object *pod = NULL;
	struct findings f = probed(
		NULL, (struct server){.statuses = life, .create_http = 201});

	T_INT(server.created, 2);
	T_INT(server.deletes, 2);
	T_OK(!server.there);
	T_OK(str_starts(server.name, PROBE_NAME_PREFIX "b-"));
	pod = t_parse(server.posted);
	T_STR(jx_str(pod, "metadata", "labels", WK_LABEL_PROBE), "site");
	T_OK(!jx_get(pod, "metadata", "labels", WK_LABEL_NODE));
	T_OK(!jx_get(pod, "metadata", "labels", WK_LABEL_CLUSTER));
	T_OK(reached);
	T_OK(tells(&f, FINDING_OK, "nodeset a: its pod started"));
	T_HAS(waited_for, "nodeset b: waiting for probe jobs/slurm-k8s-probe-");
	T_HAS(waited_for, " s at most");
	T_OK(tells(&f, FINDING_OK, "nodeset b: its pod started"));
	findings_clear(&f);
}

static void one_can_be_named(void)
{
	struct findings f = probed(
		"b,c", (struct server){.statuses = life, .create_http = 201});

	T_INT(server.created, 1);
	T_OK(str_starts(server.name, PROBE_NAME_PREFIX "b-"));
	T_OK(tells(&f, FINDING_UNKNOWN, "k8s.yaml has no nodeset c"));
	findings_clear(&f);
}

static void whatever_happens_the_pod_is_deleted(void)
{
	static const struct {
		const char *words;
		struct server server;
		int deletes;
		enum finding_state state;
	} rows[] = {
		{"did not start within 20 s",
		 {.statuses = nothing, .create_http = 201},
		 1,
		 FINDING_WRONG},
		{"ImagePullBackOff",
		 {.statuses = no_image, .create_http = 201},
		 1,
		 FINDING_WRONG},
		{"did not start within",
		 {.statuses = life, .create_http = 201, .get_rc = -EIO},
		 1,
		 FINDING_WRONG},
		{"was not created: pods is forbidden: exceeded quota",
		 {.create_http = 403},
		 0,
		 FINDING_WARN},
		{"was not created: pods is forbidden: no",
		 {.create_http = 403, .refusal = "no"},
		 0,
		 FINDING_WRONG},
		{"was not created", {.refusal = "down"}, 0, FINDING_UNKNOWN},
		/* whether it was created is not known, and it was */
		{"was not created",
		 {.create_unseen = true},
		 1,
		 FINDING_UNKNOWN},
		/* and it came when it was looked for already */
		{"was not created",
		 {.create_unseen = true, .appears_at = 20},
		 1,
		 FINDING_UNKNOWN},
		{"was not created",
		 {.create_unseen = true, .create_http = 504, .appears_at = 20},
		 1,
		 FINDING_UNKNOWN},
		/* these say nothing about the pod */
		{"was not created", {.create_http = 401}, 0, FINDING_UNKNOWN},
		{"was not created", {.create_http = 409}, 0, FINDING_UNKNOWN},
		{"was not created", {.create_http = 429}, 0, FINDING_UNKNOWN},
		{"its pod started",
		 {.statuses = life, .create_http = 201, .stubborn = 20},
		 1,
		 FINDING_OK},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct findings f = probed("a", rows[i].server);

		t_row("%s", rows[i].words);
		T_INT(server.deletes, rows[i].deletes);
		/* what is certain is not asked for */
		T_OK(rows[i].deletes || !server.looks);
		T_OK(!server.there);
		T_OK(tells(&f, rows[i].state, rows[i].words));
		T_OK(!tells(&f, FINDING_UNKNOWN, "may still be there"));
		findings_clear(&f);
	}
}

static void a_pod_that_may_be_left_is_told(void)
{
	struct findings f = probed("a", (struct server){.statuses = life,
							.create_http = 201,
							.stubborn = 10000});

	T_OK(tells(&f, FINDING_UNKNOWN, "may still be there"));
	T_INT(findings_exit_code(&f), 2);
	findings_clear(&f);
	f = probed("a", (struct server){.statuses = life,
					.create_http = 201,
					.refuses_delete = true});
	T_OK(tells(&f, FINDING_UNKNOWN, "may still be there"));
	T_OK(server.deletes > 10);
	findings_clear(&f);
	/* no answer, and it was not seen either */
	f = probed("a", (struct server){.undecided = true});
	T_OK(tells(&f, FINDING_UNKNOWN, "may still be there"));
	T_OK(server.looks > 10);
	findings_clear(&f);
}

/* What an earlier try has left undecided is decided by a later refusal. */
static void a_refused_pod_is_not_waited_for(void)
{
	struct findings f = probed(
		"a", (struct server){.undecided = true, .create_http = 403});

	T_OK(!tells(&f, FINDING_UNKNOWN, "may still be there"));
	T_INT(server.looks, 1);
	findings_clear(&f);
}

static void somebody_else_may_delete_it(void)
{
	struct findings f = probed("a", (struct server){.create_http = 201,
							.gone_at_once = true,
							.stubborn = 3});

	T_OK(tells(&f, FINDING_UNKNOWN, "somebody has deleted its pod"));
	T_INT(server.deletes, 0);
	findings_clear(&f);
}

/* The last test, for nothing takes that signal back. */
static void an_interrupt_deletes_it_and_ends(void)
{
	struct findings f = probed(NULL, (struct server){.statuses = nothing,
							 .create_http = 201,
							 .signal_at = 3});

	T_INT(server.created, 1);
	T_INT(server.deletes, 1);
	T_OK(!server.there);
	T_OK(tells(&f, FINDING_UNKNOWN, "interrupted"));
	T_INT(findings_exit_code(&f), 2);
	findings_clear(&f);
	free(server.posted);
}

T_MAIN("probe", T(each_nodeset_has_its_pod_for_a_moment), T(one_can_be_named),
       T(whatever_happens_the_pod_is_deleted),
       T(a_pod_that_may_be_left_is_told), T(a_refused_pod_is_not_waited_for),
       T(somebody_else_may_delete_it), T(an_interrupt_deletes_it_and_ends))
