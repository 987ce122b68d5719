/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linked with --wrap for both clocks: time passes when a test says so. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "kube/cred.h"
#include "t.h"

#define API "client.authentication.k8s.io/v1"
#define MINUTE_MS 60000

static int64_t passed_ms;    /* beyond the real clocks */
static unsigned int jump_in; /* looks at the real one: then it is set on */
static int64_t jumped_ms;

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __real_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void);

int64_t __wrap_clock_ms(void)
{
	return __real_clock_ms() + passed_ms;
}

int64_t __wrap_clock_real_ms(void)
{
	if (jump_in && !--jump_in)
		jumped_ms = MINUTE_MS;
	return __real_clock_real_ms() + passed_ms + jumped_ms;
}

/* --- what a plugin prints --- */

struct exec_answer {
	char *token, *cert, *key;
	int64_t expires_ms;
	struct err err;
	int rc;
};

static void exec_answer_clear(struct exec_answer *a)
{
	free(a->token);
	free(a->cert);
	free(a->key);
}
#define _cleanup_answer_ _cleanup_(exec_answer_clear)

static struct exec_answer parse(const char *text)
{
	struct exec_answer a = {0};

	a.rc = kube_cred_parse_exec(text, strlen(text), API, &a.token, &a.cert,
				    &a.key, &a.expires_ms, &a.err);
	return a;
}

#define CREDENTIAL(status)                                                     \
	"{\"apiVersion\": \"" API "\", \"kind\": \"ExecCredential\", "         \
	"\"status\": {" status "}}"

static void a_token_without_a_date_never_expires(void)
{
	_cleanup_answer_ struct exec_answer a =
		parse(CREDENTIAL("\"token\": \"abc\""));

	T_INT(a.rc, 0);
	T_STR(a.token, "abc");
	T_STR(a.cert, NULL);
	T_INT(a.expires_ms, INT64_MAX);
}

static void a_certificate_with_key_and_date_is_taken(void)
{
	_cleanup_answer_ struct exec_answer a = parse(CREDENTIAL(
		"\"clientCertificateData\": \"CRT\", "
		"\"clientKeyData\": \"KEY\", "
		"\"expirationTimestamp\": \"2026-01-02T03:04:05Z\""));

	T_INT(a.rc, 0);
	T_STR(a.token, NULL);
	T_STR(a.cert, "CRT");
	T_STR(a.key, "KEY");
	T_INT(a.expires_ms, 1767323045000);
}

static void bad_answers_are_refused_without_their_secrets(void)
{
	static const struct {
		const char *text, *words;
		int code;
	} rows[] = {
		{"s3cret", "bad JSON", -EBADMSG},
		{"{\"kind\": \"s3cret\"}",
		 "it printed no ExecCredential of "
		 "client.authentication.k8s.io/v1",
		 -EINVAL},
		{"{\"apiVersion\": \"" API "beta1\", \"kind\": "
		 "\"ExecCredential\", \"status\": {\"token\": \"s3cret\"}}",
		 "it printed no ExecCredential", -EINVAL},
		{CREDENTIAL(""), "neither a token nor a certificate", -EINVAL},
		{CREDENTIAL("\"token\": 5"), "neither a token", -EINVAL},
		{CREDENTIAL("\"token\": \"\""), "the token is empty", -EINVAL},
		{CREDENTIAL("\"token\": \"s3cret\\nX: y\""),
		 "a character that cannot be sent", -EINVAL},
		{CREDENTIAL("\"token\": \"s3cret\\u0000x\""),
		 "a character that cannot be sent", -EINVAL},
		{CREDENTIAL("\"token\": \"s3cret s3cret\""),
		 "a character that cannot be sent", -EINVAL},
		{CREDENTIAL("\"token\": \"s3cr\xc3\xa9t\""),
		 "a character that cannot be sent", -EINVAL},
		{CREDENTIAL("\"clientCertificateData\": \"s3cret\""),
		 "neither a token nor a certificate with its key", -EINVAL},
		{CREDENTIAL("\"token\": \"s3cret\", \"clientKeyData\": "
			    "\"s3cret\""),
		 "with its key", -EINVAL},
		{CREDENTIAL("\"token\": \"s3cret\", \"expirationTimestamp\": "
			    "\"soon\""),
		 "expirationTimestamp 'soon' is not a date", -EINVAL},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_answer_ struct exec_answer a = parse(rows[i].text);

		t_row("%s", rows[i].text);
		T_ERR(a.rc, &a.err, rows[i].code, rows[i].words);
		T_LACKS(a.err.msg, "s3cret");
		T_OK(!a.token && !a.cert && !a.key);
	}
}

