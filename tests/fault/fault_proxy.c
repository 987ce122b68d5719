/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proxy-url: http, https and socks5 proxies, played by proxyserver.py. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "fault.h"

static const struct kube_request get_pods = {.method = "GET", .path = PODS};

/* --- the proxy */

struct proxy {
	pid_t pid;
	int keep_fd; /* it ends when this is closed */
	int port;
	char log[256];
};

static struct proxy proxy_start(const char *mode)
{
	_cleanup_free_ char *crt = str_printf("%s/server.crt", fault()->dir);
	_cleanup_free_ char *key = str_printf("%s/server.key", fault()->dir);
	struct proxy p = {0};
	char *const argv[] = {(char *)FAULT_PYTHON,
			      (char *)FAULT_PROXY,
			      (char *)mode,
			      p.log,
			      (char *)"0",
			      crt,
			      key,
			      NULL};
	posix_spawn_file_actions_t fa;
	_cleanup_fclose_ FILE *said = NULL;
	char line[32] = "";
	int in[2], out[2];

	str_copy(p.log, t_path("proxy.log"), sizeof(p.log));
	unlink(p.log);
	unlink(t_path("proxy.log.rule"));
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		abort();
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in[0], 0);
	posix_spawn_file_actions_adddup2(&fa, out[1], 1);
	if (posix_spawn(&p.pid, argv[0], &fa, NULL, argv, environ))
		abort();
	posix_spawn_file_actions_destroy(&fa);
	close(in[0]);
	close(out[1]);
	p.keep_fd = in[1];
	said = fdopen(out[0], "r");
	if (!said || !fgets(line, sizeof(line), said))
		abort();
	p.port = atoi(line);
	return p;
}

static void proxy_stop(struct proxy *p)
{
	close(p->keep_fd);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
#define _cleanup_stop_ _cleanup_(proxy_stop)

static char *proxy_log(const struct proxy *p)
{
	char *text = NULL;
	size_t len;

	if (fs_read_file(p->log, 1 << 20, &text, &len, NULL))
		abort();
	return text;
}

/* A config of the server whose proxy-url is scheme://user@127.0.0.1:port */
static struct kube_config *by(const char *scheme, const char *user, int port)
{
	struct kube_config *config = fault_config();

	free(config->proxy_url);
	config->proxy_url =
		str_printf("%s://%s127.0.0.1:%d", scheme, user, port);
	return config;
}
#define _cleanup_config_ _cleanup_(kube_config_freep)
#define _cleanup_client_ _cleanup_(kube_client_freep)

/* --- what goes through */

static void calls_go_by_the_proxy(void)
{
	static const struct {
		const char *mode, *user, *noted;
	} rows[] = {
		{"http", "", "-"},
		{"http", "joe:s3cret@", "joe:s3cret"},
		{"http", "joe:s3%40cret@", "joe:s3@cret"},
		{"https", "", "-"},
		{"https", "joe:s3cret@", "joe:s3cret"},
		{"socks5", "", "-"},
		{"socks5", "joe:s3cret@", "joe:s3cret"},
	};

	fault_script("%s", "");
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_stop_ struct proxy p = proxy_start(rows[i].mode);
		_cleanup_config_ struct kube_config *config =
			by(rows[i].mode, rows[i].user, p.port);
		_cleanup_client_ struct kube_client *c =
			fault_client(config, NULL);
		_cleanup_got_ struct got g = {0};
		_cleanup_free_ char *seen = NULL, *want = NULL;

		t_row("%s %s", rows[i].mode, rows[i].user);
		fault_call(c, &get_pods, &g);
		T_INT(g.rc, 0);
		T_INT(g.http, 200);
		T_STR(g.err.msg, "");
		seen = proxy_log(&p);
		want = str_printf("127.0.0.1:%d %s\n", fault()->port,
				  rows[i].noted);
		T_STR(seen, want);
	}
	T_LACKS(t_log(), "cret");
}

/* "fault.test" is known to the proxy only. */
static void the_proxy_looks_up_the_servers_name(void)
{
	static const char *const modes[] = {"http", "https", "socks5"};

	fault_script("%s", "");
	for (size_t i = 0; i < T_COUNT(modes); i++) {
		_cleanup_stop_ struct proxy p = proxy_start(modes[i]);
		_cleanup_config_ struct kube_config *config =
			by(modes[i], "", p.port);
		_cleanup_client_ struct kube_client *c = NULL;
		_cleanup_got_ struct got g = {0};

		t_row("%s", modes[i]);
		free(config->server);
		config->server =
			str_printf("https://fault.test:%d", fault()->port);
		c = fault_client(config, NULL);
		fault_call(c, &get_pods, &g);
		T_INT(g.http, 200);
		T_STR(g.err.msg, "");
	}
}

static void a_tls_server_name_leads_to_the_server(void)
{
	_cleanup_stop_ struct proxy p = proxy_start("http");
	_cleanup_config_ struct kube_config *config = by("http", "", p.port);
	_cleanup_client_ struct kube_client *c = NULL;
	_cleanup_got_ struct got g = {0};
	_cleanup_free_ char *seen = NULL;

	fault_script("%s", "");
	config->tls_server_name = strdup("fault.test");
	c = fault_client(config, NULL);
	fault_call(c, &get_pods, &g);
	T_INT(g.http, 200);
	T_STR(g.err.msg, "");
	seen = proxy_log(&p);
	T_HAS(seen, "127.0.0.1:");
}

