/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kube/proxy.h"

#include <openssl/crypto.h>
#include <string.h>

#include "base/log.h"

/* client-go's schemes, with libcurl's name for each, and net/http's port. */
static const struct {
	const char *name, *curl, *port;
} schemes[] = {
	{"http", "http", "80"},
	{"https", "https", "443"},
	{"socks5", "socks5h", "1080"},
};

DEFINE_CLEANUP(CURLU, urlp, curl_url_cleanup)

static void free_secret(char *s)
{
	if (s)
		OPENSSL_cleanse(s, strlen(s));
	free(s);
}

void kube_proxy_clear(struct kube_proxy *p)
{
	free_secret(p->url);
	free(p->shown);
	*p = (struct kube_proxy){0};
}

/* The whole URL, to be freed with free(); NULL: out of memory. */
static char *whole_url(CURLU *u)
{
	char *s = NULL, *copy;

	if (curl_url_get(u, CURLUPART_URL, &s, CURLU_NON_SUPPORT_SCHEME))
		return NULL;
	copy = strdup(s);
	OPENSSL_cleanse(s, strlen(s));
	curl_free(s);
	return copy;
}

/* The index of the URL's scheme in schemes[]; -1: none of them. */
static int scheme_of(CURLU *u)
{
	char *s = NULL;
	int at = -1;

	if (curl_url_get(u, CURLUPART_SCHEME, &s, 0))
		return -1;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (!strcmp(s, schemes[i].name))
			at = (int)i;
	curl_free(s);
	return at;
}

/*
 * Leave only the proxy in the URL, with a port. A path leads nowhere in
 * net/http, either; libcurl would take the path of a socks proxy on localhost
 * for a socket's.
 */
static bool only_the_proxy(CURLU *u, int scheme)
{
	char *port = NULL;
	bool ok = true;

	if (curl_url_get(u, CURLUPART_PORT, &port, 0))
		ok = !curl_url_set(u, CURLUPART_PORT, schemes[scheme].port, 0);
	curl_free(port);
	return ok &&
	       !curl_url_set(u, CURLUPART_SCHEME, schemes[scheme].curl,
			     CURLU_NON_SUPPORT_SCHEME) &&
	       !curl_url_set(u, CURLUPART_PATH, NULL, 0) &&
	       !curl_url_set(u, CURLUPART_QUERY, NULL, 0) &&
	       !curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
}

/*
 * True if a password has a '/' in it: the part before that would pass for a
 * host.
 */
static bool is_cut_short(const char *text)
{
	const char *host = strstr(text, "://") + strlen("://");

	return strchr(host + strcspn(host, "/?#"), '@') != NULL;
}

/*
 * True if the host has a '%', which client-go takes in IPv6 addresses only.
 * libcurl's answer to one depends on its version.
 */
static bool has_escaped_host(const char *text)
{
	const char *host = strstr(text, "://") + strlen("://");
	const char *end = host + strcspn(host, "/?#");
	const char *at = memrchr(host, '@', (size_t)(end - host));

	if (at)
		host = at + 1;
	return *host != '[' && memchr(host, '%', (size_t)(end - host));
}

int kube_proxy_parse(const char *text, struct kube_proxy *out, struct err *err)
{
	_cleanup_(urlp) CURLU *u = curl_url();
	_cleanup_proxy_ struct kube_proxy p = {0};
	int scheme;

	if (!u)
		return err_oom(err);
	if (!strstr(text, "://") || is_cut_short(text) ||
	    has_escaped_host(text) ||
	    curl_url_set(u, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME) ||
	    (scheme = scheme_of(u)) < 0)
		return err_set(err, -EINVAL,
			       "proxy-url must be http://HOST:PORT, "
			       "https://HOST:PORT or socks5://HOST:PORT, with "
			       "USER:PASSWORD@ before HOST if need be (a '/' "
			       "in these is %%2F)");
	if (!only_the_proxy(u, scheme))
		return err_oom(err);
	p.url = whole_url(u);
	if (!p.url || curl_url_set(u, CURLUPART_USER, NULL, 0) ||
	    curl_url_set(u, CURLUPART_PASSWORD, NULL, 0) ||
	    curl_url_set(u, CURLUPART_SCHEME, schemes[scheme].name,
			 CURLU_NON_SUPPORT_SCHEME))
		return err_oom(err);
	p.shown = whole_url(u);
	if (!p.shown)
		return err_oom(err);
	out->url = steal_ptr(p.url);
	out->shown = steal_ptr(p.shown);
	return 0;
}

static bool is_set(const char *name)
{
	const char *s = getenv(name);

	return s && *s;
}

int kube_proxy_of(const struct kube_config *config, struct kube_proxy *out,
		  struct err *err)
{
	int rc = 0;

	if (config->proxy_url && *config->proxy_url)
		rc = kube_proxy_parse(config->proxy_url, out, err);
	else if (is_set("HTTPS_PROXY") || is_set("https_proxy"))
		log_info("%s: HTTPS_PROXY of the environment is not used; "
			 "proxy-url of the kubeconfig's cluster would be",
			 config->source);
	return rc ? err_wrap(err, rc, "%s", config->source) : 0;
}

void kube_proxy_setup(CURL *e, const struct kube_proxy *p)
{
	/* An unset option would let libcurl ask the environment. */
	curl_easy_setopt(e, CURLOPT_PROXY, p->url ? p->url : "");
	curl_easy_setopt(e, CURLOPT_NOPROXY, "");
	if (!p->url)
		return;
	curl_easy_setopt(e, CURLOPT_PROXY_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(e, CURLOPT_PROXY_SSL_VERIFYHOST, 2L);
	curl_easy_setopt(e, CURLOPT_PROXY_SSLVERSION,
			 (long)CURL_SSLVERSION_TLSv1_2);
}

int kube_proxy_refusal(CURL *e)
{
	long code = 0;

	curl_easy_getinfo(e, CURLINFO_HTTP_CONNECTCODE, &code);
	return code < 200 || code > 299 ? (int)code : 0;
}
