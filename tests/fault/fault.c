/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fault.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"

#define STATS_PARTS_MAX 5000000 /* one a request that came */

extern char **environ;

static struct fault_server server;
static pid_t pid;
static int keep_fd = -1; /* the server ends when this is closed */
static CURL *control;

static void __attribute__((noreturn)) broken(const char *what)
{
	fprintf(stderr, "the fault server: %s\n", what);
	abort();
}

static void stop(void)
{
	curl_easy_cleanup(control);
	close(keep_fd);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Run it; its standard output is the stream returned. */
static FILE *run(void)
{
	char *const argv[] = {(char *)FAULT_PYTHON, (char *)FAULT_SERVER, NULL};
	posix_spawn_file_actions_t fa;
	int in[2], out[2];
	FILE *f;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		broken("no pipe");
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in[0], 0);
	posix_spawn_file_actions_adddup2(&fa, out[1], 1);
	if (posix_spawn(&pid, argv[0], &fa, NULL, argv, environ))
		broken("cannot be run");
	posix_spawn_file_actions_destroy(&fa);
	close(in[0]);
	close(out[1]);
	keep_fd = in[1];
	f = fdopen(out[0], "r");
	if (!f)
		broken("no stream");
	return f;
}

#define TAKE(field) str_copy(server.field, jx_str(o, #field), 256)

static void start(void)
{
	_cleanup_json_ json_object *o = NULL;
	_cleanup_fclose_ FILE *f = run();
	char line[2048] = "";

	/* As in our programs; threads of the engine block it. */
	signal(SIGPIPE, SIG_IGN);
	if (!fgets(line, sizeof(line), f))
		broken("it did not start");
	o = t_parse(line);
	TAKE(ca);
	TAKE(other_ca);
	TAKE(kubeconfig);
	TAKE(dir);
	server.port = (int)jx_int(jx_get(o, "port"), 0);
	server.h2_port = (int)jx_int(jx_get(o, "h2_port"), 0);
	control = curl_easy_init();
	if (!control)
		broken("no libcurl");
	atexit(stop);
}

const struct fault_server *fault(void)
{
	if (!pid)
		start();
	return &server;
}

static size_t on_answer(char *data, size_t one, size_t n, void *buf)
{
	return buf_add(buf, data, one * n) ? 0 : n;
}

/* POST `body`, or GET when it is NULL; the caller puts the answer. */
static json_object *ask(const char *path, const char *body)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u << 20);
	_cleanup_free_ char *url =
		str_printf("https://127.0.0.1:%d%s", fault()->port, path);
	json_object *o = NULL;
	struct err err;
	CURLcode rc;

	curl_easy_setopt(control, CURLOPT_URL, url);
	curl_easy_setopt(control, CURLOPT_CAINFO, fault()->ca);
	curl_easy_setopt(control, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(control, CURLOPT_WRITEFUNCTION, on_answer);
	curl_easy_setopt(control, CURLOPT_WRITEDATA, &b);
	curl_easy_setopt(control, CURLOPT_FAILONERROR, 1L);
	if (body)
		curl_easy_setopt(control, CURLOPT_POSTFIELDS, body);
	else
		curl_easy_setopt(control, CURLOPT_HTTPGET, 1L);
	rc = curl_easy_perform(control);
	if (rc)
		broken(curl_easy_strerror(rc));
	if (jx_parse_bytes(buf_str(&b), b.len, STATS_PARTS_MAX, &o, &err))
		broken(err.msg);
	return o;
}

static void __attribute__((format(printf, 2, 0)))
tell(const char *first, const char *fmt, va_list ap)
{
	_cleanup_free_ char *members = NULL, *text = NULL;

	if (vasprintf(&members, fmt, ap) < 0)
		abort();
	text = str_printf("{%s%s%s}", first, *first && *members ? "," : "",
			  members);
	for (char *p = text; *p; p++)
		if (*p == '\'')
			*p = '"';
	json_object_put(t_parse(text)); /* a typing error shows here */
	json_object_put(ask("/_control", text));
}

void fault_script(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell("'reset':true", fmt, ap);
	va_end(ap);
}

void fault_change(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tell("", fmt, ap);
	va_end(ap);
}

json_object *fault_stats(void)
{
	return ask("/_control/stats", NULL);
}

int64_t fault_count(const char *what, const char *of)
{
	_cleanup_json_ json_object *o = fault_stats();

	return jx_int(of ? jx_get(o, what, of) : jx_get(o, what), 0);
}

/* The n-th entry (from 1) of the log that fits, or how many do (n 0). */
static size_t find(json_object *log, const char *method, const char *part,
		   size_t n, json_object **entry)
{
	size_t seen = 0;

	for (size_t i = 0; i < json_object_array_length(log); i++) {
		json_object *e = json_object_array_get_idx(log, i);

		if ((method && !str_eq(method, jx_str(e, "method"))) ||
		    !strstr(jx_str(e, "path"), part))
			continue;
		if (++seen == n) {
			*entry = e;
			return seen;
		}
	}
	return seen;
}

size_t fault_requests(const char *method, const char *part)
{
	_cleanup_json_ json_object *o = fault_stats();

	return find(jx_get(o, "log"), method, part, 0, NULL);
}

int64_t fault_when(const char *method, const char *part, size_t n)
{
	_cleanup_json_ json_object *o = fault_stats();
	json_object *e = NULL;

	find(jx_get(o, "log"), method, part, n, &e);
	return jx_int(jx_get(e, "ms"), -1);
}

struct kube_config *fault_config(void)
{
	struct kube_config *config = NULL;
	struct err err;

	if (kube_config_load(fault()->kubeconfig, NULL, &config, &err))
		broken(err.msg);
	return config;
}

struct kube_client *fault_client(const struct kube_config *config,
				 const struct kube_client_options *options)
{
	struct kube_client_options o =
		options ? *options : (struct kube_client_options){0};
	struct kube_client *c = NULL;
	struct err err;

	if (!o.retry_base_ms)
		o.retry_base_ms = 20;
	if (!o.retry_max_ms)
		o.retry_max_ms = 500;
	if (kube_client_new(config, &o, &c, &err))
		broken(err.msg);
	return c;
}

struct fault_link fault_link(const struct kube_client_options *options)
{
	struct fault_link l = {.config = fault_config()};

	l.client = fault_client(l.config, options);
	return l;
}

void fault_unlink(struct fault_link *l)
{
	kube_client_free(l->client);
	kube_config_free(l->config);
}

void got_clear(struct got *g)
{
	free(g->body);
	*g = (struct got){0};
}

void got_done(void *arg, const struct kube_result *res)
{
	struct got *g = arg;

	*g = (struct got){
		.done = true,
		.rc = res->rc,
		.http = res->http,
		.attempts = res->attempts,
		.undecided = res->undecided,
		.body = strdup(res->body),
	};
	if (res->err)
		g->err = *res->err;
}

void fault_start(struct kube_client *c, const struct kube_request *like,
		 struct got *g)
{
	struct kube_request r = *like;

	got_clear(g);
	r.on_done = got_done;
	r.arg = g;
	if (r.body && !r.body_len)
		r.body_len = strlen(r.body);
	if (!kube_client_start(c, &r))
		abort();
}

bool fault_await(struct kube_client *c, const bool *flag)
{
	int64_t end = clock_ms() + WAIT_MS;

	while (!*flag && clock_ms() < end)
		kube_client_step(c, 50);
	return T_OK(*flag);
}

void fault_call(struct kube_client *c, const struct kube_request *like,
		struct got *g)
{
	fault_start(c, like, g);
	fault_await(c, &g->done);
}
