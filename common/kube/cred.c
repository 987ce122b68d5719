/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/cred.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/spawn.h"
#include "base/str.h"
#include "kube/plugin.h"
#include "json/json.h"

#define TOKEN_MAX (64 * 1024)
#define FILE_TTL_MS 60000 /* kubelet rotates tokens long before they end */
#define EXEC_TIMEOUT_MS 30000
/* least time between fetches while the old credential still serves */
#define FAILED_NAP_MS 5000
/* a younger credential is not fetched anew when it is refused */
#define REFUSED_MS 1000
/*
 * least and longest time between two runs of a plugin that fails, or whose
 * credential is refused
 */
#define PLUGIN_REST_MS 2000
#define PLUGIN_REST_MAX_MS 60000
#define EXEC_EARLY_MS 30000 /* renew this long before the expiry */

struct kube_cred {
	const struct kube_config *config;
	char *token, *cert, *key; /* owned; from a file or plugin; NULL: none */
	int64_t expires_ms;	  /* epoch */
	int64_t fetched_ms;	  /* clock_ms(); 0: never, or it was refused */
	/*
	 * clock_ms() when a failed fetch may be tried again (is_resting()); 0:
	 * none has failed
	 */
	int64_t rest_until;
	struct err why; /* why the last fetch failed */
	/* the words of `why` that the log has; "": none */
	char told[ERR_MSG_MAX];
	struct backoff backoff;
	struct spawn *running; /* the plugin; NULL: it does not run */
	/* fresh credentials in a row that were refused */
	unsigned int refusals;
	unsigned int generation;
};

static void drop(char **s)
{
	if (*s)
		OPENSSL_cleanse(*s, strlen(*s));
	free(*s);
	*s = NULL;
}

struct kube_cred *kube_cred_new(const struct kube_config *config)
{
	struct kube_cred *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->config = config;
	backoff_init(&c->backoff, PLUGIN_REST_MS, PLUGIN_REST_MAX_MS,
		     ((uint64_t)clock_real_ms() ^ (uintptr_t)c) | 1);
	return c;
}

void kube_cred_free(struct kube_cred *c)
{
	if (!c)
		return;
	spawn_kill(c->running);
	drop(&c->token);
	drop(&c->cert);
	drop(&c->key);
	free(c);
}

/* A token goes into a header line: printable ASCII without spaces. */
static int check_token(const char *t, size_t len, struct err *err)
{
	if (!len)
		return err_set(err, -EINVAL, "the token is empty");
	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)t[i]))
			return err_set(err, -EINVAL,
				       "the token holds a character that "
				       "cannot be sent");
	return 0;
}

static void take(struct kube_cred *c, char *token, char *cert, char *key)
{
	if (!str_eq(token, c->token) || !str_eq(cert, c->cert))
		c->generation++;
	drop(&c->token);
	drop(&c->cert);
	drop(&c->key);
	c->token = token;
	c->cert = cert;
	c->key = key;
	c->fetched_ms = clock_ms();
}

static int fetch_file(struct kube_cred *c, struct err *err)
{
	char *token = NULL;
	size_t len;
	int rc = fs_read_file(c->config->token_file, TOKEN_MAX, &token, &len,
			      err);

	if (rc)
		return err_wrap(err, rc, "tokenFile");
	while (len && isspace((unsigned char)token[len - 1]))
		token[--len] = '\0';
	rc = check_token(token, len, err);
	if (rc) {
		drop(&token);
		return err_wrap(err, rc, "%s", c->config->token_file);
	}
	c->expires_ms = INT64_MAX;
	take(c, token, NULL, NULL);
	return 0;
}

int kube_cred_parse_exec(const char *text, size_t len, const char *api_version,
			 char **token, char **cert, char **key,
			 int64_t *expires_ms, struct err *err)
{
	_cleanup_json_secret_ json_object *o = NULL;
	const char *t, *crt, *k, *api, *date;
	json_object *st;
	size_t t_len;
	int rc = jx_parse_secret(text, len, &o, err);

	if (rc)
		return rc;
	api = jx_str(o, "apiVersion");
	st = jx_get(o, "status");
	if (!str_eq(jx_str(o, "kind"), "ExecCredential") ||
	    !str_eq(api, api_version))
		return err_set(err, -EINVAL,
			       "it printed no ExecCredential of %s",
			       api_version);
	t = jx_str(st, "token");
	crt = jx_str(st, "clientCertificateData");
	k = jx_str(st, "clientKeyData");
	date = jx_str(st, "expirationTimestamp");
	if ((!t && !crt) || !crt != !k)
		return err_set(err, -EINVAL,
			       "it printed neither a token nor a certificate "
			       "with its key");
	t_len = (size_t)json_object_get_string_len(jx_get(st, "token"));
	if (t && (rc = check_token(t, t_len, err)))
		return rc;
	*expires_ms = date ? clock_parse_rfc3339(date) : INT64_MAX;
	if (*expires_ms < 0)
		return err_set(err, -EINVAL,
			       "expirationTimestamp '%s' is not a date", date);
	*token = t ? strdup(t) : NULL;
	*cert = crt ? strdup(crt) : NULL;
	*key = k ? strdup(k) : NULL;
	if ((t && !*token) || (crt && (!*cert || !*key))) {
		drop(token);
		drop(cert);
		drop(key);
		return err_oom(err);
	}
	return 0;
}

static int start_plugin(const struct kube_config *config, struct spawn **out,
			struct err *err)
{
	char **argv = config->exec->argv;
	_cleanup_(kube_plugin_environ_freep) char **env =
		kube_plugin_environ(config);
	_cleanup_free_ char *file = NULL;
	_cleanup_free_ char **with_file = NULL;
	size_t n = 0;
	int rc = env ? kube_plugin_find(argv[0], &file, err) : err_oom(err);

