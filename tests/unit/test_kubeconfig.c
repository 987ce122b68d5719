/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"
#include "t.h"

#define _cleanup_config_ _cleanup_(kube_config_freep)

/* One cluster and one user; their bodies are what differs between tests. */
static char *kubeconfig(const char *cluster, const char *user)
{
	char *s =
		str_printf("apiVersion: v1\n"
			   "kind: Config\n"
			   "current-context: main\n"
			   "contexts:\n"
			   "- name: main\n"
			   "  context: {cluster: c, user: u, namespace: jobs}\n"
			   "clusters:\n"
			   "- name: c\n"
			   "  cluster: %s\n"
			   "users:\n"
			   "- name: u\n"
			   "  user: %s\n",
			   cluster, user);

	if (!s)
		abort();
	return s;
}

static int parse(const char *text, const char *context,
		 struct kube_config **out, struct err *err)
{
	return kube_config_parse(t_path("kubeconfig"), text, strlen(text),
				 context, out, err);
}

#define SERVER "{server: 'https://k:6443'}"
#define TOKEN "{token: abc}"

static struct kube_config *good(const char *cluster, const char *user)
{
	_cleanup_free_ char *text = kubeconfig(cluster, user);
	struct kube_config *c = NULL;
	struct err err = {0};
	int rc = parse(text, NULL, &c, &err);

	T_STR(err.msg, "");
	T_INT(rc, 0);
	return c;
}

static void refused(const char *cluster, const char *user, const char *words)
{
	_cleanup_free_ char *text = kubeconfig(cluster, user);
	struct kube_config *c = NULL;
	struct err err = {0};

	T_ERR(parse(text, NULL, &c, &err), &err, -EINVAL, words);
	T_OK(!c);
	kube_config_free(c);
}

static void the_current_context_is_read(void)
{
	_cleanup_config_ struct kube_config *c =
		good("{server: 'https://k:6443', tls-server-name: kube,"
		     " proxy-url: 'http://p:3128'}",
		     TOKEN);

	T_NEED(c != NULL);
	T_STR(c->server, "https://k:6443");
	T_STR(c->tls_server_name, "kube");
	T_STR(c->proxy_url, "http://p:3128");
	T_STR(c->ns, "jobs");
	T_STR(c->token, "abc");
	T_OK(!c->exec && !c->token_file && !c->cert_pem && !c->ca_pem);
}

static void a_context_can_be_chosen(void)
{
	static const char text[] =
		"current-context: a\n"
		"contexts:\n"
		"- {name: a, context: {cluster: none, user: none}}\n"
		"- {name: b, context: {cluster: c, user: u}}\n"
		"clusters: [{name: c, cluster: {server: 'https://b'}}]\n"
		"users: [{name: u, user: {token: t}}]\n";
	_cleanup_config_ struct kube_config *c = NULL;
	struct kube_config *none = NULL;
	struct err err = {0};

	T_INT(parse(text, "b", &c, &err), 0);
	T_STR(c ? c->server : NULL, "https://b");
	T_ERR(parse(text, NULL, &none, &err), &err, -EINVAL,
	      "kubeconfig:5:11: there is no cluster 'none'");
	T_ERR(parse(text, "z", &none, &err), &err, -EINVAL,
	      "kubeconfig:3:1: there is no context 'z'");
}

static void a_file_without_what_is_needed_says_so(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"", "kubeconfig must be a mapping"},
		{"[]", "kubeconfig:1:1: kubeconfig must be a mapping"},
		{"{}", "kubeconfig:1:1: there is no current-context"},
		{"current-context: a", "contexts must be a list"},
		{"current-context: [a]",
		 "kubeconfig:1:18: current-context must be a text"},
		{"current-context: a\ncontexts: [{name: a}]",
		 "context must be a mapping"},
		{"current-context: a\ncontexts: [{name: a, context: {}}]",
		 "kubeconfig:2:31: context 'a' needs a cluster and a user"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct kube_config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].text);
		T_ERR(parse(rows[i].text, NULL, &c, &err), &err, -EINVAL,
		      rows[i].words);
	}
}

