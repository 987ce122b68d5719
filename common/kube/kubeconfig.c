/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/kubeconfig.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>

#include "base/digest.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/str.h"
#include "kube/proxy.h"
#include "kube/server.h"
#include "json/yaml.h"

#define PEM_MAX (256 * 1024)
#define EXEC_WORDS_MAX 1000 /* bound of a plugin's args, and of its env */
#define CA "certificate-authority"
#define WITHOUT_CA                                                             \
	": without this line those CAs count that this machine trusts"
#define SA_HOST "kubernetes.default.svc"
#define SA_DIR "/var/run/secrets/kubernetes.io/serviceaccount"

static void free_secret(char *s)
{
	if (s)
		OPENSSL_cleanse(s, strlen(s));
	free(s);
}

/* A plugin's arguments and variables may be secrets. */
static void free_strv(char **v)
{
	for (char **p = v; p && *p; p++)
		free_secret(*p);
	free(v);
}

static bool same_texts(char *const *a, char *const *b)
{
	while (a && b && *a && str_eq(*a, *b)) {
		a++;
		b++;
	}
	return (!a || !*a) && (!b || !*b);
}

static bool same_exec(const struct kube_exec *a, const struct kube_exec *b)
{
	if (!a || !b)
		return a == b;
	return same_texts(a->argv, b->argv) && same_texts(a->env, b->env) &&
	       str_eq(a->api_version, b->api_version) &&
	       a->cluster_info == b->cluster_info &&
	       json_object_equal(a->cluster_config, b->cluster_config);
}

bool kube_config_same(const struct kube_config *a, const struct kube_config *b)
{
	return str_eq(a->server, b->server) &&
	       str_eq(a->tls_server_name, b->tls_server_name) &&
	       str_eq(a->proxy_url, b->proxy_url) &&
	       str_eq(a->ca_pem, b->ca_pem) &&
	       str_eq(a->cert_pem, b->cert_pem) &&
	       str_eq(a->key_pem, b->key_pem) && str_eq(a->token, b->token) &&
	       str_eq(a->token_file, b->token_file) &&
	       same_exec(a->exec, b->exec);
}

void kube_config_free(struct kube_config *c)
{
	if (!c)
		return;
	if (c->exec) {
		free_strv(c->exec->argv);
		free_strv(c->exec->env);
		free(c->exec->api_version);
		json_object_put(c->exec->cluster_config);
		free(c->exec);
	}
	free(c->source);
	/* a server that was refused may have a password */
	free_secret(c->server);
	free(c->tls_server_name);
	free_secret(c->proxy_url);
	free(c->ns);
	free(c->ca_pem);
	free(c->cert_pem);
	free_secret(c->key_pem);
	free(c->key_file);
	free_secret(c->token);
	free(c->token_file);
	free(c);
}

/* What the functions that read a kubeconfig share. */
struct reader {
	struct yaml *y;
	struct kube_config *c;
	struct err *err;
};

static int dup_string(struct reader *r, ynode n, const char *what, char **out)
{
	const char *s = NULL;
	int rc = yaml_string(r->y, n, what, &s, r->err);

	if (rc || !s)
		return rc;
	*out = strdup(s);
	return *out ? 0 : err_oom(r->err);
}

/*
 * Read PEM from KEY-data (base64, inline) or from the file KEY names; *file, if
 * that is not NULL, is the path of that file, owned by the caller.
 */