/* --- where credentials come from --- */

static void constant_credentials_are_handed_out_and_stay(void)
{
	struct kube_config k = {.token = (char *)"t",
				.cert_pem = (char *)"CRT",
				.key_pem = (char *)"KEY"};
	_cleanup_(kube_cred_freep) struct kube_cred *c = kube_cred_new(&k);
	struct kube_secret s = {0};

	T_INT(kube_cred_get(c, &s, NULL), 0);
	T_STR(s.token, "t");
	T_STR(s.cert_pem, "CRT");
	T_STR(s.key_pem, "KEY");
	T_OK(!kube_cred_refused(c));
}

static struct kube_secret get(struct kube_cred *c)
{
	struct kube_secret s = {0};
	struct err err = {0};

	T_INT(kube_cred_get(c, &s, &err), 0);
	T_STR(err.msg, "");
	return s;
}

static void a_token_file_is_read_again_when_it_may_have_changed(void)
{
	_cleanup_free_ char *path = strdup(t_write("token", "one\n"));
	struct kube_config k = {.token_file = path, .token = (char *)"never"};
	_cleanup_(kube_cred_freep) struct kube_cred *c = kube_cred_new(&k);
	unsigned int first;

	T_STR(get(c).token, "one");
	first = get(c).generation;
	t_write("token", "two\n");
	T_STR(get(c).token, "one");
	passed_ms += MINUTE_MS + 1000;
	T_STR(get(c).token, "two");
	T_INT(get(c).generation, first + 1);
	passed_ms += MINUTE_MS + 1000;
	T_INT(get(c).generation, first + 1); /* the same token */
}

static void a_refused_token_is_read_again_at_once(void)
{
	_cleanup_free_ char *path = strdup(t_write("token", "one"));
	struct kube_config k = {.token_file = path};
	_cleanup_(kube_cred_freep) struct kube_cred *c = kube_cred_new(&k);

	T_STR(get(c).token, "one");
	t_write("token", "two");
	T_OK(kube_cred_refused(c));
	T_STR(get(c).token, "one"); /* it was read within this second */
	passed_ms += 2000;
	T_OK(kube_cred_refused(c));
	T_STR(get(c).token, "two");
}

static void a_token_file_that_vanishes_leaves_the_old_token_in_use(void)
{
	_cleanup_free_ char *path = strdup(t_write("token", "one"));
	struct kube_config k = {.token_file = path};
	_cleanup_(kube_cred_freep) struct kube_cred *c = kube_cred_new(&k);

	T_STR(get(c).token, "one");
	unlink(path);
	passed_ms += MINUTE_MS + 1000;
	T_STR(get(c).token, "one");
	T_HAS(t_log(), "still using the older credential");
}

static void bad_token_files_are_refused_without_their_secrets(void)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{"", "/token: the token is empty"},
		{" \n", "/token: the token is empty"},
		{"s3cret\nX-Evil: s3cret", "a character that cannot be sent"},
		{"s3\x7f", "a character that cannot be sent"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *path =
			strdup(t_write("token", rows[i].text));
		struct kube_config k = {.token_file = path};
		_cleanup_(kube_cred_freep) struct kube_cred *c =
			kube_cred_new(&k);
		struct kube_secret s = {0};
		struct err err = {0};

		t_row("%zu", i);
		T_ERR(kube_cred_get(c, &s, &err), &err, -EINVAL, rows[i].words);
		T_LACKS(err.msg, "s3cret");
		T_OK(!s.token);
	}
}

/* --- credential plugins: small shell scripts --- */

struct plugin {
	char *argv[2];
	char *env[2];
	struct kube_exec exec;
	struct kube_config config;
};

static void plugin_init(struct plugin *p, const char *script)
{
	*p = (struct plugin){.env = {(char *)"COLOUR=blue"}};
	p->argv[0] = strdup(t_script("plugin", script));
	p->exec = (struct kube_exec){
		.argv = p->argv, .env = p->env, .api_version = (char *)API};
	p->config = (struct kube_config){.exec = &p->exec,
					 .server = (char *)"https://k:6443"};
}

