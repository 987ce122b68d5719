/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/cred.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/spawn.h"
#include "base/str.h"
#include "json/json.h"

#define TOKEN_MAX (64 * 1024)
#define FILE_TTL_MS 60000 /* kubelet rotates tokens long before they end */
#define EXEC_TIMEOUT_MS 30000
#define FAILED_NAP_MS                                                          \
	5000		    /* between fetches while the old one still serves  \
			     */
#define EXEC_EARLY_MS 30000 /* renew this long before the expiry */

struct kube_cred {
	const struct kube_config *config;
	char *token, *cert, *key; /* of a file or plugin */
	int64_t expires_ms;	  /* epoch */
	int64_t failed_ms;  /* monotonic: the last fetch that failed; 0: none */
	int64_t fetched_ms; /* monotonic; 0: never or refused */
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

	if (c)
		c->config = config;
	return c;
}

void kube_cred_free(struct kube_cred *c)
{
	if (!c)
		return;
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
	_cleanup_json_ json_object *o = NULL;
	const char *t, *crt, *k, *api, *date;
	json_object *st;
	size_t t_len;
	int rc = jx_parse(text, len, &o, err);

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

/* KUBERNETES_EXEC_INFO of the plugin's protocol. The caller frees. */
static char *exec_info(const struct kube_config *c)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	json_object *spec, *cl;
	int bad;

	if (!o)
		return NULL;
	bad = jx_set_str(o, "apiVersion", c->exec->api_version);
	bad |= jx_set_str(o, "kind", "ExecCredential");
	spec = jx_need(o, "spec", json_type_object);
	if (bad || !spec ||
	    jx_set(spec, "interactive", json_object_new_boolean(0)))
		return NULL;
	if (c->exec->cluster_info) {
		cl = jx_need(spec, "cluster", json_type_object);
		if (!cl || jx_set_str(cl, "server", c->server))
			return NULL;
	}
	return str_printf(
		"KUBERNETES_EXEC_INFO=%s",
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
}

/* Our environment plus the plugin's. Free only the array and entry 0. */
static char **exec_environ(const struct kube_config *c)
{
	size_t n = 0, m = 0, k = 0;
	char **env;

	while (environ[n])
		n++;
	while (c->exec->env[m])
		m++;
	env = calloc(n + m + 2, sizeof(char *));
	if (!env)
		return NULL;
	env[k++] = exec_info(c);
	if (!env[0]) {
		free(env);
		return NULL;
	}
	for (size_t i = 0; i < m; i++)
		env[k++] = c->exec->env[i];
	for (size_t i = 0; i < n; i++) {
		size_t name = strcspn(environ[i], "=") + 1;
		bool twice = false;

		for (size_t j = 0; j < m + 1 && !twice; j++)
			twice = !strncmp(env[j], environ[i], name);
		if (!twice)
			env[k++] = environ[i];
	}
	return env;
}

static int fetch_exec(struct kube_cred *c, struct err *err)
{
	const struct kube_exec *x = c->config->exec;
	char *text = NULL, *token = NULL, *cert = NULL, *key = NULL;
	char **env = exec_environ(c->config);
	int64_t expires = 0;
	size_t len = 0;
	int rc;

	if (!env)
		return err_oom(err);
	rc = spawn_read(x->argv, env, EXEC_TIMEOUT_MS, TOKEN_MAX, &text, &len,
			err);
	free(env[0]);
	free(env);
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
	/* at most one run of the plugin in a while, whatever it says */
	if (c->config->exec)
		return clock_ms() - c->fetched_ms < FAILED_NAP_MS ||
		       c->expires_ms == INT64_MAX ||
		       clock_real_ms() < c->expires_ms - EXEC_EARLY_MS;
	return clock_ms() - c->fetched_ms < FILE_TTL_MS;
}

/* Is there one from an earlier fetch that has not expired? */
static bool is_usable(const struct kube_cred *c)
{
	return (c->token || c->cert) && clock_real_ms() < c->expires_ms;
}

static bool failed_just_now(const struct kube_cred *c)
{
	return c->failed_ms && clock_ms() - c->failed_ms < FAILED_NAP_MS;
}

int kube_cred_get(struct kube_cred *c, struct kube_secret *out, struct err *err)
{
	const struct kube_config *k = c->config;
	struct err why = {0};
	int rc = 0;

	if ((k->exec || k->token_file) && !is_fresh(c) &&
	    !(is_usable(c) && failed_just_now(c))) {
		rc = k->exec ? fetch_exec(c, &why) : fetch_file(c, &why);
		c->failed_ms = rc ? clock_ms() : 0;
		if (rc && !is_usable(c)) {
			if (err)
				*err = why;
			return rc;
		}
		if (rc)
			log_warn("%s: still using the older credential",
				 why.msg);
	}
	out->token = c->token ? c->token : k->token;
	out->cert_pem = c->cert ? c->cert : k->cert_pem;
	out->key_pem = c->key ? c->key : k->key_pem;
	out->generation = c->generation;
	return 0;
}

bool kube_cred_refused(struct kube_cred *c)
{
	if (!c->config->exec && !c->config->token_file)
		return false;
	/* of many calls refused at once only the first fetches anew */
	if (c->fetched_ms && clock_ms() - c->fetched_ms > 1000)
		c->fetched_ms = 0;
	return true;
}
