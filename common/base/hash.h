/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uthash, told not to end the process when there is no memory: each element has
 * a member `int failed`, which HASH_ADD_KEYPTR sets when it was not added. A
 * table belongs to one thread at a time.
 *
 * Names that others choose are keys of our tables. uthash's own hash function
 * has no secret, so that thousands of names with the same hash are quickly
 * found, and each look-up in a table with these would go through all of them.
 */
#ifndef SLURMK8S_BASE_HASH_H
#define SLURMK8S_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * SipHash-1-3 (Aumasson and Bernstein) of `len` bytes by a key of 16, in the
 * byte order of its paper. Any thread.
 */
uint64_t hash_sip13(const void *data, size_t len, const uint8_t key[16]);

/*
 * hash_sip13() by a key that this process draws at the first call; without a
 * source of randomness the key is a fixed one. Any thread.
 */
unsigned int hash_bytes(const void *data, size_t len);

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(e) ((e)->failed = 1)
#define HASH_FUNCTION(keyptr, keylen, hashv)                                   \
	((hashv) = hash_bytes((keyptr), (keylen)))
#include <uthash.h>

#endif