	if (rc)
		return rc;
	while (argv[n])
		n++;
	with_file = calloc(n + 1, sizeof(char *));
	if (!with_file)
		return err_oom(err);
	memcpy(with_file, argv, n * sizeof(char *));
	with_file[0] = file;
	return spawn_begin(with_file, env, EXEC_TIMEOUT_MS, TOKEN_MAX, out,
			   err);
}

/*
 * Run the plugin, or go on with it, for `wait_ms` at most. -EINPROGRESS: it
 * runs on.
 */
static int fetch_exec(struct kube_cred *c, int64_t wait_ms, struct err *err)
{
	const struct kube_exec *x = c->config->exec;
	char *text = NULL, *token = NULL, *cert = NULL, *key = NULL;
	int64_t expires = 0;
	size_t len = 0;
	int rc = c->running ? 0 : start_plugin(c->config, &c->running, err);

	if (!rc)
		rc = spawn_poll(c->running, wait_ms, &text, &len, err);
	if (rc == -EINPROGRESS)
		return rc;
	c->running = NULL;
	if (rc)
		return err_wrap(err, rc, "credential plugin");
	rc = kube_cred_parse_exec(text, len, x->api_version, &token, &cert,
				  &key, &expires, err);
	OPENSSL_cleanse(text, len);
	free(text);
	if (rc)
		return err_wrap(err, rc, "credential plugin %s", x->argv[0]);
	c->expires_ms = expires;
	take(c, token, cert, key);
	return 0;
}

static bool is_fresh(const struct kube_cred *c)
{
	if (!c->fetched_ms)
		return false;
	/* The plugin runs at most once in FAILED_NAP_MS, whatever it prints. */
	if (c->config->exec)
		return clock_ms() - c->fetched_ms < FAILED_NAP_MS ||
		       c->expires_ms == INT64_MAX ||
		       clock_real_ms() < c->expires_ms - EXEC_EARLY_MS;
	return clock_ms() - c->fetched_ms < FILE_TTL_MS;
}

/* True if an earlier fetch gave a credential that has not expired. */
static bool is_usable(const struct kube_cred *c)
{
	return (c->token || c->cert) && clock_real_ms() < c->expires_ms;
}

/*
 * After a failure a plugin rests, longer each time: each of a thousand calls
 * wants its credential. A file is read again at once if nothing else serves.
 */
static bool is_resting(const struct kube_cred *c)
{
	return clock_ms() < c->rest_until && (c->config->exec || is_usable(c));
}

int64_t kube_cred_rest_ms(const struct kube_cred *c)
{
	const int64_t left = c->rest_until - clock_ms();

	return c->config->exec && c->backoff.tries == 1 && left > 0 ? left : 0;
}

/*
 * Fetch the credential; a plugin is waited for `wait_ms` at most. -EINPROGRESS:
 * it runs on.
 */
static int fetch(struct kube_cred *c, int64_t wait_ms)
{
	int rc = c->config->exec ? fetch_exec(c, wait_ms, &c->why)
				 : fetch_file(c, &c->why);

	if (rc == -EINPROGRESS)
		return rc;
	if (!rc) {
		backoff_reset(&c->backoff);
		c->rest_until = 0;
		*c->told = '\0';
		return 0;
	}
	c->rest_until =
		clock_ms() + (c->config->exec ? backoff_next(&c->backoff, 0)
					      : FAILED_NAP_MS);
	if (is_usable(c) && strcmp(c->why.msg, c->told)) {
		log_warn("%s: still using the older credential", c->why.msg);
		str_copy(c->told, c->why.msg, sizeof(c->told));
	}
	return rc;
}

void kube_cred_step(struct kube_cred *c)
{
	if (c->running)
		fetch(c, 0);
}

/*
 * Fetch anew. A plugin is waited for only where no other credential can serve:
 * this thread has the lease to renew, and watches to read. The credential that
 * served when it began may have expired a moment later.
 */
static int renew(struct kube_cred *c)
{
	const bool served = c->fetched_ms && is_usable(c);
	int rc = fetch(c, served ? 0 : EXEC_TIMEOUT_MS);

	if (rc == -EINPROGRESS && !is_usable(c))
		rc = fetch(c, EXEC_TIMEOUT_MS);
	return rc;
}

int kube_cred_get(struct kube_cred *c, struct kube_secret *out, struct err *err)
{
	const struct kube_config *k = c->config;

	if ((k->exec || k->token_file) && !is_fresh(c) &&
	    (is_resting(c) || renew(c)) && !is_usable(c)) {
		if (!c->why.code)
			err_set(&c->why, -ETIMEDOUT,
				"the credential has expired");
		return err_copy(err, &c->why);
	}
	out->token = c->token ? c->token : k->token;
	out->cert_pem = c->cert ? c->cert : k->cert_pem;
	out->key_pem = c->key ? c->key : k->key_pem;
	out->generation = c->generation;
	return 0;
}

/* How long what a plugin printed is kept though the server refuses it. */
static int64_t keep_refused_ms(const struct kube_cred *c)
{
	return c->config->exec ? backoff_doubled(REFUSED_MS, c->refusals,
						 PLUGIN_REST_MAX_MS)
			       : REFUSED_MS;
}

bool kube_cred_refused(struct kube_cred *c)
{
	int64_t age = clock_ms() - c->fetched_ms;

	if (!c->config->exec && !c->config->token_file)
		return false;
	/*
	 * When many calls are refused at once, only the first one fetches anew.
	 */
	if (c->fetched_ms && age > keep_refused_ms(c)) {
		c->refusals =
			age > 2 * PLUGIN_REST_MAX_MS ? 0 : c->refusals + 1;
		c->fetched_ms = 0;
	}
	return true;
}
