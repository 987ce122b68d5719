/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an event costs whose object somebody has made as long as he could: so
 * many objects, lists and commas are given to json-c, which takes a millisecond
 * for 2000 of them. And that nothing is missing then of an object that is not.
 */
#include <json-c/json_tokener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "bridge/intake/owners.h"
#include "bridge/intake/pod_class.h"
#include "external/inventory.h"
#include "kube/frames.h"
#include "objects/held_pod.h"
#include "objects/partial_pod.h"
#include "pod_groups_fixture.h"

#define FEW 100	  /* of an object whose long list nobody reads */
#define SOME 2900 /* of one list at most, and of what else a pod has */

static size_t values; /* given to json-c */

json_object *__real_json_tokener_parse_ex(struct json_tokener *tok,
					  const char *text, int len);
json_object *__wrap_json_tokener_parse_ex(struct json_tokener *tok,
					  const char *text, int len);
json_object *__wrap_json_tokener_parse_ex(struct json_tokener *tok,
					  const char *text, int len)
{
	values += jx_values(text, (size_t)len);
	return __real_json_tokener_parse_ex(tok, text, len);
}

/* --- an event, as the informer takes it */

static bool was_whole;

static int on_frame(void *arg, enum kube_event type, json_object *object)
{
	(void)arg;
	(void)type;
	was_whole = true;
	pods.to.on_object(pods.to.arg, object);
	return 0;
}

static int on_oversized(void *arg, enum kube_event type,
			const struct object_id *id)
{
	(void)arg;
	(void)type;
	was_whole = false;
	pods.to.on_oversized(pods.to.arg, id, false);
	return 0;
}

/* What it costs. */
static size_t event(const char *object)
{
	_cleanup_free_ char *text =
		str_printf("{\"type\":\"MODIFIED\",\"object\":%s}\n", object);
	const struct frame_handler to = {.on_frame = on_frame,
					 .on_oversized = on_oversized,
					 .only = pods.only};
	struct frames f = FRAMES_INIT;

	values = 0;
	T_INT(frames_feed(&f, text, strlen(text), &to), 0);
	frames_free(&f);
	return values;
}

/* So many of a part in which "%zu" is the number of each, but for a comma. */
static char *many(const char *part, size_t n)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64 << 20);

	for (size_t i = 0; i < n; i++) {
		const char *nr = strchr(part, '#');

		buf_addf(&b, "%s%.*s", i ? "," : "",
			 (int)(nr ? nr - part : (long)strlen(part)), part);
		if (nr)
			buf_addf(&b, "%zu%s", i, nr + 1);
	}
	return strdup(buf_str(&b));
}

/* Of the group a, on a node, bound by nobody that we know. */
static char *pod(const char *meta, const char *spec)
{
	return str_printf(
		"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","
		"\"namespace\":\"ns\",\"uid\":\"b-2\",\"resourceVersion\":"
		"\"7\",\"labels\":{\"scheduling.x-k8s.io/pod-group\":\"a\"}%s},"
		"\"spec\":{\"schedulerName\":\"s\",\"nodeName\":\"n1\","
		"\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":"
		"{\"cpu\":\"2\",\"x.org/gpu\":\"1\"}}}]%s},\"status\":{"
		"\"phase\":\"Running\"}}",
		meta, spec);
}

