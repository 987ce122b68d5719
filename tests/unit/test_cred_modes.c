/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cred_modes.h"
#include "t.h"

#define KEY "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"

/* Which of these is everybody's: "kubeconfig", "token", "key", or "none". */
static const char *whose(const char *user, mode_t kubeconfig, mode_t token,
			 mode_t key)
{
	static const char *const names[] = {"kubeconfig", "token", "key"};
	const mode_t modes[] = {kubeconfig, token, key};
	_cleanup_free_ char *text =
		str_printf("current-context: c\ncontexts: [{name: c, context: "
			   "{cluster: c, "
			   "user: u}}]\nclusters: [{name: c, cluster: {server: "
			   "'https://k'}}]\nusers: [{name: u, user: %s}]\n",
			   user);
	_cleanup_(kube_config_freep) struct kube_config *c = NULL;
	_cleanup_free_ char *path = strdup(t_write("kubeconfig", text));
	struct err err = {0};
	const char *found;

	t_write("token", "secret");
	t_write("key", KEY);
	t_write("crt", KEY);
	for (size_t i = 0; i < T_COUNT(names); i++)
		T_INT(chmod(t_path(names[i]), modes[i]), 0);
	T_INT(kube_config_load(path, NULL, &c, &err), 0);
	T_STR(err.msg, "");
	found = c ? cred_everybodys(c, path) : NULL;
	for (size_t i = 0; found && i < T_COUNT(names); i++)
		if (str_eq(found, t_path(names[i])))
			return names[i];
	return found ? found : "none";
}

static void each_file_with_a_secret_is_looked_at(void)
{
	static const char token[] = "{token: abc}";
	static const char token_file[] = "{tokenFile: token}";
	static const char key[] = "{client-certificate: crt, client-key: key}";
	static const char exec[] =
		"{exec: {command: a, apiVersion: "
		"client.authentication.k8s.io/v1, interactiveMode: Never}}";
	static const struct {
		const char *user, *whose;
		mode_t kubeconfig, token, key;
	} rows[] = {
		{token, "kubeconfig", 0644, 0600, 0600},
		{token, "none", 0640, 0644, 0644},
		/* there is nothing secret in the kubeconfig then */
		{token_file, "none", 0644, 0600, 0644},
		{token_file, "token", 0644, 0644, 0600},
		{token_file, "token", 0600, 0604, 0600},
		{key, "key", 0600, 0600, 0644},
		{key, "none", 0644, 0644, 0640},
		{exec, "none", 0644, 0644, 0644},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%zu", i);
		T_STR(whose(rows[i].user, rows[i].kubeconfig, rows[i].token,
			    rows[i].key),
		      rows[i].whose);
	}
}

static void what_is_not_there_is_nobodys(void)
{
	struct kube_config c = {.token_file = (char *)"/nowhere/token",
				.key_file = (char *)"/nowhere/key"};

	T_OK(!cred_everybodys(&c, "/nowhere/kubeconfig"));
}

/* SlurmUser would read it no more, if only others lost their rights. */
static void the_fix_leaves_it_to_slurmuser(void)
{
	static const struct {
		uid_t uid;
		gid_t gid;
		mode_t mode;
		const char *fix;
	} rows[] = {
		{0, 0, 0644, "chmod o= "},
		{1, 1, 0644, "chown root "},
		{1, 0, 0644, "chmod o= "},
		{1, 0, 0604, "chown root "},
	};

	if (geteuid())
		return; /* only root can give a file away */
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *path = strdup(t_write("token", "secret"));
		char fix[1024];

		t_row("%zu", i);
		T_INT(chmod(path, rows[i].mode), 0);
		T_INT(chown(path, rows[i].uid, rows[i].gid), 0);
		cred_modes_fix(path, fix, sizeof(fix));
		T_HAS(fix, rows[i].fix);
		T_HAS(fix, path);
		T_INT(chown(path, 0, 0), 0);
	}
}

T_MAIN("cred_modes", T(each_file_with_a_secret_is_looked_at),
       T(the_fix_leaves_it_to_slurmuser), T(what_is_not_there_is_nobodys))
