/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_label.h"

#include <string.h>

#include "syntax/names.h"

#define CUT_DIGITS 8 /* behind a '-', at the end of a label that is no name */

bool node_label_is_cut(const char *label)
{
	const size_t n = strlen(label);

	return n > CUT_DIGITS && label[n - CUT_DIGITS - 1] == '-';
}

bool node_of_label(const struct ctl_nodes *nodes, const char *label,
		   struct ctl_node *out)
{
	char own[DNS_LABEL_MAX + 1];

	if (ctl_nodes_find(nodes, label, out))
		return true;
	for (size_t i = 0;
	     node_label_is_cut(label) && ctl_nodes_at(nodes, i, out); i++) {
		name_label_of(out->name, own);
		if (!strcmp(own, label))
			return true;
	}
	return false;
}