static const struct {
	const char *meta, *spec; /* what is around the many; NULL: they are no
				    part of this */
	const char *part;
	size_t n, most;
} long_lists[] = {
	{NULL, ",\"imagePullSecrets\":[", "{}", 49900, FEW},
	{NULL, ",\"readinessGates\":[", "{\"conditionType\":\"a#\"}", 49900,
	 FEW},
	{NULL, ",\"schedulingGates\":[", "{\"name\":\"a#\"}", 49900, FEW},
	{NULL, ",\"resourceClaims\":[", "{\"name\":\"a#\"}", 49900, FEW},
	{NULL, ",\"volumes\":[", "{\"name\":\"a#\"}", 49900, FEW},
	{NULL, ",\"tolerations\":[", "{\"key\":\"k#\",\"operator\":\"Exists\"}",
	 49900, FEW},
	{NULL, ",\"tolerations\":[", "{\"operator\":\"Exists\"}", 900, SOME},
	{NULL, ",\"topologySpreadConstraints\":[",
	 "{\"whenUnsatisfiable\":\"ScheduleAnyway\"}", 49900, FEW},
	{NULL, ",\"nodeSelector\":{", "\"a#\":\"\"", 85000, FEW},
	{NULL,
	 ",\"affinity\":{\"nodeAffinity\":{\"requiredDuringScheduling"
	 "IgnoredDuringExecution\":{\"nodeSelectorTerms\":[",
	 "{}", 49900, FEW},
	{NULL,
	 ",\"affinity\":{\"podAffinity\":{\"requiredDuringScheduling"
	 "IgnoredDuringExecution\":[",
	 "{}", 49900, FEW},
	{NULL, ",\"initContainers\":[{\"name\":\"i\",\"ports\":[",
	 "{\"containerPort\":#}", 49900, FEW},
	{NULL, ",\"initContainers\":[{\"name\":\"i\",\"ports\":[",
	 "{\"hostPort\":1#}", 49900, FEW},
	{NULL, ",\"initContainers\":[{\"name\":\"i\",\"env\":[",
	 "{\"name\":\"a#\"}", 49900, FEW},
	{NULL,
	 ",\"initContainers\":[{\"name\":\"i\",\"resources\":{"
	 "\"requests\":{",
	 "\"a.b/#\":\"0\"", 85000, SOME},
	{",\"annotations\":{", NULL, "\"a#\":\"\"", 85000, FEW},
	{",\"annotations\":{", NULL, "\"job.slurm-k8s.io/#\":\"\"", 85000, FEW},
	{",\"finalizers\":[", NULL, "\"a/#\"", 85000, FEW},
	{",\"ownerReferences\":[", NULL,
	 "{\"apiVersion\":\"a\",\"kind\":\"b\",\"name\":\"c\",\"uid\":\"#\","
	 "\"controller\":false}",
	 80000, FEW},
	{",\"managedFields\":[", NULL, "{}", 49900, FEW},
};

/* The brackets that end what begins so. */
static char *ends(const char *begin)
{
	char open[64];
	size_t n = 0;
	char *out = calloc(1, sizeof(open));

	for (; *begin; begin++) {
		if (strchr("{[", *begin))
			open[n++] = *begin == '{' ? '}' : ']';
		n -= strchr("}]", *begin) != NULL;
	}
	for (size_t i = 0; i < n; i++)
		out[i] = open[n - 1 - i];
	return out;
}

static char *long_pod(size_t row)
{
	const char *meta = long_lists[row].meta, *spec = long_lists[row].spec;
	const char *begin = meta ? meta : spec;
	_cleanup_free_ char *list =
		many(long_lists[row].part, long_lists[row].n);
	_cleanup_free_ char *end = ends(begin);
	_cleanup_free_ char *all = str_printf("%s%s%s", begin, list, end);

	return pod(meta ? all : "", meta ? "" : all);
}

static void a_bridged_pod_costs_little_however_long_it_is(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

	for (size_t i = 0; i < T_COUNT(long_lists); i++) {
		_cleanup_free_ char *text = long_pod(i);
		const struct group_pod *m;

		t_row("%s%s", long_lists[i].meta ? long_lists[i].meta : "",
		      long_lists[i].spec ? long_lists[i].spec : "");
		T_OK(event(text) <= long_lists[i].most);
		m = pod_groups_pod(v, "b-2");
		T_NEED(m);
		T_STR(m->pod->node, "n1");
		T_STR(m->group->of.name, "a");
		T_INT(m->shape->need.cpu_milli, 2000);
	}
}

/*
 * Of one with more containers than any is to have no more is read than its node
 * and its phase: it stays what it was.
 */