static void plugin_clear(struct plugin *p)
{
	free(p->argv[0]);
}
#define _cleanup_plugin_ _cleanup_(plugin_clear)

/* Prints the token "run-N" in the N-th run, good until `date`. */
#define COUNTING(date)                                                         \
	"#!/bin/sh\n"                                                          \
	"cd \"${0%/*}\"\n"                                                     \
	"echo x >> runs\n"                                                     \
	"[ -e broken ] && { echo no network >&2; exit 1; }\n"                  \
	"n=$(wc -l < runs)\n"                                                  \
	"echo '{\"apiVersion\":\"" API "\",\"kind\":\"ExecCredential\",'\n"    \
	"echo '\"status\":{\"token\":\"run-'$n'\"" date "}}'\n"

/* What is good for ten minutes; `first`: what the script does before. */
#define TEN_MINUTES(first)                                                     \
	COUNTING(",\"expirationTimestamp\":\"'$(" first                        \
		 "date -u -d '+10 minutes' +%Y-%m-%dT%H:%M:%SZ)'\"")

static size_t runs(void)
{
	_cleanup_fclose_ FILE *f = fopen(t_path("runs"), "r");
	size_t n = 0;

	for (int c; f && (c = getc(f)) != EOF;)
		n += c == '\n';
	return n;
}

/* Look after a plugin that runs until the token is this one. */
static bool until(struct kube_cred *c, const char *token)
{
	const int64_t end = __real_clock_ms() + 20000;

	while (!str_eq(get(c).token, token) && __real_clock_ms() < end) {
		kube_cred_step(c);
		clock_nap(5);
	}
	return T_STR(get(c).token, token);
}

/* One whose plugin has run once. */
static struct kube_cred *begun(struct plugin *p, const char *script)
{
	struct kube_cred *c;

	unlink(t_path("runs"));
	plugin_init(p, script);
	passed_ms = 0;
	c = kube_cred_new(&p->config);
	T_STR(get(c).token, "run-1");
	return c;
}

static void a_plugin_without_expiry_runs_once_until_it_is_refused(void)
{
	_cleanup_plugin_ struct plugin p;
	_cleanup_(kube_cred_freep) struct kube_cred *c = NULL;

	unlink(t_path("runs"));
	plugin_init(&p, COUNTING(""));
	c = kube_cred_new(&p.config);
	T_STR(get(c).token, "run-1");
	passed_ms += 100 * MINUTE_MS;
	T_STR(get(c).token, "run-1");
	T_OK(kube_cred_refused(c));
	T_STR(get(c).token, "run-2");
}

static void a_plugin_runs_again_before_its_token_expires(void)
{
	_cleanup_plugin_ struct plugin p;
	_cleanup_(kube_cred_freep) struct kube_cred *c = NULL;

	/* Its second run ends when it is told to. */
	unlink(t_path("go"));
	c = begun(&p, TEN_MINUTES("[ $n = 1 ] || until [ -e go ]; do sleep "
				  "0.01; done; "));
	passed_ms = 9 * MINUTE_MS;
	T_STR(get(c).token, "run-1");
	passed_ms = 10 * MINUTE_MS - 20000;
	T_STR(get(c).token, "run-1");
	t_write("go", "");
	until(c, "run-2");
	T_INT(runs(), 2);
}

/* (the lease is to be renewed meanwhile) */
static void
a_plugin_that_takes_long_is_not_waited_for_while_its_token_serves(void)
{
	_cleanup_plugin_ struct plugin p;
	_cleanup_(kube_cred_freep) struct kube_cred *c = NULL;
	int64_t began;

	unlink(t_path("go"));
	c = begun(
		&p,
		TEN_MINUTES(
			"[ $n = 1 ] || until [ -e go ]; do sleep 0.1; done; "));
	passed_ms = 10 * MINUTE_MS - 20000;
	began = __real_clock_ms();
	for (int i = 0; i < 20; i++) {
		T_STR(get(c).token, "run-1");
		kube_cred_step(c);
	}
	T_OK(__real_clock_ms() - began < 5000);
	t_write("go", "");
	until(c, "run-2");
	T_INT(runs(), 2);
}

