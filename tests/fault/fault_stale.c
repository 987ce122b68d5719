/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How old what the bridge sees is, and what is not done when it is too old.
 * Minutes pass by a clock that the test moves.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "bridge/session/bridge_session.h"
#include "fault.h"

#define BOUND_MS 120000
#define TICK_MS 10000

static int64_t later; /* ms that both clocks are ahead */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return __real_clock_ms() + later;
}

int64_t __real_clock_boot_ms(void);
int64_t __wrap_clock_boot_ms(void);
int64_t __wrap_clock_boot_ms(void)
{
	return __real_clock_boot_ms() + later;
}

#define ALL "/api/v1/pods\\\\?"
#define Q "\\\""
#define BODY(more)                                                             \
	"'do':'raw','code':200,'body':'{" Q "metadata" Q ":{" Q                \
	"resourceVersion" Q ":" Q "5" Q more "}," Q "items" Q ":[]}'"
#define LIST(times) "{'path':'" ALL "limit','times':" #times "," BODY("") "}"
/* The first of three pages, and no second one. */
#define HALF_LIST                                                              \
	"{'path':'continue=','times':999,'do':'status','code':500},"           \
	"{'path':'" ALL                                                        \
	"limit','times':999," BODY("," Q "continue" Q ":" Q "2" Q) "}"
#define WATCH(steps)                                                           \
	"{'path':'" ALL "watch','times':999,'do':'stream','steps':[" steps "]" \
	"}"
#define SILENT WATCH("{'silent':600}")
#define BINDS                                                                  \
	"{'path':'binding|status|events','do':'raw','code':201,'body':'{}',"   \
	"'times':99}"

struct scene {
	struct fault_link l;
	struct bridge_session *b;
	int waker;
	int64_t settle_ms; /* the longest that calls get for their answers */
	int64_t lost;	   /* tries that the server will not have */
};

static void asked(void *arg)
{
	(void)arg;
}

static bool may(void *arg)
{
	(void)arg;
	return true;
}

static struct namespace_config served = {.name = (char *)"ns"};
static const struct bridge_config config = {.scheduler = (char *)"s",
					    .node_label = (char *)"l",
					    .stale_after_ms = BOUND_MS,
					    .ns = &served,
					    .n_ns = 1,
					    .n_named = 1};
static const struct cluster_config cluster = {
	.name = (char *)"c", .ns = (char *)"ns", .max_requests = 10};

/* Returns the calls that are not done yet. */
static size_t step(struct scene *s)
{
	bridge_session_ops.step(s->b, s->l.client, true);
	return kube_client_step(s->l.client, 10);
}

/* Tries that were sent, and that the server has not had (had twice: < 0). */
static int64_t lost(struct scene *s)
{
	struct kube_counters n;

	kube_client_counters(s->l.client, &n);
	return (int64_t)n.requests - (int64_t)fault_requests(NULL, "");
}

/* Has the server had all requests, and is a watch the answer to each list? */
static bool settled(struct scene *s, size_t left)
{
	return left <= 1 && lost(s) == s->lost &&
	       fault_requests("GET", "watch=1") >=
		       fault_requests("GET", "limit=");
}

/*
 * So long by the clock. Then all calls but the watch get their answers, how
 * busy the machine may be: the next jump would take their time from them.
 * Where the server refuses, calls are tried again and again: not for ever. What
 * is sent on a connection that the server closes just then may never come, or
 * twice: that is waited for once.
 */
static void pass(struct scene *s, int64_t ms)
{
	const int64_t end = __real_clock_ms() + s->settle_ms;
	size_t left;

	later += ms;
	for (int i = 0; i < 4; i++)
		left = step(s);
	while (!settled(s, left) && __real_clock_ms() < end)
		left = step(s);
	if (left <= 1 && __real_clock_ms() >= end)
		s->lost = lost(s);
}

static int64_t age(struct scene *s)
{
	struct view_age a;

	freshness_age(bridge_session_fresh(s->b), &a);
	return a.ms;
}

static bool until_asked(struct scene *s, const char *method, const char *part,
			size_t n)
{
	const int64_t end = __real_clock_ms() + WAIT_MS;
	size_t is;

	while ((is = fault_requests(method, part)) < n &&
	       __real_clock_ms() < end)
		step(s);
	return T_INT(is, n);
}

