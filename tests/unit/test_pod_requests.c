/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "bridge/intake/unsupported.h"
#include "objects/pod_requests.h"
#include "t.h"

#define GI (1024ll * 1024 * 1024)
#define REQ(list) "{\"resources\":{\"requests\":{" list "}}}"
#define SIDECAR(list)                                                          \
	"{\"restartPolicy\":\"Always\",\"resources\":{\"requests\":{" list "}" \
	"}"                                                                    \
	"}"
#define LIM(list) "{\"resources\":{\"limits\":{" list "}}}"
#define CPU(q) "\"cpu\":\"" q "\""
#define MEM(q) "\"memory\":\"" q "\""
#define GPU(q) "\"nvidia.com/gpu\":\"" q "\""
#define POD(containers) "{\"spec\":{\"containers\":[" containers "]}}"
#define POD_INIT(containers, init)                                             \
	"{\"spec\":{\"containers\":[" containers "],"                          \
	"\"initContainers\":[" init "]}}"
#define POD_AND(containers, more)                                              \
	"{\"spec\":{\"containers\":[" containers "]," more "}}"

#define OVERHEAD                                                               \
	"{\"spec\":{\"containers\":[" REQ(                                     \
		CPU("1")) "],"                                                 \
			  "\"initContainers\":[" REQ(CPU(                      \
				  "3")) "],"                                   \
					"\"overhead\":{" CPU("250m") "," MEM(  \
						"1Gi") "}}}"

static void it_is_what_the_kubelet_reckons(void)
{
	static const struct {
		const char *what, *pod;
		int64_t cpu, memory, gpu;
	} rows[] = {
		{"nothing asked", POD("{}"), 0, 0, 0},
		{"no containers", "{\"spec\":{}}", 0, 0, 0},
		{"one", POD(REQ(CPU("500m") "," MEM("1Gi") "," GPU("2"))), 500,
		 GI, 2},
		{"a sum",
		 POD(REQ(CPU("500m")) "," REQ(CPU("2") "," MEM("1Gi"))), 2500,
		 GI, 0},
		{"a limit counts as request", POD(LIM(CPU("2") "," GPU("1"))),
		 2000, 0, 1},
		{"a request is more than a limit",
		 POD("{\"resources\":{\"requests\":{" CPU(
			 "1") "},"
			      "\"limits\":{" CPU("4") "," MEM("1Gi") "}}}"),
		 1000, GI, 0},
		{"a request of 0 is one",
		 POD("{\"resources\":{\"requests\":{" CPU(
			 "0") "},"
			      "\"limits\":{" CPU("4") "}}}"),
		 0, 0, 0},
		{"fractions are added, then rounded",
		 POD(REQ(MEM("100m")) "," REQ(MEM("100m"))), 0, 1, 0},
		{"ephemeral storage is left out",
		 POD(REQ("\"ephemeral-storage\":\"9Gi\"")), 0, 0, 0},
		{"no GPUs are no need", POD(REQ(GPU("0"))), 0, 0, 0},
		{"the init container is larger",
		 POD_INIT(REQ(CPU("1")), REQ(CPU("3"))), 3000, 0, 0},
		{"the containers are larger",
		 POD_INIT(REQ(CPU("2")) "," REQ(CPU("2")), REQ(CPU("3"))), 4000,
		 0, 0},
		{"init containers run one after the other",
		 POD_INIT(REQ(CPU("1")), REQ(CPU("3")) "," REQ(CPU("2"))), 3000,
		 0, 0},
		{"each resource for itself",
		 POD_INIT(REQ(CPU("1") "," MEM("4Gi")),
			  REQ(CPU("3") "," MEM("1Gi"))),
		 3000, 4 * GI, 0},
		{"a sidecar goes on",
		 POD_INIT(REQ(CPU("1")), SIDECAR(CPU("500m"))), 1500, 0, 0},
		{"a sidecar runs beside later init containers",
		 POD_INIT(REQ(CPU("1")), SIDECAR(CPU("1")) "," REQ(CPU("3"))),
		 4000, 0, 0},
		{"not beside earlier ones",
		 POD_INIT(REQ(CPU("1")), REQ(CPU("3")) "," SIDECAR(CPU("1"))),
		 3000, 0, 0},
		{"sidecars cumulate",
		 POD_INIT(REQ(CPU("1")), SIDECAR(CPU("1")) "," SIDECAR(
						 CPU("2")) "," REQ(CPU("3"))),
		 6000, 0, 0},
		{"KEP 753: sum of containers and sidecars is larger",
		 POD_INIT(REQ(CPU("5")), SIDECAR(CPU("1")) "," SIDECAR(
						 CPU("2")) "," REQ(CPU("3"))),
		 8000, 0, 0},
		{"another restartPolicy is none",
		 POD_INIT(REQ(CPU("1")),
			  "{\"restartPolicy\":\"Never\",\"resources\":"
			  "{\"requests\":{" CPU("2") "}}}"),
		 2000, 0, 0},
		{"overhead comes on top of the larger one", OVERHEAD, 3250, GI,
		 0},
		{"the pod's own requests replace the sum",
		 POD_AND(REQ(CPU("1") "," MEM("1Gi") "," GPU("1")),
			 "\"resources\":{\"requests\":{" CPU("4") "}}"),
		 4000, GI, 1},
		{"also by less",
		 POD_AND(REQ(CPU("4")),
			 "\"resources\":{\"requests\":{" CPU("1") "}}"),
		 1000, 0, 0},
		{"they know nothing of GPUs",
		 POD_AND(REQ(GPU("1")),
			 "\"resources\":{\"requests\":{" GPU("4") "}}"),
		 0, 0, 1},
		{"the pod's limit, where nothing is requested",
		 POD_AND("{}", "\"resources\":{\"limits\":{" CPU("4") "}}"),
		 4000, 0, 0},
		{"the pod's limit beside the containers' requests",
		 POD_AND(REQ(CPU("1")),
			 "\"resources\":{\"limits\":{" CPU("4") "}}"),
		 1000, 0, 0},
		{"the pod's and overhead",
		 POD_AND(REQ(CPU("1")),
			 "\"resources\":{\"requests\":{" CPU(
				 "4") "}},\"overhead\":{" CPU("1") "}"),
		 5000, 0, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *pod = t_parse(rows[i].pod);
		struct pod_requests need;
		struct err err = {0};

		t_row("%s", rows[i].what);
		T_INT(pod_requests_of(pod, &need, &err), 0);
		T_STR(err.msg, "");
		T_INT(need.cpu_milli, rows[i].cpu);
		T_INT(need.memory_bytes, rows[i].memory);
		T_INT(pod_requests_count(&need, "nvidia.com/gpu"), rows[i].gpu);
		T_INT(need.n_ext, rows[i].gpu > 0);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b); /* (the name is their first member) */
}

/* As tests/oracle/compare.py says it. The caller frees. */
static char *words_of(int rc, struct pod_requests *need, const struct err *err)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1024);

	if (rc)
		return strdup(rc == -ERANGE ? "too much" : err->msg);
	qsort(need->ext, need->n_ext, sizeof(need->ext[0]), by_name);
	if (need->cpu_milli)
		buf_addf(&b, " cpu=%" PRId64, need->cpu_milli);
	if (need->memory_bytes)
		buf_addf(&b, " memory=%" PRId64, need->memory_bytes);
	for (uint32_t i = 0; i < need->n_ext; i++)
		buf_addf(&b, " %s=%" PRId64, need->ext[i].name,
			 need->ext[i].count);
	return strdup(b.len ? buf_str(&b) + 1 : "");
}

