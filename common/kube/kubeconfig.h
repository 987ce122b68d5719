/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to reach one Kubernetes cluster and who we are there: read from a
 * kubeconfig file (the format of kubectl's config, kubernetes.io "Organizing
 * Cluster Access Using kubeconfig Files") or from a pod's own ServiceAccount.
 *
 * What we refuse with words: plain http, insecure-skip-tls-verify, passwords,
 * legacy auth-provider blocks, impersonation. Any thread; a configuration does
 * not change once it is read.
 */
#ifndef SLURMK8S_KUBE_KUBECONFIG_H
#define SLURMK8S_KUBE_KUBECONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "json/json.h"

/* A credential plugin: client.authentication.k8s.io, v1 or v1beta1. */
struct kube_exec {
	char **argv; /* NULL-terminated */
	char **env;  /* "NAME=value", added to our own; NULL-terminated */
	char *api_version;
	bool cluster_info;	     /* provideClusterInfo */
	json_object *cluster_config; /* for the plugin; NULL: none */
};

/*
 * A cluster and a user. Texts are owned; NULL where absent. Keys and tokens are
 * secrets.
 */
struct kube_config {
	char *source;	       /* the file, for messages, or "inCluster" */
	char *server;	       /* https://host:port[/prefix] */
	char *tls_server_name; /* name to verify instead of the host's */
	char *proxy_url;       /* see kube/proxy.h; may hold a password */
	char *ns;	       /* the context's namespace */
	char *ca_pem;
	char *cert_pem;
	char *key_pem;
	char *key_file; /* file that key_pem is from; NULL: inline */
	char *token;
	char *token_file;
	struct kube_exec *exec;
};

/*
 * Read `path`; `context` NULL means its current-context. Warns in the log when
 * others may read the file. The caller frees *out. I/O: not in a callback of
 * slurmctld. 0; -EINVAL with file:line:column; -ENOMEM; or what fs_read_file()
 * gives for it and the files that it names.
 */
int kube_config_load(const char *path, const char *context,
		     struct kube_config **out, struct err *err);

/*
 * Read a file that is open, with results as of kube_config_load(); `fd` stays
 * open. `path` is its name, by which relative paths in it are found.
 */
int kube_config_read(int fd, const char *path, const char *context,
		     struct kube_config **out, struct err *err);

/*
 * Read a text, with results as of kube_config_load(). For kubeconfig.c, tests
 * and fuzzing.
 */
int kube_config_parse(const char *path, const char *text, size_t len,
		      const char *context, struct kube_config **out,
		      struct err *err);

/*
 * Read what a pod has: the ServiceAccount's token, ca.crt and namespace in
 * `dir` (NULL: the usual /var/run/secrets/kubernetes.io/serviceaccount), and
 * the address in the environment's KUBERNETES_SERVICE_HOST and _PORT, or, where
 * these are not set, https://kubernetes.default.svc:443. The caller frees *out.
 * I/O. 0; -ENOENT: this is no pod; -ENOMEM; or what fs_read_file() gives.
 */
int kube_config_in_cluster(const char *dir, struct kube_config **out,
			   struct err *err);

/*
 * True if both lead to one server as one user. `source`, `key_file` and `ns` do
 * not count.
 */
bool kube_config_same(const struct kube_config *a, const struct kube_config *b);

/* Wipe its secrets, and free it. NULL: nothing. */
void kube_config_free(struct kube_config *c);
DEFINE_CLEANUP(struct kube_config, kube_config_freep, kube_config_free)

#endif
