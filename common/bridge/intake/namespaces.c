/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/namespaces.h"

#include <stdlib.h>

struct namespace *namespaces_see(struct store *s, const char *name)
{
	struct namespace *x = store_keep(s, name);

	if (!x && store_count(s) < BRIDGE_SPACES_MAX)
		x = store_new(s, offsetof(struct namespace, name), name);
	return x;
}

void namespaces_drop(void *s, void *item)
{
	struct namespace *x = item;

	store_remove(s, &x->item);
	free(x->labels);
	free(x);
}