/* What it holds of each kind that the rows below have. */
static int held(const json_object *pod, struct pod_requests *out,
		struct err *err)
{
	static const char *const kinds[] = {
		"hugepages-2Mi", "hugepages-1Gi",    "nvidia.com/gpu",
		"amd.com/gpu",	 "example.com/fpga", "example.com/x"};
	int64_t counts[T_COUNT(kinds)];
	int rc = pod_requests_held_of(pod, kinds, T_COUNT(kinds), out, counts,
				      err);

	for (size_t i = 0; i < T_COUNT(kinds); i++) {
		if (counts[i] == INT64_MAX)
			return -ERANGE;
		if (!counts[i])
			continue;
		strcpy(out->ext[out->n_ext].name, kinds[i]);
		out->ext[out->n_ext++].count = counts[i];
	}
	return rc;
}

/*
 * Its own functions' words (tests/oracle): what pods ask for, and what they
 * hold of their nodes. Of the last, the greater one of 1.33 and 1.37.
 */
static void what_kubernetes_says(void)
{
	/* clang-format off */
	static const struct {
		const char *what, *pod, *asks, *holds;
	} rows[] = {
		{"a limit of the pod's own is a request of huge pages, whatever containers have",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":{\"hugepages-2Mi\":\"2Mi\"}}}],\"resources\":{\"limits\":{\"hugepages-2Mi\":\"4Mi\"}}}}",
		 "hugepages-2Mi=4194304", "hugepages-2Mi=4194304"},
		{"also if it is less",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":{\"hugepages-2Mi\":\"4Mi\"}}}],\"resources\":{\"limits\":{\"hugepages-2Mi\":\"2Mi\"}}}}",
		 "hugepages-2Mi=2097152", "hugepages-2Mi=2097152"},
		{"0 CPUs are asked for: the pod's limit is no request",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"0\"}}}],\"resources\":{\"limits\":{\"cpu\":\"4\",\"memory\":\"1Gi\"}}}}",
		 "memory=1073741824", "memory=1073741824"},
		{"each is rounded up, then they are added",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"0.0001\"}}},{\"name\":\"b\",\"resources\":{\"requests\":{\"cpu\":\"1u\"}}}]}}",
		 "cpu=2", "cpu=2"},
		{"exabytes",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"memory\":\"1E\"}}},{\"name\":\"b\",\"resources\":{\"requests\":{\"memory\":\"2Ei\",\"example.com/x\":\"0.5E\"}}}]}}",
		 "memory=3305843009213693952 example.com/x=500000000000000000", "memory=3305843009213693952 example.com/x=500000000000000000"},
		{"more than can be counted",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"memory\":\"7E\"}}},{\"name\":\"b\",\"resources\":{\"requests\":{\"memory\":\"7E\"}}}]}}",
		 "too much", "too much"},
		{"more CPUs than can be counted",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1E\"}}}]}}",
		 "too much", "too much"},
		{"so much, but not at once",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\"}],\"initContainers\":[{\"name\":\"i\",\"resources\":{\"requests\":{\"memory\":\"7E\"}}},{\"name\":\"k\",\"resources\":{\"requests\":{\"memory\":\"7E\"}}}]}}",
		 "memory=7000000000000000000", "memory=7000000000000000000"},
		{"it had more",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}}]},\"status\":{\"containerStatuses\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"2\",\"memory\":\"1Gi\"}},\"allocatedResources\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}]}}",
		 "cpu=1000 memory=1073741824", "cpu=2000 memory=1073741824"},
		{"it gets more",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]},\"status\":{\"containerStatuses\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"allocatedResources\":{\"cpu\":\"1\"}}],\"conditions\":[{\"type\":\"PodResizePending\",\"reason\":\"Deferred\"}]}}",
		 "cpu=2000", "cpu=2000"},
		{"it asks for more than the node has",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"8\"}}}]},\"status\":{\"containerStatuses\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"allocatedResources\":{\"cpu\":\"2\"}}],\"conditions\":[{\"type\":\"Ready\"},{\"type\":\"PodResizePending\",\"reason\":\"Infeasible\"}]}}",
		 "cpu=8000", "cpu=2000"},
		{"what waits for that has no status",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"8\"}}},{\"name\":\"b\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]},\"status\":{\"containerStatuses\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"allocatedResources\":{\"cpu\":\"1\"}}],\"conditions\":[{\"type\":\"Ready\"},{\"type\":\"PodResizePending\",\"reason\":\"Infeasible\"}]}}",
		 "cpu=10000", "cpu=3000"},
		{"one gets what the other had: 1.33 counts 4000, 1.37 3000",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}},{\"name\":\"b\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},\"status\":{\"containerStatuses\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"allocatedResources\":{\"cpu\":\"2\"}},{\"name\":\"b\",\"resources\":{\"requests\":{\"cpu\":\"2\"}},\"allocatedResources\":{\"cpu\":\"1\"}}]}}",
		 "cpu=3000", "cpu=4000"},
		{"the kubelet's alone: 1.33 does not look at it",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},\"status\":{\"containerStatuses\":[{\"name\":\"a\",\"allocatedResources\":{\"cpu\":\"3\"}}]}}",
		 "cpu=1000", "cpu=3000"},
		{"a list with nothing in it is one",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}},{\"name\":\"b\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},\"status\":{\"conditions\":[{\"type\":\"Ready\"},{\"type\":\"PodResizePending\",\"reason\":\"Infeasible\"}],\"containerStatuses\":[{\"name\":\"a\",\"resources\":{\"requests\":{}},\"allocatedResources\":{\"cpu\":\"3\"}},{\"name\":\"b\",\"allocatedResources\":{}}]}}",
		 "cpu=2000", "cpu=4000"},
		{"a sidecar had more",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"initContainers\":[{\"name\":\"s\",\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"restartPolicy\":\"Always\"},{\"name\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]},\"status\":{\"initContainerStatuses\":[{\"name\":\"s\",\"resources\":{\"requests\":{\"cpu\":\"3\"}},\"allocatedResources\":{\"cpu\":\"1\"}}]}}",
		 "cpu=3000", "cpu=5000"},
		{"an init container that ends: 1.33 does not look at its status",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"initContainers\":[{\"name\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}]},\"status\":{\"initContainerStatuses\":[{\"name\":\"i\",\"resources\":{\"requests\":{\"cpu\":\"3\"}},\"allocatedResources\":{\"cpu\":\"2\"}}]}}",
		 "cpu=2000", "cpu=3000"},
		{"the pod's own had more",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"resources\":{\"requests\":{\"cpu\":\"2\"}}},\"status\":{\"resources\":{\"requests\":{\"cpu\":\"4\"}},\"allocatedResources\":{\"cpu\":\"3\"}}}",
		 "cpu=2000", "cpu=4000"},
		{"the pod's own asks for more than the node has: 1.33 counts that",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"resources\":{\"requests\":{\"cpu\":\"8\"}}},\"status\":{\"resources\":{\"requests\":{\"cpu\":\"4\"}},\"conditions\":[{\"type\":\"Ready\"},{\"type\":\"PodResizePending\",\"reason\":\"Infeasible\"}]}}",
		 "cpu=8000", "cpu=8000"},
		{"memory is the pod's own in its status only",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\",\"memory\":\"1Gi\"}}}],\"resources\":{\"requests\":{\"cpu\":\"2\"}}},\"status\":{\"resources\":{\"requests\":{\"memory\":\"3Gi\"}}}}",
		 "cpu=2000 memory=1073741824", "cpu=2000 memory=3221225472"},
		{"of no pod's own: the status is that of its containers",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},\"status\":{\"resources\":{\"requests\":{\"cpu\":\"2\"}},\"allocatedResources\":{\"cpu\":\"3\"},\"containerStatuses\":[{\"name\":\"a\",\"allocatedResources\":{\"cpu\":\"4\"}}]}}",
		 "cpu=1000", "cpu=3000"},
		{"1.37's status has the overhead, which counts once more",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}],\"overhead\":{\"cpu\":\"250m\"}},\"status\":{\"resources\":{\"requests\":{\"cpu\":\"1\"}},\"allocatedResources\":{\"cpu\":\"1250m\"}}}",
		 "cpu=1250", "cpu=1500"},
		{"the pod's own 0 huge pages",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\"}],\"resources\":{\"requests\":{\"hugepages-2Mi\":\"0\"}}},\"status\":{\"containerStatuses\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"hugepages-2Mi\":\"2Mi\"}}}]}}",
		 "", ""},
		{"a status of nobody",
		 "{\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]},\"status\":{\"containerStatuses\":[{\"name\":\"b\",\"resources\":{\"requests\":{\"cpu\":\"2\"}}}],\"resources\":null}}",
		 "cpu=1000", "cpu=1000"},
	};
	/* clang-format on */

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *pod = t_parse(rows[i].pod);
		_cleanup_free_ char *asks = NULL, *holds = NULL;
		struct pod_requests need;
		struct err err = {0};

		t_row("%s", rows[i].what);
		asks = words_of(pod_requests_of(pod, &need, &err), &need, &err);
		T_STR(asks, rows[i].asks);
		holds = words_of(held(pod, &need, &err), &need, &err);
		T_STR(holds, rows[i].holds);
	}
}