/* --- which proxy */

#define NOWHERE "http://127.0.0.1:1"

static void set_environment(const char *proxy, const char *no_proxy)
{
	static const char *const names[] = {"HTTPS_PROXY", "https_proxy",
					    "ALL_PROXY", "all_proxy"};
	static const char *const no_names[] = {"NO_PROXY", "no_proxy"};

	for (size_t i = 0; i < T_COUNT(names); i++)
		proxy ? setenv(names[i], proxy, 1) : unsetenv(names[i]);
	for (size_t i = 0; i < T_COUNT(no_names); i++)
		no_proxy ? setenv(no_names[i], no_proxy, 1)
			 : unsetenv(no_names[i]);
}

static void the_environments_proxy_is_not_used_and_named(void)
{
	_cleanup_got_ struct got g = {0};
	struct fault_link l;

	fault_script("%s", "");
	t_log_clear();
	set_environment(NOWHERE, NULL);
	l = fault_link(NULL);
	fault_call(l.client, &get_pods, &g);
	set_environment(NULL, NULL);
	T_INT(g.http, 200);
	T_HAS(t_log(), "HTTPS_PROXY of the environment is not used");
	fault_unlink(&l);
}

static void no_proxy_of_the_environment_does_not_count(void)
{
	_cleanup_stop_ struct proxy p = proxy_start("http");
	_cleanup_config_ struct kube_config *config = by("http", "", p.port);
	_cleanup_client_ struct kube_client *c = fault_client(config, NULL);
	_cleanup_got_ struct got g = {0};
	_cleanup_free_ char *seen = NULL;

	fault_script("%s", "");
	set_environment(NOWHERE, "127.0.0.1,*");
	fault_call(c, &get_pods, &g);
	set_environment(NULL, NULL);
	T_INT(g.http, 200);
	seen = proxy_log(&p);
	T_HAS(seen, "127.0.0.1:");
}

/* --- what goes wrong */

static void until_refused(struct kube_config *config, struct got *g)
{
	_cleanup_client_ struct kube_client *c = fault_client(config, NULL);
	struct kube_request r = {.method = "POST", .path = PODS, .body = "{}"};

	fault_script("%s", "");
	r.deadline_ms = clock_ms() + 2000;
	fault_call(c, &r, g);
	T_OK(g->rc < 0);
	T_OK(!g->undecided);
	T_LACKS(g->err.msg, "s3cret");
	T_LACKS(g->err.msg, "joe");
	T_INT(fault_requests(NULL, ""), 0);
}

static void a_proxy_that_refuses_ends_the_call_with_its_answer(void)
{
	_cleanup_stop_ struct proxy p = proxy_start("http");
	_cleanup_config_ struct kube_config *config =
		by("http", "joe:s3cret@", p.port);
	_cleanup_free_ char *words = NULL;
	_cleanup_got_ struct got g = {0};

	t_write("proxy.log.rule", "407 Proxy Authentication Required");
	until_refused(config, &g);
	T_INT(g.attempts, 1);
	words = str_printf("by the proxy http://127.0.0.1:%d/: it answered 407 "
			   "to CONNECT",
			   p.port);
	T_HAS(g.err.msg, words);
}

static void a_proxy_that_is_busy_is_asked_again(void)
{
	static const char *const modes[] = {"http", "socks5"};

	for (size_t i = 0; i < T_COUNT(modes); i++) {
		_cleanup_stop_ struct proxy p = proxy_start(modes[i]);
		_cleanup_config_ struct kube_config *config =
			by(modes[i], "joe:s3cret@", p.port);
		_cleanup_got_ struct got g = {0};

		t_row("%s", modes[i]);
		t_write("proxy.log.rule", "503 Service Unavailable");
		until_refused(config, &g);
		T_OK(g.attempts > 1);
		T_HAS(g.err.msg, "given up after");
	}
}

static void nobody_listening_is_said_of_the_proxy(void)
{
	_cleanup_config_ struct kube_config *config =
		by("http", "joe:s3cret@", 1);
	_cleanup_got_ struct got g = {0};

	until_refused(config, &g);
	T_OK(g.attempts > 1);
	T_HAS(g.err.msg, "by the proxy http://127.0.0.1:1/");
}

static void a_proxys_certificate_is_verified(void)
{
	_cleanup_stop_ struct proxy p = proxy_start("https");
	_cleanup_config_ struct kube_config *config = by("https", "", p.port);
	_cleanup_got_ struct got g = {0};
	size_t len;

	free(config->ca_pem);
	if (fs_read_file(fault()->other_ca, 1 << 20, &config->ca_pem, &len,
			 NULL))
		abort();
	until_refused(config, &g);
	T_HAS(g.err.msg, "certificate");
}

T_MAIN("fault_proxy", T(calls_go_by_the_proxy),
       T(the_proxy_looks_up_the_servers_name),
       T(a_tls_server_name_leads_to_the_server),
       T(the_environments_proxy_is_not_used_and_named),
       T(no_proxy_of_the_environment_does_not_count),
       T(a_proxy_that_refuses_ends_the_call_with_its_answer),
       T(a_proxy_that_is_busy_is_asked_again),
       T(nobody_listening_is_said_of_the_proxy),
       T(a_proxys_certificate_is_verified))
