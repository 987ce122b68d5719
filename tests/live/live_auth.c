/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who the server takes us for, by each kind of credential. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "live.h"

#define SOON_MS 10000 /* well below the time that a token file is trusted */

/* The start of an ExecCredential that a plugin prints. */
#define EXEC_CREDENTIAL                                                        \
	"'{\"apiVersion\":\"client.authentication.k8s.io/v1beta1\","           \
	"\"kind\":\"ExecCredential\",\"status\":{\"token\":\"'"

static struct kube_ref maps(void)
{
	return live_ref("configmaps", NULL);
}

static char *token_user(enum live_account who)
{
	return str_printf("token: '%s'", live_token(who));
}

/* These credentials read what "reader" may read. */
static bool reads(struct kube_client *c, struct got *g)
{
	struct kube_ref ref = maps();

	return T_INT(live_get(c, &ref, g), 0) && T_INT(g->http, 200) &&
	       T_STR(jx_str(g->o, "kind"), "ConfigMapList");
}

/*
 * The same within some seconds: what was fetched a moment ago is not fetched
 * anew for a 401.
 */
static bool soon_reads(struct kube_client *c, struct got *g)
{
	int64_t end = clock_ms() + SOON_MS;
	struct kube_ref ref = maps();

	while (live_get(c, &ref, g) && g->http == 401 && clock_ms() < end)
		;
	return T_INT(g->http, 200);
}

static void a_client_certificate_is_the_administrator(void)
{
	const struct kube_ref role = {.api = "apis/rbac.authorization.k8s.io/"
					     "v1",
				      .resource = "clusterroles",
				      .name = "system:basic-user"};
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = live_link(NULL);

	T_OK(l.config->cert_pem && l.config->key_pem && !l.config->token);
	T_INT(live_get(l.client, &role, &g), 0); /* its name is escaped */
	T_STR(jx_str(g.o, "metadata", "name"), "system:basic-user");
}

static void a_token_is_the_service_account(void)
{
	_cleanup_free_ char *user = token_user(LIVE_READER);
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l =
		live_link_of(live_kubeconfig("k", user, NULL), NULL);

	reads(l.client, &g);
}

/* The file is read again when the server refuses what it said. */
static void a_token_file_may_change(void)
{
	const char *file = t_write("token", "not.a.token\n");
	_cleanup_free_ char *user = str_printf("tokenFile: '%s'", file);
	_cleanup_free_ char *line = str_printf("%s\n", live_token(LIVE_READER));
	struct kube_ref ref = maps();
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l =
		live_link_of(live_kubeconfig("k", user, NULL), NULL);

	T_INT(live_get(l.client, &ref, &g), -EACCES);
	T_INT(g.http, 401);
	t_write("token", line);
	soon_reads(l.client, &g);
}

/* A plugin that prints the token; it says "x" in a file at each run. */
static const char *plugin(const char *first)
{
	_cleanup_free_ char *ran = strdup(t_path("ran"));
	_cleanup_free_ char *text = str_printf(
		"#!/bin/sh\n"
		"token=%s\n"
		"[ -s %s ] || token=%s\n"
		"printf x >>%s\n"
		"printf %%s%%s%%s " EXEC_CREDENTIAL " \"$token\" '\"}}'\n",
		live_token(LIVE_READER), ran,
		first ? first : live_token(LIVE_READER), ran);

	remove(ran);
	return t_script("plugin", text);
}

static long runs(void)
{
	struct stat st;

	return stat(t_path("ran"), &st) ? 0 : (long)st.st_size;
}

static struct live_link link_of_plugin(const char *first)
{
	_cleanup_free_ char *user = str_printf(
		"exec: {apiVersion: client.authentication.k8s.io/v1beta1, "
		"command: '%s'}",
		plugin(first));

	return live_link_of(live_kubeconfig("k", user, NULL), NULL);
}

static void a_plugin_is_asked_once(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = link_of_plugin(NULL);

	reads(l.client, &g);
	reads(l.client, &g);
	T_INT(g.attempts, 1);
	T_INT(runs(), 1);
}

static void a_plugin_is_asked_again_after_401(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = link_of_plugin("not.a.token");

	soon_reads(l.client, &g);
	T_INT(g.attempts, 2); /* one 401, and the call itself went on */
	T_INT(runs(), 2);
}

static void the_context_says_who_we_are(void)
{
	_cleanup_free_ char *reader = token_user(LIVE_READER);
	_cleanup_free_ char *nobody = token_user(LIVE_NOBODY);
	const char *path = live_kubeconfig("k", reader, nobody);
	_cleanup_link_ struct live_link a = live_link_of(path, NULL);
	_cleanup_link_ struct live_link b = live_link_of(path, "other");
	struct kube_config *none = NULL;
	struct kube_ref ref = maps();
	_cleanup_got_ struct got g = {0};
	struct err err = {0};

	T_STR(b.config->ns, "elsewhere");
	reads(a.client, &g);
	T_INT(live_get(b.client, &ref, &g), -EACCES);
	T_INT(g.http, 403);
	T_ERR(kube_config_load(path, "third", &none, &err), &err, -EINVAL,
	      "third");
}

static void a_wrong_token_is_401(void)
{
	struct kube_ref ref = maps();
	_cleanup_free_ char *path = kube_path(&ref, NULL);
	_cleanup_free_ char *words =
		str_printf("GET %s: 401 Unauthorized", path);
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l = live_link_of(
		live_kubeconfig("k", "token: not.a.token", NULL), NULL);

	T_ERR(live_get(l.client, &ref, &g), &g.err, -EACCES, words);
	T_INT(g.http, 401);
	T_INT(g.attempts, 1);
	T_INT(g.err.http, 401);
	T_STR(g.err.reason, "Unauthorized");
	T_LACKS(g.err.msg, "not.a.token");
}

static void without_rights_the_words_of_403_come_through(void)
{
	struct kube_ref pods = live_ref("pods", NULL);
	_cleanup_free_ char *path = kube_path(&pods, NULL);
	_cleanup_free_ char *start =
		str_printf("POST %s: 403 Forbidden: pods is forbidden", path);
	_cleanup_free_ char *who = str_printf(
		"User \"system:serviceaccount:%s:nobody\" cannot create "
		"resource \"pods\" in API group \"\" in the namespace \"%s\"",
		live_ns(), live_ns());
	_cleanup_free_ char *user = token_user(LIVE_NOBODY);
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct live_link l =
		live_link_of(live_kubeconfig("k", user, NULL), NULL);

	T_ERR(live_create(l.client, &pods, &g, "{'metadata':{'name':'p'}}"),
	      &g.err, -EACCES, start);
	T_HAS(g.err.msg, who);
	T_HAS(g.err.words, who);
	T_STR(g.err.reason, "Forbidden");
	T_INT(g.err.http, 403);
	T_INT(g.attempts, 1);
}

const struct t_case live_auth[] = {
	T(a_client_certificate_is_the_administrator),
	T(a_token_is_the_service_account),
	T(a_token_file_may_change),
	T(a_plugin_is_asked_once),
	T(a_plugin_is_asked_again_after_401),
	T(the_context_says_who_we_are),
	T(a_wrong_token_is_401),
	T(without_rights_the_words_of_403_come_through),
	{NULL, NULL},
};
