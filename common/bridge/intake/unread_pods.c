/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bridge/intake/unread_pods.h"

#include <string.h>

#include "base/str.h"
#include "objects/worker_pod.h"

static struct unread_pod *find(struct unread_pods *u, const char *uid)
{
	for (size_t i = 0; i < u->n; i++)
		if (!strcmp(u->pods[i].uid, uid))
			return &u->pods[i];
	return NULL;
}

bool unread_pods_see(struct unread_pods *u, const struct object_id *id,
		     unsigned int generation)
{
	const bool over = phase_is_end(worker_pod_phase(id->phase));
	struct unread_pod *p = find(u, id->uid);

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

void unread_pods_drop(struct unread_pods *u, const char *uid)
{
	struct unread_pod *p = uid ? find(u, uid) : NULL;

	if (p)
		*p = u->pods[--u->n];
}

void unread_pods_synced(struct unread_pods *u, unsigned int generation)
{
	for (size_t i = u->n; i-- > 0;)
		if (u->pods[i].generation != generation)
			u->pods[i] = u->pods[--u->n];
}

bool unread_pods_has(const struct unread_pods *u, const char *ns)
{
	for (size_t i = 0; i < u->n; i++)
		if (!strcmp(u->pods[i].ns, ns))
			return true;
	return false;
}

void unread_pods_each_node(const struct unread_pods *u,
			   void (*on)(void *arg, const char *node), void *arg)
{
	for (size_t i = 0; i < u->n; i++)
		if (*u->pods[i].node)
			on(arg, u->pods[i].node);
}