static void a_pod_with_thousands_of_containers_is_not_read(void)
{
	static const struct {
		const char *spec, *part;
	} rows[] = {
		{",\"initContainers\":[", "{\"name\":\"a#\"}"},
		{",\"initContainers\":[",
		 "{\"name\":\"a#\",\"resources\":{\"requests\":{\"cpu\":"
		 "\"1m\"}}}"},
		{",\"x\":0},\"status\":{\"containerStatuses\":[",
		 "{\"name\":\"a#\",\"state\":{\"running\":{}}}"},
		{",\"x\":0},\"status\":{\"ephemeralContainerStatuses\":[",
		 "{\"state\":{\"running\":{}}}"},
	};
	_cleanup_free_ char *little = pod("", "");

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *list = many(rows[i].part, 20000);
		_cleanup_free_ char *all = str_printf(
			"%s%s%s", rows[i].spec, list,
			strchr(rows[i].spec, '}') ? "]},\"y\":{" : "]");
		_cleanup_free_ char *text = pod("", all);
		_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);

		t_row("%zu", i);
		event(little);
		T_OK(event(text) <= FEW);
		T_OK(!was_whole && pod_groups_pod(v, "b-2"));
	}
}

/*
 * What counts in its containers counts whichever way it is read. (Its author
 * adds tolerations when it waits.)
 */
static void what_was_read_as_a_whole_is_read_in_part(void)
{
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);
	_cleanup_free_ char *none = many("\"a.b/#\":\"0\"", 60);
	_cleanup_free_ char *list = NULL, *tolerations = NULL, *text = NULL;
	_cleanup_free_ char *before = NULL;
	_cleanup_buf_ struct buf b = BUF_INIT(64 << 20);

	for (int i = 0; i < 150; i++)
		buf_addf(&b,
			 "%s{\"name\":\"i%d\",\"resources\":{\"requests\":{%s},"
			 "\"limits\":{%s}}}",
			 i ? "," : "", i, none, none);
	tolerations = many("{\"operator\":\"Exists\"}", 2000);
	before = str_printf(",\"initContainers\":[%s]", buf_str(&b));
	list = pod("", before);
	event(list);
	T_OK(was_whole && pod_groups_pod(v, "b-2"));
	free(before);
	before = str_printf(",\"initContainers\":[%s],\"tolerations\":[%s]",
			    buf_str(&b), tolerations);
	text = pod("", before);
	event(text);
	T_OK(!was_whole);
	T_NEED(pod_groups_pod(v, "b-2"));
	T_STR(pod_groups_pod(v, "b-2")->pod->node, "n1");
	T_INT(pod_groups_pod(v, "b-2")->shape->need.cpu_milli, 2000);
}

/* --- pods of others */

static struct label_pair gpu = {.key = (char *)"x.org/gpu",
				.value = (char *)"gpu"};
static const struct label_pairs resources = {.v = &gpu, .n = 1};

static void ring(void *arg)
{
	(void)arg;
}

static struct inventory *begin_inventory(void)
{
	const struct inventory_options opt = {.cluster = "c",
					      .label = "l",
					      .scheduler = "other",
					      .resources = &resources,
					      .count_others = true,
					      .ring = ring};
	struct inventory *h = inventory_new(&opt);

	T_INT(inventory_start(h, NULL), 0);
	return h;
}

static void end_inventory(struct inventory **h)
{
	inventory_stop(*h);
	inventory_free(*h);
}

/* It is the only one there, and has all that it asks for. */
static void holds_two_cpus(struct inventory *h)
{
	struct pod_requests need = {0};
	const struct inventory_node *x;

	inventory_lock(h);
	x = inventory_first(h);
	if (T_OK(x && inventory_node_others(x) == 1))
		T_INT(inventory_node_used(x, &need, NULL), 0);
	inventory_unlock(h);
	T_INT(need.cpu_milli, 2000);
}

