/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/plugin.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/str.h"

#define PASSWD_MAX (64 * 1024)
/* bytes: more than YAML_SIZE_MAX in its longest form */
#define INFO_MAX (8u << 20)
#define FILLED_IN 4 /* PATH, HOME, USER, LOGNAME */

static const char *our_path(void)
{
	const char *path = getenv("PATH");

	return path && *path ? path : PLUGIN_PATH;
}

static bool is_program(const char *file)
{
	struct stat st;

	return !stat(file, &st) && S_ISREG(st.st_mode) && !access(file, X_OK);
}

int kube_plugin_find(const char *command, char **out, struct err *err)
{
	const char *path = our_path();

	if (strchr(command, '/')) {
		*out = strdup(command);
		return *out ? 0 : err_oom(err);
	}
	for (const char *p = path; *p; p += strspn(p, ":")) {
		size_t len = strcspn(p, ":");
		_cleanup_free_ char *file =
			str_printf("%.*s/%s", (int)len, p, command);

		if (!file)
			return err_oom(err);
		/*
		 * A relative folder of PATH would be one of slurmctld's working
		 * directory.
		 */
		if (*p == '/' && is_program(file)) {
			*out = steal_ptr(file);
			return 0;
		}
		p += len;
	}
	return err_set(err, -ENOENT,
		       "%s: not in %s: give its whole path in the kubeconfig",
		       command, path);
}

static int set_text(json_object *o, const char *key, const char *val)
{
	return val ? jx_set_str(o, key, val) : 0;
}

/* Add the member "cluster" of what a plugin is told. */
static int add_cluster(json_object *spec, const struct kube_config *c)
{
	json_object *cl = jx_need(spec, "cluster", json_type_object);
	_cleanup_free_ char *ca = NULL;
	int bad;

	if (c->ca_pem && !(ca = b64_encode(c->ca_pem, strlen(c->ca_pem))))
		return -ENOMEM;
	bad = !cl || set_text(cl, "server", c->server) ||
	      set_text(cl, "tls-server-name", c->tls_server_name) ||
	      set_text(cl, "certificate-authority-data", ca);
	if (!bad && c->exec->cluster_config)
		bad = jx_set(cl, "config",
			     json_object_get(c->exec->cluster_config));
	return bad ? -ENOMEM : 0;
}

#define CLUSTER "\"cluster\":{"

/* Append a string of JSON, in its quotes. */
static int add_string(struct buf *b, const char *text)
{
	int rc = buf_add(b, "\"", 1);

	for (; !rc && *text; text++) {
		if ((unsigned char)*text < ' ')
			rc = buf_addf(b, "\\u%04x", *text);
		else if (*text == '"' || *text == '\\')
			rc = buf_addf(b, "\\%c", *text);
		else
			rc = buf_add(b, text, 1);
	}
	return rc ? rc : buf_add(b, "\"", 1);
}

/*
 * The variable KUBERNETES_EXEC_INFO, with the proxy's address put in: that may
 * have a password, and json-c would leave copies of it behind.
 */
static char *with_proxy(const char *json, const char *proxy)
{
	_cleanup_buf_ struct buf b = BUF_SECRET(INFO_MAX);
	const char *at = proxy ? strstr(json, CLUSTER) : NULL;
	int bad = buf_addf(&b, "KUBERNETES_EXEC_INFO=%.*s",
			   at ? (int)(at + strlen(CLUSTER) - json) : 0, json);

	if (at) {
		bad |= buf_addf(&b, "\"proxy-url\":");
		bad |= add_string(&b, proxy);
		bad |= buf_add(&b, ",", 1); /* `server` follows in any case */
		json = at + strlen(CLUSTER);
	}
	bad |= buf_add(&b, json, strlen(json));
	return bad ? NULL : steal_ptr(b.data);
}

static char *exec_info(const struct kube_config *c)
{
	_cleanup_json_ json_object *o = json_object_new_object();
	json_object *spec;

	if (!o || jx_set_str(o, "apiVersion", c->exec->api_version) ||
	    jx_set_str(o, "kind", "ExecCredential"))
		return NULL;
	spec = jx_need(o, "spec", json_type_object);
	if (!spec || jx_set(spec, "interactive", json_object_new_boolean(0)))
		return NULL;
	if (c->exec->cluster_info && add_cluster(spec, c))
		return NULL;
	return with_proxy(
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN),
		c->exec->cluster_info ? c->proxy_url : NULL);
}

static bool has_name(char *const *env, const char *entry)
{
	size_t len = strcspn(entry, "=") + 1;

	for (; *env; env++)
		if (!strncmp(*env, entry, len))
			return true;
	return false;
}

/* Append the entry unless there is one of its name. False: out of memory. */
static bool add(char **env, const char *entry)
{
	if (!entry)
		return false;
	if (has_name(env, entry))
		return true;
	while (*env)
		env++;
	*env = strdup(entry);
	return *env != NULL;
}

static bool add_pair(char **env, const char *name, const char *value)
{
	_cleanup_free_ char *entry = str_printf("%s=%s", name, value);

	return add(env, entry);
}

/* HOME, USER and LOGNAME from NSS; a user that it does not know has none. */
static bool add_user(char **env)
{
	_cleanup_free_ char *buf = NULL;
	struct passwd pw, *found = NULL;

	if (has_name(env, "HOME") && has_name(env, "USER") &&
	    has_name(env, "LOGNAME"))
		return true;
	buf = malloc(PASSWD_MAX);
	if (!buf)
		return false;
	if (getpwuid_r(geteuid(), &pw, buf, PASSWD_MAX, &found) || !found)
		return true;
	return add_pair(env, "HOME", pw.pw_dir) &&
	       add_pair(env, "USER", pw.pw_name) &&
	       add_pair(env, "LOGNAME", pw.pw_name);
}

static size_t count(char *const *env)
{
	size_t n = 0;

	while (env && env[n])
		n++;
	return n;
}

char **kube_plugin_environ(const struct kube_config *c)
{
	const size_t n = count(environ);
	_cleanup_(kube_plugin_environ_freep) char **env = calloc(
		1 + count(c->exec->env) + n + FILLED_IN + 1, sizeof(char *));
	bool ok = env && (env[0] = exec_info(c));

	for (char **e = c->exec->env; ok && e && *e; e++)
		ok = add(env, *e);
	/*
	 * slurmctld may have added a variable meanwhile: there is room for n.
	 */
	for (size_t i = 0; ok && i < n && environ[i]; i++)
		ok = add(env, environ[i]);
	ok = ok && add_pair(env, "PATH", PLUGIN_PATH) && add_user(env);
	return ok ? steal_ptr(env) : NULL;
}

void kube_plugin_environ_free(char **env)
{
	for (char **e = env; e && *e; e++) {
		OPENSSL_cleanse(*e, strlen(*e));
		free(*e);
	}
	free(env);
}
