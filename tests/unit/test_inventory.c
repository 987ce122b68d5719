/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kubernetes' nodes as the bridge has them in view. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log_ratelimit.h"
#include "base/str.h"
#include "external/inventory.h"
#include "syntax/wellknown.h"
#include "t.h"

struct view {
	struct inventory *h;
	struct informer_handler on;
};

static void ring(void *arg)
{
	(void)arg;
}

/* Extended resources that are Gres. */
#define KIND(n)                                                                \
	{                                                                      \
		(char *)"a.b/" n, (char *)"g" n                                \
	}
static struct label_pair pairs[] = {
	KIND("1"), KIND("2"), KIND("3"), KIND("4"),  KIND("5"), KIND("6"),
	KIND("7"), KIND("8"), KIND("9"), KIND("10"), KIND("c"),
};
static const struct label_pairs resources = {pairs, T_COUNT(pairs)};

static struct view view_of(const char *label)
{
	const struct inventory_options opt = {.cluster = "c",
					      .label = label,
					      .scheduler = "s",
					      .resources = &resources,
					      .ring = ring};
	struct view v = {.h = inventory_new(&opt)};

	v.on = inventory_handler(v.h);
	return v;
}

/* A node with this label, and a heartbeat. */
static json_object *node_of(const char *name, const char *label, int heartbeat)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "{\"metadata\":{\"name\":\"%s\",\"uid\":\"u-%s\","
		 "\"labels\":{%s}},\"status\":{\"conditions\":[{\"type\":"
		 "\"Ready\",\"status\":\"True\",\"lastHeartbeatTime\":"
		 "\"2026-01-01T00:00:%02dZ\"}]}}",
		 name, name, label, heartbeat);
	return t_parse(text);
}

static void see(struct view *v, const char *name, const char *label,
		int heartbeat)
{
	_cleanup_json_ json_object *node = node_of(name, label, heartbeat);

	v->on.on_object(v->on.arg, node);
}

/* The node n1 with these allocatable. */
static void see_having(struct view *v, const char *allocatable)
{
	_cleanup_free_ char *text =
		str_printf("{\"metadata\":{\"name\":\"n1\",\"uid\":\"u-n1\"},"
			   "\"status\":{\"allocatable\":{%s}}}",
			   allocatable);
	_cleanup_json_ json_object *node = t_parse(text);

	v->on.on_object(v->on.arg, node);
}

static void lose(struct view *v, const char *name)
{
	_cleanup_json_ json_object *node = node_of(name, "", 0);

	v->on.on_delete(v->on.arg, node);
}

/* The Kubernetes node that is this one of Slurm; or "". */
static const char *who(struct view *v, const char *slurm)
{
	const struct inventory_node *x = inventory_of_slurm(v->h, slurm);

	return x ? x->name : "";
}

static void a_heartbeat_is_no_news(void)
{
	static const struct {
		const char *ours, *label;
		bool bridge;
	} rows[] = {
		{"site/pool", "", false},
		{"site/pool", "\"site/pool\":\"x\"", true},
		{"site/pool", "\"slurm-k8s.io/external-node\":\"\"", true},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct view v = view_of(rows[i].ours);
		uint64_t version;

		t_row("%s", rows[i].label);
		see(&v, "n1", rows[i].label, 1);
		T_INT(inventory_first(v.h)->bridge, rows[i].bridge);
		version = inventory_version(v.h);
		see(&v, "n1", rows[i].label, 2);
		T_INT(inventory_version(v.h), version);
		see(&v, "n1", "\"a\":\"b\"", 3);
		T_OK(inventory_version(v.h) != version);
		T_OK(!inventory_first(v.h)->bridge);
		inventory_free(v.h);
	}
}

#define CLAIM "\"slurm-k8s.io/slurm-nodename\":\"w1\""