/* (at any look at the clock) */
static void
a_token_that_expires_while_the_next_one_comes_is_not_handed_out(void)
{
	for (unsigned int look = 1; look < 6; look++) {
		_cleanup_plugin_ struct plugin p;
		_cleanup_(kube_cred_freep) struct kube_cred *c = NULL;
		struct kube_secret s = {0};
		int rc;

		t_row("look %u", look);
		c = begun(&p, TEN_MINUTES(""));
		passed_ms = 10 * MINUTE_MS - 20000;
		jump_in = look;
		rc = kube_cred_get(c, &s, NULL);
		jump_in = 0;
		T_OK(rc ? rc == -ETIMEDOUT : s.token != NULL);
		until(c, "run-2");
		jumped_ms = 0;
	}
}

static void a_plugin_that_runs_ends_with_its_client(void)
{
	_cleanup_plugin_ struct plugin p;
	struct kube_cred *c;
	int64_t began;

	c = begun(&p, TEN_MINUTES("[ $n = 1 ] || sleep 60; "));
	passed_ms = 10 * MINUTE_MS - 20000;
	T_STR(get(c).token, "run-1");
	began = __real_clock_ms();
	/* (nobody wants it, and the thread has other things to do) */
	passed_ms = 11 * MINUTE_MS;
	kube_cred_step(c);
	kube_cred_free(c);
	T_OK(__real_clock_ms() - began < 5000);
}

static void a_plugin_that_breaks_leaves_a_good_token_in_use(void)
{
	_cleanup_plugin_ struct plugin p;
	_cleanup_(kube_cred_freep) struct kube_cred *c = NULL;
	struct kube_secret s = {0};
	struct err err = {0};

	c = begun(&p, TEN_MINUTES(""));
	t_write("broken", "");
	passed_ms = 10 * MINUTE_MS - 20000;
	for (int i = 0; i < 4000 && !strstr(t_log(), "no network"); i++) {
		T_STR(get(c).token, "run-1");
		clock_nap(5);
	}
	T_HAS(t_log(), "no network");
	passed_ms = 11 * MINUTE_MS;
	T_ERR(kube_cred_get(c, &s, &err), &err, -EPROTO, "exit code ");
	T_HAS(err.msg, "credential plugin: ");
	unlink(t_path("broken"));
}

static void a_plugin_gets_its_environment_and_the_clusters(void)
{
	_cleanup_plugin_ struct plugin p;
	_cleanup_(kube_cred_freep) struct kube_cred *c = NULL;
	_cleanup_json_ json_object *o = NULL;
	_cleanup_free_ char *info = NULL;
	_cleanup_fclose_ FILE *f = NULL;
	size_t size = 0;

	plugin_init(&p,
		    "#!/bin/sh\n"
		    "echo \"$KUBERNETES_EXEC_INFO\" > \"${0%/*}/info\"\n"
		    "echo '{\"apiVersion\":\"" API "\","
		    "\"kind\":\"ExecCredential\",'\n"
		    "echo '\"status\":{\"token\":\"'$COLOUR-$TWICE'\"}}'\n");
	p.exec.cluster_info = true;
	setenv("COLOUR", "red", 1); /* the plugin's own wins */
	setenv("TWICE", "ours", 1);
	c = kube_cred_new(&p.config);
	T_STR(get(c).token, "blue-ours");
	f = fopen(t_path("info"), "r");
	T_NEED(f && getline(&info, &size, f) > 0);
	o = t_parse(info);
	T_JSON(o, "{\"apiVersion\": \"" API "\", \"kind\": \"ExecCredential\","
		  " \"spec\": {\"interactive\": false,"
		  " \"cluster\": {\"server\": \"https://k:6443\"}}}");
}

static void a_plugins_certificate_outlives_a_failure_too(void)
{
	_cleanup_plugin_ struct plugin p;
	_cleanup_(kube_cred_freep) struct kube_cred *c = NULL;

	plugin_init(&p, "#!/bin/sh\n"
			"[ -e \"${0%/*}/broken\" ] && exit 1\n"
			"echo '{\"apiVersion\":\"" API "\","
			"\"kind\":\"ExecCredential\",\"status\":{'\n"
			"echo '\"clientCertificateData\":\"CRT\",'\n"
			"echo '\"clientKeyData\":\"KEY\"}}'\n");
	c = kube_cred_new(&p.config);
	T_STR(get(c).cert_pem, "CRT");
	T_STR(get(c).key_pem, "KEY");
	t_write("broken", "");
	passed_ms += 2000;
	T_OK(kube_cred_refused(c));
	T_STR(get(c).cert_pem, "CRT");
	unlink(t_path("broken"));
}