static void a_pod_of_others_costs_little_however_long_it_is(void)
{
	__attribute__((cleanup(end_inventory))) struct inventory *h =
		begin_inventory();

	for (size_t i = 0; i < T_COUNT(long_lists); i++) {
		_cleanup_free_ char *text = long_pod(i);

		t_row("%s%s", long_lists[i].meta ? long_lists[i].meta : "",
		      long_lists[i].spec ? long_lists[i].spec : "");
		T_OK(event(text) <= FEW);
		T_OK(was_whole);
		holds_two_cpus(h);
	}
}

/*
 * A device does not hide behind the names of thousands of others, nor behind
 * a list that makes its pod unreadable as a whole.
 */
static void all_kinds_that_count_are_found_among_many(void)
{
	static const char *const kinds[] = {"x.org/gpu"};
	_cleanup_free_ char *list = many("\"a.b/#\":\"1\"", 3000);
	_cleanup_free_ char *spec = str_printf(
		",\"initContainers\":[{\"name\":\"i\",\"resources\":{"
		"\"requests\":{%s,\"x.org/gpu\":\"3\"}}}]",
		list);
	_cleanup_free_ char *text = pod("", spec);
	__attribute__((cleanup(end_inventory))) struct inventory *h =
		begin_inventory();
	_cleanup_json_ json_object *o = NULL, *part = NULL;
	struct pod_requests a, b;
	struct held_pod table;
	int64_t counts[2];

	held_pod_table(&table, kinds, 1);
	T_OK(event(text) <= FEW);
	holds_two_cpus(h);
	T_INT(held_pod_read(&table, text, strlen(text), &part), 0);
	T_INT(jx_parse(text, strlen(text), &o, NULL), 0);
	T_INT(pod_requests_held_of(o, kinds, 1, &a, &counts[0], NULL), 0);
	T_INT(pod_requests_held_of(part, kinds, 1, &b, &counts[1], NULL), 0);
	T_INT(counts[0], 3);
	T_INT(counts[1], 3);
	T_OK(!memcmp(&a, &b, sizeof(a)));
}

/* (a policy keeps everybody from making one) */
static void one_of_thousands_of_containers_has_all_of_its_node(void)
{
	_cleanup_free_ char *list = many("{\"name\":\"a#\",\"resources\":{"
					 "\"requests\":{\"cpu\":\"1m\"}}}",
					 20000);
	_cleanup_free_ char *spec =
		str_printf(",\"initContainers\":[%s]", list);
	_cleanup_free_ char *text = pod("", spec), *little = pod("", "");
	__attribute__((cleanup(end_inventory))) struct inventory *h =
		begin_inventory();
	struct pod_requests need = {0};

	T_OK(event(text) <= FEW);
	inventory_lock(h);
	T_NEED(inventory_first(h));
	inventory_node_used(inventory_first(h), &need, NULL);
	inventory_unlock(h);
	T_OK(need.cpu_milli > INT32_MAX);
	event(little);
	holds_two_cpus(h);
	T_OK(event(text) <= FEW);
	holds_two_cpus(h); /* (what is known stays) */
}

