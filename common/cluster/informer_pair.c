/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cluster/informer_pair.h"

static void on_list(void *arg)
{
	const struct informer_pair *b = arg;

	if (b->first.on_list)
		b->first.on_list(b->first.arg);
	if (b->second.on_list)
		b->second.on_list(b->second.arg);
}

static void on_object(void *arg, json_object *object)
{
	const struct informer_pair *b = arg;

	b->first.on_object(b->first.arg, object);
	if (b->second.on_object)
		b->second.on_object(b->second.arg, object);
}

static void on_delete(void *arg, json_object *object)
{
	const struct informer_pair *b = arg;

	if (b->first.on_delete)
		b->first.on_delete(b->first.arg, object);
	if (b->second.on_delete)
		b->second.on_delete(b->second.arg, object);
}

static void on_oversized(void *arg, const struct object_id *id, bool news)
{
	const struct informer_pair *b = arg;

	if (b->first.on_oversized)
		b->first.on_oversized(b->first.arg, id, news);
	if (b->second.on_oversized)
		b->second.on_oversized(b->second.arg, id, news);
}

static void on_synced(void *arg)
{
	const struct informer_pair *b = arg;

	if (b->first.on_synced)
		b->first.on_synced(b->first.arg);
	if (b->second.on_synced)
		b->second.on_synced(b->second.arg);
}

static void on_trouble(void *arg, int rc, const char *words)
{
	const struct informer_pair *b = arg;

	if (b->first.on_trouble)
		b->first.on_trouble(b->first.arg, rc, words);
}

struct informer_handler informer_pair_handler(struct informer_pair *both)
{
	return (struct informer_handler){
		.on_list = on_list,
		.on_object = on_object,
		.on_delete = on_delete,
		.on_oversized = on_oversized,
		.on_synced = on_synced,
		.on_trouble = on_trouble,
		.arg = both,
	};
}
