/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a cluster's thread says of worker pods when its view of them is old, or
 * lags behind. Minutes pass by a clock that the test moves.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "fault.h"
#include "nodes/watch/watch.h"
#include "syntax/wellknown.h"

static _Atomic int64_t later; /* ms that both clocks are ahead */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return __real_clock_ms() + atomic_load(&later);
}

int64_t __real_clock_boot_ms(void);
int64_t __wrap_clock_boot_ms(void);
int64_t __wrap_clock_boot_ms(void)
{
	return __real_clock_boot_ms() + atomic_load(&later);
}

static struct cluster_config cluster = {.name = (char *)"c",
					.ns = (char *)"ns"};
static struct config config = {.clusters = &cluster, .n_clusters = 1};

static void ring(void *arg)
{
	(void)arg;
}

static struct cluster *start(void)
{
	const struct cluster_options opt = {.config = &config,
					    .cluster = &cluster,
					    .slurm_cluster = "test",
					    .ring = ring};
	struct cluster *l = NULL;
	struct err err = {0};

	atomic_store(&later, 0);
	t_log_clear();
	cluster.kubeconfig = (char *)fault()->kubeconfig;
	if (cluster_new(&opt, &l, &err) || watch_attach(l, &err) ||
	    cluster_start(l, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		abort();
	}
	return l;
}

static bool until(bool (*is)(struct cluster *l), struct cluster *l, bool wanted)
{
	const int64_t end = __real_clock_ms() + WAIT_MS;

	while (is(l) != wanted && __real_clock_ms() < end)
		clock_nap(10);
	return T_INT(is(l), wanted);
}

#define POD(name)                                                              \
	"{'metadata':{'name':'" name "','uid':'u-" name "','labels':{"         \
	"'" WK_LABEL_CLUSTER "':'test','" WK_LABEL_NODE "':'" name "'}}}"
#define Q "\\\""
#define NO_PODS                                                                \
	"{'path':'pods\\\\?.*limit','times':1,'do':'raw','code':200,"          \
	"'body':'{" Q "metadata" Q ":{" Q "resourceVersion" Q ":" Q "5" Q      \
	"}," Q "items" Q ":[]}'}"
#define WATCH(steps)                                                           \
	"{'path':'pods\\\\?.*watch','times':999,'do':'stream','steps':[" steps \
	"]}"
#define SILENT WATCH("{'silent':600}")
#define NO_LIST                                                                \
	"{'path':'pods\\\\?.*limit','times':999,'do':'status','code':500}"

static bool sees(struct cluster *l)
{
	return worker_pods_count(watch_pods(l)) > 0;
}

static bool asks_in_vain(struct cluster *l)
{
	(void)l;
	return fault_requests("GET", "limit=") > 1;
}

/*
 * A watch that stalls while it is open, or that ends each time without a word:
 * nothing is decided by what it has shown before.
 */
static void an_old_view_is_not_live(void)
{
	static const char *const watches[] = {SILENT, WATCH("{'ms':2000}")};

	for (size_t i = 0; i < T_COUNT(watches); i++) {
		struct cluster *l;

		t_row("%zu", i);
		fault_script("'pods':[" POD("n1") "],'rules':[%s]", watches[i]);
		l = start();
		T_OK(until(watch_is_live, l, true));
		T_OK(sees(l));
		fault_change("'rules':[%s," NO_LIST "]", watches[i]);
		for (int k = 0; k < 14; k++) {
			atomic_fetch_add(&later, 10000);
			clock_nap(300);
		}
		T_OK(until(asks_in_vain, l, true));
		T_OK(until(cluster_held, l, true));
		clock_nap(500);
		T_OK(!watch_is_live(l));
		T_OK(sees(l));
		fault_change("'rules':[%s]", watches[i]);
		for (int k = 0; k < 3; k++) { /* (its back-off) */
			atomic_fetch_add(&later, 15000);
			clock_nap(300);
		}
		T_OK(until(watch_is_live, l, true));
		T_OK(cluster_stop(l, WAIT_MS));
	}
}

static bool is_busy(struct cluster *l)
{
	return node_requests_busy(watch_requests(l), "n1");
}

static int64_t absent_at(struct cluster *l)
{
	int64_t at;

	worker_pods_lock(watch_pods(l));
	at = worker_pods_absent_at(watch_pods(l), "n1");
	worker_pods_unlock(watch_pods(l));
	return at;
}

static bool is_dirty(struct cluster *l)
{
	char *names[POD_CACHE_DIRTY_MAX];
	int n = worker_pods_take_dirty(watch_pods(l), names);
	bool is = n == 1 && !strcmp(names[0], "n1");

	while (n > 0)
		free(names[--n]);
	return is;
}

static void a_pod_is_absent_only_if_the_api_server_says_so(void)
{
	static const struct {
		const char *rules;
		bool absent;
	} rows[] = {
		{"", true},
		/* a proxy's, or another kind's */
		{",{'path':'pods/n1','times':99,'do':'raw','code':404,"
		 "'body':'<html>404 Not Found</html>'}",
		 false},
		{",{'path':'pods/n1','times':99,'do':'status','code':404}",
		 false},
		{",{'path':'pods/n1','times':99,'do':'status','code':403}",
		 false},
		{",{'path':'pods/n1','times':99,'do':'status','code':401}",
		 false},
		{",{'path':'pods/n1','times':99,'do':'status','code':410}",
		 false},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		struct cluster *l;
		int64_t at;

		t_row("%s", rows[i].rules);
		fault_script("'rules':[" SILENT "%s]", rows[i].rules);
		l = start();
		T_OK(until(watch_is_live, l, true));
		T_INT(absent_at(l), -1);
		at = clock_ms();
		node_requests_look(watch_requests(l), "n1");
		T_OK(until(is_busy, l, false));
		T_OK(fault_requests("GET", PODS "/n1") >= 1);
		T_INT(absent_at(l) >= at, rows[i].absent);
		T_INT(is_dirty(l), rows[i].absent);
		if (rows[i].absent)
			T_LACKS(t_log(), "is not known");
		else
			T_HAS(t_log(), "cluster c: node n1: whether its pod is "
				       "gone, or has ended, is not known: ");
		atomic_store(&later, 70000); /* that was then */
		T_INT(absent_at(l), -1);
		T_OK(cluster_stop(l, WAIT_MS));
	}
}

/* The API server's watch lags behind by more than the pod took to start. */
static void a_pod_that_is_there_but_not_in_view_is_listed(void)
{
	struct cluster *l;

	fault_script("'pods':[" POD("n1") "],'rules':[" NO_PODS "," SILENT "]");
	l = start();
	T_OK(until(watch_is_live, l, true));
	T_OK(!sees(l));
	node_requests_look(watch_requests(l), "n1");
	T_OK(until(is_busy, l, false));
	T_INT(absent_at(l), -1);
	T_OK(until(sees, l, true));
	T_OK(until(watch_is_live, l, true));
	T_OK(cluster_stop(l, WAIT_MS));
}

static int64_t ended_at(struct cluster *l, const char *uid)
{
	int64_t at;

	worker_pods_lock(watch_pods(l));
	at = worker_pods_ended_at(watch_pods(l), "n1", uid);
	worker_pods_unlock(watch_pods(l));
	return at;
}

static bool has_new(struct cluster *l)
{
	const struct worker_pod_entry *seen;
	bool has;

	worker_pods_lock(watch_pods(l));
	seen = worker_pods_find(watch_pods(l), "n1");
	has = seen && !strcmp(seen->pod.uid, "u-new");
	worker_pods_unlock(watch_pods(l));
	return has;
}

#define ENDED                                                                  \
	"{'metadata':{'name':'n1','uid':'u-n1','labels':{"                     \
	"'" WK_LABEL_CLUSTER "':'test','" WK_LABEL_NODE "':'n1'}},"            \
	"'status':{'phase':'Failed'}}"
#define RENEWED                                                                \
	"{'metadata':{'name':'n1','uid':'u-new','labels':{"                    \
	"'" WK_LABEL_CLUSTER "':'test','" WK_LABEL_NODE "':'n1'}}}"

/* If it is another pod by now then what is in view is old: all are listed. */
static void a_pod_has_ended_if_the_api_server_says_so(void)
{
	struct cluster *l;
	int64_t at;

	fault_script("'pods':[" ENDED "],'rules':[" SILENT "]");
	l = start();
	T_OK(until(watch_is_live, l, true));
	T_INT(ended_at(l, "u-n1"), -1);
	T_OK(is_dirty(l));
	at = clock_ms();
	node_requests_look(watch_requests(l), "n1");
	T_OK(until(is_busy, l, false));
	T_OK(ended_at(l, "u-n1") >= at);
	T_INT(absent_at(l), -1);
	T_OK(is_dirty(l));
	clock_nap(300);
	T_INT(fault_requests("GET", PODS "?limit="), 1);
	fault_change("'pods':[" RENEWED "]");
	node_requests_look(watch_requests(l), "n1");
	T_OK(until(is_busy, l, false));
	T_INT(ended_at(l, "u-n1"), -1);
	T_OK(until(has_new, l, true));
	T_INT(fault_requests("GET", PODS "?limit="), 2);
	T_OK(cluster_stop(l, WAIT_MS));
}

T_MAIN("view", T(an_old_view_is_not_live),
       T(a_pod_is_absent_only_if_the_api_server_says_so),
       T(a_pod_that_is_there_but_not_in_view_is_listed),
       T(a_pod_has_ended_if_the_api_server_says_so))
