/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proxy-url of a kubeconfig, taken as client-go takes it
 * (tools/clientcmd/helpers.go, net/http's Transport): http, https and socks5,
 * user and password in the address, port 80, 443 or 1080 when it names none,
 * and socks5 lets the proxy look up names. Any thread; a function with a handle
 * only that handle's.
 */
#ifndef SLURMK8S_KUBE_PROXY_H
#define SLURMK8S_KUBE_PROXY_H

#include <curl/curl.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "kube/kubeconfig.h"

struct kube_proxy {
	char *url;   /* for CURLOPT_PROXY; may have a password; NULL: none */
	char *shown; /* `url` without user and password, for people */
};

/*
 * Parse an address. The caller clears *out. 0; -ENOMEM; -EINVAL with words that
 * hold nothing of `text`, for it may have a password; *out is left alone then.
 */
int kube_proxy_parse(const char *text, struct kube_proxy *out, struct err *err);

/*
 * The proxy to a cluster; both texts NULL: none. The environment's
 * (HTTPS_PROXY) is not used: programs that slurmctld starts do not see it, and
 * what works by hand has to work there. If the environment has one, a line in
 * the log says so. Results as of kube_proxy_parse().
 */
int kube_proxy_of(const struct kube_config *config, struct kube_proxy *out,
		  struct err *err);

/*
 * Set a transfer up with this proxy and no other, whatever the environment
 * says. An https proxy is verified, by what transport_set_tls() says. `p` has
 * to outlive the transfer's try.
 */
void kube_proxy_setup(CURL *easy, const struct kube_proxy *p);

/* The status with which the proxy refused CONNECT (407, 503); else 0. */
int kube_proxy_refusal(CURL *easy);

/* Wipe and free its texts. */
void kube_proxy_clear(struct kube_proxy *p);
#define _cleanup_proxy_ _cleanup_(kube_proxy_clear)

#endif