static int read_pem(struct reader *r, ynode map, const char *key, char **out,
		    char **file)
{
	_cleanup_free_ char *data_key = str_printf("%s-data", key);
	_cleanup_free_ char *path = NULL;
	const char *s = NULL;
	size_t len = 0;
	ynode n;
	int rc;

	if (!data_key)
		return err_oom(r->err);
	n = yaml_get(r->y, map, data_key);
	if (n && n->type == YAML_SCALAR_NODE && !n->data.scalar.length)
		return yaml_error(r->y, n, r->err, "%s is empty%s", data_key,
				  str_eq(key, CA) ? WITHOUT_CA : "");
	if (n) {
		rc = yaml_string(r->y, n, data_key, &s, r->err);
		if (rc)
			return rc;
		if (b64_decode(s, out, &len) || strlen(*out) != len)
			return yaml_error(r->y, n, r->err,
					  "%s is not base64 of a PEM text",
					  data_key);
		return 0;
	}
	n = yaml_get(r->y, map, key);
	rc = yaml_string(r->y, n, key, &s, r->err);
	if (rc || !s)
		return rc;
	path = fs_relative_to(r->c->source, s);
	if (!path)
		return err_oom(r->err);
	rc = fs_read_file(path, PEM_MAX, out, &len, r->err);
	if (rc)
		return err_wrap(r->err, rc, "%s", key);
	if (file)
		*file = steal_ptr(path);
	return 0;
}

/* Read proxy-url; "" is none, as in client-go. */
static int read_proxy(struct reader *r, ynode n)
{
	_cleanup_proxy_ struct kube_proxy p = {0};
	struct err why = {0};
	const char *s = NULL;
	int rc;

	if (n && n->type == YAML_SCALAR_NODE && !n->data.scalar.length)
		return 0;
	rc = yaml_string(r->y, n, "proxy-url", &s, r->err);
	if (rc || !s)
		return rc;
	rc = kube_proxy_parse(s, &p, &why);
	if (rc == -EINVAL)
		return yaml_error(r->y, n, r->err, "%s", why.msg);
	return rc ? err_oom(r->err)
		  : dup_string(r, n, "proxy-url", &r->c->proxy_url);
}

static int read_cluster(struct reader *r, ynode n)
{
	bool insecure = false;
	struct err why = {0};
	ynode at = yaml_get(r->y, n, "server");
	int rc = dup_string(r, at, "server", &r->c->server);

	if (!rc)
		rc = dup_string(r, yaml_get(r->y, n, "tls-server-name"),
				"tls-server-name", &r->c->tls_server_name);
	if (!rc)
		rc = read_proxy(r, yaml_get(r->y, n, "proxy-url"));
	if (!rc)
		rc = read_pem(r, n, CA, &r->c->ca_pem, NULL);
	if (rc)
		return rc;
	if (!r->c->server)
		return yaml_error(r->y, n, r->err, "the cluster has no server");
	if (kube_server_parse(r->c->server, NULL, NULL, &why))
		return yaml_error(r->y, at, r->err, "%s", why.msg);
	at = yaml_get(r->y, n, "insecure-skip-tls-verify");
	rc = yaml_bool(r->y, at, "insecure-skip-tls-verify", &insecure, r->err);
	if (!rc && insecure)
		return yaml_error(r->y, at, r->err,
				  "insecure-skip-tls-verify is not supported: "
				  "give certificate-authority instead");
	return rc;
}

static int read_exec_env(struct reader *r, ynode seq, struct kube_exec *x)
{
	size_t n = yaml_len(seq);

	if (n > EXEC_WORDS_MAX)
		return yaml_error(r->y, seq, r->err,
				  "exec has more than %d env entries",
				  EXEC_WORDS_MAX);
	x->env = calloc(n + 1, sizeof(char *));
	if (!x->env)
		return err_oom(r->err);
	for (size_t i = 0; i < n; i++) {
		ynode e = yaml_at(r->y, seq, i);
		const char *name = NULL, *val = "";
		ynode v = yaml_get(r->y, e, "value");
		int rc = yaml_string(r->y, yaml_get(r->y, e, "name"),
				     "env name", &name, r->err);

		if (!rc && v && v->type == YAML_SCALAR_NODE)
			val = (const char *)v->data.scalar.value;
		if (rc || !name)
			return rc ? rc
				  : yaml_error(r->y, e, r->err,
					       "an env entry has no name");
		x->env[i] = str_printf("%s=%s", name, val);
		if (!x->env[i])
			return err_oom(r->err);
	}
	return 0;
}