static void what_is_wrong_or_too_much_is_refused(void)
{
	static const struct {
		const char *pod;
		int code;
		const char *words;
	} rows[] = {
		{"{}", -EINVAL, "it has no spec"},
		{"{\"spec\":[]}", -EINVAL, "it has no spec"},
		{"{\"spec\":{\"containers\":{}}}", -EINVAL,
		 "its containers are no list"},
		{"{\"spec\":{\"initContainers\":\"x\"}}", -EINVAL,
		 "its initContainers are no list"},
		{POD("{\"name\":\"main\",\"resources\":{\"requests\":{" CPU(
			 "1e400") "}}}"),
		 -ERANGE,
		 "container main: resource cpu: quantity '1e400' is out of "
		 "range"},
		{POD(REQ(CPU("-1"))), -EINVAL,
		 "container ?: resource cpu is negative"},
		{POD(REQ(MEM("lots"))), -EINVAL,
		 "resource memory: 'lots' is no quantity"},
		{POD(REQ("\"ephemeral-storage\":\"-\"")), -EINVAL,
		 "resource ephemeral-storage: '-' is no quantity"},
		{POD(REQ("\"cpu\":{}")), -EINVAL, "a quantity must be a text"},
		{POD(REQ(CPU("9P")) "," REQ(CPU("9P"))), -ERANGE,
		 "the pod requests too much"},
		{POD_INIT("{}", SIDECAR(CPU("9P")) "," REQ(CPU("9P"))), -ERANGE,
		 "the pod requests too much"},
		{POD_AND(REQ(CPU("9P")), "\"overhead\":{" CPU("9P") "}"),
		 -ERANGE, "the pod requests too much"},
		{POD_AND("{}", "\"overhead\":{" CPU("x") "}"), -EINVAL,
		 "the pod's overhead: resource cpu: 'x' is no quantity"},
		{POD_AND("{}", "\"resources\":{\"limits\":{" CPU("x") "}}"),
		 -EINVAL, "the pod's resources: resource cpu: 'x'"},
		{POD(REQ("\"a/1234567890123456789012345678901234567890123456789"
			 "0123456789012345678901234567890\":1")),
		 -E2BIG, "is longer than 63"},
		{POD(REQ("\"a/\\n\\u001b[31m\":\"x\"")), -EINVAL,
		 "resource a/  [31m: 'x' is no quantity"},
		{POD(REQ("\"a/1\":1,\"a/2\":1,\"a/3\":1,\"a/4\":1,\"a/5\":1,"
			 "\"a/6\":1,\"a/7\":1,\"a/8\":1,\"a/9\":1")),
		 -E2BIG, "more than 8 kinds of extended resources"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *pod = t_parse(rows[i].pod);
		struct pod_requests need, none = {0};
		struct err err = {0};

		t_row("%s", rows[i].pod);
		T_ERR(pod_requests_of(pod, &need, &err), &err, rows[i].code,
		      rows[i].words);
		T_OK(!memcmp(&need, &none, sizeof(need)));
	}
}

static json_object *pod_of(size_t containers)
{
	_cleanup_free_ char *seq = t_repeat("{},", containers - 1);
	_cleanup_free_ char *text = str_printf(POD("%s{}"), seq);

	return t_parse(text);
}

static void so_many_containers_are_none(void)
{
	_cleanup_json_ json_object *most = pod_of(PODNEED_CONTAINERS_MAX);
	_cleanup_json_ json_object *many = pod_of(10000);
	struct pod_requests need;
	struct err err = {0};

	T_INT(pod_requests_of(most, &need, &err), 0);
	T_ERR(pod_requests_of(many, &need, &err), &err, -E2BIG,
	      "it has 10000 containers, more than 200");
}

/* (whoever makes one of others' pods could take a whole node by their number)
 */
static void of_others_each_container_counts(void)
{
	_cleanup_free_ char *seq =
		t_repeat(REQ(CPU("1m")) ",", PODNEED_CONTAINERS_MAX);
	_cleanup_free_ char *text = str_printf(POD("%s{}"), seq);
	_cleanup_json_ json_object *pod = t_parse(text);
	struct pod_requests need;

	T_INT(pod_requests_held_of(pod, NULL, 0, &need, NULL, NULL), 0);
	T_INT(need.cpu_milli, PODNEED_CONTAINERS_MAX);
}

/* What a pod holds that its author has bound, of kinds that matter. */
static void of_some_kinds_others_are_passed_over(void)
{
	static const char *const kinds[] = {"a/1", "a/2",	   "a/3", "a/4",
					    "a/5", "a/6",	   "a/7", "a/8",
					    "a/9", "hugepages-2Mi"};
	static const struct {
		const char *what, *pod;
		int64_t cpu, first, ninth, pages;
	} rows[] = {
		{"nothing", POD("{}"), 0, 0, 0, 0},
		{"some", POD(REQ(CPU("1") ",\"a/1\":2,\"a/9\":3")), 1000, 2, 3,
		 0},
		{"ten that are known, and others",
		 POD(REQ("\"a/1\":1,\"a/2\":1,\"a/3\":1,\"a/4\":1,\"a/5\":1,"
			 "\"a/6\":1,\"a/7\":1,\"a/8\":1,\"a/9\":1,"
			 "\"hugepages-2Mi\":\"2Mi\"," GPU("1") "," CPU("2"))),
		 2000, 1, 1, 2097152},
		{"what is no quantity, of others",
		 POD(REQ("\"b/1\":\"x\",\"b/2\":\"1e400\",\"b/3\":{}")), 0, 0,
		 0, 0},
		{"more than can be counted",
		 POD(REQ("\"a/1\":9223372036854775807") "," REQ(
			 "\"a/1\":9223372036854775807,\"a/9\":1")),
		 0, INT64_MAX, 1, 0},
		{"limits", POD(LIM(CPU("1") ",\"a/1\":2,\"b/1\":2")), 1000, 2,
		 0, 0},
		{"init containers",
		 POD_INIT(REQ("\"a/1\":2"), REQ("\"a/1\":3,\"a/9\":1")), 0, 3,
		 1, 0},
		{"the pod's own",
		 POD_AND(REQ("\"hugepages-2Mi\":\"2Mi\""),
			 "\"resources\":{\"requests\":{\"hugepages-2Mi\":"
			 "\"4Mi\",\"hugepages-1Gi\":\"1Gi\"}}"),
		 0, 0, 0, 4194304},
	};
	_cleanup_json_ json_object *own =
		t_parse("{\"spec\":{\"containers\":[{}],\"resources\":{"
			"\"limits\":{\"hugepages-1Gi\":\"1Gi\"}}},\"status\":{"
			"\"resources\":{},"
			"\"allocatedResources\":{\"cpu\":3}}}");
	int64_t counts[T_COUNT(kinds)], none[T_COUNT(kinds)] = {0};
	_cleanup_json_ json_object *bad = t_parse(POD(REQ(CPU("x"))));
	struct pod_requests need;
	struct err err = {0};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *pod = t_parse(rows[i].pod);

		t_row("%s", rows[i].what);
		T_INT(pod_requests_held_of(pod, kinds, T_COUNT(kinds), &need,
					   counts, &err),
		      0);
		T_INT(need.cpu_milli, rows[i].cpu);
		T_INT(need.n_ext, 0);
		T_INT(counts[0], rows[i].first);
		T_INT(counts[8], rows[i].ninth);
		T_INT(counts[9], rows[i].pages);
		T_INT(pod_requests_held_of(pod, NULL, 0, &need, NULL, &err), 0);
		T_INT(need.cpu_milli, rows[i].cpu);
	}
	/* (by any huge pages of its own its status counts, too) */
	T_INT(pod_requests_held_of(own, kinds, T_COUNT(kinds), &need, counts,
				   &err),
	      0);
	T_INT(need.cpu_milli, 3000);
	T_ERR(pod_requests_held_of(bad, kinds, T_COUNT(kinds), &need, counts,
				   &err),
	      &err, -EINVAL, "resource cpu: 'x' is no quantity");
	T_INT(need.cpu_milli, 0);
	T_OK(!memcmp(counts, none, sizeof(counts)));
}