/* A thousand pods want it: the plugin runs once, then after growing pauses. */
static void a_plugin_that_fails_rests_longer_each_time(void)
{
	static const int64_t most_s[] = {2, 4, 8, 16, 32, 60, 60};
	_cleanup_plugin_ struct plugin p;
	_cleanup_(kube_cred_freep) struct kube_cred *c = NULL;
	struct kube_secret s = {0};

	unlink(t_path("runs"));
	t_write("broken", "");
	plugin_init(&p, COUNTING(""));
	c = kube_cred_new(&p.config);
	for (size_t i = 0; i < T_COUNT(most_s); i++) {
		t_row("run %zu", i + 1);
		for (int n = 0; n < 100; n++) {
			struct err err = {0};

			T_ERR(kube_cred_get(c, &s, &err), &err, -EPROTO,
			      "exit code ");
		}
		T_INT(runs(), i + 1);
		passed_ms += most_s[i] * 1000 / 2 - 500;
		kube_cred_get(c, &s, NULL);
		T_INT(runs(), i + 1);
		passed_ms += most_s[i] * 1000 / 2 + 1000;
	}
	unlink(t_path("broken"));
	T_HAS(get(c).token, "run-");
}

/* The server says 401 to whatever it prints. */
static void a_plugin_that_prints_what_is_refused_rests_too(void)
{
	_cleanup_plugin_ struct plugin p;
	_cleanup_(kube_cred_freep) struct kube_cred *c = NULL;

	unlink(t_path("runs"));
	plugin_init(&p, COUNTING(""));
	c = kube_cred_new(&p.config);
	for (int s = 0; s < 300; s++) { /* a call each second */
		get(c);
		T_OK(kube_cred_refused(c));
		passed_ms += 1000;
	}
	T_OK(runs() >= 7 && runs() <= 12);
	passed_ms += 10 * MINUTE_MS; /* good for so long: anew at once */
	T_OK(kube_cred_refused(c));
	get(c);
	passed_ms += 2000;
	T_OK(kube_cred_refused(c));
	T_OK(runs() >= 8);
}

/* No PATH, no HOME: as slurmctld starts our programs. */
static void a_plugin_runs_from_a_bare_environment(void)
{
	char *argv[] = {(char *)"sh", (char *)"-c",
			(char *)"echo '{\"apiVersion\":\"" API
				"\",\"kind\":\"ExecCredential\",\"status\":"
				"{\"token\":\"'$PATH'\"}}'",
			NULL};
	char *none[] = {NULL};
	struct kube_exec x = {
		.argv = argv, .env = none, .api_version = (char *)API};
	struct kube_config k = {.exec = &x};
	_cleanup_(kube_cred_freep) struct kube_cred *c = kube_cred_new(&k);
	char **ours = environ;

	environ = none;
	T_STR(get(c).token, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"
			    ":/sbin:/bin");
	environ = ours;
}

T_MAIN("cred", T(a_token_without_a_date_never_expires),
       T(a_certificate_with_key_and_date_is_taken),
       T(bad_answers_are_refused_without_their_secrets),
       T(constant_credentials_are_handed_out_and_stay),
       T(a_token_file_is_read_again_when_it_may_have_changed),
       T(a_refused_token_is_read_again_at_once),
       T(a_token_file_that_vanishes_leaves_the_old_token_in_use),
       T(bad_token_files_are_refused_without_their_secrets),
       T(a_plugin_without_expiry_runs_once_until_it_is_refused),
       T(a_plugin_runs_again_before_its_token_expires),
       T(a_plugin_that_takes_long_is_not_waited_for_while_its_token_serves),
       T(a_token_that_expires_while_the_next_one_comes_is_not_handed_out),
       T(a_plugin_that_runs_ends_with_its_client),
       T(a_plugin_that_breaks_leaves_a_good_token_in_use),
       T(a_plugin_that_fails_rests_longer_each_time),
       T(a_plugin_that_prints_what_is_refused_rests_too),
       T(a_plugin_runs_from_a_bare_environment),
       T(a_plugin_gets_its_environment_and_the_clusters),
       T(a_plugins_certificate_outlives_a_failure_too))
