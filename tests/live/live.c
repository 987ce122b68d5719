/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/spawn.h"
#include "base/str.h"

#define NAP_MS 50
#define COMPACT_MS 30000
#define TOKEN_MAX 8192
#define RBAC_V1 "apis/rbac.authorization.k8s.io/v1"

static const char *const accounts[] = {
	[LIVE_READER] = "reader", [LIVE_NOBODY] = "nobody"};

static volatile sig_atomic_t stopped; /* by SIGTERM or SIGINT */
static char kubeconfig[256], ns[32];
static char tokens[LIVE_ACCOUNTS][TOKEN_MAX];

static void __attribute__((noreturn))
broken(const char *what, const struct err *err)
{
	fprintf(stderr, "the live cluster: %s%s%s\n", what, err ? ": " : "",
		err ? err->msg : "");
	exit(EXIT_FAILURE);
}

const char *live_ns(void)
{
	return ns;
}

const char *live_token(enum live_account who)
{
	return tokens[who];
}

/* --- links */

static struct live_link link_up(const char *path, const char *context,
				const struct kube_client_options *options)
{
	struct live_link l = {0};
	struct err err;

	if (kube_config_load(path, context, &l.config, &err))
		broken("its kubeconfig", &err);
	if (kube_client_new(l.config, options, &l.client, &err))
		broken("no client", &err);
	return l;
}

struct live_link live_link(const struct kube_client_options *options)
{
	return link_up(kubeconfig, NULL, options);
}

struct live_link live_link_of(const char *path, const char *context)
{
	return link_up(path, context, NULL);
}

void live_unlink(struct live_link *l)
{
	kube_client_free(l->client);
	kube_config_free(l->config);
}

const char *live_kubeconfig(const char *name, const char *user,
			    const char *other)
{
	_cleanup_link_ struct live_link l = live_link(NULL);
	const char *ca = t_write("ca.crt", l.config->ca_pem), *path;
	_cleanup_free_ char *text = str_printf(
		"clusters:\n"
		"- {name: c, cluster: {server: '%s', certificate-authority: "
		"'%s'}}\n"
		"users:\n"
		"- {name: main, user: {%s}}\n"
		"- {name: other, user: {%s}}\n"
		"contexts:\n"
		"- {name: main, context: {cluster: c, user: main}}\n"
		"- {name: other, context: {cluster: c, user: other, "
		"namespace: elsewhere}}\n"
		"current-context: main\n",
		l.config->server, ca, user, other ? other : "token: none");

	path = t_write(name, text);
	chmod(path, 0600);
	return path;
}

/* --- calls */

void got_clear(struct got *g)
{
	json_object_put(g->o);
	*g = (struct got){0};
}

void got_done(void *arg, const struct kube_result *res)
{
	struct got *g = arg;

	if (g->done) /* (no test runs yet while the ground is laid) */
		T_OK(false && "done twice");
	*g = (struct got){
		.done = true,
		.rc = res->rc,
		.http = res->http,
		.attempts = res->attempts,
	};
	if (res->err)
		g->err = *res->err;
	if (res->len)
		jx_parse(res->body, res->len, &g->o, NULL);
}

struct kube_reply live_reply(struct got *g)
{
	got_clear(g);
	return (struct kube_reply){
		.on_done = got_done,
		.arg = g,
		.deadline_ms = clock_ms() + WAIT_MS,
	};
}

struct kube_ref live_ref(const char *resource, const char *name)
{
	return (struct kube_ref){
		.api = KUBE_CORE_V1,
		.ns = ns,
		.resource = resource,
		.name = name,
	};
}

bool live_await(struct kube_client *c, const bool *flag)
{
	int64_t end = clock_ms() + WAIT_MS;

	while (!*flag && clock_ms() < end) {
		if (stopped)
			broken("stopped by a signal", NULL);
		kube_client_step(c, NAP_MS);
	}
	return *flag || T_OK(false && "in time");
}

