/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is given back to malloc holds no credential. This program has its own
 * free() and realloc(), which look; libraries use them, too. (With ASan, which
 * has its own, nothing is looked at.)
 */
#include <malloc.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "kube/cred.h"
#include "kube/headers.h"
#include "kube/plugin.h"
#include "t.h"

#define API "client.authentication.k8s.io/v1"
#define MARK "s3cr3t-" /* secrets are made of it: a piece of one is found */
#define TEN MARK MARK MARK MARK MARK MARK MARK MARK MARK MARK

static volatile bool watching;
static volatile unsigned int left; /* pieces of memory with a secret */

#ifndef __SANITIZE_ADDRESS__
void __libc_free(void *p);

static void look(const void *p)
{
	if (watching && p &&
	    memmem(p, malloc_usable_size((void *)p), MARK, strlen(MARK)))
		left++;
}

void free(void *p)
{
	look(p);
	__libc_free(p);
}

void *realloc(void *p, size_t size)
{
	void *other = malloc(size ? size : 1);
	size_t had = p ? malloc_usable_size(p) : 0;

	if (other && p)
		memcpy(other, p, had < size ? had : size);
	if (other)
		free(p);
	return other;
}
#endif

static void that_it_is_noticed(void)
{
#ifndef __SANITIZE_ADDRESS__
	watching = true;
	free(strdup(TEN));
	watching = false;
	T_INT(left, 1);
#endif
	left = 0;
}

/* (its environment and its words are the kubeconfig's) */
static void what_a_plugin_prints_and_is_told(void)
{
	char *argv[] = {
		(char *)t_script("plugin",
				 "#!/bin/sh\nm=s3cr3t\n"
				 "t=$(printf \"$m-%.0s\" $(seq 999))\n"
				 "printf '{\"apiVersion\":\"" API
				 "\",\"kind\":\"ExecCredential\","
				 "\"status\":{\"token\":\"%s\","
				 "\"clientCertificateData\":\"C\","
				 "\"clientKeyData\":\"%s\\\\n%s\\\\n\"}}"
				 "' $t $t $t\n"),
		NULL};
	struct kube_exec x = {
		.argv = argv, .api_version = (char *)API, .cluster_info = true};
	const struct kube_config config = {
		.source = (char *)"kubeconfig",
		.server = (char *)"https://k",
		.proxy_url = (char *)"http://joe:" TEN "@p:1",
		.exec = &x};
	struct kube_cred *c;
	struct kube_secret s = {0};
	struct err err = {0};
	int rc;

	watching = true;
	c = kube_cred_new(&config);
	rc = kube_cred_get(c, &s, &err);
	T_INT(rc, 0);
	T_INT(s.token ? strlen(s.token) : 0, 999 * strlen(MARK));
	T_INT(s.key_pem ? strlen(s.key_pem) : 0, 2 * 999 * strlen(MARK) + 2);
	kube_cred_free(c);
	watching = false;
	T_STR(err.msg, "");
	T_INT(left, 0);
	left = 0;
}

static void what_is_refused_of_it(void)
{
	static const char *const rows[] = {
		"{\"apiVersion\":\"" API "\",\"kind\":\"ExecCredential\","
		"\"status\":{\"token\":\"" TEN "\\u0007" TEN "\"}}",
		"{\"apiVersion\":\"x\",\"list\":[\"" TEN "\",\"" TEN "\"]}",
		"{\"token\":\"" TEN "\",\"x\":tru}",
		"{\"token\":\"" TEN,
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		char *token = NULL, *cert = NULL, *key = NULL;
		struct err err = {0};
		int64_t expires;

		t_row("%zu", i);
		watching = true;
		kube_cred_parse_exec(rows[i], strlen(rows[i]), API, &token,
				     &cert, &key, &expires, &err);
		watching = false;
		T_OK(err.code);
		T_INT(left, 0);
		left = 0;
	}
}

static void what_a_file_has_and_a_request(void)
{
	const struct kube_config config = {
		.token_file = (char *)t_write("token", TEN TEN TEN "\n")};
	const struct kube_request r = {.method = "GET", .path = "/"};
	struct kube_cred *c;
	struct kube_secret s = {0};
	struct err err = {0};

	watching = true;
	c = kube_cred_new(&config);
	T_INT(kube_cred_get(c, &s, &err), 0);
	headers_free(headers_make(&r, &s));
	kube_cred_free(c);
	watching = false;
	T_INT(left, 0);
	left = 0;
}

T_MAIN("wipe", T(that_it_is_noticed), T(what_a_plugin_prints_and_is_told),
       T(what_is_refused_of_it), T(what_a_file_has_and_a_request))
