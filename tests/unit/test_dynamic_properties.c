/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is never done with a node that slurm.conf does not name: all that may be
 * known of one is tried.
 */
#include <string.h>

#include "nodes/dynamic/dynamic_decide.h"
#include "nodes/watch/nodes.h"
#include "property.h"

typedef bool (*property_fn)(const struct dynamic_view *v, enum create_do what);

static bool is_deleted(enum create_do what)
{
	return what == CREATE_DELETE || what == CREATE_REPLACE;
}

static bool only_what_is_missing_is_created(const struct dynamic_view *v,
					    enum create_do what)
{
	return v->known || (what == CREATE_NEW) == (v->wanted != NULL);
}

static bool what_is_there_is_not_created(const struct dynamic_view *v,
					 enum create_do what)
{
	return !v->known || what != CREATE_NEW;
}

static bool only_our_nodes_are_deleted(const struct dynamic_view *v,
				       enum create_do what)
{
	return !is_deleted(what) ||
	       (v->known && v->dynamic && v->cloud && v->features &&
		strstr(v->features, WK_FEATURE_CREATED));
}

static bool no_node_in_use_is_deleted(const struct dynamic_view *v,
				      enum create_do what)
{
	return !is_deleted(what) || v->asleep;
}

static bool no_node_of_a_reservation_is_deleted(const struct dynamic_view *v,
						enum create_do what)
{
	return !is_deleted(what) || !v->reserved;
}

static bool no_node_with_a_pod_is_deleted(const struct dynamic_view *v,
					  enum create_do what)
{
	return !is_deleted(what) || v->podless;
}

static bool
a_node_of_a_nodeset_is_deleted_only_to_come_anew(const struct dynamic_view *v,
						 enum create_do what)
{
	return !v->in_nodeset || what != CREATE_DELETE;
}

static bool it_comes_anew_once_for_a_size(const struct dynamic_view *v,
					  enum create_do what)
{
	return what != CREATE_REPLACE ||
	       (v->in_nodeset && v->wanted && !v->replaced &&
		(v->cpus != v->wanted->cpus ||
		 v->memory_mib != v->wanted->memory_mib));
}

static bool what_an_administrator_has_set_down_does_not_come_anew(
	const struct dynamic_view *v, enum create_do what)
{
	return what != CREATE_REPLACE || v->settled;
}

static bool
nothing_is_replaced_by_what_slurm_refuses(const struct dynamic_view *v,
					  enum create_do what)
{
	return what != CREATE_REPLACE || !v->refused;
}

static const struct {
	const char *name;
	property_fn holds;
} properties[] = {
	P(only_what_is_missing_is_created),
	P(what_is_there_is_not_created),
	P(only_our_nodes_are_deleted),
	P(no_node_in_use_is_deleted),
	P(no_node_of_a_reservation_is_deleted),
	P(no_node_with_a_pod_is_deleted),
	P(a_node_of_a_nodeset_is_deleted_only_to_come_anew),
	P(it_comes_anew_once_for_a_size),
	P(what_an_administrator_has_set_down_does_not_come_anew),
	P(nothing_is_replaced_by_what_slurm_refuses),
};

static void each_decision_has_each_property(void)
{
	static const struct create_nodes want = {
		.wanted = true, .cpus = 2, .memory_mib = 256};
	static const char *const features[] = {NULL, "", "fast",
					       "fast," WK_FEATURE_CREATED};
	unsigned int violated[T_COUNT(properties)] = {0}, n = 0, seen = 0;

	for (unsigned int flags = 0; flags < 1u << 11; flags++)
		for (unsigned int i = 0; i < T_COUNT(features) * 9; i++, n++) {
			const struct dynamic_view v = {
				.known = flags & 1,
				.dynamic = flags & 2,
				.cloud = flags & 4,
				.asleep = flags & 8,
				.settled = flags & 16,
				.reserved = flags & 32,
				.replaced = flags & 64,
				.podless = flags & 128,
				.in_nodeset = flags & 256,
				.wanted = flags & 512 ? &want : NULL,
				.refused = flags & 1024,
				.features = features[i / 9],
				.cpus = 1 + i % 3,
				.memory_mib = 255 + i / 3 % 3,
			};
			const enum create_do what = dynamic_decide(&v);

			seen |= 1u << what;
			for (size_t k = 0; k < T_COUNT(properties); k++)
				violated[k] += !properties[k].holds(&v, what);
		}
	printf("%u views\n", n);
	for (size_t k = 0; k < T_COUNT(properties); k++) {
		t_row("%s", properties[k].name);
		T_INT(violated[k], 0);
	}
	t_row("each was seen");
	T_INT(seen, (1u << (CREATE_REPLACE + 1)) - 1);
}

/* --- when */

#define AT 1000000
#define TIMES 20

struct
try {
	struct create_backoff b;
	unsigned int refused; /* before */
	int64_t again_ms, after_ms;
	bool has_cluster;
};

typedef bool (*try_fn)(const struct try *t);

static bool what_slurm_refuses_waits_longer_and_longer(const struct try *t)
{
	const int64_t ms = INT64_C(5000) << t->refused;

	return t->again_ms == (ms < 600000 ? ms : 600000);
}

static bool what_slurm_has_refused_is_not_tried_before(const struct try *t)
{
	return (dynamic_turn(&t->b, t->has_cluster, AT + t->after_ms) ==
		CREATE_NOT_YET) == (t->after_ms < t->again_ms);
}

static bool nothing_is_tried_without_the_lease(const struct try *t)
{
	return t->has_cluster ||
	       dynamic_turn(&t->b, false, AT + t->after_ms) != CREATE_MAY;
}

static const struct {
	const char *name;
	try_fn holds;
} of_tries[] = {
	P(what_slurm_refuses_waits_longer_and_longer),
	P(what_slurm_has_refused_is_not_tried_before),
	P(nothing_is_tried_without_the_lease),
};

static void each_try_has_each_property(void)
{
	unsigned int violated[T_COUNT(of_tries)] = {0}, n = 0;
	struct try t = {0};

	for (unsigned int i = 0; i < TIMES; i++) {
		t.refused = i;
		dynamic_refused(&t.b, "no", AT, &t.again_ms);
		for (unsigned int k = 0; k < 10; k++, n++) {
			const int64_t after[] = {0, 1, t.again_ms - 1,
						 t.again_ms, t.again_ms + 1};

			t.after_ms = after[k / 2];
			t.has_cluster = k & 1;
			for (size_t j = 0; j < T_COUNT(of_tries); j++)
				violated[j] += !of_tries[j].holds(&t);
		}
	}
	printf("%u tries\n", n);
	for (size_t k = 0; k < T_COUNT(of_tries); k++) {
		t_row("%s", of_tries[k].name);
		T_INT(violated[k], 0);
	}
}

T_MAIN("dynamic_properties", T(each_decision_has_each_property),
       T(each_try_has_each_property))