static void a_name_that_is_free_again_is_the_next_ones(void)
{
	for (int way = 0; way < 3; way++) {
		struct view v = view_of("l");

		t_row("%d", way);
		see(&v, "n1", CLAIM, 1);
		see(&v, "n2", CLAIM, 1);
		T_STR(who(&v, "w1"), "n1");
		if (way == 0) {
			lose(&v, "n1");
		} else if (way == 1) { /* it has another name now */
			see(&v, "n1", "", 2);
			T_STR(who(&v, "n1"), "n1");
		} else { /* a new list does not have it */
			v.on.on_list(v.on.arg);
			see(&v, "n2", CLAIM, 2);
			v.on.on_synced(v.on.arg);
		}
		T_STR(who(&v, "w1"), "n2");
		inventory_free(v.h);
	}
}

/* A pod of another scheduler on n1; `news`: something has changed by it. */
static void see_other(struct inventory *h, const char *uid, const char *spec,
		      const char *status, bool news)
{
	_cleanup_free_ char *text = str_printf(
		"{\"metadata\":{\"uid\":\"%s\"},\"spec\":{\"nodeName\":\"n1\""
		"%s},\"status\":{%s}}",
		uid, spec, status);
	_cleanup_json_ json_object *pod = t_parse(text);
	const uint64_t version = inventory_version(h);
	struct informer_handler on;

	on = inventory_others_handler(h);
	on.on_object(on.arg, pod);
	T_INT(inventory_version(h) != version, news);
}

#define CONTAINER(list)                                                        \
	",\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{" list  \
	"}}}]"
#define STATUS(list)                                                           \
	"\"containerStatuses\":[{\"name\":\"a\",\"resources\":{\"requests\":"  \
	"{" list "}}}]"

static void a_pod_that_is_resized_holds_what_it_had(void)
{
	struct view v = view_of("l");
	struct pod_requests used;

	see_having(&v, "\"cpu\":8,\"a.b/c\":8");
	see_other(v.h, "p", CONTAINER("\"cpu\":1,\"a.b/c\":1"), "", true);
	see_other(v.h, "p", CONTAINER("\"cpu\":1,\"a.b/c\":1"), "", false);
	see_other(v.h, "p", CONTAINER("\"cpu\":1,\"a.b/c\":2"), "", true);
	see_other(v.h, "q", CONTAINER("\"cpu\":1"), STATUS("\"cpu\":3"), true);
	T_INT(inventory_node_used(inventory_first(v.h), &used, NULL), 0);
	T_INT(used.cpu_milli, 4000);
	T_INT(pod_requests_count(&used, "a.b/c"), 2);
	see_other(v.h, "q", CONTAINER("\"cpu\":1"), STATUS("\"cpu\":1"), true);
	T_INT(inventory_node_used(inventory_first(v.h), &used, NULL), 0);
	T_INT(used.cpu_milli, 2000);
	inventory_free(v.h);
}

/* A pod with our scheduler's name. */
static void see_ours(struct inventory *h, const char *uid, const char *meta,
		     const char *spec, const char *status)
{
	_cleanup_free_ char *text =
		str_printf("{\"metadata\":{\"uid\":\"%s\"%s},\"spec\":{%s},"
			   "\"status\":{%s}}",
			   uid, meta, spec, status);
	_cleanup_json_ json_object *pod = t_parse(text);
	struct informer_handler on;

	on = inventory_ours_handler(h);
	on.on_object(on.arg, pod);
}

static int64_t cpu_of(struct inventory *h)
{
	struct pod_requests used;

	T_INT(inventory_node_used(inventory_first(h), &used, NULL), 0);
	return used.cpu_milli;
}

