/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bindings that are answered with 409: the pod is read. */
#include <stdio.h>
#include <string.h>

#include "fault_bindings.h"

#define CONFLICT "{'path':'binding','do':'status','code':409,'times':99}"
/* Marked for w-1; it is on `node`, and the binding that came has written so. */
#define MARKED(node)                                                           \
	"'pods':[{'metadata':{'name':'p1','uid':'u1','annotations':{"          \
	"'slinky.slurm.net/slurm-node':'w-2'}},'spec':{'nodeName':'" node      \
	"'},'status':{'phase':'Running','conditions':[{'type':"                \
	"'slurm-k8s.io/job','status':'True','message':'7'},{'type':"           \
	"'slurm-k8s.io/node','status':'True','message':'w-1'}]}}],"

static char room_of[64]; /* "u1@w-1 by 7 " */

static bool take_room(void *arg, const struct sent_binding *s)
{
	(void)arg;
	snprintf(room_of, sizeof(room_of), "%s@%s by %u", s->uid, s->node,
		 s->job_id);
	return true;
}

/* There was no answer to the one to w-2, and then the pod was to get w-1. */
static void an_earlier_binding_of_ours_is_not_somebody_elses(void)
{
	static const struct {
		const char *pod, *room;
		enum pod_read look;
	} rows[] = {
		{MARKED("w-2"), "u1@w-2 by 0", POD_READ_EARLIER},
		{MARKED("w-3"), "", POD_READ_OTHERS},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(1);
		struct bridge_request_failure f = {0};

		t_row("%zu", i);
		fault_script("%s'rules':[" CONFLICT "," TELLS "]", rows[i].pod);
		T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
		do_all(w, l.client);
		T_INT(fault_requests("GET", "pods/p1"), 1);
		T_OK(bridge_requests_take(w, &f));
		T_INT(f.look, rows[i].look);
		/* (until it is in view nobody else gets its node) */
		*room_of = '\0';
		bridge_requests_each_sent(w, take_room, NULL);
		T_STR(room_of, rows[i].room);
		bridge_requests_free(w);
	}
}

static void a_binding_with_409_asks_once_how_the_pod_is(void)
{
	static const struct {
		const char *pod, *rule;
		bool told, bound;
		enum pod_read look;
		const char *words;
	} rows[] = {
		{POD("u1", BY_7, "'nodeName':'w-1'"), "", false, true,
		 POD_READ_GONE, ""},
		{POD("u1", "", "'nodeName':'w-1'"), "", false, true,
		 POD_READ_GONE, ""},
		{POD("u1", "", "'nodeName':'w-2'"), "", true, false,
		 POD_READ_OTHERS, "p1: w-2"},
		{POD("u2", "", "'nodeName':'w-2'"), "", false, false,
		 POD_READ_GONE, ""},
		{"", "", false, false, POD_READ_GONE, ""},
		{POD("u1", ",'deletionTimestamp':'2026-01-01T00:00:00Z'", ""),
		 "", false, false, POD_READ_GONE, ""},
		{POD("u1", "", "'schedulingGates':[{'name':'g'}]"), "", true,
		 false, POD_READ_FREE, "could not be"},
		{POD("u1", "", ""),
		 "{'method':'GET','path':'p1$','do':'status','code':403},",
		 true, false, POD_READ_FREE, "not known"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(1);
		struct bridge_request_failure f = {0};
		const int64_t begin = clock_ms();
		const unsigned int n = n_bound();

		t_row("%zu", i);
		t_log_clear();
		fault_script("%s'rules':[%s" CONFLICT "," TELLS "]",
			     rows[i].pod, rows[i].rule);
		T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
		do_all(w, l.client);
		/* (it was tried again for 15 s) */
		T_OK(clock_ms() - begin < 10000);
		T_INT(fault_requests("POST", "p1/binding"), 1);
		T_INT(fault_requests("GET", "pods/p1"), 1);
		T_INT(fault_requests("PATCH", "p1/status"), 1);
		T_INT(fault_requests("POST", "/events"), 0);
		T_OK(!rows[i].bound || !told);
		T_INT(n_bound(), n + rows[i].bound);
		T_INT(told, rows[i].told);
		T_INT(bridge_requests_take(w, &f), rows[i].told);
		T_INT(f.look, rows[i].look);
		T_HAS(f.words, rows[i].words);
		if (*rows[i].rule)
			T_HAS(t_log(), "the right to get pods is in "
				       "etc/kubernetes/bridge.yaml");
		bridge_requests_free(w);
	}
}

/* What its author has made of it: no parser takes it any more. */
#define DEEP_POD                                                               \
	"{'method':'GET','path':'p1$','do':'raw','code':200,'times':9,"        \
	"'body':'{\\\"metadata\\\":{\\\"name\\\":\\\"p1\\\","                  \
	"\\\"namespace\\\":"                                                   \
	"\\\"ns\\\",\\\"uid\\\":\\\"u1\\\"},\\\"spec\\\":{\\\"nodeName\\\":"   \
	"\\\"%s\\\",\\\"tolerations\\\":%s%s}}'},"

static void what_a_pod_that_is_read_in_part_says_counts(void)
{
	static const struct {
		const char *node;
		bool told;
	} rows[] = {{"w-1", false}, {"w-2", true}};
	_cleanup_free_ char *open = t_repeat("[", JX_DEPTH_MAX);
	_cleanup_free_ char *close = t_repeat("]", JX_DEPTH_MAX);

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(1);
		struct bridge_request_failure f = {0};

		t_row("%s", rows[i].node);
		fault_script("'rules':[" DEEP_POD CONFLICT "," TELLS "]",
			     rows[i].node, open, close);
		T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
		do_all(w, l.client);
		T_INT(fault_requests("GET", "pods/p1"), 1);
		T_INT(bridge_requests_take(w, &f), rows[i].told);
		T_INT(f.look, rows[i].told ? POD_READ_OTHERS : POD_READ_GONE);
		bridge_requests_free(w);
	}
}

static char on_way[128];

static void add_way(void *arg, const struct sent_binding *s)
{
	const size_t n = strlen(on_way);

	(void)arg;
	snprintf(on_way + n, sizeof(on_way) - n, "%s@%s ", s->uid, s->node);
}

/* The second one waits until the first is answered. */
static void bindings_on_their_way_are_walked_once(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(1);
	const int64_t end = clock_ms() + WAIT_MS;

	fault_script("'rules':[{'path':'binding','do':'hang','s':600,"
		     "'times':99}," TELLS "]");
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	T_OK(bridge_requests_bind(w, &two, "w-2", 8, true));
	bridge_requests_each_way(w, add_way, NULL);
	T_STR(on_way, "u1@w-1 u2@w-2 ");
	while (!fault_requests("POST", "p1/binding") && clock_ms() < end) {
		bridge_requests_begin(w, l.client);
		kube_client_step(l.client, 50);
	}
	*on_way = '\0';
	bridge_requests_each_way(w, add_way, NULL);
	T_STR(on_way, "u1@w-1 u2@w-2 ");
	bridge_requests_drop(w, l.client);
	/* (what was sent may have been carried out) */
	*on_way = '\0';
	bridge_requests_each_way(w, add_way, NULL);
	T_STR(on_way, "u1@w-1 ");
	bridge_requests_free(w);
}

T_MAIN("fault_conflict", T(bindings_on_their_way_are_walked_once),
       T(what_a_pod_that_is_read_in_part_says_counts),
       T(an_earlier_binding_of_ours_is_not_somebody_elses),
       T(a_binding_with_409_asks_once_how_the_pod_is))
