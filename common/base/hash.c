/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hash.h"

#include <endian.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

static uint8_t secret[16];

static uint64_t word_of(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

static uint64_t rotated(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static void mix(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotated(v[1], 13) ^ v[0];
	v[3] = rotated(v[3], 16) ^ v[2];
	v[0] = rotated(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotated(v[1], 17) ^ v[2];
	v[3] = rotated(v[3], 21) ^ v[0];
	v[2] = rotated(v[2], 32);
}

static void take(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mix(v);
	v[0] ^= word;
}

uint64_t hash_sip13(const void *data, size_t len, const uint8_t key[16])
{
	const uint64_t k0 = word_of(key), k1 = word_of(key + 8);
	uint64_t v[4] = {
		/* "somepseudorandomlygeneratedbytes" */
		k0 ^ 0x736f6d6570736575,
		k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261,
		k1 ^ 0x7465646279746573,
	};
	const uint8_t *bytes = data;
	const size_t whole = len / 8 * 8;
	uint8_t last[8] = {0};

	for (size_t i = 0; i < whole; i += 8)
		take(v, word_of(bytes + i));
	if (len > whole)
		memcpy(last, bytes + whole, len - whole);
	last[7] = (uint8_t)len;
	take(v, word_of(last));
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		mix(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static void draw_secret(void)
{
	uint8_t drawn[sizeof(secret)];

	if (getrandom(drawn, sizeof(drawn), GRND_NONBLOCK) == sizeof(drawn))
		memcpy(secret, drawn, sizeof(secret));
}

unsigned int hash_bytes(const void *data, size_t len)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, draw_secret);
	return (unsigned int)hash_sip13(data, len, secret);
}