/* Whatever its author has written on it. */
static void a_pod_that_others_bound_counts_as_theirs(void)
{
#define ON_N1 "\"nodeName\":\"n1\"" CONTAINER("\"cpu\":1")
#define FORGED                                                                 \
	",\"labels\":{\"slurm-k8s.io/job-id\":\"7\"},\"annotations\":"         \
	"{\"slurm-k8s.io/job-id\":\"7\"}"
#define OURS_BY(id)                                                            \
	"\"phase\":\"Running\",\"conditions\":[{\"type\":"                     \
	"\"slurm-k8s.io/job\",\"status\":\"True\",\"message\":\"" id "\"}]"
#define OURS OURS_BY("7")
	struct view v = view_of("l");
	struct informer_handler ours, theirs;

	ours = inventory_ours_handler(v.h);
	theirs = inventory_others_handler(v.h);
	see(&v, "n1", "", 1);
	see_ours(v.h, "p", FORGED, ON_N1, "\"phase\":\"Running\"");
	see_ours(v.h, "q", "", ON_N1, "");
	T_INT(cpu_of(v.h), 2000);
	see_ours(v.h, "r", FORGED, ON_N1, OURS);
	see_ours(v.h, "s", FORGED, &CONTAINER("\"cpu\":1")[1], "");
	T_INT(cpu_of(v.h), 2000);
	see_ours(v.h, "q", "", ON_N1, "\"phase\":\"Failed\"");
	T_INT(cpu_of(v.h), 1000);
	/* (a new list of the others does not have it) */
	see_other(v.h, "t", CONTAINER("\"cpu\":5"), "", true);
	theirs.on_list(theirs.arg);
	theirs.on_synced(theirs.arg);
	T_INT(cpu_of(v.h), 1000);
	see_other(v.h, "t", CONTAINER("\"cpu\":5"), "", true);
	ours.on_list(ours.arg);
	ours.on_synced(ours.arg);
	T_INT(cpu_of(v.h), 5000);
	inventory_free(v.h);
}

static void oversized_on(const struct informer_handler *on, const char *name,
			 const char *uid, const char *node)
{
	struct object_id id = {.version = "9"};

	str_copy(id.node, node, sizeof(id.node));

	str_copy(id.name, name, sizeof(id.name));
	str_copy(id.uid, uid, sizeof(id.uid));
	on->on_oversized(on->arg, &id, true);
}

static void oversized(const struct informer_handler *on, const char *name,
		      const char *uid)
{
	oversized_on(on, name, uid, "");
}

/* Nobody knows what it holds: all of its node, until it is gone. */
static void what_was_never_read_may_hold_its_whole_node(void)
{
	for (int mine = 0; mine < 2; mine++) {
		struct view v = view_of("l");
		struct informer_handler on;

		t_row("%d", mine);
		if (mine)
			on = inventory_ours_handler(v.h);
		else
			on = inventory_others_handler(v.h);
		see(&v, "n1", "", 1);
		on.on_list(on.arg);
		oversized_on(&on, "p", "u", "n1");
		oversized_on(&on, "waits", "w", "");
		on.on_synced(on.arg);
		/* (one of ours has what its job has) */
		T_OK(cpu_of(v.h) == (mine ? 0 : INT64_MAX));
		/* a watch; then it is gone */
		oversized_on(&on, "p", "u", "n1");
		T_OK(cpu_of(v.h) == (mine ? 0 : INT64_MAX));
		on.on_list(on.arg);
		on.on_synced(on.arg);
		T_INT(cpu_of(v.h), 0);
		inventory_free(v.h);
	}
}

/* Whoever makes such a pod must not take a node with it. */
static void of_one_with_too_many_parts_counts_what_it_holds(void)
{
	static const char text[] =
		"{\"metadata\":{\"name\":\"p\",\"uid\":\"u\"},\"spec\":{"
		"\"nodeName\":\"n1\"" CONTAINER("\"cpu\":2") "}}";
	const struct object_id id = {.name = "p",
				     .uid = "u",
				     .node = "n1",
				     .unreadable = true,
				     .text = text,
				     .text_len = sizeof(text) - 1};
	struct view v = view_of("l");
	struct informer_handler on;

	on = inventory_others_handler(v.h);
	see(&v, "n1", "", 1);
	on.on_list(on.arg);
	on.on_oversized(on.arg, &id, true);
	on.on_synced(on.arg);
	T_INT(cpu_of(v.h), 2000);
	inventory_free(v.h);
}