static int read_exec_argv(struct reader *r, ynode n, struct kube_exec *x)
{
	ynode args = yaml_get(r->y, n, "args");
	const char *cmd = NULL;
	size_t len = yaml_len(args);
	int rc = yaml_string(r->y, yaml_get(r->y, n, "command"), "command",
			     &cmd, r->err);

	if (!rc && args)
		rc = yaml_want_seq(r->y, args, "args", r->err);
	if (rc)
		return rc;
	if (!cmd || !*cmd)
		return yaml_error(r->y, n, r->err, "exec has no command");
	if (len > EXEC_WORDS_MAX)
		return yaml_error(r->y, args, r->err,
				  "exec has more than %d args", EXEC_WORDS_MAX);
	x->argv = calloc(len + 2, sizeof(char *));
	if (!x->argv)
		return err_oom(r->err);
	/* as in kubectl: a path with a slash is relative to the file */
	x->argv[0] = strchr(cmd, '/') ? fs_relative_to(r->c->source, cmd)
				      : strdup(cmd);
	if (!x->argv[0])
		return err_oom(r->err);
	for (size_t i = 0; i < len; i++) {
		ynode a = yaml_at(r->y, args, i);

		if (a->type != YAML_SCALAR_NODE)
			return yaml_error(r->y, a, r->err,
					  "args must be texts");
		x->argv[i + 1] = strdup((const char *)a->data.scalar.value);
		if (!x->argv[i + 1])
			return err_oom(r->err);
	}
	return 0;
}

static int read_exec(struct reader *r, ynode n)
{
	ynode env = yaml_get(r->y, n, "env");
	ynode mode = yaml_get(r->y, n, "interactiveMode");
	ynode api = yaml_get(r->y, n, "apiVersion");
	const char *how = NULL;
	struct kube_exec *x;
	int rc = yaml_want_map(r->y, n, "exec", r->err);

	if (rc)
		return rc;
	x = r->c->exec = calloc(1, sizeof(*x));
	if (!x)
		return err_oom(r->err);
	rc = read_exec_argv(r, n, x);
	if (!rc && env)
		rc = yaml_want_seq(r->y, env, "env", r->err);
	if (!rc)
		rc = read_exec_env(r, env, x);
	if (!rc)
		rc = dup_string(r, api, "apiVersion", &x->api_version);
	if (!rc)
		rc = yaml_bool(r->y, yaml_get(r->y, n, "provideClusterInfo"),
			       "provideClusterInfo", &x->cluster_info, r->err);
	if (!rc)
		rc = yaml_string(r->y, mode, "interactiveMode", &how, r->err);
	if (rc)
		return rc;
	if (how && !strcmp(how, "Always"))
		return yaml_error(r->y, mode, r->err,
				  "a credential plugin that asks people "
				  "questions cannot be used here");
	if (!x->api_version ||
	    (strcmp(x->api_version, "client.authentication.k8s.io/v1") &&
	     strcmp(x->api_version, "client.authentication.k8s.io/v1beta1")))
		return yaml_error(r->y, api ? api : n, r->err,
				  "exec needs apiVersion "
				  "client.authentication.k8s.io/v1 or v1beta1");
	return 0;
}

/* What the cluster has for plugins: its extension of that name. */
static int read_cluster_config(struct reader *r, ynode cluster)
{
	ynode seq = yaml_get(r->y, cluster, "extensions");
	struct kube_exec *x = r->c->exec;

	if (!x || !x->cluster_info || !seq || seq->type != YAML_SEQUENCE_NODE)
		return 0;
	for (size_t i = 0; i < yaml_len(seq); i++) {
		ynode e = yaml_at(r->y, seq, i);
		const char *name = NULL;
		int rc = yaml_want_map(r->y, e, "extensions", r->err);

		if (!rc)
			rc = yaml_string(r->y, yaml_get(r->y, e, "name"),
					 "name", &name, r->err);
		if (rc)
			return rc;
		e = yaml_get(r->y, e, "extension");
		if (e && str_eq(name, "client.authentication.k8s.io/exec"))
			return yaml_to_json(r->y, e, &x->cluster_config,
					    r->err);
	}
	return 0;
}

