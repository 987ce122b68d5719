/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/podpart.h"

#include "json/json_only.h"

/*
 * As many containers as fit into the 1.5 MiB that etcd takes of an object (some
 * 50 bytes each) have some 90,000 objects and lists here.
 */
#define PARTS_MAX (4 * (size_t)JX_PARTS_MAX)

static const struct jx_only metadata[] = {
	{"name", NULL},	  {"namespace", NULL},	 {"uid", NULL},
	{"labels", NULL}, {"annotations", NULL}, {NULL, NULL},
};

static const struct jx_only resources[] = {
	{"requests", NULL},
	{"limits", NULL},
	{NULL, NULL},
};

static const struct jx_only container[] = {
	{"name", NULL},
	{"restartPolicy", NULL},
	{"resources", resources},
	{NULL, NULL},
};

static const struct jx_only spec[] = {
	{"nodeName", NULL},
	{"containers", container},
	{"initContainers", container},
	{"resources", resources},
	{"overhead", NULL},
	{NULL, NULL},
};

static const struct jx_only container_status[] = {
	{"name", NULL},
	{"resources", resources},
	{"allocatedResources", NULL},
	{NULL, NULL},
};

static const struct jx_only status[] = {
	{"phase", NULL},
	{"conditions", NULL},
	{"containerStatuses", container_status},
	{"initContainerStatuses", container_status},
	{"resources", resources},
	{"allocatedResources", NULL},
	{NULL, NULL},
};

static const struct jx_only pod[] = {
	{"metadata", metadata},
	{"spec", spec},
	{"status", status},
	{NULL, NULL},
};

int podpart_read(const char *text, size_t len, json_object **out,
		 struct err *err)
{
	return jx_parse_only(text, len, pod, PARTS_MAX, out, err);
}
