/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom a client trusts: the CA of its kubeconfig, and nobody else. */
#include "kube/ca.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/opensslv.h>
#include <openssl/x509.h>
#include <string.h>

#include "base/fs.h"
#include "base/str.h"
#include "fault.h"

static const struct kube_request get_pods = {.method = "GET", .path = PODS};

/* --- what the system trusts, as libcurl reads it; NULL: as it is */

static const char *the_systems;

typedef int load_fn(X509_STORE *store, const char *path);
typedef int load_ex_fn(X509_STORE *store, const char *path,
		       OSSL_LIB_CTX *context, const char *query);
typedef int load_both_fn(X509_STORE *store, const char *path,
			 const char *folder);

/*
 * These come before those of libcrypto. libcurl calls one of them, or has
 * libssl do so, by its version.
 */
__attribute__((visibility("default"))) int
X509_STORE_load_file(X509_STORE *store, const char *path)
{
	load_fn *real;

	*(void **)&real = dlsym(RTLD_NEXT, "X509_STORE_load_file");
	return real && real(store, the_systems ? the_systems : path);
}

__attribute__((visibility("default"))) int
X509_STORE_load_file_ex(X509_STORE *store, const char *path,
			OSSL_LIB_CTX *context, const char *query)
{
	load_ex_fn *real;

	*(void **)&real = dlsym(RTLD_NEXT, "X509_STORE_load_file_ex");
	return real &&
	       real(store, the_systems ? the_systems : path, context, query);
}

__attribute__((visibility("default"))) int
X509_STORE_load_locations(X509_STORE *store, const char *path,
			  const char *folder)
{
	load_both_fn *real;

	*(void **)&real = dlsym(RTLD_NEXT, "X509_STORE_load_locations");
	return real &&
	       real(store, path && the_systems ? the_systems : path, folder);
}

/* --- calls with a CA */

static char *text_of(const char *path)
{
	char *text = NULL;
	size_t len;

	if (fs_read_file(path, 1 << 20, &text, &len, NULL))
		abort();
	return text;
}

static char *own_file(const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", fault()->dir, name);

	return text_of(path);
}

/* A config with this CA, which it takes over; NULL: the system's. */
static struct kube_config *config_with(char *ca_pem)
{
	struct kube_config *config = fault_config();

	free(config->ca_pem);
	config->ca_pem = ca_pem;
	return config;
}

static void call_with(char *ca_pem, struct got *g)
{
	_cleanup_(kube_config_freep) struct kube_config *config =
		config_with(ca_pem);
	_cleanup_(kube_client_freep) struct kube_client *c =
		fault_client(config, NULL);

	got_clear(g);
	fault_call(c, &get_pods, g);
}

static void the_systems_cas_do_not_count_beside_a_kubeconfigs(void)
{
	_cleanup_got_ struct got g = {0};

	fault_script("%s", "");
	the_systems = fault()->ca;
	call_with(NULL, &g);
	T_INT(g.rc, 0); /* this is how the system would trust the server */
	T_INT(g.http, 200);
	call_with(text_of(fault()->other_ca), &g);
	T_ERR(g.rc, &g.err, -EIO, "GET " PODS ": https://");
	T_HAS(g.err.msg, "certificate");
	T_INT(fault_requests(NULL, ""), 1);
	the_systems = NULL;
}

static void each_certificate_of_a_ca_is_trusted(void)
{
	_cleanup_free_ char *ca = text_of(fault()->ca);
	_cleanup_free_ char *other = text_of(fault()->other_ca);
	_cleanup_free_ char *server = own_file("server.crt");
	const struct {
		const char *what, *first, *second;
	} rows[] = {
		{"the first", ca, other},
		{"the second", other, ca},
		{"twice", ca, ca},
		{"after words", "for people\n", ca},
		{"the server's own, which another one has signed", server, ""},
	};
	_cleanup_got_ struct got g = {0};

	fault_script("%s", "");
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].what);
		call_with(str_printf("%s%s", rows[i].first, rows[i].second),
			  &g);
		T_INT(g.rc, 0);
		T_INT(g.http, 200);
	}
}