/*
 * Lets time pass until so many are asked for. What was refused is tried again
 * by the clock that moves; its answer comes by the machine's, however busy.
 */
static bool until_asked_later(struct scene *s, const char *method,
			      const char *part, size_t n)
{
	const int64_t end = __real_clock_ms() + WAIT_MS;
	int64_t next = 0;
	size_t is;

	while ((is = fault_requests(method, part)) < n &&
	       __real_clock_ms() < end) {
		if (__real_clock_ms() >= next) {
			later += TICK_MS;
			next = __real_clock_ms() + 2000;
		}
		step(s);
	}
	return T_INT(is, n);
}

static void open_scene(struct scene *s)
{
	const struct kube_client_options quick = {.retry_max_ms = 50};
	struct bridge_session_options opt = {.config = &config,
					     .cluster = &cluster,
					     .slurm_cluster = "test",
					     .asked = asked,
					     .may = may};
	int64_t end;

	later = 0;
	t_log_clear();
	*s = (struct scene){.l = fault_link(&quick),
			    .waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
			    .settle_ms = 10000};
	opt.waker = s->waker;
	s->b = bridge_session_new(&opt);
	T_OK(s->b && !bridge_session_ops.start(s->b, s->l.client));
	end = __real_clock_ms() + WAIT_MS;
	while (!pod_groups_ready(bridge_session_seen(s->b)) &&
	       __real_clock_ms() < end)
		step(s);
	T_OK(pod_groups_ready(bridge_session_seen(s->b)));
	until_asked(s, "GET", "watch=1", 1);
}

static void close_scene(struct scene *s)
{
	bridge_session_ops.stop(s->b, s->l.client);
	bridge_session_free(s->b);
	fault_unlink(&s->l);
	close(s->waker);
	later = 0;
}
#define _cleanup_scene_ __attribute__((cleanup(close_scene)))

static const struct pod_ref one = {"ns", "p1", "u1"}, two = {"ns", "p2", "u2"};

static void a_watch_that_stalls_while_open_is_followed_by_a_list(void)
{
	_cleanup_scene_ struct scene s;
	int64_t most = 0;

	fault_script("'rules':[" LIST(999) "," SILENT "," BINDS "]");
	open_scene(&s);
	for (int64_t ms = 0; ms < 300000; ms += TICK_MS) {
		pass(&s, TICK_MS);
		most = age(&s) > most ? age(&s) : most;
	}
	T_OK(most > BOUND_MS / 2 && most < BOUND_MS);
	T_OK(fault_requests("GET", "limit=") >= 4);
	T_OK(fault_requests("GET", "limit=") <= 6);
	T_OK(bridge_requests_bind(bridge_session_work(s.b), &one, "w-1", 7,
				  true));
	until_asked(&s, "POST", "p1/binding", 1);
}

