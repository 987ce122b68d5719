/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurm-k8s check says of an API server, by its own answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api_server.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "fault.h"
#include "kube_checks.h"

#define DAY_MS (24 * 3600 * 1000LL)
/* An answer to GET /version, with more members of the rule. */
#define VERSION(version, more)                                                 \
	"'rules':[{'path':'^/version','times':9,'do':'raw','code':200,"        \
	"'body':'{\\\'gitVersion\\\':\\\'" version "\\\'}'" more "}]"

/* Check this server; the caller clears. */
static struct findings checked(const char *kubeconfig)
{
	struct cluster_config cluster = {.name = (char *)"prod",
					 .kubeconfig = (char *)kubeconfig,
					 .ns = (char *)"ns"};
	const struct config config = {.clusters = &cluster, .n_clusters = 1};
	const struct kube_facts facts = {.config = &config,
					 .slurm_cluster = "site"};
	struct findings found = {0};

	kube_checks(&facts, &cluster, &found);
	return found;
}

/* True if this check says so. */
static bool says(const struct findings *f, enum finding_state state,
		 const char *check, const char *words)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].state == state && str_eq(f->v[i].check, check) &&
		    strstr(f->v[i].text, words))
			return true;
	return false;
}

/*
 * No pod was taken, nor is there a nodeset: the clock is judged nevertheless.
 * The server plays to be an hour off by its Date.
 */
static void its_clock_is_looked_at_whatever_it_takes(void)
{
	static const struct {
		const char *skew, *words;
		enum finding_state state;
	} rows[] = {
		{"", "as this machine's", FINDING_OK},
		{",'skew':3600", "s ahead of this machine's", FINDING_WRONG},
		{",'skew':-3600", "s behind this machine's", FINDING_WRONG},
		{",'skew':3600,'code':403", "s ahead of", FINDING_WRONG},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct findings f;

		t_row("%s", rows[i].skew);
		fault_script(
			"'rules':[{'path':'^/version','times':9,'do':'raw',"
			"'code':200,'body':'{}'%s}]",
			rows[i].skew);
		f = checked(fault()->kubeconfig);
		T_OK(says(&f, rows[i].state, "clock", rows[i].words));
		T_OK(says(&f, FINDING_OK, "API server", "cluster prod: "));
		findings_clear(&f);
	}
}

static void its_release_is_looked_at(void)
{
	struct findings f;

	fault_script(VERSION("v1.32.5", ""));
	f = checked(fault()->kubeconfig);
	T_OK(says(&f, FINDING_WARN, "API server",
		  "Kubernetes v1.32.5 is older than 1.33"));
	findings_clear(&f);
	fault_script(VERSION("v1.33.0", ""));
	f = checked(fault()->kubeconfig);
	T_OK(!says(&f, FINDING_WARN, "API server", ""));
	findings_clear(&f);
}

/* It was made for two days. */
static void its_certificate_is_seen_in_the_handshake(void)
{
	const struct cluster_config k = {.name = (char *)"prod",
					 .kubeconfig =
						 (char *)fault()->kubeconfig,
					 .ns = (char *)"ns"};
	_cleanup_api_ struct api_server s = {0};
	struct api_answer a = {0};
	struct kube_request req = api_request("GET", "/version", &a);
	const int64_t now = clock_real_ms();
	struct err err = {0};
	struct kube_validity ca;

	fault_script(VERSION("v1.33.0", ""));
	T_INT(api_open(&s, &k, &err), 0);
	req.peer = true;
	api_ask(&s, &req, &a);
	T_INT(a.http, 200);
	T_OK(a.peer.cert.from_ms <= now);
	T_OK(a.peer.cert.to_ms > now + DAY_MS);
	T_OK(a.peer.cert.to_ms < now + 3 * DAY_MS);
	ca = kube_validity_last(s.config->ca_pem);
	T_OK(ca.to_ms > now + DAY_MS && ca.to_ms < now + 3 * DAY_MS);
	free(a.body);
	/* who does not ask does not get it */
	a = (struct api_answer){0};
	req = api_request("GET", "/version", &a);
	api_ask(&s, &req, &a);
	T_OK(a.peer.cert.to_ms == INT64_MAX && a.peer.date_ms == -1);
	free(a.body);
}

/* base64url of {"exp":N}; N has ten digits. */
static char *token_until(int64_t s)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				      "opqrstuvwxyz0123456789-_";
	_cleanup_free_ char *claims =
		str_printf("{\"exp\":%lld}\n", (long long)s);
	char text[64] = "";
	size_t n = 0;

	for (size_t i = 0; i + 2 < strlen(claims); i += 3) {
		const unsigned int v = (unsigned int)claims[i] << 16 |
				       (unsigned int)claims[i + 1] << 8 |
				       (unsigned int)claims[i + 2];

		for (int shift = 18; shift >= 0; shift -= 6)
			text[n++] = letters[v >> shift & 63];
	}
	return str_printf("e30.%s.x", text);
}

/* The server's own kubeconfig, with another token. */
static char *kubeconfig_with(const char *token)
{
	_cleanup_free_ char *text = str_printf(
		"current-context: c\ncontexts: [{name: c, context: {cluster: "
		"c, "
		"user: u}}]\nclusters: [{name: c, cluster: {server: "
		"'https://127.0.0.1:%d', certificate-authority: %s}}]\n"
		"users: [{name: u, user: {token: '%s'}}]\n",
		fault()->port, fault()->ca, token);
	char *path = strdup(t_write("kubeconfig", text));

	if (!path || chmod(path, 0600))
		abort();
	return path;
}

static void a_token_that_nobody_renews_is_told(void)
{
	static const struct {
		int64_t hours;
		enum finding_state state;
		const char *words;
	} rows[] = {
		{12, FINDING_WARN,
		 "it expires in 11 hours, and nobody renews it"},
		{24 * 30, FINDING_OK, "it expires in 29 days"},
		{-5, FINDING_WRONG, "it expired 5 hours ago"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *token = token_until(
			clock_real_ms() / 1000 + rows[i].hours * 3600 - 30);
		_cleanup_free_ char *path = kubeconfig_with(token);
		struct findings f;

		t_row("%lld h", (long long)rows[i].hours);
		fault_script(VERSION("v1.33.0", ""));
		f = checked(path);
		T_OK(says(&f, rows[i].state, "credential", rows[i].words));
		findings_clear(&f);
	}
}

T_MAIN("fault_checks", T(its_clock_is_looked_at_whatever_it_takes),
       T(its_release_is_looked_at), T(its_certificate_is_seen_in_the_handshake),
       T(a_token_that_nobody_renews_is_told))