static struct pod_requests need_of(const char *text)
{
	_cleanup_json_ json_object *pod = t_parse(text);
	struct pod_requests need;
	struct err err = {0};

	T_INT(pod_requests_of(pod, &need, &err), 0);
	T_STR(err.msg, "");
	return need;
}

static void extended_resources_become_gres(void)
{
	static const struct gresmap map[] = {
		{"nvidia.com/gpu", "gpu"},
		{"example.com/fpga", "fpga"},
		{"amd.com/gpu", "gpu"},
		{"nvidia.com/mig-1g.5gb", "gpu:1g.5gb"},
		{"hugepages-2Mi", "huge"},
		{"hugepages-1Gi", "huge1g"},
		{"hugepages-64Ki", "huge64k"},
	};
	static const struct {
		const char *pod, *gres;
		int64_t gpus;
	} rows[] = {
		{POD("{}"), NULL, 0},
		{POD(REQ(GPU("2"))), "gres/gpu:2", 2},
		/* (two classes both count) */
		{POD(REQ(GPU("2") ",\"amd.com/gpu\":\"1\"")), "gres/gpu:3", 3},
		{POD(REQ("\"amd.com/gpu\":\"1\"") "," REQ(
			 "\"example.com/fpga\":\"4\"")),
		 "gres/gpu:1,gres/fpga:4", 1},
		{POD(REQ(GPU("1") ",\"nvidia.com/mig-1g.5gb\":\"2\"")),
		 "gres/gpu:1,gres/gpu:1g.5gb:2", 3},
		{POD(REQ("\"hugepages-2Mi\":\"4Mi\"")), "gres/huge:2", 0},
		{POD(REQ("\"hugepages-2Mi\":\"1Gi\"")), "gres/huge:512", 0},
		{POD(REQ("\"hugepages-1Gi\":\"8Gi\"")), "gres/huge1g:8", 0},
		{POD(REQ("\"hugepages-64Ki\":\"65537\"")), "gres/huge64k:2", 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct pod_requests need = need_of(rows[i].pod);
		_cleanup_free_ char *gres = NULL;
		struct err err = {0};

		t_row("%s", rows[i].pod);
		T_INT(pod_requests_gres(&need, map, T_COUNT(map), &gres, &err),
		      0);
		T_STR(err.msg, "");
		T_STR(gres, rows[i].gres);
		T_INT(pod_requests_gres_count(&need, map, T_COUNT(map), "gpu"),
		      rows[i].gpus);
	}
}

static void pages_have_a_size(void)
{
	T_INT(pod_requests_unit("hugepages-2Mi"), 2 << 20);
	T_INT(pod_requests_unit("hugepages-1Gi"), 1 << 30);
	T_INT(pod_requests_unit("hugepages-16777216"), 16 << 20);
	T_INT(pod_requests_unit("hugepages-"), 1);
	T_INT(pod_requests_unit("hugepages-0"), 1);
	T_INT(pod_requests_unit("hugepages--2Mi"), 1);
	T_INT(pod_requests_unit("hugepages-1m"), 1);
	T_INT(pod_requests_unit("hugepages-x"), 1);
	T_INT(pod_requests_unit("nvidia.com/gpu"), 1);
}

static void a_resource_that_slurm_does_not_know_is_refused(void)
{
	static const struct gresmap map[] = {{"nvidia.com/gpu", "gpu"},
					     {"amd.com/gpu", "gpu"}};
	struct pod_requests need =
		need_of(POD(REQ(GPU("1") ",\"a.b/c\":\"1\"")));
	_cleanup_free_ char *gres = NULL;
	struct err err = {0};

	T_ERR(pod_requests_gres(&need, map, T_COUNT(map), &gres, &err), &err,
	      -EOPNOTSUPP, "no gres of Slurm is named for the resource a.b/c");
	T_STR(gres, NULL);
	need = need_of(POD(REQ("\"hugepages-1Gi\":\"1Gi\"")));
	T_ERR(pod_requests_gres(&need, map, T_COUNT(map), &gres, &err), &err,
	      -EOPNOTSUPP, "the resource hugepages-1Gi");
	need.ext[0].count = INT64_MAX;
	strcpy(need.ext[0].name, "nvidia.com/gpu");
	need.ext[1] = need.ext[0];
	strcpy(need.ext[1].name, "amd.com/gpu");
	need.n_ext = 2;
	T_ERR(pod_requests_gres(&need, map, T_COUNT(map), &gres, &err), &err,
	      -ERANGE, "too many gpu");
	T_INT(pod_requests_gres_count(&need, map, T_COUNT(map), "gpu"),
	      INT64_MAX);
}

static void needs_are_added(void)
{
	struct pod_requests sum = {0};
	struct pod_requests a = need_of(POD(REQ(CPU("1") "," GPU("2"))));
	struct pod_requests b = need_of(
		POD(REQ(MEM("1Gi") "," GPU("1") ",\"amd.com/gpu\":\"1\"")));
	struct err err = {0};

	T_INT(pod_requests_add(&sum, &a, &err), 0);
	T_INT(pod_requests_add(&sum, &b, &err), 0);
	T_INT(sum.cpu_milli, 1000);
	T_INT(sum.memory_bytes, GI);
	T_INT(pod_requests_count(&sum, "nvidia.com/gpu"), 3);
	T_INT(pod_requests_count(&sum, "amd.com/gpu"), 1);
	a.cpu_milli = INT64_MAX;
	T_ERR(pod_requests_add(&sum, &a, &err), &err, -ERANGE,
	      "together too much cpu or memory");
	b.ext[0].count = INT64_MAX;
	T_ERR(pod_requests_add(&sum, &b, &err), &err, -ERANGE,
	      "together too much nvidia.com/gpu");
	b = need_of(POD(REQ("\"a/1\":1,\"a/2\":1,\"a/3\":1,\"a/4\":1,\"a/5\":1,"
			    "\"a/6\":1,\"a/7\":1")));
	T_ERR(pod_requests_add(&sum, &b, &err), &err, -E2BIG,
	      "more than 8 kinds");
	T_INT(sum.n_ext, 2);
	T_INT(sum.cpu_milli, 1000);
}

static void demands_that_slurm_cannot_keep_are_refused(void)
{
#define RULE "requiredDuringSchedulingIgnoredDuringExecution"
#define SOFT "preferredDuringSchedulingIgnoredDuringExecution"
	static const struct {
		const char *more, *words; /* NULL: it may come */
	} rows[] = {
		{"\"x\":1", NULL},
		{"\"resourceClaims\":[]", NULL},
		{"\"resourceClaims\":[{\"name\":\"gpu\"}]",
		 "resourceClaims: Slurm does not allocate resource claims"},
		{"\"topologySpreadConstraints\":[{}]",
		 "topologySpreadConstraints: Slurm does not spread pods"},
		{"\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":"
		 "\"ScheduleAnyway\"}]",
		 NULL},
		{"\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":"
		 "\"ScheduleAnyway\"},{\"whenUnsatisfiable\":"
		 "\"DoNotSchedule\"}]",
		 "topologySpreadConstraints"},
		{"\"affinity\":{\"podAffinity\":{\"" RULE "\":[{}]}}",
		 "affinity.podAffinity: Slurm does not look at"},
		{"\"affinity\":{\"podAntiAffinity\":{\"" RULE "\":[{}]}}",
		 "affinity.podAntiAffinity: Slurm does not look at"},
		{"\"affinity\":{\"podAntiAffinity\":{\"" RULE "\":[]}}", NULL},
		{"\"affinity\":{\"podAntiAffinity\":{\"" SOFT "\":[{}]},"
		 "\"podAffinity\":{\"" SOFT "\":[{}]}}",
		 NULL},
		{"\"affinity\":{\"nodeAffinity\":{\"" RULE "\":{}}}", NULL},
		{"\"affinity\":7,\"resourceClaims\":7", NULL},
		{"\"initContainers\":[{\"livenessProbe\":{"
		 "\"terminationGracePeriodSeconds\":3600}}]",
		 NULL},
		{"\"initContainers\":[{\"livenessProbe\":{"
		 "\"terminationGracePeriodSeconds\":3601}}]",
		 "livenessProbe: terminationGracePeriodSeconds"},
		{"\"initContainers\":[{},{\"startupProbe\":{"
		 "\"terminationGracePeriodSeconds\":31536000}}]",
		 "startupProbe: terminationGracePeriodSeconds"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_free_ char *text =
			str_printf(POD_AND("{}", "%s"), rows[i].more);
		_cleanup_json_ json_object *pod = t_parse(text);
		struct err err = {0};
		int rc = bridged_pod_unsupported(pod, &err);

		t_row("%s", rows[i].more);
		if (rows[i].words)
			T_ERR(rc, &err, -EOPNOTSUPP, rows[i].words);
		else
			T_INT(rc, 0);
	}
}

static void it_is_reckoned_as_well_as_can_be(void)
{
	static const struct {
		const char *pod;
		int64_t cpu, memory;
	} rows[] = {
		{POD(REQ(CPU("2") "," MEM("1Gi") "," GPU("1"))), 2000, GI},
		{POD_INIT(REQ(CPU("1")), REQ(CPU("3"))), 3000, 0},
		{POD(REQ(CPU("x") "," MEM("1Gi")) "," REQ(CPU("1"))), 1000, GI},
		{POD(REQ(CPU("-5")) "," REQ(CPU("1"))), 1000, 0},
		{POD(REQ(CPU("9E") "," MEM("1Gi")) "," REQ(CPU("9E"))),
		 PODNEED_ROUGHLY_MAX, GI},
		{POD(REQ(CPU("1") "," MEM("1e30"))), 1000, PODNEED_ROUGHLY_MAX},
		{"{\"spec\":{\"containers\":7}}", 0, 0},
		{"{}", 0, 0},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *pod = t_parse(rows[i].pod);
		struct pod_requests need, sum = {0};

		t_row("%s", rows[i].pod);
		pod_requests_roughly(pod, &need);
		T_INT(need.cpu_milli, rows[i].cpu);
		T_INT(need.memory_bytes, rows[i].memory);
		T_INT(need.n_ext, 0);
		for (int n = 0; n < 8192; n++)
			T_INT(pod_requests_add(&sum, &need, NULL), 0);
	}
}

static void ports_of_the_host_are_seen(void)
{
	static const struct {
		const char *pod;
		bool ports;
	} rows[] = {
		{POD("{}"), false},
		{POD("{\"ports\":[{\"containerPort\":80}]}"), false},
		{POD("{\"ports\":[{\"hostPort\":0}]}"), false},
		{POD("{},{\"ports\":[{\"x\":1},{\"hostPort\":80}]}"), true},
		{POD_INIT("{}", "{\"ports\":[{\"hostPort\":80}]}"), true},
		{POD("{\"ports\":{\"hostPort\":80}}"), false},
		{"{\"spec\":{\"containers\":7}}", false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_json_ json_object *pod = t_parse(rows[i].pod);

		t_row("%s", rows[i].pod);
		T_INT(pod_requests_ports(pod), rows[i].ports);
	}
}

T_MAIN("pod_requests", T(it_is_reckoned_as_well_as_can_be),
       T(it_is_what_the_kubelet_reckons), T(what_kubernetes_says),
       T(what_is_wrong_or_too_much_is_refused), T(so_many_containers_are_none),
       T(extended_resources_become_gres), T(pages_have_a_size),
       T(of_others_each_container_counts),
       T(of_some_kinds_others_are_passed_over),
       T(a_resource_that_slurm_does_not_know_is_refused), T(needs_are_added),
       T(demands_that_slurm_cannot_keep_are_refused),
       T(ports_of_the_host_are_seen))