static int refuse_user_keys(struct reader *r, ynode n)
{
	static const char *const keys[] = {
		"username", "password",	 "auth-provider", "as",
		"as-uid",   "as-groups", "as-user-extra"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		ynode v = yaml_get(r->y, n, keys[i]);

		if (v)
			return yaml_error(
				r->y, v, r->err,
				"user key '%s' is not supported (use a client "
				"certificate, token, tokenFile or exec)",
				keys[i]);
	}
	return 0;
}

static int read_user(struct reader *r, ynode n)
{
	ynode exec = yaml_get(r->y, n, "exec");
	_cleanup_free_ char *file = NULL;
	int rc = refuse_user_keys(r, n);

	if (!rc)
		rc = dup_string(r, yaml_get(r->y, n, "token"), "token",
				&r->c->token);
	if (!rc)
		rc = dup_string(r, yaml_get(r->y, n, "tokenFile"), "tokenFile",
				&file);
	if (!rc)
		rc = read_pem(r, n, "client-certificate", &r->c->cert_pem,
			      NULL);
	if (!rc)
		rc = read_pem(r, n, "client-key", &r->c->key_pem,
			      &r->c->key_file);
	if (!rc && exec)
		rc = read_exec(r, exec);
	if (rc)
		return rc;
	if (file) { /* client-go: the file wins over the token beside it */
		r->c->token_file = fs_relative_to(r->c->source, file);
		if (!r->c->token_file)
			return err_oom(r->err);
	}
	if (!r->c->cert_pem != !r->c->key_pem)
		return yaml_error(
			r->y, n, r->err,
			"client-certificate and client-key go together");
	if (!r->c->cert_pem && !r->c->token && !r->c->token_file && !r->c->exec)
		return yaml_error(r->y, n, r->err,
				  "the user has no credentials");
	return 0;
}

/* The element of a kubeconfig's named list: {name: N, KIND: {...}}. */
static int find_named(struct reader *r, const char *list, const char *kind,
		      const char *name, ynode *out)
{
	ynode seq = yaml_get(r->y, yaml_root(r->y), list);
	int rc = yaml_want_seq(r->y, seq, list, r->err);

	if (rc)
		return rc;
	for (size_t i = 0; i < yaml_len(seq); i++) {
		ynode e = yaml_at(r->y, seq, i);
		const char *have = NULL;

		rc = yaml_string(r->y, yaml_get(r->y, e, "name"), "name", &have,
				 r->err);
		if (rc)
			return rc;
		if (!str_eq(have, name))
			continue;
		*out = yaml_get(r->y, e, kind);
		return yaml_want_map(r->y, *out, kind, r->err);
	}
	return yaml_error(r->y, seq, r->err, "there is no %s '%s'", kind, name);
}

static int read_context(struct reader *r, const char *context)
{
	ynode root = yaml_root(r->y), ctx = NULL, at = NULL, n;
	const char *cluster = NULL, *user = NULL;
	int rc = yaml_want_map(r->y, root, "kubeconfig", r->err);

	if (!rc && !context)
		rc = yaml_string(r->y, yaml_get(r->y, root, "current-context"),
				 "current-context", &context, r->err);
	if (!rc && !context)
		rc = yaml_error(r->y, root, r->err,
				"there is no current-context");
	if (!rc)
		rc = find_named(r, "contexts", "context", context, &ctx);
	if (!rc)
		rc = yaml_string(r->y, yaml_get(r->y, ctx, "cluster"),
				 "cluster", &cluster, r->err);
	if (!rc)
		rc = yaml_string(r->y, yaml_get(r->y, ctx, "user"), "user",
				 &user, r->err);
	if (!rc)
		rc = dup_string(r, yaml_get(r->y, ctx, "namespace"),
				"namespace", &r->c->ns);
	if (rc)
		return rc;
	if (!cluster || !user)
		return yaml_error(r->y, ctx, r->err,
				  "context '%s' needs a cluster and a user",
				  context);
	rc = find_named(r, "clusters", "cluster", cluster, &at);
	if (!rc)
		rc = read_cluster(r, at);
	if (!rc)
		rc = find_named(r, "users", "user", user, &n);
	if (!rc)
		rc = read_user(r, n);
	return rc ? rc : read_cluster_config(r, at);
}

