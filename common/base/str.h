/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small string helpers. Any thread. No argument is NULL where nothing else is
 * said.
 */
#ifndef SLURMK8S_BASE_STR_H
#define SLURMK8S_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Copy at most size-1 bytes and end with NUL; cut at a UTF-8 boundary. `src`
 * may be within `dst`.
 */
void str_copy(char *dst, const char *src, size_t size);

/*
 * Copy, but of a text that is too long keep the beginning and the end, with "
 * ... " between them, cut between words where that costs little: a message
 * begins with what failed and ends with the cause. `src` is not within `dst`.
 */
void str_shorten(char *dst, const char *src, size_t size);

/*
 * Replace what must not reach a log or a terminal, in place: control
 * characters become a space; bytes that are not UTF-8 become '?'.
 */
void str_sanitize(char *s);

/* True if the text has a control character of ASCII. */
bool str_has_control(const char *s);

/*
 * The length, in bytes, of the well-formed UTF-8 sequence at s; 0: there is
 * none. The NUL at the end is one of 1 byte.
 */
size_t str_utf8_len(const char *s);

bool str_eq(const char *a, const char *b); /* NULL equals only NULL */
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *end);

/*
 * The next item of a comma-separated list: *list is moved to the item; to go
 * on, the caller adds the item's length. Returns that length; 0 at the end. A
 * NULL list is an empty one.
 */
size_t str_next_item(const char **list);

/*
 * True if `item` is one of the items. It need not end with NUL; a NULL list is
 * an empty one.
 */
bool str_list_has(const char *list, const char *item, size_t len);

/*
 * True if an item is in both comma-separated lists. A NULL list is an empty
 * one.
 */
bool str_lists_meet(const char *a, const char *b);

/*
 * Leave those items in the list for which `keep` is true; it is called once for
 * each, in their order. `list` is written over; NULL is nothing.
 */
void str_list_keep(char *list, bool (*keep)(void *arg, const char *item),
		   void *arg);

/*
 * FNV-1a of len bytes. `start` is STR_HASH, or the hash of the bytes before
 * them. The hash tells whether a text has changed; an adversary can make two
 * texts of one hash.
 */
#define STR_HASH 2166136261u
uint32_t str_hash(uint32_t start, const char *s, size_t len);

/* printf into new memory; NULL when out of memory. The caller frees. */
char *str_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A hash of the text, never 0; 0: NULL or "". */
uint32_t str_sum(const char *text);

#endif
