/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "merge.h"
#include "t.h"

static bool changeable(const char *name)
{
	return !strcmp(name, "pytorch") || !strcmp(name, "jax");
}

static void changeable_features_give_way_and_others_stay(void)
{
	static const struct {
		const char *old, *fresh, *want;
	} rows[] = {
		{NULL, NULL, ""},
		{NULL, "jax", "jax"},
		{"rack", NULL, "rack"},
		{"rack,pytorch", NULL, "rack"},
		{"rack,pytorch", "", "rack"},
		{"rack,pytorch", "jax", "rack,jax"},
		{"pytorch,rack,fast", "rack,jax", "rack,fast,jax"},
		{"rack,,rack", "jax,jax", "rack,jax"},
		{"pytorchx,jax", "pytorch", "pytorchx,pytorch"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *got =
			merge_features(rows[i].old, rows[i].fresh, changeable);

		t_row("%s + %s", rows[i].old ? rows[i].old : "nothing",
		      rows[i].fresh ? rows[i].fresh : "nothing");
		T_STR(got, rows[i].want);
	}
}

static void lists_are_joined_without_repeating(void)
{
	_cleanup_free_ char *none = merge_lists(NULL, "a,b");
	_cleanup_free_ char *some = merge_lists("b,c", "a,b");

	T_STR(none, "a,b");
	T_STR(some, "b,c,a");
}

T_MAIN("merge", T(changeable_features_give_way_and_others_stay),
       T(lists_are_joined_without_repeating))
