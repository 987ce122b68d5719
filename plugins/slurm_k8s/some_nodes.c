/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "some_nodes.h"

#include <stdlib.h>

#include "syntax/hostlist.h"

void some_nodes_add(struct some_nodes *s, const char *name)
{
	const char **v = reallocarray(s->names, s->n + 1, sizeof(*v));

	if (!v)
		return;
	s->names = v;
	s->names[s->n++] = name;
}

const char *some_nodes_text(struct some_nodes *s)
{
	if (!s->text.len && hostlist_compress(s->names, s->n, &s->text)) {
		buf_reset(&s->text);
		return NULL;
	}
	return buf_str(&s->text);
}

void some_nodes_clear(struct some_nodes *s)
{
	free(s->names);
	buf_free(&s->text);
}