static void a_relist_that_fails_half_way_makes_the_view_old(void)
{
	_cleanup_scene_ struct scene s;
	const struct pod_deletion end = {
		.job_id = 7, .grace_s = 5, .words = "it has ended"};
	struct bridge_requests *w;

	fault_script("'pods':[{'metadata':{'name':'p2','uid':'u2'},"
		     "'spec':{'nodeName':'w-1'}}],"
		     "'rules':[" LIST(1) "," HALF_LIST "," SILENT "," BINDS
					 "]");
	open_scene(&s);
	s.settle_ms = 300;
	w = bridge_session_work(s.b);
	for (int64_t ms = 0; ms < 200000; ms += TICK_MS)
		pass(&s, TICK_MS);
	T_OK(fault_requests("GET", "continue=") >= 2);
	T_OK(age(&s) >= 200000);
	/* (asked for before it was old, say) */
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	/* a pod of a job that has ended: looked at, then deleted by its UID */
	T_OK(bridge_requests_end(w, &two, "w-1", &end));
	T_NEED(until_asked(&s, "DELETE", "p2", 1));
	T_INT(fault_requests("GET", PODS "/p2"), 1);
	pass(&s, TICK_MS);
	T_INT(fault_requests("POST", "binding"), 0);
	T_OK(bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1"));
	/* it is seen again */
	fault_change("'rules':[" LIST(999) "," SILENT "," BINDS "]");
	T_NEED(until_asked_later(&s, "POST", "p1/binding", 1));
	T_OK(age(&s) < 60000);
}

/* What is on its way gets time: after the next jump it would be no proof. */
static void until_younger(struct scene *s, int64_t ms)
{
	const int64_t end = __real_clock_ms() + 2000;

	while (age(s) >= ms && __real_clock_ms() < end)
		step(s);
}

static void ten_quiet_minutes_are_not_old(void)
{
	static const struct {
		const char *watch;
		bool bookmarks;
		size_t lists;
	} rows[] = {
		/* as the API server does: each watch ends with one */
		{WATCH("{'bookmark':'5'}"), true, 1},
		/* a server, or a proxy, without them */
		{SILENT, false, 8},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_scene_ struct scene s;

		t_row("%s", rows[i].watch);
		fault_script("'rules':[" LIST(999) ",%s]", rows[i].watch);
		open_scene(&s);
		for (int64_t ms = 0; ms < 600000; ms += TICK_MS) {
			pass(&s, TICK_MS);
			if (rows[i].bookmarks)
				until_younger(&s, TICK_MS);
			T_OK(age(&s) < BOUND_MS);
		}
		T_OK(fault_requests("GET", "limit=") <= rows[i].lists);
	}
}

/* (a pod that was bound is not seen on its node, say) */
static void pods_are_listed_anew_when_somebody_asks(void)
{
	_cleanup_scene_ struct scene s;

	fault_script("'rules':[" LIST(999) "," SILENT "]");
	open_scene(&s);
	atomic_store(&bridge_session_fresh(s.b)->relist, true);
	T_NEED(until_asked(&s, "GET", "limit=", 2));
	T_OK(!atomic_load(&bridge_session_fresh(s.b)->relist));
	pass(&s, 1000); /* not each second */
	atomic_store(&bridge_session_fresh(s.b)->relist, true);
	pass(&s, 1000);
	T_INT(fault_requests("GET", "limit="), 2);
	pass(&s, 10000);
	T_NEED(until_asked(&s, "GET", "limit=", 3));
}

/* The number after these words in the log; -1: they are not there. */
static long said_s(const char *words)
{
	const char *at = strstr(t_log(), words);

	return at ? strtol(at + strlen(words), NULL, 10) : -1;
}

/* The bridge's thread waits for slurmctld. */
static void a_bridge_that_does_not_come_round_is_said(void)
{
	_cleanup_scene_ struct scene s;
	int64_t from;

	fault_script("'rules':[" LIST(999) "," SILENT "]");
	open_scene(&s);
	from = clock_ms();
	atomic_store(&bridge_session_fresh(s.b)->bridge_at, from);
	pass(&s, 5000);
	if (clock_ms() - from < 10000) /* (the machine may be as slow) */
		T_LACKS(t_log(), "has waited for an answer of slurmctld");
	pass(&s, 6000);
	T_HAS(t_log(), "cluster c: the bridge has waited for an answer of "
		       "slurmctld for ");
	T_OK(said_s("slurmctld for ") >= 11);
	T_OK(said_s("slurmctld for ") <= (clock_ms() - from) / 1000);
	atomic_store(&bridge_session_fresh(s.b)->asks_names, true);
	pass(&s, 60000);
	T_HAS(t_log(), "has waited for an answer of the name service of "
		       "slurmctld's host for ");
	T_OK(said_s("host for ") >= 71);
}

/* --- what is proof */

static void on_object(void *arg, json_object *object)
{
	(void)object;
	*(bool *)arg = true;
}

static struct informer *inform(struct fault_link *l, bool *seen)
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "pods"}};
	const struct informer_handler to = {.on_object = on_object,
					    .arg = seen};
	struct informer *f = informer_new(l->client, &opt, &to);

	if (!f)
		abort();
	informer_keep_fresh(f, BOUND_MS);
	return f;
}

static bool until_seen(struct fault_link *l, struct informer *f,
		       const bool *seen)
{
	const int64_t end = __real_clock_ms() + WAIT_MS;

	while (!*seen && __real_clock_ms() < end) {
		informer_step(f);
		kube_client_step(l->client, 10);
	}
	return T_OK(*seen);
}

