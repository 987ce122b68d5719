/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects/held_pod.h"

#include <string.h>

#include "objects/pod_requests.h"
#include "syntax/wellknown.h"

static const struct jx_only notes[] = {
	{WK_BRIDGE_NODE_SLINKY, NULL},
	{NULL, NULL},
};

static const struct jx_only metadata[] = {
	{"name", NULL},		{"namespace", NULL},
	{"uid", NULL},		{"resourceVersion", NULL},
	{"annotations", notes}, {NULL, NULL},
};

static const struct jx_only condition[] = {
	{"type", NULL},	   {"status", NULL}, {"reason", NULL},
	{"message", NULL}, {NULL, NULL},
};

/* The end of a table is there already: all of it is 0. */
static void put_most(struct jx_only *table, const char *key,
		     const struct jx_only *of, unsigned int most)
{
	while (table->key)
		table++;
	*table = (struct jx_only){key, of, most};
}

static void put(struct jx_only *table, const char *key,
		const struct jx_only *of)
{
	put_most(table, key, of, 0);
}

_Static_assert(HELD_STATE_VALUES *PODNEED_CONTAINERS_MAX <=
		       PODNEED_CONTAINERS_VALUES_MAX,
	       "what counts of a pod that may be created is read");

static void put_list(struct jx_only *table, const char *key,
		     const struct jx_only *of)
{
	put_most(table, key, of, PODNEED_CONTAINERS_VALUES_MAX);
}

static void put_kinds(struct jx_only *table, const char *const *kinds, size_t n)
{
	put(table, "cpu", NULL);
	put(table, "memory", NULL);
	for (size_t i = 0; i < n && i < HELD_KINDS_MAX; i++)
		put(table, kinds[i], NULL);
}

/*
 * Huge pages of any size among a pod's own resources decide how it is reckoned.
 */
static void put_own_kinds(struct jx_only *table, const char *const *kinds,
			  size_t n)
{
	put_kinds(table, kinds, n);
	put_most(table, "hugepages-*", NULL, 1);
}

static void put_containers(struct held_pod *t)
{
	put(t->resources, "requests", t->kinds);
	put(t->resources, "limits", t->kinds);
	put(t->container, "name", NULL);
	put(t->container, "restartPolicy", NULL);
	put(t->container, "resources", t->resources);
	put(t->container_status, "name", NULL);
	put(t->container_status, "resources", t->resources);
	put(t->container_status, "allocatedResources", t->kinds);
}

static void put_spec(struct held_pod *t)
{
	put(t->own_resources, "requests", t->own_kinds);
	put(t->own_resources, "limits", t->own_kinds);
	put(t->spec, "nodeName", NULL);
	put(t->spec, "schedulerName", NULL);
	put_list(t->spec, "containers", t->container);
	put_list(t->spec, "initContainers", t->container);
	put(t->spec, "resources", t->own_resources);
	put(t->spec, "overhead", t->kinds);
}

static void put_status(struct held_pod *t)
{
	put(t->status, "phase", NULL);
	put(t->status, "conditions", condition);
	put_list(t->status, "containerStatuses", t->container_status);
	put_list(t->status, "initContainerStatuses", t->container_status);
	put(t->status, "resources", t->resources);
	put(t->status, "allocatedResources", t->kinds);
}

void held_pod_table(struct held_pod *t, const char *const *kinds, size_t n)
{
	*t = (struct held_pod){.kinds = {{NULL, NULL}}};
	if (n > HELD_KINDS_MAX)
		n = HELD_KINDS_MAX;
	put_kinds(t->kinds, kinds, n);
	put_own_kinds(t->own_kinds, kinds, n);
	put_containers(t);
	put_spec(t);
	put_status(t);
	put(t->pod, "metadata", metadata);
	put(t->pod, "spec", t->spec);
	put(t->pod, "status", t->status);
}

int held_pod_read(const struct held_pod *t, const char *text, size_t len,
		  json_object **out)
{
	return jx_parse_only(text, len, t->pod, JX_PARTS_MAX, out, NULL);
}
