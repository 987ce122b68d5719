/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects above bridged pods as they were parsed, those that were asked for
 * last: thousands of groups may have one Job above them, whose text of 64 KiB
 * takes milliseconds to parse. A text is known by its stamp, which no other
 * text ever has; so nothing has to be taken out when an object changes, it is
 * only not asked for again. No I/O, no clock. One thread.
 */
#ifndef SLURMK8S_BRIDGE_INTAKE_OWNER_CACHE_H
#define SLURMK8S_BRIDGE_INTAKE_OWNER_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "json/json.h"

struct owner_cache {
	size_t max, bytes;	  /* bytes allowed; upper bound of bytes used */
	struct owner_parsed *all; /* by stamp */
	/* in order of use, the longest unused first */
	struct owner_parsed *recent;
};

/* What was parsed of the text with this stamp; borrowed. NULL: not kept. */
json_object *owner_cache_find(struct owner_cache *c, uint64_t stamp);

/*
 * Keep what was parsed of this text, by a reference of its own; those that were
 * not asked for longest make room. It is not kept if it has more than `max`
 * bytes, or without memory. No other of this stamp is kept yet.
 */
void owner_cache_put(struct owner_cache *c, uint64_t stamp, const char *text,
		     json_object *parsed);

/* Forget all. */
void owner_cache_clear(struct owner_cache *c);

#endif