/* As the kubectl command of README writes it for a public CA. */
static void a_ca_that_is_null_is_none(void)
{
	_cleanup_config_ struct kube_config *c = good(
		"{server: 'https://k', certificate-authority-data: }", TOKEN);

	T_OK(c && !c->ca_pem);
}

static void insecure_clusters_are_refused(void)
{
	refused("{server: 'http://k'}", TOKEN,
		"kubeconfig:9:21: server must begin with https://");
	refused("{}", TOKEN, "kubeconfig:9:12: the cluster has no server");
	/* nothing at all is none, as in client-go; "" is somebody's mistake */
	refused("{server: 'https://k', certificate-authority-data: ''}", TOKEN,
		"kubeconfig:9:62: certificate-authority-data is empty: without "
		"this line those CAs count that this machine trusts");
	refused(SERVER, "{client-certificate-data: YQ==, client-key-data: ''}",
		"client-key-data is empty");
	refused("{server: 'https://k', insecure-skip-tls-verify: true}", TOKEN,
		"insecure-skip-tls-verify is not supported");
}

static void users_without_a_usable_credential_are_refused(void)
{
	refused(SERVER, "{}", "kubeconfig:12:9: the user has no credentials");
	refused(SERVER, "{token: ''}", "token must be a text");
	refused(SERVER, "{client-certificate-data: YQ==}",
		"client-certificate and client-key go together");
	refused(SERVER, "{client-certificate-data: '!'}",
		"client-certificate-data is not base64 of a PEM text");
	refused(SERVER, "{client-certificate-data: YQBi}",
		"client-certificate-data is not base64 of a PEM text");
}

static void unsupported_user_keys_are_refused_by_name(void)
{
	static const char *const keys[] = {
		"username", "password",	 "auth-provider", "as",
		"as-uid",   "as-groups", "as-user-extra",
	};

	for (size_t i = 0; i < T_COUNT(keys); i++) {
		_cleanup_free_ char *user =
			str_printf("{token: t, %s: x}", keys[i]);
		_cleanup_free_ char *words =
			str_printf("user key '%s' is not supported", keys[i]);

		refused(SERVER, user, words);
	}
}