static int finish(struct kube_client *c, const struct kube_call *call,
		  struct got *g)
{
	if (!call)
		broken("out of memory", NULL);
	if (!live_await(c, &g->done))
		broken("a call does not end", NULL); /* *g is in its hands */
	return g->rc;
}

int live_get(struct kube_client *c, const struct kube_ref *ref, struct got *g)
{
	struct kube_reply to = live_reply(g);

	return finish(c, kube_get(c, ref, &to), g);
}

static char *__attribute__((format(printf, 1, 0)))
vjson(const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0)
		abort();
	for (char *p = text; *p; p++)
		if (*p == '\'')
			*p = '"';
	json_object_put(t_parse(text)); /* a typing error shows here */
	return text;
}

char *live_json(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = vjson(fmt, ap);
	va_end(ap);
	return text;
}

int live_create(struct kube_client *c, const struct kube_ref *ref,
		struct got *g, const char *fmt, ...)
{
	struct kube_reply to = live_reply(g);
	_cleanup_free_ char *body = NULL;
	va_list ap;

	va_start(ap, fmt);
	body = vjson(fmt, ap);
	va_end(ap);
	return finish(c, kube_create(c, ref, body, strlen(body), &to), g);
}

int live_delete(struct kube_client *c, const struct kube_ref *ref,
		const char *uid, int64_t grace_s, struct got *g)
{
	struct kube_reply to = live_reply(g);

	return finish(c, kube_delete(c, ref, uid, grace_s, &to), g);
}

int live_merge(struct kube_client *c, const struct kube_ref *ref, struct got *g,
	       const char *fmt, ...)
{
	struct kube_reply to = live_reply(g);
	_cleanup_free_ char *body = NULL;
	va_list ap;

	va_start(ap, fmt);
	body = vjson(fmt, ap);
	va_end(ap);
	return finish(c,
		      kube_patch(c, ref, KUBE_PATCH_MERGE, NULL, body,
				 strlen(body), &to),
		      g);
}

void live_until(struct kube_client *c, const struct kube_ref *ref,
		const char *member, const char *of, struct got *g)
{
	int64_t end = clock_ms() + WAIT_MS;
	struct kube_reply to = live_reply(g);

	while (finish(c, kube_get(c, ref, &to), g) ||
	       (member && !jx_get(g->o, member) && !of) ||
	       (member && of && !jx_get(g->o, member, of))) {
		if (clock_ms() > end)
			broken("nothing comes of it", &g->err);
		to = live_reply(g);
		to.not_before_ms = clock_ms() + NAP_MS;
	}
}

/* --- etcd */

void live_compact(struct kube_client *c)
{
	char *const argv[] = {(char *)LIVE_CLUSTER, (char *)"etcd-compact",
			      NULL};
	struct kube_ref ref = live_ref("configmaps", NULL);
	_cleanup_free_ char *out = NULL;
	_cleanup_got_ struct got g = {0};
	struct spawn *s = NULL;
	struct err err;
	size_t len;
	int rc;

	/* a watch begins after the version it is given: two newer ones */
	for (int i = 0; i < 2; i++)
		if (live_create(c, &ref, &g,
				"{'metadata':{'generateName':'newer-'}}"))
			broken("no newer object", &g.err);
	rc = spawn_begin(argv, environ, COMPACT_MS, 1 << 16, &s, &err);
	if (!rc)
		do
			rc = spawn_poll(s, COMPACT_MS, &out, &len, &err);
		while (rc == -EINPROGRESS);
	if (rc)
		broken("script/cluster etcd-compact", &err);
}

/* --- the namespace */

static void on_signal(int nr)
{
	stopped = nr;
}

static void must(int rc, const struct got *g)
{
	if (rc)
		broken("its preparation", &g->err);
}