/* What is too big to be read is not gone: node, and pods of both kinds. */
static void what_grows_stays_as_it_was(void)
{
	struct view v = view_of("l");
	struct informer_handler ours, theirs;

	ours = inventory_ours_handler(v.h);
	theirs = inventory_others_handler(v.h);
	see(&v, "n1", "", 1);
	see_other(v.h, "t", CONTAINER("\"cpu\":5"), "", true);
	see_ours(v.h, "q", "", ON_N1, "\"phase\":\"Running\"");
	T_INT(cpu_of(v.h), 6000);
	for (int i = 0; i < 2; i++) { /* a watch, then a list */
		oversized(&v.on, "n1", "u-n1");
		oversized(&theirs, "t", "t");
		oversized(&ours, "q", "q");
		oversized(&ours, "never-read", "r");
		if (i) {
			v.on.on_synced(v.on.arg);
			theirs.on_synced(theirs.arg);
			ours.on_synced(ours.arg);
		}
		T_INT(cpu_of(v.h), 6000);
		v.on.on_list(v.on.arg);
		theirs.on_list(theirs.arg);
		ours.on_list(ours.arg);
	}
	theirs.on_synced(theirs.arg);
	T_INT(cpu_of(v.h), 1000);
	ours.on_synced(ours.arg);
	T_INT(cpu_of(v.h), 0);
	v.on.on_synced(v.on.arg);
	T_OK(!inventory_first(v.h));
	inventory_free(v.h);
}

static bool is_of_job_7(void *arg, uint32_t job_id)
{
	(void)arg;
	return job_id == 7;
}

static int64_t taken_of(struct inventory *h)
{
	struct pod_requests used;

	T_INT(inventory_node_taken(inventory_first(h), is_of_job_7, NULL, &used,
				   NULL),
	      0);
	return used.cpu_milli;
}

/* With another schedulerName, and the job that Slurm counts it by. */
static void what_a_job_has_already_is_not_taken_besides(void)
{
	struct view v = view_of("l");

	see(&v, "n1", "", 1);
	see_other(v.h, "p", CONTAINER("\"cpu\":1"), OURS, true);
	see_other(v.h, "q", CONTAINER("\"cpu\":2"), "", true);
	T_INT(cpu_of(v.h), 3000);
	T_INT(taken_of(v.h), 2000);
	see_other(v.h, "p", CONTAINER("\"cpu\":1"), OURS, false);
	/* it has another job now, or is nobody's */
	see_other(v.h, "p", CONTAINER("\"cpu\":1"), OURS_BY("8"), true);
	T_INT(taken_of(v.h), 3000);
	see_other(v.h, "p", CONTAINER("\"cpu\":1"), OURS, true);
	T_INT(taken_of(v.h), 2000);
	see_other(v.h, "p", CONTAINER("\"cpu\":1"), OURS_BY("x"), true);
	T_INT(taken_of(v.h), 3000);
	/* (what its author can write says nothing) */
	see_ours(v.h, "r", FORGED, ON_N1, "\"phase\":\"Running\"");
	T_INT(taken_of(v.h), 4000);
	inventory_free(v.h);
}

static void what_cannot_be_read_holds_all(void)
{
	struct view v = view_of("l");
	struct pod_requests used;
	struct err err = {0};

	see(&v, "n1", "", 1);
	see_other(v.h, "p", ",\"containers\":{}", "", true);
	see_other(v.h, "p", ",\"containers\":{}", "", false);
	T_INT(inventory_node_used(inventory_first(v.h), &used, &err), 0);
	T_INT(used.cpu_milli, INT64_MAX);
	see_other(v.h, "q", CONTAINER("\"cpu\":\"x\""), "", true);
	T_INT(inventory_node_used(inventory_first(v.h), &used, &err), 0);
	T_INT(used.cpu_milli, INT64_MAX);
	inventory_free(v.h);
}