static void secrets_are_never_in_error_texts(void)
{
	static const struct {
		const char *cluster, *user;
	} rows[] = {
		{SERVER, "{token: s3cret, password: s3cret}"},
		{SERVER, "{token: [s3cret]}"},
		{SERVER, "{token: s3cret, client-key-data: czNjcmV0}"},
		{SERVER, "{client-key-data: s3cret}"},
		{SERVER, "{token: \"s3cret\\0\"}"},
		{"{}", "{token: s3cret}"},
		/* (which YAML 1.1 takes for numbers) */
		{SERVER, "{token: 0551753720368547758075}"},
		{SERVER, "{token: 551753e3}"},
		{SERVER, "{token: s3cret"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			kubeconfig(rows[i].cluster, rows[i].user);
		struct kube_config *c = NULL;
		struct err err = {0};

		t_row("%s", rows[i].user);
		T_OK(parse(text, NULL, &c, &err) < 0);
		T_LACKS(err.msg, "s3cret");
		T_LACKS(err.msg, "551753");
		T_LACKS(err.msg, "czNjcmV0");
	}
}

static void certificates_are_read_inline_and_from_files(void)
{
	_cleanup_config_ struct kube_config *c = NULL;

	t_write("ca.pem", "CA\n");
	t_write("key.pem", "KEY\n");
	c = good("{server: 'https://k', certificate-authority: ca.pem}",
		 "{client-certificate-data: Q1JUCg==, client-key: key.pem}");
	T_NEED(c != NULL);
	T_STR(c->ca_pem, "CA\n");
	T_STR(c->cert_pem, "CRT\n");
	T_STR(c->key_pem, "KEY\n");
}

static void a_missing_certificate_file_is_named(void)
{
	_cleanup_free_ char *text = kubeconfig(
		"{server: 'https://k', certificate-authority: no.pem}", TOKEN);
	struct kube_config *c = NULL;
	struct err err = {0};

	T_ERR(parse(text, NULL, &c, &err), &err, -ENOENT,
	      "certificate-authority: ");
	T_HAS(err.msg, "/no.pem: No such file");
}

static void a_token_file_is_relative_to_the_kubeconfig(void)
{
	_cleanup_config_ struct kube_config *c =
		good(SERVER, "{token: old, tokenFile: token}");

	T_NEED(c != NULL);
	T_STR(c->token_file, t_path("token"));
}

#define EXEC_V1 "apiVersion: client.authentication.k8s.io/v1, "

static void a_credential_plugin_is_read(void)
{
	_cleanup_config_ struct kube_config *c =
		good(SERVER,
		     "{exec: {" EXEC_V1 "command: ./bin/login, args: [get, ''],"
		     " env: [{name: A, value: x}, {name: B, value: ''}],"
		     " interactiveMode: Never, provideClusterInfo: true}}");

	T_NEED(c && c->exec);
	T_STR(c->exec->argv[0], t_path("./bin/login"));
	T_STR(c->exec->argv[1], "get");
	T_STR(c->exec->argv[2], "");
	T_STR(c->exec->argv[3], NULL);
	T_STR(c->exec->env[0], "A=x");
	T_STR(c->exec->env[1], "B=");
	T_STR(c->exec->env[2], NULL);
	T_STR(c->exec->api_version, "client.authentication.k8s.io/v1");
	T_OK(c->exec->cluster_info);
}

static void null_is_the_same_as_absent_as_kubectl_writes_it(void)
{
	_cleanup_config_ struct kube_config *c =
		good(SERVER, "{token: ~, exec: {" EXEC_V1
			     "command: login, args: null, env: null}}");

	T_NEED(c && c->exec);
	T_STR(c->exec->argv[0], "login");
	T_STR(c->exec->argv[1], NULL);
	T_STR(c->exec->env[0], NULL);
	T_STR(c->token, NULL);
}

static void bad_credential_plugins_are_refused(void)
{
	static const struct {
		const char *exec, *words;
	} rows[] = {
		{"{command: x}", "exec needs apiVersion"},
		{"{apiVersion: v2, command: x}", "exec needs apiVersion"},
		{"{" EXEC_V1 "args: []}", "exec has no command"},
		{"{" EXEC_V1 "command: x, args: y}", "args must be a list"},
		{"{" EXEC_V1 "command: x, args: [[y]]}", "args must be texts"},
		{"{" EXEC_V1 "command: x, env: y}", "env must be a list"},
		{"{" EXEC_V1 "command: x, env: [{value: y}]}",
		 "an env entry has no name"},
		{"{" EXEC_V1 "command: x, interactiveMode: Always}",
		 "asks people questions"},
		{"{" EXEC_V1 "command: x, provideClusterInfo: 7}",
		 "provideClusterInfo must be true or false"},
		{"x", "exec must be a mapping"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *user =
			str_printf("{exec: %s}", rows[i].exec);

		t_row("%s", rows[i].exec);
		refused(SERVER, user, rows[i].words);
	}
}

static int load(const char *path, mode_t mode)
{
	_cleanup_config_ struct kube_config *c = NULL;

	T_OK(!chmod(path, mode));
	return kube_config_load(path, NULL, &c, NULL);
}

static void a_file_that_everybody_may_read_is_warned_about(void)
{
	_cleanup_free_ char *text = kubeconfig(SERVER, TOKEN);
	const char *path = t_write("config", text);

	T_INT(load(path, 0600), 0);
	T_STR(t_log(), "");
	T_INT(load(path, 0644), 0);
	T_HAS(t_log(), "everybody may read this kubeconfig");
}

static void in_cluster(const char *host, const char *server)
{
	_cleanup_config_ struct kube_config *c = NULL;
	_cleanup_free_ char *dir = str_printf("%s", t_path("sa"));
	struct err err = {0};

	setenv("KUBERNETES_SERVICE_HOST", host, 1);
	setenv("KUBERNETES_SERVICE_PORT", "443", 1);
	T_INT(kube_config_in_cluster(dir, &c, &err), 0);
	T_NEED(c != NULL);
	T_STR(c->server, server);
	T_STR(c->ca_pem, "CA\n");
	T_STR(c->ns, "slurm");
	T_STR(c->token_file, t_path("sa/token"));
}

static void a_pods_own_account_is_used(void)
{
	T_NEED(!mkdir(t_path("sa"), 0700));
	t_write("sa/ca.crt", "CA\n");
	t_write("sa/namespace", "slurm");
	in_cluster("10.0.0.1", "https://10.0.0.1:443");
	in_cluster("fd00::1", "https://[fd00::1]:443");
}

/* slurmctld's programs have next to no environment. */
static void without_its_environment_the_address_is_the_known_name(void)
{
	_cleanup_config_ struct kube_config *c = NULL;
	_cleanup_free_ char *dir = strdup(t_path("sa"));
	struct err err = {0};

	unsetenv("KUBERNETES_SERVICE_HOST");
	unsetenv("KUBERNETES_SERVICE_PORT");
	T_INT(kube_config_in_cluster(dir, &c, &err), 0);
	T_NEED(c != NULL);
	T_STR(c->server, "https://kubernetes.default.svc:443");
	T_STR(c->ca_pem, "CA\n");
}

static void outside_of_a_pod_in_cluster_says_so(void)
{
	_cleanup_free_ char *dir = strdup(t_path("nothing"));
	struct kube_config *c = NULL;
	struct err err = {0};

	T_ERR(kube_config_in_cluster(dir, &c, &err), &err, -ENOENT,
	      "this is not a pod");
	T_HAS(err.msg, "nothing/ca.crt: No such file");
}

/* Where it is said: reading the kubeconfig, and making a client of it. */
static void bad_server(const char *server, const char *words)
{
	_cleanup_free_ char *cluster = str_printf("{server: '%s'}", server);
	_cleanup_free_ char *text = kubeconfig(cluster, TOKEN);
	struct kube_config made = {.source = (char *)"inCluster",
				   .server = (char *)server};
	struct kube_config *c = NULL;
	struct kube_client *client = NULL;
	struct err err = {0}, why = {0};

	t_row("%s", server);
	T_ERR(parse(text, NULL, &c, &err), &err, -EINVAL, words);
	T_HAS(err.msg, "kubeconfig:9:");
	T_LACKS(err.msg, "s3cret");
	T_ERR(kube_client_new(&made, NULL, &client, &why), &why, -EINVAL,
	      words);
	T_HAS(why.msg, "inCluster: ");
	T_LACKS(why.msg, "s3cret");
	kube_config_free(c);
	kube_client_free(client);
}

static void a_bad_server_is_refused_without_its_password(void)
{
	static const char *const with_user[] = {
		"https://joe:s3cret@k:6443", "https://s3cret@k",
		"https://joe:s3/cret@k",     "https:///joe:s3cret@k",
		"https://joe:s3?cret@k",     "https://joe:s3cret@",
		"https://:s3cret@k/prefix"};
	static const char *const others[] = {
		"https://", "https:///s3cret", "https://:6443",
		"https://k?token=s3cret", "https://k/#s3cret"};

	for (size_t i = 0; i < T_COUNT(with_user); i++)
		bad_server(with_user[i], "server must have no user, password");
	for (size_t i = 0; i < T_COUNT(others); i++)
		bad_server(others[i], "server must be https://HOST:PORT");
	bad_server("http://joe:s3cret@k", "server must begin with https://");
}

static void a_bad_proxy_is_refused_without_its_password(void)
{
	refused("{server: 'https://k', proxy-url: 'ftp://joe:s3cret@p'}", TOKEN,
		"proxy-url must be http://HOST:PORT");
	refused("{server: 'https://k', proxy-url: [s3cret]}", TOKEN,
		"proxy-url must be");
}

static void an_empty_proxy_is_none(void)
{
	_cleanup_config_ struct kube_config *c =
		good("{server: 'https://k', proxy-url: ''}", TOKEN);

	T_NEED(c != NULL);
	T_OK(!c->proxy_url);
}

static void a_plugin_gets_the_clusters_extension_for_it(void)
{
	static const char cluster[] =
		"{server: 'https://k', extensions: ["
		"{name: other, extension: 1},"
		"{name: client.authentication.k8s.io/exec,"
		" extension: {audience: a, num: [1]}}]}";
	_cleanup_config_ struct kube_config *c =
		good(cluster, "{exec: {" EXEC_V1
			      "command: login, provideClusterInfo: true}}");
	_cleanup_config_ struct kube_config *without =
		good(cluster, "{exec: {" EXEC_V1 "command: login}}");

	T_NEED(c && without);
	T_JSON(c->exec->cluster_config, "{\"audience\": \"a\", \"num\": [1]}");
	T_OK(!without->exec->cluster_config);
	T_OK(!kube_config_same(c, without));
}

static void more_words_than_a_plugin_can_want_are_refused(void)
{
	static const char *const keys[] = {"args", "env"};

	for (size_t i = 0; i < T_COUNT(keys); i++) {
		_cleanup_free_ char *many =
			t_repeat(i ? "{name: a, value: b}," : "x,", 1001);
		_cleanup_free_ char *user =
			str_printf("{exec: {" EXEC_V1 "command: a, %s: [%s]}}",
				   keys[i], many);

		t_row("%s", keys[i]);
		refused(SERVER, user, "more than 1000");
	}
}

static void a_renewed_credential_is_another_one(void)
{
	static const char *const users[] = {
		TOKEN,
		"{token: abd}",
		"{tokenFile: t}",
		"{exec: {" EXEC_V1 "command: login, args: [get]}}",
		"{exec: {" EXEC_V1 "command: login, args: [get, more]}}",
		"{exec: {" EXEC_V1 "command: login}}",
	};

	for (size_t i = 0; i < T_COUNT(users); i++) {
		_cleanup_config_ struct kube_config *a = good(SERVER, users[i]);
		_cleanup_config_ struct kube_config *else_where =
			good("{server: 'https://other:6443'}", users[i]);

		T_OK(!kube_config_same(a, else_where));
		for (size_t j = 0; j < T_COUNT(users); j++) {
			_cleanup_config_ struct kube_config *b =
				good(SERVER, users[j]);

			t_row("%zu %zu", i, j);
			T_INT(kube_config_same(a, b), i == j);
		}
	}
}

T_MAIN("kubeconfig", T(the_current_context_is_read), T(a_context_can_be_chosen),
       T(a_file_without_what_is_needed_says_so), T(a_ca_that_is_null_is_none),
       T(insecure_clusters_are_refused),
       T(users_without_a_usable_credential_are_refused),
       T(unsupported_user_keys_are_refused_by_name),
       T(secrets_are_never_in_error_texts),
       T(certificates_are_read_inline_and_from_files),
       T(a_missing_certificate_file_is_named),
       T(a_token_file_is_relative_to_the_kubeconfig),
       T(a_credential_plugin_is_read), T(a_renewed_credential_is_another_one),
       T(null_is_the_same_as_absent_as_kubectl_writes_it),
       T(bad_credential_plugins_are_refused),
       T(a_file_that_everybody_may_read_is_warned_about),
       T(a_bad_server_is_refused_without_its_password),
       T(a_bad_proxy_is_refused_without_its_password),
       T(an_empty_proxy_is_none),
       T(a_plugin_gets_the_clusters_extension_for_it),
       T(more_words_than_a_plugin_can_want_are_refused),
       T(a_pods_own_account_is_used),
       T(without_its_environment_the_address_is_the_known_name),
       T(outside_of_a_pod_in_cluster_says_so))
