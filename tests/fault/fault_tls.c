/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is at the other end, and who we are: TLS, tokens, plugins. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "fault.h"

#define PLUGIN_API "client.authentication.k8s.io/v1"

static const struct kube_request get_pods = {.method = "GET", .path = PODS};

static void set_text(char **field, char *text)
{
	free(*field);
	*field = text;
}

static char *read_text(const char *path)
{
	char *text = NULL;
	size_t len;

	if (fs_read_file(path, 1 << 20, &text, &len, NULL))
		abort();
	return text;
}

/* --- TLS: every row must fail before a request is on its way */

static void the_right_ca_and_name_are_accepted(void)
{
	static const char *const names[] = {NULL, "fault.test"};
	_cleanup_got_ struct got g = {0};

	fault_script("%s", "");
	for (size_t i = 0; i < T_COUNT(names); i++) {
		_cleanup_(kube_config_freep) struct kube_config *config =
			fault_config();
		_cleanup_(kube_client_freep) struct kube_client *c = NULL;

		t_row("%s", names[i] ? names[i] : "127.0.0.1");
		set_text(&config->tls_server_name,
			 names[i] ? strdup(names[i]) : NULL);
		c = fault_client(config, NULL);
		fault_call(c, &get_pods, &g);
		T_INT(g.rc, 0);
		T_INT(g.http, 200);
	}
}

static void refused_by_tls(struct kube_config *config)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_(kube_client_freep) struct kube_client *c =
		fault_client(config, NULL);

	fault_script("%s", "");
	fault_call(c, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EIO, "GET " PODS ": https://");
	T_HAS(g.err.msg, "certificate");
	T_INT(g.http, 0);
	T_INT(g.attempts, 1);
	T_OK(!g.undecided);
	T_INT(fault_requests(NULL, ""), 0);
}

static void another_ca_is_refused(void)
{
	_cleanup_(kube_config_freep) struct kube_config *config =
		fault_config();

	set_text(&config->ca_pem, read_text(fault()->other_ca));
	refused_by_tls(config);
}

static void without_a_ca_the_system_s_are_asked(void)
{
	_cleanup_(kube_config_freep) struct kube_config *config =
		fault_config();

	set_text(&config->ca_pem, NULL);
	refused_by_tls(config);
}

static void another_host_name_is_refused(void)
{
	_cleanup_(kube_config_freep) struct kube_config *config =
		fault_config();

	set_text(&config->server,
		 str_printf("https://localhost:%d", fault()->port));
	refused_by_tls(config);
}

static void another_tls_server_name_is_refused(void)
{
	_cleanup_(kube_config_freep) struct kube_config *config =
		fault_config();

	set_text(&config->tls_server_name, strdup("other.test"));
	refused_by_tls(config);
}

static void a_ca_that_is_none_is_refused(void)
{
	_cleanup_(kube_config_freep) struct kube_config *config =
		fault_config();
	_cleanup_(kube_client_freep) struct kube_client *c = NULL;
	_cleanup_got_ struct got g = {0};

	set_text(&config->ca_pem, strdup("no PEM at all\n"));
	fault_script("%s", "");
	c = fault_client(config, NULL);
	fault_call(c, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EIO, "GET " PODS);
	T_INT(fault_requests(NULL, ""), 0);
}

static void nobody_listening_is_retried_and_decided(void)
{
	_cleanup_(kube_config_freep) struct kube_config *config =
		fault_config();
	_cleanup_(kube_client_freep) struct kube_client *c = NULL;
	_cleanup_got_ struct got g = {0};
	struct kube_request r = {.method = "POST", .path = PODS, .body = "{}"};

	set_text(&config->server, strdup("https://127.0.0.1:1"));
	c = fault_client(config, NULL);
	r.deadline_ms = clock_ms() + 2000;
	fault_call(c, &r, &g);
	T_ERR(g.rc, &g.err, -EIO, "given up after");
	T_HAS(g.err.msg, "POST " PODS ": https://127.0.0.1:1");
	T_OK(g.attempts > 1);
	T_OK(!g.undecided);
}