static void leave(void)
{
	const struct kube_ref ref = {
		.api = KUBE_CORE_V1, .resource = "namespaces", .name = ns};
	_cleanup_link_ struct live_link l = live_link(NULL);
	struct kube_reply to;
	struct got g = {0};

	to = live_reply(&g);
	kube_delete(l.client, &ref, NULL, -1, &to);
	while (kube_client_step(l.client, NAP_MS))
		;
	if (g.rc)
		fprintf(stderr, "the namespace %s stays: %s\n", ns, g.err.msg);
	got_clear(&g);
}

static void base64_text(const char *in, char *out, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
				     "pqrstuvwxyz0123456789+/";
	unsigned int bits = 0, n = 0;
	size_t len = 0;

	for (const char *at; *in && *in != '='; in++) {
		at = strchr(digits, *in);
		bits = bits << 6 | (unsigned int)(at ? at - digits : 0);
		n += 6;
		if (n < 8)
			continue;
		n -= 8;
		if (len + 1 < size)
			out[len++] = (char)(bits >> n);
	}
	out[len] = '\0';
}

/* A ServiceAccount with a token that lives in a Secret. */
static void make_account(struct kube_client *c, enum live_account who)
{
	struct kube_ref sa = live_ref("serviceaccounts", NULL);
	struct kube_ref secrets = live_ref("secrets", NULL), secret;
	const char *name = accounts[who];
	_cleanup_got_ struct got g = {0};

	must(live_create(c, &sa, &g, "{'metadata':{'name':'%s'}}", name), &g);
	must(live_create(c, &secrets, &g,
			 "{'metadata':{'name':'%s','annotations':{'kubernetes."
			 "io/service-account.name':'%s'}},"
			 "'type':'kubernetes.io/service-account-token'}",
			 name, name),
	     &g);
	secret = live_ref("secrets", name);
	live_until(c, &secret, "data", "token", &g);
	base64_text(jx_str(g.o, "data", "token"), tokens[who], TOKEN_MAX);
}

/* "reader" reads; wait until the server knows it. */
static void let_reader_read(struct kube_client *c)
{
	struct kube_ref bindings = {
		.api = RBAC_V1, .ns = ns, .resource = "rolebindings"};
	struct kube_ref maps = live_ref("configmaps", NULL);
	_cleanup_free_ char *user =
		str_printf("token: '%s'", live_token(LIVE_READER));
	_cleanup_got_ struct got g = {0};
	struct live_link l;

	must(live_create(c, &bindings, &g,
			 "{'metadata':{'name':'reader'},'roleRef':{'apiGroup':"
			 "'rbac.authorization.k8s.io','kind':'ClusterRole',"
			 "'name':'view'},'subjects':[{'kind':'ServiceAccount',"
			 "'name':'reader','namespace':'%s'}]}",
			 ns),
	     &g);
	l = live_link_of(live_kubeconfig("reader", user, NULL), NULL);
	live_until(l.client, &maps, NULL, NULL, &g);
	live_unlink(&l);
}

void live_begin(const char *path)
{
	const struct kube_ref all = {.api = KUBE_CORE_V1,
				     .resource = "namespaces"};
	struct kube_ref sa;
	_cleanup_link_ struct live_link l = {0};
	_cleanup_got_ struct got g = {0};

	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	str_copy(kubeconfig, path, sizeof(kubeconfig));
	l = live_link(NULL);
	must(live_create(l.client, &all, &g,
			 "{'metadata':{'generateName':'live-'}}"),
	     &g);
	str_copy(ns, jx_str(g.o, "metadata", "name"), sizeof(ns));
	atexit(leave);
	for (int who = 0; who < LIVE_ACCOUNTS; who++)
		make_account(l.client, (enum live_account)who);
	let_reader_read(l.client);
	sa = live_ref("serviceaccounts", "default"); /* pods need it */
	live_until(l.client, &sa, NULL, NULL, &g);
}