static int lines_with(const char *words)
{
	int n = 0;

	for (const char *at = t_log(); (at = strstr(at, words)); at++)
		n++;
	return n;
}

/* (whoever makes such pods in a loop, in any namespace, names any node) */
static void pods_that_cannot_be_read_do_not_fill_the_log(void)
{
	for (int oversize = 0; oversize < 2; oversize++) {
		struct view v = view_of("l");
		struct informer_handler on;

		t_row("%d", oversize);
		on = inventory_others_handler(v.h);
		t_log_clear();
		for (int i = 0; i < 1000; i++) {
			char text[256], uid[16], node[16];
			_cleanup_json_ json_object *pod = NULL;

			snprintf(uid, sizeof(uid), "u%d", i);
			snprintf(node, sizeof(node), "n%d",
				 i < 500 ? 0 : i - 500);
			snprintf(text, sizeof(text),
				 "{\"metadata\":{\"name\":\"p\",\"uid\":\"%s\","
				 "\"namespace\":\"ns\"},\"spec\":{\"nodeName\":"
				 "\"%s\",\"containers\":{}}}",
				 uid, node);
			pod = t_parse(text);
			if (oversize)
				oversized_on(&on, "p", uid, node);
			else
				on.on_object(on.arg, pod);
			if (i == 499)
				T_INT(lines_with("held all"), 1);
		}
		T_INT(lines_with("held all"), LOG_RATELIMIT_MAX + 1);
		T_INT(lines_with("of node n0: "), 1);
		T_INT(lines_with("not named"), 1);
		inventory_free(v.h);
	}
}

/* `n` kinds of which a pod requests one each: "a.b/1", "a.b/2", ... */
static char *kinds_of(const char *prefix, int n)
{
	char *list = str_printf("\"cpu\":1");

	for (int i = 1; i <= n; i++) {
		_cleanup_free_ char *before = list;

		list = str_printf("%s,\"%s%d\":1", before, prefix, i);
	}
	return list;
}

static char *pod_with(const char *requests)
{
	return str_printf(",\"containers\":[{\"resources\":{\"requests\":{%s}"
			  "}}]",
			  requests);
}

static char *pod_of_kinds(const char *prefix, int n)
{
	_cleanup_free_ char *kinds = kinds_of(prefix, n);

	return pod_with(kinds);
}

/* One pod whose author has bound it, or several. */
static void kinds_that_a_node_does_not_have_use_nothing(void)
{
	static const char most[] = "\"a.b/1\":9223372036854775807";
	_cleanup_free_ char *name = t_repeat("x", 80);
	_cleanup_free_ char *long_name = str_printf("\"a.b/%s\":1", name);
	_cleanup_free_ char *two =
		str_printf(",\"containers\":[{\"resources\":{\"requests\":{%s}"
			   "}},{\"resources\":{\"requests\":{\"cpu\":1,%s}}}]",
			   most, most);
	char *pods[] = {
		pod_with("\"x/y\":1"),
		pod_of_kinds("foreign/x", 9),
		pod_of_kinds("other/x", 200),
		pod_with(long_name),
		pod_of_kinds("a.b/", 10), /* (Gres, but not there) */
		strdup(two),
	};
	static const int64_t cpus[] = {0, 1000, 1000, 0, 1000, 1000};
	struct view v = view_of("l");
	struct pod_requests used;
	struct err err = {0};
	int64_t cpu = 0;

	see_having(&v, "\"cpu\":64,\"a.b/c\":8");
	see_other(v.h, "c", CONTAINER("\"a.b/c\":3"), "", true);
	t_log_clear();
	for (size_t i = 0; i < T_COUNT(pods); i++) {
		char uid[8];

		t_row("%zu", i);
		snprintf(uid, sizeof(uid), "p%zu", i);
		see_other(v.h, uid, pods[i], "", true);
		cpu += cpus[i];
		T_INT(inventory_node_used(inventory_first(v.h), &used, &err),
		      0);
		T_INT(used.cpu_milli, cpu);
		T_INT(used.n_ext, 1);
		T_INT(pod_requests_count(&used, "a.b/c"), 3);
		free(pods[i]);
	}
	T_STR(t_log(), "");
	/* (its device plugins come up: then it has them) */
	see_having(&v, "\"cpu\":64,\"a.b/1\":2,\"a.b/10\":2");
	T_INT(inventory_node_used(inventory_first(v.h), &used, &err), 0);
	T_INT(pod_requests_count(&used, "a.b/1"), INT64_MAX);
	T_INT(pod_requests_count(&used, "a.b/10"), 1);
	T_INT(pod_requests_count(&used, "a.b/c"), 0);
	inventory_free(v.h);
}

