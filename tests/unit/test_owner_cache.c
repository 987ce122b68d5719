/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects above pods as they were parsed: few enough, and each as it is now. */
#include "bridge/intake/owner_cache.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "t.h"

#define ONE                                                                    \
	1200 /* bytes: "{}" has as many at most, and three quarters at least   \
	      */
#define _cleanup_cache_ __attribute__((cleanup(owner_cache_clear)))

static void put(struct owner_cache *c, uint64_t stamp, const char *text)
{
	_cleanup_json_ json_object *o = t_parse(text);

	owner_cache_put(c, stamp, text, o);
}

static bool has(struct owner_cache *c, uint64_t stamp)
{
	return owner_cache_find(c, stamp) != NULL;
}

static void what_was_parsed_is_found_by_its_stamp(void)
{
	_cleanup_cache_ struct owner_cache c = {.max = 1 << 20};

	T_OK(!has(&c, 1));
	put(&c, 1, "{\"a\": 1}");
	put(&c, 2, "{\"a\": 2}");
	T_INT(jx_int(jx_get(owner_cache_find(&c, 1), "a"), 0), 1);
	T_INT(jx_int(jx_get(owner_cache_find(&c, 2), "a"), 0), 2);
	T_OK(!has(&c, 3));
}

/* Who has been given one may use it longer than it is kept. */
static void an_object_lasts_as_long_as_somebody_has_it(void)
{
	_cleanup_cache_ struct owner_cache c = {.max = 1 << 20};
	_cleanup_json_ json_object *o = NULL;

	put(&c, 1, "{\"a\": 1}");
	o = json_object_get(owner_cache_find(&c, 1));
	owner_cache_clear(&c);
	T_OK(!has(&c, 1));
	T_INT(c.bytes, 0);
	T_INT(jx_int(jx_get(o, "a"), 0), 1);
}

static void who_was_not_asked_for_longest_makes_room(void)
{
	_cleanup_cache_ struct owner_cache c = {.max = 3 * ONE};

	for (uint64_t stamp = 1; stamp < 10; stamp++) {
		put(&c, stamp, "{}");
		T_OK(c.bytes <= c.max);
		T_OK(has(&c, stamp));
	}
	T_OK(!has(&c, 1));
	owner_cache_clear(&c);
	put(&c, 1, "{}");
	put(&c, 2, "{}");
	put(&c, 3, "{}");
	T_OK(has(&c, 1)); /* it is not the oldest one any more */
	for (uint64_t stamp = 4; stamp < 6; stamp++) {
		put(&c, stamp, "{}");
		T_OK(has(&c, 1));
	}
	T_OK(!has(&c, 2));
}

/* By the memory that they take, which is far more than their text. */
static void all_together_have_so_many_bytes(void)
{
	static const char *const texts[] = {
		"{\"a\": {}, \"b\": {}, \"c\": [{}, {}, {}, {}, {}, {}]}",
		"{\"a\": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}",
		"{}",
	};
	_cleanup_cache_ struct owner_cache c = {.max = 20000};
	int kept = 0;

	for (uint64_t i = 0; i < 100; i++) {
		put(&c, i, texts[i % T_COUNT(texts)]);
		T_OK(has(&c, i));
		T_OK(c.bytes <= c.max);
	}
	for (uint64_t i = 0; i < 100; i++)
		kept += has(&c, i);
	T_OK(kept > 1 && kept < 20);
}

static void what_is_too_large_for_it_is_not_kept(void)
{
	_cleanup_free_ char *many = t_repeat("{},", 100);
	_cleanup_free_ char *text = str_printf("{\"a\": [%s{}]}", many);
	_cleanup_cache_ struct owner_cache c = {.max = 100 * 750};

	put(&c, 1, text);
	T_OK(!has(&c, 1));
	T_INT(c.bytes, 0);
	put(&c, 2, "{}");
	T_OK(has(&c, 2));
}

T_MAIN("owner_cache", T(what_was_parsed_is_found_by_its_stamp),
       T(an_object_lasts_as_long_as_somebody_has_it),
       T(who_was_not_asked_for_longest_makes_room),
       T(all_together_have_so_many_bytes),
       T(what_is_too_large_for_it_is_not_kept))
