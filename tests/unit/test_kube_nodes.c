/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kubernetes nodes in view. The informer and the clock are the test's. */
#include <string.h>

#include "base/str.h"
#include "cluster/kube_nodes.h"
#include "t.h"

#define MINUTE_MS 60000

static int64_t now;
static struct informer_handler on;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

struct informer *__wrap_informer_new(struct kube_client *c,
				     const struct informer_options *opt,
				     const struct informer_handler *to);
struct informer *__wrap_informer_new(struct kube_client *c,
				     const struct informer_options *opt,
				     const struct informer_handler *to)
{
	(void)c, (void)opt;
	on = *to;
	return NULL;
}

static void ring(void *arg)
{
	(*(int *)arg)++;
}

static void put(const char *name, bool ready)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\":{\"name\":\"%s\"},\"status\":{\"conditions\":[{"
		"\"type\":\"Ready\",\"status\":\"%s\"}]}}",
		name, ready ? "True" : "False");
	_cleanup_json_ json_object *node = t_parse(text);

	on.on_object(on.arg, node);
}

static void put_control(const char *name, bool ready)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"taints\":[{"
		"\"key\":"
		"\"a\",\"effect\":\"NoSchedule\"},{\"key\":\"node-role."
		"kubernetes.io/control-plane\",\"effect\":\"NoSchedule\"}]},"
		"\"status\":{\"conditions\":[{"
		"\"type\":\"Ready\",\"status\":\"%s\"}]}}",
		name, ready ? "True" : "False");
	_cleanup_json_ json_object *node = t_parse(text);

	on.on_object(on.arg, node);
}

static void take(const char *name)
{
	_cleanup_free_ char *text =
		str_printf("{\"metadata\":{\"name\":\"%s\"}}", name);
	_cleanup_json_ json_object *node = t_parse(text);

	on.on_delete(on.arg, node);
}

/* A list with these two names; NULL: not. */
static void list(const char *a, const char *b)
{
	on.on_list(on.arg);
	if (a)
		put(a, true);
	if (b)
		put(b, true);
	on.on_synced(on.arg);
}

static void check(struct t_at at, struct kube_nodes *h, const char *name,
		  bool known, bool ready)
{
	struct kube_node_state is;

	kube_nodes_find(h, name, &is);
	t_int(at, is.known, known);
	t_int(at, is.ready, ready);
}
#define IS_READY(h, name) check(T_HERE, h, name, true, true)
#define IS_LOST(h, name) check(T_HERE, h, name, true, false)
#define IS_UNKNOWN(h, name) check(T_HERE, h, name, false, false)

static void hosts_freep(struct kube_nodes **h)
{
	kube_nodes_free(*h);
}

static struct kube_nodes *begin(int *rings)
{
	struct kube_nodes *h = kube_nodes_new("c", ring, rings);

	now = 1000;
	kube_nodes_inform(h, NULL, NULL);
	IS_UNKNOWN(h, "a");
	list("a", "b");
	IS_READY(h, "a");
	IS_READY(h, "b");
	return h;
}
#define _cleanup_hosts_ _cleanup_(hosts_freep)

static void one_that_is_deleted_is_not_ready_for_ten_minutes(void)
{
	int rings = 0;
	_cleanup_hosts_ struct kube_nodes *h = begin(&rings);

	take("a");
	IS_LOST(h, "a");
	now += 10 * MINUTE_MS - 1;
	list("b", "c");
	IS_LOST(h, "a"); /* a list does not name it, either */
	now += 1;
	put("d", true);
	IS_UNKNOWN(h, "a");
	IS_READY(h, "b");
}

static void oversized(const char *name)
{
	struct object_id id = {.version = "9"};

	str_copy(id.name, name, sizeof(id.name));
	on.on_oversized(on.arg, &id, true);
}

