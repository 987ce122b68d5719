/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a credential plugin gets where we have nothing: as slurmctld's programs.
 */
#include <errno.h>
#include <pwd.h>
#include <string.h>

#include "base/str.h"
#include "kube/plugin.h"
#include "t.h"

static char *none[] = {NULL};

static const char *value(char **env, const char *name)
{
	size_t len = strlen(name);

	for (; env && *env; env++)
		if (str_starts(*env, name) && (*env)[len] == '=')
			return *env + len + 1;
	return NULL;
}

static void what_is_missing_is_filled_in(void)
{
	struct kube_exec x = {.env = none, .api_version = (char *)"v1"};
	struct kube_config k = {.exec = &x};
	_cleanup_(kube_plugin_environ_freep) char **env = NULL;
	const struct passwd *pw = getpwuid(geteuid());
	char **ours = environ;

	environ = none;
	env = kube_plugin_environ(&k);
	environ = ours;
	T_NEED(env && pw);
	T_STR(value(env, "PATH"), PLUGIN_PATH);
	T_STR(value(env, "HOME"), pw->pw_dir);
	T_STR(value(env, "USER"), pw->pw_name);
	T_STR(value(env, "LOGNAME"), pw->pw_name);
	T_HAS(value(env, "KUBERNETES_EXEC_INFO"), "ExecCredential");
}

static void what_is_there_stays_and_the_kubeconfigs_wins(void)
{
	char *own[] = {(char *)"HOME=/its/home", (char *)"A=its", NULL};
	char *inherited[] = {(char *)"PATH=/our/bin", (char *)"HOME=/our/home",
			     (char *)"A=ours", (char *)"AB=ours", NULL};
	struct kube_exec x = {.env = own, .api_version = (char *)"v1"};
	struct kube_config k = {.exec = &x};
	_cleanup_(kube_plugin_environ_freep) char **env = NULL;
	char **ours = environ;

	environ = inherited;
	env = kube_plugin_environ(&k);
	environ = ours;
	T_NEED(env != NULL);
	T_STR(value(env, "PATH"), "/our/bin");
	T_STR(value(env, "HOME"), "/its/home");
	T_STR(value(env, "A"), "its");
	T_STR(value(env, "AB"), "ours");
}

static void a_plugin_learns_all_of_its_cluster(void)
{
	struct kube_exec x = {.env = none,
			      .api_version = (char *)"v1",
			      .cluster_info = true,
			      .cluster_config = t_parse("{\"audience\": 1}")};
	struct kube_config k = {.exec = &x,
				.server = (char *)"https://k:6443",
				.tls_server_name = (char *)"kube",
				.proxy_url = (char *)"http://p:1",
				.ca_pem = (char *)"CA\n"};
	_cleanup_(kube_plugin_environ_freep) char **env =
		kube_plugin_environ(&k);
	_cleanup_json_ json_object *o = NULL;

	T_NEED(env && value(env, "KUBERNETES_EXEC_INFO"));
	o = t_parse(value(env, "KUBERNETES_EXEC_INFO"));
	T_JSON(jx_get(o, "spec", "cluster"),
	       "{\"server\": \"https://k:6443\", \"tls-server-name\": \"kube\","
	       " \"proxy-url\": \"http://p:1\","
	       " \"certificate-authority-data\": \"Q0EK\","
	       " \"config\": {\"audience\": 1}}");
	json_object_put(x.cluster_config);
}

static void find(const char *path, const char *command, const char *want)
{
	_cleanup_free_ char *file = NULL, *before = NULL;
	struct err err = {0};
	int rc;

	before = strdup(getenv("PATH"));
	path ? setenv("PATH", path, 1) : unsetenv("PATH");
	rc = kube_plugin_find(command, &file, &err);
	setenv("PATH", before, 1);
	t_row("%s in %s", command, path ? path : "no PATH");
	T_INT(rc, want ? 0 : -ENOENT);
	T_STR(file, want);
	if (!want)
		T_HAS(err.msg, "give its whole path in the kubeconfig");
}

static void a_command_is_looked_for_in_path_or_in_fixed_places(void)
{
	_cleanup_free_ char *dir = strdup(t_path(""));
	_cleanup_free_ char *two = str_printf("/nowhere::%s", dir);
	_cleanup_free_ char *file = str_printf("%s/k8s-login", dir);

	t_script("k8s-login", "#!/bin/sh\n");
	t_write("text", "no program");
	find(dir, "k8s-login", file);
	find(two, "k8s-login", file);
	find(dir, "text", NULL);
	find(".:bin", "k8s-login", NULL);
	find(dir, "x/k8s-login", "x/k8s-login");
	find(dir, "/x/k8s-login", "/x/k8s-login");
	find(NULL, "k8s-login", NULL);
	find(NULL, "sh", "/usr/bin/sh");
	find("", "sh", "/usr/bin/sh");
}

T_MAIN("plugin", T(what_is_missing_is_filled_in),
       T(what_is_there_stays_and_the_kubeconfigs_wins),
       T(a_plugin_learns_all_of_its_cluster),
       T(a_command_is_looked_for_in_path_or_in_fixed_places))
