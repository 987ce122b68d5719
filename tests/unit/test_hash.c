/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hash.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <string.h>

#include "t.h"

/* What OpenSSL says. */
static uint64_t openssl_sip13(const uint8_t *data, size_t len,
			      const uint8_t key[16])
{
	unsigned int c = 1, d = 3, size = 8;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_C_ROUNDS, &c),
		OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_D_ROUNDS, &d),
		OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_SIZE, &size),
		OSSL_PARAM_construct_end()};
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
	EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
	uint8_t out[8] = {0};
	uint64_t sum = 0;

	T_OK(ctx && EVP_MAC_init(ctx, key, 16, params) &&
	     EVP_MAC_update(ctx, data, len) &&
	     EVP_MAC_final(ctx, out, NULL, sizeof(out)));
	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
	for (int i = 7; i >= 0; i--)
		sum = sum << 8 | out[i];
	return sum;
}

static void it_is_siphash(void)
{
	uint8_t data[70], key[16];

	for (uint8_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 37 + 1);
	for (uint8_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i * 11 + 3);
	for (size_t len = 0; len <= sizeof(data); len++) {
		t_row("%zu", len);
		T_OK(hash_sip13(data, len, key) ==
		     openssl_sip13(data, len, key));
	}
}

/* (one in 2^32 processes draws a key by which these are the same) */
static void this_process_has_a_key_of_its_own(void)
{
	static const uint8_t none[16];

	T_OK(hash_bytes("name", 4) !=
	     (unsigned int)hash_sip13("name", 4, none));
	T_OK(hash_bytes("name", 4) == hash_bytes("name", 4));
	T_OK(hash_bytes("name", 4) != hash_bytes("Name", 4));
}

static void tables_go_by_it(void)
{
	unsigned int hash = 0;

	HASH_VALUE("name", 4, hash);
	T_INT(hash, hash_bytes("name", 4));
}

T_MAIN("hash", T(it_is_siphash), T(tables_go_by_it),
       T(this_process_has_a_key_of_its_own))