/* All that etc/kubernetes/admission/containers.yaml lets pass. */
static void others_pods_that_may_be_created_count_whole(void)
{
	char name[HELD_KINDS_MAX][16];
	const char *kinds[HELD_KINDS_MAX];
	_cleanup_buf_ struct buf in = BUF_INIT(64 << 20),
				 states = BUF_INIT(64 << 20);
	_cleanup_free_ char *all = many("\"a.b/#\":\"1\"", HELD_KINDS_MAX);
	_cleanup_free_ char *text = NULL;
	_cleanup_json_ json_object *o = NULL;
	int64_t counts[HELD_KINDS_MAX];
	struct pod_requests need;
	struct held_pod table;

	for (int i = 0; i < HELD_KINDS_MAX; i++) {
		snprintf(name[i], sizeof(name[i]), "a.b/%d", i);
		kinds[i] = name[i];
	}
	for (int i = 0; i < PODNEED_CONTAINERS_MAX; i++) {
		const char *const comma = i ? "," : "";

#define KINDS "{\"cpu\":\"1m\",\"memory\":\"1\",%s}"
#define BOTH                                                                   \
	"%s{\"name\":\"c%d\",\"restartPolicy\":\"Always\",\"resources\":{"     \
	"\"requests\":" KINDS ",\"limits\":" KINDS "}"
		buf_addf(&in, BOTH "}", comma, i, all, all);
		buf_addf(&states, BOTH ",\"allocatedResources\":" KINDS "}",
			 comma, i, all, all, all);
	}
	text = str_printf("{\"metadata\":{\"uid\":\"u\"},\"spec\":{"
			  "\"containers\":[%s]},\"status\":{"
			  "\"containerStatuses\":[%s]}}",
			  buf_str(&in), buf_str(&states));
	held_pod_table(&table, kinds, HELD_KINDS_MAX);
	T_INT(held_pod_read(&table, text, strlen(text), &o), 0);
	T_INT(pod_requests_held_of(o, kinds, HELD_KINDS_MAX, &need, counts,
				   NULL),
	      0);
	T_INT(need.cpu_milli, PODNEED_CONTAINERS_MAX);
	T_INT(counts[HELD_KINDS_MAX - 1], PODNEED_CONTAINERS_MAX);
}

/* --- objects above pods */

static struct kube_reply asked;

struct kube_call *__wrap_kube_get(struct kube_client *c,
				  const struct kube_ref *ref,
				  const struct kube_reply *to);
struct kube_call *__wrap_kube_get(struct kube_client *c,
				  const struct kube_ref *ref,
				  const struct kube_reply *to)
{
	(void)c;
	(void)ref;
	asked = *to;
	return (struct kube_call *)&asked;
}

static void nothing(void *arg)
{
	(void)arg;
}

static void changed(void *told, enum workload_kind kind, const char *ns,
		    const char *name)
{
	(void)told;
	(void)kind;
	(void)ns;
	(void)name;
}

static void answer(struct owners *o, const char *body)
{
	const struct kube_result res = {
		.http = 200, .body = body, .len = strlen(body)};

	owners_step(o, NULL);
	asked.on_done(asked.arg, &res);
}

/* The kind is watched, and all of it was listed. */
static struct owners *owners_begin(enum workload_kind kind)
{
	const struct owners_options opt = {.cluster = "c",
					   .asked = nothing,
					   .changed = changed,
					   .known = nothing};
	const struct workload_api *api = workload_api(kind);
	_cleanup_free_ char *versions = str_printf(
		"{\"versions\":[{\"version\":\"%s\"}]}", api->versions[0]);
	_cleanup_free_ char *kinds =
		str_printf("{\"resources\":[{\"name\":\"%s\"}]}", api->plural);
	struct owners *o = owners_new(&opt);
	json_object *object = NULL;

	owners_get(o, kind, "ns", "j", &object, NULL);
	answer(o, versions);
	answer(o, kinds);
	owners_step(o, NULL);
	pods.to.on_list(pods.to.arg);
	pods.to.on_synced(pods.to.arg);
	return o;
}

static void end_owners(struct owners **o)
{
	owners_step(*o, NULL);
	owners_stop(*o, NULL);
	owners_free(*o);
}

#define META(more)                                                             \
	"{\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":"          \
	"\"u\"" more "}"