static void a_ca_that_cannot_be_read_whole_is_refused(void)
{
	static const char garbage[] = "-----BEGIN CERTIFICATE-----\nAAAA\n"
				      "-----END CERTIFICATE-----\n";
	static const char locked[] =
		"-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\n"
		"DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n"
		"AAAAAAAAAAAAAAAAAAAAAA==\n-----END CERTIFICATE-----\n";
	_cleanup_free_ char *ca = text_of(fault()->ca);
	_cleanup_free_ char *key = own_file("server.key");
	_cleanup_free_ char *half = strndup(ca, strlen(ca) / 2);
	const struct {
		const char *what, *first, *second;
	} rows[] = {
		{"nothing", "", ""},
		{"words", "no PEM at all\n", ""},
		{"a half", half, ""},
		{"a half after a whole one", ca, half},
		{"garbage after a whole one", ca, garbage},
		{"an encrypted one after a whole one", ca, locked},
		{"a key", key, ""},
	};
	_cleanup_got_ struct got g = {0};

	fault_script("%s", "");
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		t_row("%s", rows[i].what);
		call_with(str_printf("%s%s", rows[i].first, rows[i].second),
			  &g);
		T_ERR(g.rc, &g.err, -EIO, "GET " PODS);
		T_HAS(g.err.msg, "CA cert");
	}
	T_INT(fault_requests(NULL, ""), 0);
}

/* A session that is resumed would need no certificate of the server's. */
static void another_ca_counts_from_the_next_connection_on(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	_cleanup_(kube_config_freep) struct kube_config *config =
		config_with(text_of(fault()->other_ca));
	_cleanup_got_ struct got g = {0};
	struct err err = {0};

	fault_script("%s", "");
	fault_call(l.client, &get_pods, &g);
	T_INT(g.rc, 0);
	T_NEED(T_INT(kube_client_use(l.client, config, &err), 0));
	got_clear(&g);
	fault_call(l.client, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EIO, "GET " PODS ": https://");
	T_HAS(g.err.msg, "certificate");
	T_OK(kube_client_distrusted(l.client));
	T_INT(kube_client_use(l.client, l.config, &err), 0);
	got_clear(&g);
	fault_call(l.client, &get_pods, &g);
	T_INT(g.rc, 0);
}

/* --- which TLS library libcurl has */

static void only_libcurl_with_our_openssl_will_do(void)
{
	_cleanup_free_ char *ours =
		str_printf("OpenSSL/%d.0.7", OPENSSL_VERSION_MAJOR);
	_cleanup_free_ char *next =
		str_printf("OpenSSL/%d.0.0", OPENSSL_VERSION_MAJOR + 1);
	const struct {
		const char *tls;
		bool fits;
	} rows[] = {
		{ours, true},
		{next, false},
		{"OpenSSL/1.1.1k", false},
		{"OpenSSL", false},
		{"GnuTLS/3.7.9", false},
		{"GnuTLS/3.7.9 (OpenSSL/3.0.7)", false},
		{"LibreSSL/3.8.2", false},
		{"", false},
		{NULL, false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct err err = {0};

		t_row("%s", rows[i].tls ? rows[i].tls : "none");
		T_INT(ca_backend_fits(rows[i].tls, &err),
		      rows[i].fits ? 0 : -ENOTSUP);
		if (!rows[i].fits)
			T_HAS(err.msg, "must be one that uses OpenSSL");
	}
}

T_MAIN("fault_ca", T(the_systems_cas_do_not_count_beside_a_kubeconfigs),
       T(each_certificate_of_a_ca_is_trusted),
       T(a_ca_that_cannot_be_read_whole_is_refused),
       T(another_ca_counts_from_the_next_connection_on),
       T(only_libcurl_with_our_openssl_will_do))