/* (the rest of what happened before it began may not have come) */
static void an_event_right_after_a_watch_began_proves_nothing(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	bool seen = false;
	struct informer *f;
	int64_t at;

	fault_script("'rules':[" LIST(999) "," WATCH(
		"{'pod':'p1','rv':'6'},{'ms':1500},{'pod':'p2','rv':'7'},"
		"{'silent':600}") "]");
	f = inform(&l, &seen);
	T_OK(until_seen(&l, f, &seen));
	at = informer_fresh_at(f);
	T_OK(at && at < clock_boot_ms());
	T_INT(informer_fresh_at(f), at);
	seen = false;
	later = 6000;
	T_OK(until_seen(&l, f, &seen));
	T_OK(informer_fresh_at(f) >= at + 6000);
	informer_free(f);
	later = 0;
}

/* It lay in a socket while slurmctld was stopped, or the machine suspended. */
static void what_waited_while_we_were_stopped_proves_nothing(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	bool seen = false;
	struct informer *f;
	int64_t at, end;

	fault_script("'rules':[" LIST(999) "," WATCH(
		"{'ms':800},{'bookmark':'6'},{'pod':'p1','rv':'7'},"
		"{'silent':600}") "]");
	f = inform(&l, &seen);
	end = __real_clock_ms() + WAIT_MS;
	while (!informer_live(f) && __real_clock_ms() < end) {
		informer_step(f);
		kube_client_step(l.client, 10);
	}
	at = informer_fresh_at(f);
	clock_nap(2000); /* (it is in the socket by then) */
	later = 100000;
	while (!seen && __real_clock_ms() < end)
		kube_client_step(l.client, 10);
	T_OK(seen);
	T_INT(informer_fresh_at(f), at);
	informer_step(f); /* lists anew */
	T_OK(!informer_live(f));
	while (informer_fresh_at(f) == at && __real_clock_ms() < end) {
		informer_step(f);
		kube_client_step(l.client, 10);
	}
	T_OK(informer_fresh_at(f) >= at + 100000);
	informer_free(f);
	later = 0;
}

static void on_trouble(void *arg, int rc, const char *words)
{
	(void)words;
	*(bool *)arg = rc != 0;
}

/* How soon one that is asked for seldom is asked for again, in ms. */
static int64_t lists_again_in(const char *status)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	bool trouble = false;
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "pods"},
		.retry_min_ms = 600000,
		.retry_max_ms = 600000};
	const struct informer_handler to = {.on_object = on_object,
					    .on_trouble = on_trouble,
					    .arg = &trouble};
	struct informer *f;
	const int64_t end = __real_clock_ms() + WAIT_MS;
	struct kube_counters n;
	int64_t took;

	fault_script("'rules':[{'do':'status','code':%s,'times':99}]", status);
	f = informer_new(l.client, &opt, &to);
	while (!trouble && __real_clock_ms() < end)
		kube_client_step(l.client, 10);
	later = 0;
	while (fault_requests("GET", "limit=") < 2 && later < 700000) {
		later += 10000;
		informer_step(f);
		for (int i = 0; i < 5; i++)
			kube_client_step(l.client, 10);
		do /* what was sent arrives, however busy the machine is */
			kube_client_counters(l.client, &n);
		while (fault_requests(NULL, "") < n.requests &&
		       kube_client_step(l.client, 10) &&
		       __real_clock_ms() < end);
	}
	informer_free(f);
	took = later;
	later = 0;
	return took;
}

static void only_what_is_forbidden_is_asked_for_seldom(void)
{
	T_OK(lists_again_in("503") <= 60000);
	T_OK(lists_again_in("401") <= 60000);
	T_OK(lists_again_in("403") >= 290000);
}

T_MAIN("stale", T(only_what_is_forbidden_is_asked_for_seldom),
       T(a_watch_that_stalls_while_open_is_followed_by_a_list),
       T(a_relist_that_fails_half_way_makes_the_view_old),
       T(ten_quiet_minutes_are_not_old),
       T(pods_are_listed_anew_when_somebody_asks),
       T(a_bridge_that_does_not_come_round_is_said),
       T(an_event_right_after_a_watch_began_proves_nothing),
       T(what_waited_while_we_were_stopped_proves_nothing))
