/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which namespaces are in view; what the API server says is the test's. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "bridge/intake/pod_groups.h"
#include "pods_fixture.h"
#include "t.h"

static struct informer_handler spaces; /* what the view does about these */

static void ring(void *arg)
{
	(void)arg;
}

static struct pod_groups *look_with(const struct bridge_config *c)
{
	const struct pod_groups_options opt = {
		.cluster = "c", .config = c, .ring = ring};
	struct pod_groups *v = pod_groups_new(&opt);

	T_OK(v && !pod_groups_start(v, NULL));
	spaces = pods.to;
	return v;
}

/* Namespaces with the label in=yes may enter, and "ns" by its name, if any. */
static struct pod_groups *look(size_t n_named)
{
	static struct label_pair label = {(char *)"in", (char *)"yes"};
	static struct namespace_config all[] = {{.name = (char *)"ns"},
						{.labels = {&label, 1}}};
	static struct bridge_config c;

	c = (struct bridge_config){.scheduler = (char *)"s",
				   .ns = &all[!n_named],
				   .n_ns = n_named ? n_named : 1,
				   .n_named = n_named};
	return look_with(&c);
}

static void look_away(struct pod_groups **v)
{
	pod_groups_stop(*v);
	pod_groups_free(*v);
}
#define _cleanup_seen_ __attribute__((cleanup(look_away)))

static void give(void *v, void (*to)(void *, json_object *), const char *text)
{
	_cleanup_json_ json_object *o = t_parse(text);

	to(v, o);
}

/* It is listed, and nothing else. */
static void list(struct pod_groups *v, const char *space)
{
	spaces.on_list(v);
	if (space)
		give(v, spaces.on_object, space);
	spaces.on_synced(v);
}

#define SPACE_A                                                                \
	"{\"metadata\": {\"name\": \"a\", \"labels\": {\"in\": \"yes\"}}}"
#define BARE_A "{\"metadata\": {\"name\": \"a\"}}"

static void what_no_list_has_is_not_in_view(void)
{
	_cleanup_seen_ struct pod_groups *v = look(0);

	T_OK(!pod_groups_has_space(v, "a"));
	list(v, SPACE_A);
	T_OK(pod_groups_has_space(v, "a"));
	T_OK(!pod_groups_has_space(v, "b"));
	list(v, NULL); /* (another API server, say) */
	T_OK(!pod_groups_has_space(v, "a"));
	list(v, BARE_A);
	T_OK(pod_groups_has_space(v, "a"));
	give(v, spaces.on_delete, BARE_A);
	T_OK(!pod_groups_has_space(v, "a"));
}

static void where_no_labels_matter_none_is_looked_at(void)
{
	_cleanup_seen_ struct pod_groups *v = look(1);

	T_OK(pod_groups_has_space(v, "a"));
}

/* How many groups are to be looked at? */
static size_t changed(struct pod_groups *v)
{
	char *keys[8];
	const size_t n = pod_groups_take_dirty(v, keys, T_COUNT(keys));

	for (size_t i = 0; i < n; i++)
		free(keys[i]);
	return n;
}

/* (what its pods were told is not so any more) */
static void the_pods_of_one_that_comes_are_looked_at(void)
{
	static const char *const rows[] = {SPACE_A, BARE_A};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_seen_ struct pod_groups *v = look(0);

		t_row("%zu", i);
		list(v, NULL);
		pod_groups_step(v);
		give(pods.to.arg, pods.to.on_object,
		     "{\"metadata\": {\"name\": \"p\", \"namespace\": \"a\", "
		     "\"uid\": \"a1\"}, \"spec\": {\"schedulerName\": \"s\"}}");
		T_INT(changed(v), 1);
		give(v, spaces.on_object, rows[i]);
		T_INT(changed(v), 1);
		give(v, spaces.on_object, rows[i]);
		T_INT(changed(v), 0);
	}
}

T_MAIN("namespaces", T(what_no_list_has_is_not_in_view),
       T(where_no_labels_matter_none_is_looked_at),
       T(the_pods_of_one_that_comes_are_looked_at))