static void more_kinds_than_are_counted_of_one_node_are_told(void)
{
	_cleanup_free_ char *kinds = kinds_of("a.b/", 10);
	_cleanup_free_ char *pod = pod_with(kinds);
	struct view v = view_of("l");
	struct pod_requests used;
	struct err err = {0};

	see_having(&v, kinds);
	see_other(v.h, "p", pod, "", true);
	see_other(v.h, "p", pod, "", false);
	T_ERR(inventory_node_used(inventory_first(v.h), &used, &err), &err,
	      -E2BIG, "more than 8 kinds of extended resources");
	T_INT(inventory_node_used(inventory_first(v.h), &used, NULL), -E2BIG);
	inventory_free(v.h);
}

/* Each claim of each node would wake all pods that wait. */
static void a_claim_is_seen_and_changes_nothing_of_the_node(void)
{
	static const char *const labels[] = {
		"\"l\":\"\",\"slurm-k8s.io/cluster\":\"blue\"",
		"\"l\":\"\",\"slurm-k8s.io/cluster\":\"green\",\"a\":\"\"",
		"\"l\":\"\",\"a\":\"\"",
		"\"l\":\"\",\"z\":\"\"",
	};
	static const bool claim_only[] = {true, false, true, false};
	struct view v = view_of("l");
	uint64_t views, version;

	see(&v, "n1", "\"l\":\"\"", 1);
	for (size_t i = 0; i < T_COUNT(labels); i++) {
		const struct inventory_node *x;
		int64_t at;

		t_row("%s", labels[i]);
		x = inventory_find(v.h, "n1");
		at = x->changed_at;
		views = inventory_views(v.h);
		version = inventory_version(v.h);
		see(&v, "n1", labels[i], 1);
		T_INT(inventory_version(v.h), version + 1);
		T_INT(inventory_views(v.h), views + !claim_only[i]);
		T_OK(x->changed_at == at || !claim_only[i]);
		T_STR(kube_node_label(&x->view, WK_CLAIM_NODE),
		      i == 0   ? "blue"
		      : i == 1 ? "green"
			       : NULL);
	}
	inventory_free(v.h);
}