/* --- credentials */

/* A token file is not read again within a second of the last time. */
static void age(struct kube_client *c)
{
	int64_t end = clock_ms() + 1050;

	while (clock_ms() < end) {
		_cleanup_got_ struct got g = {0};
		struct kube_request r = get_pods;

		r.not_before_ms = end;
		fault_call(c, &r, &g);
		T_INT(g.rc, 0);
	}
}

#define ONLY "'rules':[{'do':'auth','token':'%s'}]"

static struct kube_config *config_with_file(const char *token)
{
	struct kube_config *config = fault_config();

	set_text(&config->token, NULL);
	set_text(&config->token_file, strdup(t_write("token", token)));
	return config;
}

static void a_constant_token_refused_is_the_end(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script(ONLY, "first"); /* the kubeconfig's */
	fault_call(l.client, &get_pods, &g);
	T_INT(g.rc, 0);
	fault_script(ONLY, "other");
	fault_call(l.client, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EACCES, "401 Unauthorized");
	T_INT(g.attempts, 1);
	T_LACKS(g.err.msg, "first");
}

static void a_token_file_is_read_again_after_401(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_(kube_config_freep) struct kube_config *config =
		config_with_file("one\n");
	_cleanup_(kube_client_freep) struct kube_client *c =
		fault_client(config, NULL);

	fault_script(ONLY, "one");
	fault_call(c, &get_pods, &g);
	T_NEED(T_INT(g.rc, 0));
	age(c);
	fault_script(ONLY, "two");
	t_write("token", "two\n");
	fault_call(c, &get_pods, &g);
	T_INT(g.rc, 0);
	T_INT(g.attempts, 2);
}

static void a_token_file_that_stays_refused_ends_the_call(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_(kube_config_freep) struct kube_config *config =
		config_with_file("one\n");
	_cleanup_(kube_client_freep) struct kube_client *c =
		fault_client(config, NULL);

	fault_script(ONLY, "two");
	fault_call(c, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EACCES, "GET " PODS ": 401 Unauthorized");
	T_INT(g.attempts, 2);
	T_LACKS(g.err.msg, "one");
}

/* Prints a token from a file beside it, counts how often it ran. */
static struct kube_config *config_with_plugin(const char *token)
{
	struct kube_config *config = fault_config();
	_cleanup_free_ char *path = NULL, *text = NULL;

	t_write("runs", "");
	path = strdup(t_write("plugin-token", token));
	text = str_printf(
		"#!/bin/sh\necho x >>'%s'\n"
		"test -s '%s' || { echo 'the vault is shut' >&2; exit 3; }\n"
		"printf '{\"apiVersion\":\"%s\",\"kind\":\"ExecCredential\","
		"\"status\":{\"token\":\"%%s\"}}' \"$(cat '%s')\"\n",
		t_path("runs"), path, PLUGIN_API, path);
	set_text(&config->token, NULL);
	config->exec = calloc(1, sizeof(*config->exec));
	config->exec->argv = calloc(2, sizeof(char *));
	config->exec->env = calloc(1, sizeof(char *));
	config->exec->argv[0] = strdup(t_script("plugin", text));
	config->exec->api_version = strdup(PLUGIN_API);
	return config;
}

static size_t plugin_runs(void)
{
	_cleanup_free_ char *text = read_text(t_path("runs"));

	return strlen(text) / 2;
}

