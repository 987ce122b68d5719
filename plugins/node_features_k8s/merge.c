/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

static bool has(const char *list, const char *name)
{
	const size_t want = strlen(name);

	for (; *list; list += strcspn(list, ",")) {
		list += strspn(list, ",");
		if (strcspn(list, ",") == want && !memcmp(list, name, want))
			return true;
	}
	return false;
}

/*
 * Append the names of a list that are not there yet; `out` has room for all.
 * False: out of memory.
 */
static bool add(char *out, const char *list, bool (*skip)(const char *name))
{
	char *copy = strdup(list), *save = NULL, *name;
	char *end = out + strlen(out);

	if (!copy)
		return false;

	for (name = strtok_r(copy, ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		if (has(out, name) || (skip && skip(name)))
			continue;
		if (end > out)
			*end++ = ',';
		end = mempcpy(end, name, strlen(name) + 1);
		end--;
	}
	free(copy);
	return true;
}

char *merge_features(const char *old, const char *fresh,
		     bool (*changeable)(const char *name))
{
	size_t room = (old ? strlen(old) : 0) + (fresh ? strlen(fresh) : 0);
	char *out = calloc(1, room + 2);

	if (out && (!old || add(out, old, changeable)) &&
	    (!fresh || add(out, fresh, NULL)))
		return out;
	free(out);
	return NULL;
}

char *merge_lists(const char *list, const char *more)
{
	return merge_features(list, more, NULL);
}