/* (more taints than are read: its jobs would be ended as of a lost node) */
static void a_node_that_cannot_be_read_stays_as_it_was(void)
{
	struct view v = view_of("site/pool");
	_cleanup_json_ json_object *node =
		node_of("n1", "\"site/pool\":\"x\"", 3);
	_cleanup_json_ json_object *other =
		node_of("n2", "\"site/pool\":\"x\"", 3);
	json_object *taints = json_object_new_array();

	see(&v, "n1", "\"site/pool\":\"x\"", 1);
	see(&v, "n2", "\"site/pool\":\"x\"", 1);
	v.on.on_synced(v.on.arg);
	for (int i = 0; i <= HOST_TAINTS_MAX; i++)
		json_object_array_add(taints,
				      t_parse("{\"key\":\"k\",\"effect\":"
					      "\"NoSchedule\"}"));
	json_object_object_add(node, "spec", json_object_new_object());
	json_object_object_add(json_object_object_get(node, "spec"), "taints",
			       json_object_get(taints));
	json_object_object_add(other, "spec", json_object_new_object());
	json_object_object_add(json_object_object_get(other, "spec"), "taints",
			       taints);
	json_object_object_add(json_object_object_get(other, "metadata"), "uid",
			       json_object_new_string("another"));
	v.on.on_list(v.on.arg);
	t_log_clear();
	v.on.on_object(v.on.arg, node);
	T_HAS(t_log(), "taints");
	t_log_clear();
	v.on.on_object(v.on.arg, node); /* (told once) */
	T_STR(t_log(), "");
	v.on.on_object(v.on.arg, other); /* made anew under its name */
	v.on.on_synced(v.on.arg);
	T_STR(who(&v, "n1"), "n1");
	T_OK(inventory_find(v.h, "n1") != NULL);
	T_OK(!inventory_find(v.h, "n1")->view.unread);
	/* (nothing that was known of the one before) */
	T_OK(inventory_find(v.h, "n2")->view.unread);
	T_STR(inventory_find(v.h, "n2")->view.uid, "another");
	T_OK(!inventory_find(v.h, "n2")->bridge);
	inventory_free(v.h);
}

#define ONE_TAINT "{\"key\":\"k\",\"effect\":\"NoSchedule\"}"

/* A node with that many taints, as it is listed, or its text only. */
static void see_tainted(struct view *v, const char *name, const char *label,
			int n, bool text_only)
{
	_cleanup_json_ json_object *node = node_of(name, label, 3);
	json_object *taints = json_object_new_array();
	json_object *spec = json_object_new_object();

	for (int i = 0; i < n; i++)
		json_object_array_add(taints, t_parse(ONE_TAINT));
	json_object_object_add(spec, "taints", taints);
	json_object_object_add(node, "spec", spec);
	if (text_only) {
		struct object_id id = {.unreadable = true};

		str_copy(id.name, name, sizeof(id.name));
		snprintf(id.uid, sizeof(id.uid), "u-%s", name);
		id.text = json_object_to_json_string(node);
		id.text_len = strlen(id.text);
		v->on.on_oversized(v->on.arg, &id, true);
	} else {
		v->on.on_object(v->on.arg, node);
	}
}