/* What is too big to be read is not gone. */
static void one_that_grows_stays_as_it_was(void)
{
	int rings = 0;
	_cleanup_hosts_ struct kube_nodes *h = begin(&rings);

	oversized("a"); /* a watch */
	IS_READY(h, "a");
	on.on_list(on.arg);
	oversized("a");
	oversized("never-read");
	put("b", false);
	on.on_synced(on.arg);
	IS_READY(h, "a");
	IS_LOST(h, "b");
	IS_UNKNOWN(h, "never-read");
	take("a");
	IS_LOST(h, "a");
}

static void one_that_went_while_no_watch_was_there_is_lost_too(void)
{
	int rings = 0;
	_cleanup_hosts_ struct kube_nodes *h = begin(&rings);
	const int before = rings;

	list("b", NULL);
	T_OK(rings > before);
	IS_LOST(h, "a");
	IS_READY(h, "b");
	now += MINUTE_MS; /* and one more: it went then, not now */
	list("b", NULL);
	IS_LOST(h, "a");
	list("a", "b");
	IS_READY(h, "a");
	list("b", NULL);
	IS_LOST(h, "a");
	now += 10 * MINUTE_MS;
	list("b", NULL);
	IS_UNKNOWN(h, "a");
}

static void check_count(struct t_at at, struct kube_nodes *h, size_t nodes,
			size_t lost, size_t others_ready)
{
	struct disruption_seen seen;

	t_ok(at, kube_nodes_count(h, &seen), "they are known");
	t_int(at, seen.nodes, nodes);
	t_int(at, seen.lost, lost);
	t_int(at, seen.others_ready, others_ready);
}
#define COUNT(h, nodes, lost, others)                                          \
	check_count(T_HERE, h, nodes, lost, others)

static void those_that_are_not_ready_are_counted(void)
{
	int rings = 0;
	_cleanup_hosts_ struct kube_nodes *h = begin(&rings);

	COUNT(h, 2, 0, 0);
	put("c", false);
	put("c", false);
	COUNT(h, 3, 1, 0);
	put("c", true);
	put("b", false);
	COUNT(h, 3, 1, 0);
	put_control("d", true);
	COUNT(h, 3, 1, 1);
	put_control("d", false);
	COUNT(h, 3, 1, 0);
	put_control("b", true);
	COUNT(h, 2, 0, 1);
	put("b", true);
	COUNT(h, 3, 0, 0);
	put_control("d", true);
	take("d");
	COUNT(h, 3, 0, 0);
}

/* One that was deleted, and was seen to be, is not lost with others. */
static void one_that_a_list_has_no_more_counts_as_lost_for_ten_minutes(void)
{
	int rings = 0;
	_cleanup_hosts_ struct kube_nodes *h = begin(&rings);

	put("c", true);
	take("c");
	COUNT(h, 2, 0, 0);
	list(NULL, NULL);
	COUNT(h, 2, 2, 0);
	list("a", NULL);
	COUNT(h, 2, 1, 0);
	put("c", true);
	COUNT(h, 3, 1, 0);
	now += 10 * MINUTE_MS - 1;
	COUNT(h, 3, 1, 0);
	now += 1;
	COUNT(h, 2, 0, 0); /* (no other list may come for days) */
}

static void before_the_first_list_nothing_is_known(void)
{
	int rings = 0;
	_cleanup_hosts_ struct kube_nodes *h =
		kube_nodes_new("c", ring, &rings);
	struct disruption_seen seen;

	kube_nodes_inform(h, NULL, NULL);
	T_OK(!kube_nodes_count(h, &seen));
	on.on_list(on.arg);
	put("a", false);
	T_OK(!kube_nodes_count(h, &seen));
	on.on_synced(on.arg);
	COUNT(h, 1, 1, 0);
}

T_MAIN("kube_nodes", T(one_that_is_deleted_is_not_ready_for_ten_minutes),
       T(one_that_grows_stays_as_it_was),
       T(one_that_went_while_no_watch_was_there_is_lost_too),
       T(those_that_are_not_ready_are_counted),
       T(one_that_a_list_has_no_more_counts_as_lost_for_ten_minutes),
       T(before_the_first_list_nothing_is_known))
