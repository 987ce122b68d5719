/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * At exit(), threads of ours may still use OpenSSL: it must have asked for no
 * handler then. What comes first is what a plugin in slurmctld does first.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "base/digest.h"
#include "config/config.h"
#include "kube/client.h"
#include "t.h"

static atomic_uint handlers; /* of libcrypto and libssl */

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
/* (libcrypto is to find it) */
__attribute__((visibility("default"))) int __cxa_atexit(void (*fn)(void *),
							void *arg, void *dso);
int __cxa_atexit(void (*fn)(void *), void *arg, void *dso)
{
	int (*real)(void (*)(void *), void *, void *);
	Dl_info info;

	*(void **)&real = dlsym(RTLD_NEXT, "__cxa_atexit");
	if (dladdr(*(void **)&fn, &info) && info.dli_fname &&
	    (strstr(info.dli_fname, "libcrypto") ||
	     strstr(info.dli_fname, "libssl")))
		atomic_fetch_add(&handlers, 1);
	return real(fn, arg, dso);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static const char yaml[] =
	"clusters: [{name: c, kubeconfig: kube, namespace: ns}]\n"
	"nodesets:\n"
	"- {name: cpu, cluster: c, nodes: 'cpu-[0-3]',\n"
	"   podTemplate: {spec: {containers: [{name: slurmd, image: i}]}}}\n";

static void it_does_nothing_at_exit(void)
{
	struct kube_config made = {.source = (char *)"inCluster",
				   .server = (char *)"https://k:6443"};
	struct kube_client *client = NULL;
	struct config *c = NULL;
	int (*const ours)(void (*)(void *), void *, void *) = __cxa_atexit;
	struct err err = {0};

	T_OK(dlsym(RTLD_DEFAULT, "__cxa_atexit") == *(void **)&ours);
	T_INT(config_load(t_write("k8s.yaml", yaml), &c, &err), 0);
	T_STR(err.msg, "");
	T_INT(atomic_load(&handlers), 0);
	T_INT(kube_client_new(&made, NULL, &client, &err), 0);
	T_STR(err.msg, "");
	T_INT(atomic_load(&handlers), 0);
	kube_client_free(client);
	config_free(c);
}

T_MAIN("openssl", T(it_does_nothing_at_exit))