/* (after a failover, say: without it its jobs end, as of a lost node) */
static void one_that_was_never_read_is_there_and_has_its_name(void)
{
	for (int text_only = 0; text_only < 2; text_only++) {
		struct view v = view_of("l");
		const struct inventory_node *x;
		struct err err = {0};
		const struct node_filter any = {0};
		uint64_t version, views;

		t_row("%d", text_only);
		t_log_clear();
		v.on.on_list(v.on.arg);
		see_tainted(&v, "n1", "\"l\":\"\"," CLAIM, HOST_TAINTS_MAX + 1,
			    text_only);
		see_tainted(&v, "n2", "\"l\":\"\"", HOST_TAINTS_MAX + 1,
			    text_only);
		oversized(&v.on, "n3", "u3"); /* (too big: without a text) */
		oversized(&v.on, "", "u4");
		oversized(&v.on, "n5", "");
		v.on.on_synced(v.on.arg);
		T_STR(who(&v, "w1"), "n1");
		T_STR(who(&v, "n2"), "n2");
		T_STR(who(&v, "n3"), "n3");
		T_OK(!inventory_find(v.h, "n5"));
		T_INT(lines_with("is not used until it can be read: "),
		      text_only ? 0 : 2);
		x = inventory_find(v.h, "n1");
		T_NEED(x);
		T_OK(x->view.unread && !x->bridge && !x->unready_at);
		T_OK(!node_filter_fits(&any, &x->view, &err));
		T_HAS(err.msg, "node n1: it cannot be read");
		/* it is so in each list, which is no news */
		version = inventory_version(v.h);
		views = inventory_views(v.h);
		t_log_clear();
		see_tainted(&v, "n1", "\"l\":\"\"," CLAIM, HOST_TAINTS_MAX + 2,
			    text_only);
		T_INT(inventory_version(v.h), version);
		T_STR(t_log(), "");
		/* it is less; then more again, and stays as it is now */
		see_tainted(&v, "n1", "\"l\":\"\"," CLAIM, 1, false);
		T_OK(inventory_views(v.h) != views);
		T_OK(!x->view.unread && x->bridge && x->view.ready);
		T_INT(x->view.n_taints, 1);
		T_STR(who(&v, "w1"), "n1");
		see_tainted(&v, "n1", "\"l\":\"\"", HOST_TAINTS_MAX + 1,
			    text_only);
		T_OK(!x->view.unread && x->bridge);
		T_STR(who(&v, "w1"), "n1");
		/* its name is another; it goes, by a watch or a list */
		see_tainted(&v, "n2", "\"" WK_HOST_SLURM_NODE "\":\"w2\"",
			    HOST_TAINTS_MAX + 1, text_only);
		T_STR(who(&v, "w2"), "n2");
		T_STR(who(&v, "n2"), "");
		lose(&v, "n2");
		T_STR(who(&v, "w2"), "");
		v.on.on_list(v.on.arg);
		v.on.on_synced(v.on.arg);
		T_OK(!inventory_first(v.h));
		inventory_free(v.h);
	}
}

/* (a Node with no label and nothing allocatable is as little as that) */
static void it_is_read_however_little_it_is(void)
{
	struct view v = view_of("l");
	const struct inventory_node *x;

	oversized(&v.on, "n1", "u-n1");
	x = inventory_find(v.h, "n1");
	T_NEED(x);
	T_OK(x->view.unread);
	see_having(&v, "");
	T_OK(!x->view.unread && x->unready_at);
	inventory_free(v.h);
}

/* (found by fuzz_view: no letter is cut) */
static void why_it_is_no_slurm_node_is_readable(void)
{
	for (int i = 0; i < 2; i++) {
		struct view v = view_of("l");
		const struct inventory_node *x;
		char name[128] = "", copy[200];

		t_row("%d", i);
		if (i)
			strcat(name, "a");
		for (int k = 0; k < 51; k++)
			strcat(name, "\303\244");
		see(&v, name, CLAIM, 1);
		see(&v, "n2", CLAIM, 1);
		x = inventory_find(v.h, "n2");
		T_NEED(x);
		T_OK(strstr(x->why_not, "is Slurm's already"));
		str_copy(copy, x->why_not, sizeof(copy));
		str_sanitize(copy);
		T_STR(x->why_not, copy);
		inventory_free(v.h);
	}
}

T_MAIN("inventory", T(one_that_was_never_read_is_there_and_has_its_name),
       T(it_is_read_however_little_it_is),
       T(why_it_is_no_slurm_node_is_readable),
       T(a_claim_is_seen_and_changes_nothing_of_the_node),
       T(a_node_that_cannot_be_read_stays_as_it_was), T(a_heartbeat_is_no_news),
       T(a_name_that_is_free_again_is_the_next_ones),
       T(a_pod_that_is_resized_holds_what_it_had),
       T(a_pod_that_others_bound_counts_as_theirs),
       T(what_was_never_read_may_hold_its_whole_node),
       T(of_one_with_too_many_parts_counts_what_it_holds),
       T(what_grows_stays_as_it_was),
       T(what_a_job_has_already_is_not_taken_besides),
       T(what_cannot_be_read_holds_all),
       T(pods_that_cannot_be_read_do_not_fill_the_log),
       T(kinds_that_a_node_does_not_have_use_nothing),
       T(more_kinds_than_are_counted_of_one_node_are_told))