static void an_object_above_pods_costs_little_however_long_it_is(void)
{
	static const struct {
		enum workload_kind kind;
		const char *begin, *part;
		size_t n;
	} rows[] = {
		{WORKLOAD_JOB,
		 META("") ",\"spec\":{\"parallelism\":2,\"template\":{\"spec\":"
			  "{\"containers\":[{\"name\":\"c\",\"args\":[",
		 "\"\"", 440000},
		{WORKLOAD_JOB,
		 META("") ",\"spec\":{\"parallelism\":2,\"template\":{\"spec\":"
			  "{\"imagePullSecrets\":[",
		 "{}", 49900},
		{WORKLOAD_JOB,
		 "{\"spec\":{\"parallelism\":2},\"metadata\":{\"name\":\"j\","
		 "\"namespace\":\"ns\",\"uid\":\"u\",\"annotations\":{",
		 "\"a#\":\"\"", 85000},
		{WORKLOAD_JOBSET,
		 META("") ",\"spec\":{\"replicatedJobs\":[{\"replicas\":2,"
			  "\"template\":{\"spec\":{\"template\":{\"spec\":{"
			  "\"tolerations\":[",
		 "{}", 49900},
		{WORKLOAD_GROUP,
		 "{\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":2}}},"
		 "\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":"
		 "\"u\",\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{",
		 "\"f:#\":{}", 49900},
		{WORKLOAD_PODGROUP,
		 META("") ",\"spec\":{\"minMember\":2,\"x\":[", "{}", 49900},
		{WORKLOAD_REPLICASET,
		 META("") ",\"spec\":{\"selector\":{\"matchExpressions\":[",
		 "{}", 49900},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *list = many(rows[i].part, rows[i].n);
		_cleanup_free_ char *end = ends(rows[i].begin);
		_cleanup_free_ char *text =
			str_printf("%s%s%s", rows[i].begin, list, end);
		__attribute__((cleanup(end_owners))) struct owners *o =
			owners_begin(rows[i].kind);
		_cleanup_json_ json_object *object = NULL;
		struct workload w = {
			.kind = rows[i].kind, .ns = "ns", .name = "j"};
		bool alone;

		t_row("%zu", i);
		T_OK(event(text) <= FEW);
		T_OK(was_whole);
		T_INT(owners_get(o, rows[i].kind, "ns", "j", &object, NULL), 0);
		if (rows[i].kind == WORKLOAD_REPLICASET)
			continue;
		T_INT(workload_take(&w, object, &alone, NULL), 0);
		T_INT(w.members, 2);
	}
}

/* (its pods say so; of a PodGroup all but its managers is read) */
static void an_object_of_thousands_of_parts_is_not_read(void)
{
	static const struct {
		enum workload_kind kind;
		const char *begin, *part;
	} rows[] = {
		{WORKLOAD_JOBSET, META("") ",\"spec\":{\"replicatedJobs\":[",
		 "{\"replicas\":2,\"template\":{\"spec\":{\"parallelism\":1}}"
		 "}"},
		{WORKLOAD_GROUP,
		 "{\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":2}}},"
		 "\"metadata\":{\"name\":\"j\",\"namespace\":\"ns\",\"uid\":"
		 "\"u\",\"managedFields\":[",
		 "{\"manager\":\"m#\"}"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *list = many(rows[i].part, 15000);
		_cleanup_free_ char *end = ends(rows[i].begin);
		_cleanup_free_ char *text =
			str_printf("%s%s%s", rows[i].begin, list, end);
		__attribute__((cleanup(end_owners))) struct owners *o =
			owners_begin(rows[i].kind);

		t_row("%zu", i);
		T_NEED(o);
		T_OK(event(text) <= FEW);
		T_INT(was_whole, rows[i].kind == WORKLOAD_GROUP);
	}
}

/* --- nothing is missing of others */

#define REQUESTS(cpu)                                                          \
	"\"resources\":{\"requests\":{\"cpu\":\"" cpu "\",\"memory\":\"1Gi\"," \
	"\"x.org/gpu\":\"1\"},\"limits\":{\"hugepages-2Mi\":\"4Mi\","          \
	"\"x.org/gpu\":\"1\"},\"claims\":[{\"name\":\"r\"}]}"

/* Of a pod that is read without a table; good until the next call. */
static const char *key_of(const char *text)
{
	static char key[65];
	_cleanup_json_ json_object *o = t_parse(text);
	struct pod_class *s = pod_class_of(o, NULL);

	str_copy(key, s->key, sizeof(key));
	pod_class_free(s);
	return key;
}

/*
 * 1000 labels and annotations are what etc/kubernetes/admission/names.yaml lets
 * pass, 200 containers what pod_requests_of() does.
 */
