/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a credential plugin is started with. slurmctld starts our programs with
 * next to no environment, and plugins want one: what is missing is filled in,
 * so a plugin finds the same in the engine and in the programs. Any thread
 * while no other one changes the environment; I/O.
 */
#ifndef SLURMK8S_KUBE_PLUGIN_H
#define SLURMK8S_KUBE_PLUGIN_H

#include "base/cleanup.h"
#include "kube/kubeconfig.h"

/* Where a bare command name is looked for when we have no PATH. */
#define PLUGIN_PATH                                                            \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * Find the file of a plugin's command: itself if it holds a slash, else the
 * first executable file of that name in PATH (its absolute folders; PLUGIN_PATH
 * where we have none). The caller frees *out. I/O. 0; -ENOENT with words;
 * -ENOMEM.
 */
int kube_plugin_find(const char *command, char **out, struct err *err);

/*
 * The plugin's environment: KUBERNETES_EXEC_INFO, the plugin's own `env`, our
 * environment, and PATH, HOME, USER and LOGNAME where all these have none. The
 * caller frees with kube_plugin_environ_free(). NULL: out of memory. May ask
 * NSS for our user: I/O.
 */
char **kube_plugin_environ(const struct kube_config *c);
/* Free all texts and the list. NULL: nothing. */
void kube_plugin_environ_free(char **env);
DEFINE_CLEANUP(char *, kube_plugin_environ_freep, kube_plugin_environ_free)

#endif
