/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/unread_pods.h"

#include <string.h>

#include "base/str.h"
#include "objects/worker_pod.h"

static struct bridge_unread_pod *find(struct bridge_unread *u, const char *uid)
{
	for (size_t i = 0; i < u->n; i++)
		if (!strcmp(u->pods[i].uid, uid))
			return &u->pods[i];
	return NULL;
}

bool bridge_unread_see(struct bridge_unread *u, const struct object_id *id,
		       unsigned int generation)
{
	const bool over = phase_is_end(podview_phase(id->phase));
	struct bridge_unread_pod *p = find(u, id->uid);

	if (!*id->uid || !*id->ns)
		return false;
	if (!p && u->n == BRIDGE_UNREAD_MAX)
		return false;
	if (!p)
		p = &u->pods[u->n++];
	str_copy(p->ns, id->ns, sizeof(p->ns));
	str_copy(p->uid, id->uid, sizeof(p->uid));
	str_copy(p->node, over ? "" : id->node, sizeof(p->node));
	p->generation = generation;
	return true;
}

void bridge_unread_drop(struct bridge_unread *u, const char *uid)
{
	struct bridge_unread_pod *p = uid ? find(u, uid) : NULL;

	if (p)
		*p = u->pods[--u->n];
}

void bridge_unread_synced(struct bridge_unread *u, unsigned int generation)
{
	for (size_t i = u->n; i-- > 0;)
		if (u->pods[i].generation != generation)
			u->pods[i] = u->pods[--u->n];
}

bool bridge_unread_has(const struct bridge_unread *u, const char *ns)
{
	for (size_t i = 0; i < u->n; i++)
		if (!strcmp(u->pods[i].ns, ns))
			return true;
	return false;
}

void bridge_unread_each_node(const struct bridge_unread *u,
			     void (*on)(void *arg, const char *node), void *arg)
{
	for (size_t i = 0; i < u->n; i++)
		if (*u->pods[i].node)
			on(arg, u->pods[i].node);
}