static void an_honest_large_pod_is_read_whole(void)
{
	static const size_t containers[] = {100, 200};
	_cleanup_seen_ struct pod_groups *v = seen_begin(NULL);
	_cleanup_free_ char *env =
		many("{\"name\":\"e#\",\"value\":\"v\"}", 50);
	_cleanup_free_ char *labels = many("\"l#\":\"\"", 1000);
	_cleanup_free_ char *notes = many("\"n#\":\"\"", 950);
	_cleanup_free_ char *asks = many("\"job.slurm-k8s.io/x#\":\"\"", 50);
	_cleanup_free_ char *hosts = many("\"n#\"", 2000);
	_cleanup_free_ char *tolerations =
		many("{\"key\":\"k#\",\"operator\":\"Equal\",\"value\":\"v\","
		     "\"effect\":\"NoSchedule\"}",
		     100);

	for (size_t i = 0; i < T_COUNT(containers); i++) {
		_cleanup_free_ char *one = str_printf(
			"{\"name\":\"c#\",\"image\":\"i\",\"ports\":[{"
			"\"containerPort\":80}],\"env\":[%s]," REQUESTS(
				"1") "}",
			env);
		_cleanup_free_ char *all = many(one, containers[i]);
		_cleanup_free_ char *statuses =
			many("{\"name\":\"c#\",\"state\":{\"running\":{}},"
			     "\"lastState\":{}," REQUESTS("1") "}",
			     containers[i]);
		_cleanup_free_ char *text = str_printf(
			"{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\","
			"\"uid\":\"b-2\",\"labels\":{%s},\"annotations\":{%s,%s"
			"}},\"spec\":{\"containers\":[%s],\"tolerations\":[%s],"
			"\"affinity\":{\"nodeAffinity\":{"
			"\"requiredDuringSchedulingIgnoredDuringExecution\":{"
			"\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":"
			"\"metadata.name\",\"operator\":\"In\",\"values\":[%s]}"
			"]}]}}}},\"status\":{\"containerStatuses\":[%s]}}",
			labels, notes, asks, all, tolerations, hosts, statuses);
		const struct group_pod *m;

		t_row("%zu containers", containers[i]);
		event(text);
		T_OK(was_whole);
		m = pod_groups_pod(v, "b-2");
		T_NEED(m);
		T_STR(m->shape->refusal, NULL);
		T_INT(m->shape->need.cpu_milli, 1000 * containers[i]);
		T_OK(m->shape->notes && m->shape->want.len);
		if (containers[i] <= 100)
			T_STR(m->shape->key, key_of(text));
	}
}

/* A watch that is too old says so, whatever is read of its objects. */
static int on_error(void *arg, enum kube_event type, json_object *object)
{
	*(int64_t *)arg =
		type == KUBE_ERROR ? jx_int(jx_get(object, "code"), 0) : -1;
	return 0;
}

static void an_error_is_read_whole(void)
{
	static const char text[] =
		"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\","
		"\"status\":\"Failure\",\"code\":410}}\n";
	int64_t code = 0;
	const struct frame_handler to = {.on_frame = on_error,
					 .on_oversized = on_oversized,
					 .arg = &code,
					 .only = bridged_pod_table};
	struct frames f = FRAMES_INIT;

	T_INT(frames_feed(&f, text, strlen(text), &to), 0);
	T_INT(code, 410);
	frames_free(&f);
}

T_MAIN("parse_cost", T(a_bridged_pod_costs_little_however_long_it_is),
       T(a_pod_with_thousands_of_containers_is_not_read),
       T(what_was_read_as_a_whole_is_read_in_part),
       T(a_pod_of_others_costs_little_however_long_it_is),
       T(all_kinds_that_count_are_found_among_many),
       T(one_of_thousands_of_containers_has_all_of_its_node),
       T(others_pods_that_may_be_created_count_whole),
       T(an_object_above_pods_costs_little_however_long_it_is),
       T(an_object_of_thousands_of_parts_is_not_read),
       T(an_honest_large_pod_is_read_whole), T(an_error_is_read_whole))