static void a_plugin_is_asked_again_after_401(void)
{
	static struct got g[24];
	_cleanup_(kube_config_freep) struct kube_config *config =
		config_with_plugin("one");
	_cleanup_(kube_client_freep) struct kube_client *c =
		fault_client(config, NULL);

	fault_script(ONLY, "one");
	fault_call(c, &get_pods, &g[0]);
	T_NEED(T_INT(g[0].rc, 0));
	T_INT(plugin_runs(), 1);
	age(c);
	T_INT(plugin_runs(), 1);
	fault_script(ONLY, "two");
	t_write("plugin-token", "two");
	for (size_t i = 0; i < T_COUNT(g); i++)
		fault_start(c, &get_pods, &g[i]);
	for (size_t i = 0; i < T_COUNT(g); i++) {
		fault_await(c, &g[i].done);
		T_INT(g[i].rc, 0);
		T_OK(g[i].attempts <= 2);
		got_clear(&g[i]);
	}
	T_INT(plugin_runs(), 2); /* not once for each call */
}

static void a_plugin_that_fails_ends_the_call(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_(kube_config_freep) struct kube_config *config =
		config_with_plugin("");
	_cleanup_(kube_client_freep) struct kube_client *c =
		fault_client(config, NULL);

	fault_script("%s", "");
	fault_call(c, &get_pods, &g);
	T_OK(g.rc < 0);
	T_HAS(g.err.msg, "GET " PODS ": no credentials: credential plugin");
	T_OK(!strstr(g.err.msg, "the vault is shut"));
	T_HAS(t_log(), "the vault is shut");
	T_OK(!g.undecided);
	T_INT(fault_requests(NULL, ""), 0);
}

/* 401, and then the plugin fails: the older token is tried once more. */
static void a_plugin_that_fails_after_401_ends_in_401(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_(kube_config_freep) struct kube_config *config =
		config_with_plugin("secret-1");
	_cleanup_(kube_client_freep) struct kube_client *c =
		fault_client(config, NULL);

	fault_script(ONLY, "secret-1");
	fault_call(c, &get_pods, &g);
	T_NEED(T_INT(g.rc, 0));
	age(c);
	fault_script(ONLY, "two");
	t_write("plugin-token", "");
	fault_call(c, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EACCES, "401 Unauthorized");
	T_INT(g.attempts, 2);
	T_HAS(t_log(), "the vault is shut");
	T_LACKS(t_log(), "secret-1"); /* no token in the log */
}

/* True until the plugin has been run. */
static bool no_run_yet(void *arg)
{
	(void)arg;
	return !plugin_runs();
}

static void what_may_not_be_written_after_the_plugin_is_not_sent(void)
{
	static const struct kube_client_options options = {.may_write =
								   no_run_yet};
	static const struct kube_request del = {.method = "DELETE",
						.path = PODS "/a"};
	_cleanup_got_ struct got g = {0};
	_cleanup_(kube_config_freep) struct kube_config *config =
		config_with_plugin("one");
	_cleanup_(kube_client_freep) struct kube_client *c =
		fault_client(config, &options);

	fault_script("%s", "");
	fault_call(c, &del, &g);
	T_ERR(g.rc, &g.err, -ECANCELED, "we may not write any more");
	T_OK(!g.undecided);
	T_INT(fault_requests(NULL, ""), 0);
	fault_call(c, &get_pods, &g);
	T_INT(g.rc, 0);
}

T_MAIN("fault_tls", T(the_right_ca_and_name_are_accepted),
       T(another_ca_is_refused), T(without_a_ca_the_system_s_are_asked),
       T(another_host_name_is_refused), T(another_tls_server_name_is_refused),
       T(a_ca_that_is_none_is_refused),
       T(nobody_listening_is_retried_and_decided),
       T(a_constant_token_refused_is_the_end),
       T(a_token_file_is_read_again_after_401),
       T(a_token_file_that_stays_refused_ends_the_call),
       T(a_plugin_is_asked_again_after_401),
       T(what_may_not_be_written_after_the_plugin_is_not_sent),
       T(a_plugin_that_fails_ends_the_call),
       T(a_plugin_that_fails_after_401_ends_in_401))