int kube_config_parse(const char *path, const char *text, size_t len,
		      const char *context, struct kube_config **out,
		      struct err *err)
{
	_cleanup_(kube_config_freep) struct kube_config *c =
		calloc(1, sizeof(*c));
	_cleanup_yaml_ struct yaml *y = NULL;
	struct reader r;
	int rc;

	if (!c || !(c->source = strdup(path)))
		return err_oom(err);
	rc = yaml_parse(path, text, len, &y, err);
	if (rc)
		return rc;
	r = (struct reader){.y = y, .c = c, .err = err};
	rc = read_context(&r, context);
	if (rc)
		return rc;
	*out = steal_ptr(c);
	return 0;
}

int kube_config_read(int fd, const char *path, const char *context,
		     struct kube_config **out, struct err *err)
{
	char *text = NULL;
	size_t len;
	int rc = fs_read_fd(fd, path, YAML_SIZE_MAX, &text, &len, err);

	if (rc)
		return rc;
	if (fs_world_readable(path))
		log_warn("%s: everybody may read this kubeconfig: chmod 600 it",
			 path);
	rc = kube_config_parse(path, text, len, context, out, err);
	OPENSSL_cleanse(text, len);
	free(text);
	return rc;
}

int kube_config_load(const char *path, const char *context,
		     struct kube_config **out, struct err *err)
{
	_cleanup_close_ int fd = fs_open(path, err);

	return fd < 0 ? fd : kube_config_read(fd, path, context, out, err);
}

static int load_ca(const char *path, struct kube_config *c, struct err *err)
{
	size_t len;

	return fs_read_file(path, PEM_MAX, &c->ca_pem, &len, err);
}

/*
 * The server's URL, or NULL: out of memory. Pods have the address in their
 * environment, and so has slurmctld in a pod; the programs that it runs have
 * not: for them it is the name that each cluster's DNS and each API server's
 * certificate have.
 */
static char *in_cluster_server(void)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST");
	const char *port = getenv("KUBERNETES_SERVICE_PORT");

	if (!host || !*host || !port || !*port)
		return strdup("https://" SA_HOST ":443");
	return str_printf(strchr(host, ':') ? "https://[%s]:%s"
					    : "https://%s:%s",
			  host, port);
}

int kube_config_in_cluster(const char *dir, struct kube_config **out,
			   struct err *err)
{
	_cleanup_(kube_config_freep) struct kube_config *c =
		calloc(1, sizeof(*c));
	_cleanup_free_ char *ca = NULL, *ns = NULL;
	size_t len;
	int rc;

	dir = dir ? dir : SA_DIR;
	ca = str_printf("%s/ca.crt", dir);
	ns = str_printf("%s/namespace", dir);
	if (!c || !ca || !ns)
		return err_oom(err);
	c->source = strdup("inCluster");
	c->server = in_cluster_server();
	c->token_file = str_printf("%s/token", dir);
	if (!c->source || !c->server || !c->token_file)
		return err_oom(err);
	rc = load_ca(ca, c, err);
	if (rc == -ENOENT)
		return err_wrap(err, rc,
				"inCluster: this is not a pod, or one without "
				"its ServiceAccount's token");
	if (rc)
		return err_wrap(err, rc, "inCluster");
	fs_read_file(ns, 256, &c->ns, &len, NULL); /* optional */
	*out = steal_ptr(c);
	return 0;
}
