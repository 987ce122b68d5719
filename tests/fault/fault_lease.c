/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leases against a server that fails on demand. Durations are of 8 s: a claim
 * is renewed each 2.67 s, holds for 6.4 s, and is given up after 2 s without an
 * answer. These are seconds of the test's own clock, see pass().
 */
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "fault.h"
#include "kube/lease.h"

#define LEASES "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
#define DURATION_MS 8000
#define HELD_MS 6400
#define REFUSED_MS 12000
#define TICK_MS 20     /* of a step while the server is asked, at most */
#define IDLE_MS 5      /* of any other */
#define ANSWER_MS 1500 /* what is answered by then was so at once */
#define A_DAY 86400000ll
#define A "ctl-1_7_8_0123abcd_9"
#define B "ctl-2_7_8_0123abcd_9"

/* One who wants it. */
struct party {
	struct fault_link link;
	struct lease *lease;
	enum lease_state state;
	struct buf told; /* "ours; others ctl-1, pid 7; " */
	bool asks;
};

static int64_t now = A_DAY;
static int64_t suspended; /* ms, of the whole machine: all clocks but one */
static int64_t unanswered, counted; /* ms, of all parties */
static size_t asking;		    /* parties */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

int64_t __wrap_clock_boot_ms(void);
int64_t __wrap_clock_boot_ms(void)
{
	return now + suspended;
}

int64_t __wrap_clock_real_ms(void);
int64_t __wrap_clock_real_ms(void)
{
	return 20000 * A_DAY + now + suspended;
}

/*
 * A busy machine must not make a claim late: time goes on by steps. While the
 * server is asked it stands still for as long as an answer may take, and from
 * then on all of it counts: libcurl's time, by which a request is given up, is
 * the real one.
 */
static void pass(int64_t real_ms)
{
	if (!asking) {
		unanswered = counted = 0;
		now += IDLE_MS;
		return;
	}
	unanswered += real_ms < TICK_MS ? real_ms : TICK_MS;
	if (unanswered < ANSWER_MS)
		return;
	now += unanswered - counted;
	counted = unanswered;
}

static void on_change(void *arg, enum lease_state state, const char *words)
{
	static const char *const names[] = {"unknown", "ours", "others",
					    "unfenced"};
	struct party *p = arg;

	p->state = state;
	buf_addf(&p->told, "%s%s%s; ", names[state], *words ? " " : "", words);
}

static bool holds(void *arg)
{
	const struct party *p = arg;

	return p->lease && lease_held(p->lease);
}

static void join(struct party *p, const char *self)
{
	const struct kube_client_options client = {.may_write = holds,
						   .may_arg = p};
	const struct lease_options opt = {
		.ns = "ns",
		.name = "x",
		.self = self,
		.duration_s = DURATION_MS / 1000,
		.retry_ms = 100,
		.refused_ms = REFUSED_MS,
		.refused_max_ms = 200,
		.on_change = on_change,
		.arg = p,
	};

	*p = (struct party){.link = fault_link(&client),
			    .told = BUF_INIT(1 << 16)};
	p->lease = lease_new(p->link.client, &opt);
	if (!p->lease)
		abort();
}

static void part(struct party *p)
{
	lease_free(p->lease);
	fault_unlink(&p->link);
	buf_free(&p->told);
	asking -= p->asks;
}
#define _cleanup_party_ __attribute__((cleanup(part)))

static void step_once(struct party *p, int wait_ms)
{
	int64_t began = __real_clock_ms();

	lease_step(p->lease);
	asking -= p->asks;
	p->asks = kube_client_step(p->link.client, wait_ms) > 0;
	asking += p->asks;
	pass(__real_clock_ms() - began);
}

static void step(struct party *p)
{
	step_once(p, 10);
}

static bool until(struct party *p, enum lease_state state)
{
	int64_t end = clock_ms() + WAIT_MS;

	while (p->state != state && clock_ms() < end)
		step(p);
	return T_INT(p->state, state);
}

static void step_for(struct party *p, int64_t ms)
{
	for (int64_t end = clock_ms() + ms; clock_ms() < end;)
		step(p);
}

/* Nobody steps: as if the process were stopped. */
static void stopped_for(int64_t ms)
{
	now += ms;
}

/* The machine is: CLOCK_MONOTONIC stands still. */
static void suspended_for(int64_t ms)
{
	suspended += ms;
}

/* What stands there: a text of its spec, or the number of changes of hands. */
static bool stands(const char *holder, int64_t transitions)
{
	_cleanup_json_ json_object *o = fault_stats();
	json_object *x = jx_get(o, "leases", "x");

	return T_STR(jx_str(x, "spec", "holderIdentity"), holder) &&
	       T_INT(jx_int(jx_get(x, "spec", "leaseTransitions"), -1),
		     transitions);
}

static void seed(const char *holder)
{
	fault_change("'leases':[{'kind':'Lease','metadata':{'name':'x'},"
		     "'spec':{'holderIdentity':'%s','leaseDurationSeconds':%d,"
		     "'renewTime':'2026-01-01T00:00:00.000000Z',"
		     "'leaseTransitions':4}}]",
		     holder, DURATION_MS / 1000);
}

/* --- when all is well */

static void a_lease_is_made_held_and_renewed(void)
{
	_cleanup_party_ struct party p;

	fault_script("%s", "");
	join(&p, A);
	T_OK(!lease_held(p.lease));
	T_NEED(until(&p, LEASE_OURS));
	T_INT(fault_requests(NULL, LEASES), 2); /* a look, and POST */
	for (int i = 0; i < 30; i++) {
		step_for(&p, DURATION_MS / 20);
		T_OK(lease_held(p.lease));
	}
	stands(A, 0);
	T_STR(buf_str(&p.told), "ours; ");
	T_OK(fault_requests("PUT", LEASES "/x") >= 3);
	T_OK(fault_requests("PUT", LEASES "/x") <= 6);
	T_INT(fault_requests("GET", LEASES), 1);
}

static void what_nobody_holds_is_taken_at_once(void)
{
	_cleanup_party_ struct party p;

	fault_script("%s", "");
	seed("");
	join(&p, A);
	T_NEED(until(&p, LEASE_OURS));
	T_INT(fault_requests(NULL, LEASES), 2);
	stands(A, 5);
}

/* A process of this host, boot and PID namespace, that is not there. */
static void what_a_dead_process_holds_is_taken_at_once(void)
{
	_cleanup_party_ struct party p;
	char self[HOLDER_MAX], dead[HOLDER_MAX], host[HOLDER_MAX];
	unsigned long long start, pid_ns;
	char boot[16];
	int pid;

	fault_script("%s", "");
	holder_self(self);
	T_INT(sscanf(self, "%[^_]_%d_%llu_%15[^_]_%llu", host, &pid, &start,
		     boot, &pid_ns),
	      5);
	snprintf(dead, sizeof(dead), "%.64s_%d_%llu_%s_%llu", host, pid,
		 start - 1, boot, pid_ns);
	seed(dead);
	join(&p, NULL);
	T_NEED(until(&p, LEASE_OURS));
	T_INT(fault_requests(NULL, LEASES), 2);
}

static void it_is_given_back_at_the_end(void)
{
	_cleanup_party_ struct party p, q;

	fault_script("%s", "");
	join(&p, A);
	join(&q, B);
	T_NEED(until(&p, LEASE_OURS));
	T_NEED(until(&q, LEASE_OTHERS));
	lease_release(p.lease);
	T_OK(!lease_held(p.lease));
	while (!lease_released(p.lease))
		step(&p);
	stands("", 0);
	T_NEED(until(&q, LEASE_OURS));
	stands(B, 1);
	T_STR(buf_str(&q.told), "others ctl-1, pid 7; ours; ");
}

/* In the middle of the first claim, of a renewal, or with nothing to give. */
static void the_end_may_come_at_any_time(void)
{
	for (int steps = 0; steps < 8; steps++) {
		_cleanup_party_ struct party p;
		_cleanup_json_ json_object *o = NULL;
		int64_t end = clock_ms() + WAIT_MS;
		const char *holder;

		t_row("%d steps", steps);
		fault_script("%s", "");
		join(&p, A);
		for (int i = 0; i < steps; i++)
			step_once(&p, 1);
		lease_release(p.lease);
		while (!lease_released(p.lease) && clock_ms() < end)
			step(&p);
		T_OK(!lease_held(p.lease));
		o = fault_stats();
		holder = jx_str(o, "leases", "x", "spec", "holderIdentity");
		T_OK(!holder || !*holder);
	}
}

/* --- two of them */

static void of_two_exactly_one_holds(void)
{
	_cleanup_party_ struct party p, q;
	int64_t end;
	bool ever = false;

	fault_script("%s", "");
	join(&p, A);
	join(&q, B);
	end = clock_ms() + 2 * DURATION_MS;
	while (clock_ms() < end) {
		step(&p);
		step(&q);
		ever = ever || lease_held(p.lease) || lease_held(q.lease);
		T_NEED(!lease_held(p.lease) || !lease_held(q.lease));
		T_NEED(!ever || lease_held(p.lease) || lease_held(q.lease));
	}
	T_OK(ever);
	stands(lease_held(p.lease) ? A : B, 0);
}

/* Again and again free, with nothing between them but resourceVersions. */
static void of_two_who_ask_at_once_exactly_one_gets_it(void)
{
	for (int i = 0; i < 20; i++) {
		_cleanup_party_ struct party p, q;

		t_row("round %d", i);
		fault_script("%s", "");
		seed("");
		join(&p, A);
		join(&q, B);
		while (!p.state || !q.state) {
			step(&p);
			step(&q);
			T_NEED(!lease_held(p.lease) || !lease_held(q.lease));
		}
		T_INT(lease_held(p.lease) + lease_held(q.lease), 1);
		stands(lease_held(p.lease) ? A : B, 5);
	}
}

static void who_was_stopped_holds_no_more_and_another_does(void)
{
	_cleanup_party_ struct party p, q;
	int64_t at;

	fault_script("%s", "");
	join(&p, A);
	T_NEED(until(&p, LEASE_OURS));
	at = clock_ms();
	join(&q, B);
	T_NEED(until(&q, LEASE_OTHERS));
	T_NEED(until(&q, LEASE_OURS)); /* p is not stepped */
	T_OK(clock_ms() - at >= DURATION_MS);
	T_OK(clock_ms() - at < 3 * DURATION_MS);
	T_OK(!lease_held(p.lease)); /* before it does anything */
	for (int i = 0; i < 20; i++) {
		step(&p);
		step(&q);
		T_OK(!lease_held(p.lease));
		T_OK(lease_held(q.lease));
	}
	T_NEED(until(&p, LEASE_OTHERS));
	T_STR(buf_str(&p.told),
	      "ours; unknown not renewed in time; others ctl-2, pid 7; ");
	T_STR(buf_str(&q.told), "others ctl-1, pid 7; ours; ");
	stands(B, 1);
}

static void who_was_stopped_gets_it_again_if_nobody_came(void)
{
	_cleanup_party_ struct party p;

	fault_script("%s", "");
	join(&p, A);
	T_NEED(until(&p, LEASE_OURS));
	stopped_for(HELD_MS + 10);
	T_OK(!lease_held(p.lease));
	stopped_for(DURATION_MS);
	/* (it may be unknown and ours again in one step) */
	step(&p);
	T_NEED(until(&p, LEASE_OURS));
	T_STR(buf_str(&p.told), "ours; unknown not renewed in time; ours; ");
	T_OK(lease_held(p.lease));
	stands(A, 0);
}

static void whose_machine_was_suspended_holds_no_more(void)
{
	_cleanup_party_ struct party p, q;

	fault_script("%s", "");
	join(&p, A);
	T_NEED(until(&p, LEASE_OURS));
	suspended_for(HELD_MS + 10);
	T_OK(!lease_held(p.lease));
	step(&p); /* (asks at once) */
	T_NEED(until(&p, LEASE_OURS));
	T_OK(lease_held(p.lease));
	stands(A, 0);
	/* and while it is so for long another one has it */
	join(&q, B);
	T_NEED(until(&q, LEASE_OTHERS));
	T_NEED(until(&q, LEASE_OURS)); /* p is not stepped */
	suspended_for(0);
	T_OK(!lease_held(p.lease));
	T_NEED(until(&p, LEASE_OTHERS));
	stands(B, 1);
}

/*
 * Stopped, or suspended, when its writes were in all stages: none of them
 * reaches the server when it goes on.
 */
static void who_was_stopped_writes_nothing_when_it_goes_on(void)
{
	static const struct kube_request post = {
		.method = "POST",
		.path = PODS,
		.body = "{\"metadata\":{\"name\":\"p\"}}"};
	static const struct kube_request get = {.method = "GET", .path = PODS};

	for (int how = 0; how < 6; how++) {
		const int stage = how / 2;
		_cleanup_party_ struct party p;
		_cleanup_got_ struct got g = {0}, read = {0};
		size_t before;
		const int64_t wait = HELD_MS + 10;

		t_row("stage %d, %s", stage, how % 2 ? "suspended" : "stopped");
		fault_script(
			"'rules':[{'path':'pods','method':'POST','do':'%s',"
			"'code':500,'ms':1000,'times':1000}]",
			stage == 2 ? "delay" : "status");
		join(&p, A);
		T_NEED(until(&p, LEASE_OURS));
		fault_start(p.link.client, &post, &g);
		/* (0: not sent; 1: refused, to be tried again; 2: on its way)
		 */
		while (stage && !fault_requests("POST", PODS))
			kube_client_step(p.link.client, 1);
		if (stage == 1)
			for (int i = 0; i < 5; i++)
				kube_client_step(p.link.client, 1);
		before = fault_requests("POST", PODS);
		T_OK(!g.done);
		if (how % 2)
			suspended_for(wait);
		else
			stopped_for(wait);
		fault_start(p.link.client, &get, &read);
		for (int i = 0; i < 3000 && (!g.done || !read.done); i++) {
			kube_client_step(p.link.client, 10);
			now += IDLE_MS;
		}
		T_NEED(g.done && read.done);
		T_ERR(g.rc, &g.err, -ECANCELED, "we may not write any more");
		T_INT(g.undecided, stage > 0);
		T_INT(read.rc, 0);
		T_INT(fault_requests("POST", PODS), before);
		/* and when it holds again it may */
		T_NEED(until(&p, LEASE_OURS));
	}
}

/* The answer comes after the stop: it counts from when it was asked for. */
static void a_claim_counts_from_before_it_was_sent(void)
{
	_cleanup_party_ struct party p;

	/* (not before the stop, however long this process is not run) */
	fault_script("'rules':[{'path':'leases','method':'PUT','do':'delay',"
		     "'ms':1000}]");
	seed("");
	join(&p, A);
	while (!fault_requests("PUT", LEASES))
		step_once(&p, 1);
	T_NEED(p.state == LEASE_UNKNOWN);
	stopped_for(HELD_MS + 10);
	while (kube_client_step(p.link.client, 1))
		T_OK(!lease_held(p.lease));
	T_OK(!lease_held(p.lease));
	T_INT(p.state, LEASE_UNKNOWN);
}

/* --- when the server does not answer well */

static void what_fails_for_a_moment_is_not_noticed(void)
{
	static const char *const rules[] = {
		"{'method':'PUT','do':'status','code':500}",
		"{'method':'PUT','do':'status','code':403}",
		"{'method':'PUT','do':'status','code':409}",
		"{'method':'PUT','do':'lost'}",
		"{'method':'PUT','do':'garbage'}",
		"{'method':'PUT','do':'hang','s':60}",
		("{'method':'PUT','do':'status','code':409},"
		 "{'method':'GET','do':'status','code':500}"),
	};

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		_cleanup_party_ struct party p;
		int64_t end;

		t_row("%s", rules[i]);
		fault_script("%s", "");
		join(&p, A);
		T_NEED(until(&p, LEASE_OURS));
		end = clock_ms() + DURATION_MS;
		fault_change("'rules':[%s]", rules[i]);
		while (clock_ms() < end) {
			step(&p);
			T_NEED(lease_held(p.lease));
		}
		T_OK(fault_count("fired", NULL) > 0);
		T_STR(buf_str(&p.told), "ours; ");
		stands(A, 0);
	}
}

static void what_fails_for_long_is_lost_until_it_works(void)
{
	static const struct {
		const char *rule, *words;
	} rows[] = {
		{"{'path':'leases','do':'status','code':500,'times':10000}",
		 "500"},
		{"{'path':'leases','do':'status','code':401,'times':10000}",
		 "401"},
		{"{'path':'leases','do':'hang','s':60,'times':10000}",
		 "no answer"},
		{"{'path':'leases','do':'reset','times':10000}", ""},
		{"{'path':'leases','do':'garbage','times':10000}",
		 "is not a Lease"},
	};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_party_ struct party p;
		int64_t at;

		t_row("%s", rows[i].rule);
		fault_script("%s", "");
		join(&p, A);
		T_NEED(until(&p, LEASE_OURS));
		fault_change("'rules':[%s]", rows[i].rule);
		at = clock_ms();
		T_NEED(until(&p, LEASE_UNKNOWN));
		T_OK(clock_ms() - at <= DURATION_MS);
		T_OK(!lease_held(p.lease));
		T_HAS(buf_str(&p.told), rows[i].words);
		fault_change("'rules':[]");
		T_NEED(until(&p, LEASE_OURS));
		T_OK(lease_held(p.lease));
	}
}

static void one_who_never_held_it_says_what_is_wrong(void)
{
	_cleanup_party_ struct party p;

	fault_script("'rules':[{'do':'status','code':500,'message':'etcd',"
		     "'times':10000}]");
	join(&p, A);
	T_NEED(!p.state);
	while (!p.told.len)
		step(&p);
	step_for(&p, 500);
	T_OK(!lease_held(p.lease));
	T_HAS(buf_str(&p.told), "unknown GET " LEASES "/x: 500");
	T_HAS(buf_str(&p.told), "etcd; ");
	T_OK(fault_requests("GET", LEASES) >= 3);
	T_OK(fault_requests("GET", LEASES) <= 7);
}

static void a_lease_that_somebody_deletes_is_made_again(void)
{
	_cleanup_party_ struct party p;
	int64_t end;

	fault_script("%s", "");
	join(&p, A);
	T_NEED(until(&p, LEASE_OURS));
	end = clock_ms() + DURATION_MS;
	fault_change("'no_lease':'x'");
	while (clock_ms() < end) {
		step(&p);
		T_NEED(lease_held(p.lease));
	}
	stands(A, 0);
}

/* By its holder's name: somebody edits it by hand. */
static void a_lease_that_somebody_takes_away_is_given_up(void)
{
	_cleanup_party_ struct party p;

	fault_script("%s", "");
	join(&p, A);
	T_NEED(until(&p, LEASE_OURS));
	seed("the administrator");
	T_NEED(until(&p, LEASE_OTHERS));
	T_OK(!lease_held(p.lease));
	T_HAS(buf_str(&p.told), "others the administrator; ");
	T_NEED(until(&p, LEASE_OURS)); /* who does not renew it */
	stands(A, 5);
}

/* --- without the right */

#define REFUSE(method, code)                                                   \
	"{'method':'" method "','path':'leases','do':'status','code':" code    \
	",'times':10000}"

/* (as an API server says it of an API that it has not) */
#define NOT_SERVED                                                             \
	"{'path':'leases','do':'raw','code':404,"                              \
	"'body':'404 page not found','times':10000}"

static void without_the_right_it_counts_as_held(void)
{
	static const char *const rules[] = {
		REFUSE("GET", "403"),
		REFUSE("POST", "403"),
		REFUSE("GET", "404") "," REFUSE("POST", "404"),
		NOT_SERVED,
	};

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		_cleanup_party_ struct party p;
		size_t n;

		t_row("%s", rules[i]);
		fault_script("'rules':[%s]", rules[i]);
		join(&p, A);
		T_NEED(until(&p, LEASE_UNFENCED));
		T_OK(lease_held(p.lease));
		step_for(&p, 1000);
		T_OK(lease_held(p.lease));
		/* told once, asked for seldom (here: 0.1 to 0.2 s) */
		T_INT(strcspn(buf_str(&p.told), ";") + 2, p.told.len);
		n = fault_requests("GET", LEASES);
		T_OK(n >= 4 && n <= 12);
		fault_change("'rules':[]");
		T_NEED(until(&p, LEASE_OURS));
	}
}

/* (until it is seen not to be renewed) */
static void who_may_look_but_not_write_waits_for_others_all_the_same(void)
{
	_cleanup_party_ struct party p;

	fault_script("'rules':[" REFUSE("PUT", "403") "]");
	seed(B);
	join(&p, A);
	T_NEED(until(&p, LEASE_OTHERS));
	T_OK(!lease_held(p.lease));
	T_NEED(until(&p, LEASE_UNFENCED));
	T_OK(lease_held(p.lease));
}

static void a_right_that_comes_shows_who_holds_it(void)
{
	_cleanup_party_ struct party p;

	fault_script("'rules':[" REFUSE("GET", "403") "]");
	seed(B);
	join(&p, A);
	T_NEED(until(&p, LEASE_UNFENCED));
	fault_change("'rules':[]");
	T_NEED(until(&p, LEASE_OTHERS));
	T_OK(!lease_held(p.lease));
}

/* Whoever was seen to hold it may renew it all the time. */
static void who_is_refused_after_others_were_seen_does_not_act(void)
{
	static const char *const rules[] = {
		REFUSE("GET", "403"),
		REFUSE("GET", "404") "," REFUSE("POST", "404"),
	};

	for (size_t i = 0; i < T_COUNT(rules); i++) {
		_cleanup_party_ struct party p;

		t_row("%s", rules[i]);
		fault_script("%s", "");
		seed(B);
		join(&p, A);
		T_NEED(until(&p, LEASE_OTHERS));
		fault_change("'rules':[%s]", rules[i]);
		T_NEED(until(&p, LEASE_UNKNOWN));
		step_for(&p, 3 * REFUSED_MS);
		T_OK(!lease_held(p.lease));
		T_INT(p.state, LEASE_UNKNOWN);
		/* (it has not been renewed, as can be seen again) */
		fault_change("'rules':[]");
		T_NEED(until(&p, LEASE_OURS));
	}
}

/* A proxy before the API server says nothing about rights. */
static void a_refusal_that_is_no_status_is_no_answer(void)
{
	_cleanup_party_ struct party p;

	fault_script("'rules':[{'method':'GET','path':'leases','do':'raw',"
		     "'code':403,'body':'<html>','times':10000}]");
	join(&p, A);
	T_NEED(until(&p, LEASE_UNKNOWN));
	step_for(&p, 2 * REFUSED_MS);
	T_OK(!lease_held(p.lease));
	fault_change("'rules':[]");
	T_NEED(until(&p, LEASE_OURS));
}

/* A server that starts refuses for a moment: no reason to act. */
static void a_right_that_goes_is_missed_only_after_a_while(void)
{
	_cleanup_party_ struct party p;
	int64_t at;

	fault_script("%s", "");
	join(&p, A);
	T_NEED(until(&p, LEASE_OURS));
	fault_change(
		"'rules':[" REFUSE("GET", "403") "," REFUSE("PUT", "403") "]");
	at = clock_ms();
	T_NEED(until(&p, LEASE_UNKNOWN));
	T_OK(!lease_held(p.lease));
	T_NEED(until(&p, LEASE_UNFENCED));
	T_OK(clock_ms() - at >= REFUSED_MS);
	T_OK(lease_held(p.lease));
}

/* --- beside much else */

static void a_claim_does_not_wait_behind_other_calls(void)
{
	const struct kube_client_options opt = {.max_calls = 1};
	const struct kube_request slow = {.method = "GET", .path = PODS};
	_cleanup_party_ struct party p;
	static struct got got[400]; /* of two minutes: more than this takes */
	const unsigned int duration_s = 4; /* (no time stands still here) */

	fault_script("'rules':[{'path':'pods','do':'delay','ms':300,"
		     "'times':1000}]");
	join(&p, A);
	kube_client_free(p.link.client); /* (nothing of the lease is in it) */
	p.link.client = fault_client(p.link.config, &opt);
	lease_free(p.lease);
	p.lease = lease_new(p.link.client, &(const struct lease_options){
						   .ns = "ns",
						   .name = "x",
						   .self = A,
						   .duration_s = duration_s,
						   .on_change = on_change,
						   .arg = &p,
					   });
	for (size_t i = 0; i < T_COUNT(got); i++)
		fault_start(p.link.client, &slow, &got[i]);
	T_NEED(until(&p, LEASE_OURS));
	for (int i = 0; i < 20; i++) {
		step_for(&p, duration_s * 50);
		T_OK(lease_held(p.lease));
	}
	T_OK(!got[T_COUNT(got) - 1].done);
	for (size_t i = 0; i < T_COUNT(got); i++)
		got_clear(&got[i]);
}

T_MAIN("lease", T(a_lease_is_made_held_and_renewed),
       T(what_nobody_holds_is_taken_at_once),
       T(what_a_dead_process_holds_is_taken_at_once),
       T(whose_machine_was_suspended_holds_no_more),
       T(who_was_stopped_writes_nothing_when_it_goes_on),
       T(it_is_given_back_at_the_end), T(the_end_may_come_at_any_time),
       T(of_two_exactly_one_holds),
       T(of_two_who_ask_at_once_exactly_one_gets_it),
       T(who_was_stopped_holds_no_more_and_another_does),
       T(who_was_stopped_gets_it_again_if_nobody_came),
       T(a_claim_counts_from_before_it_was_sent),
       T(what_fails_for_a_moment_is_not_noticed),
       T(what_fails_for_long_is_lost_until_it_works),
       T(one_who_never_held_it_says_what_is_wrong),
       T(a_lease_that_somebody_deletes_is_made_again),
       T(a_lease_that_somebody_takes_away_is_given_up),
       T(without_the_right_it_counts_as_held),
       T(who_may_look_but_not_write_waits_for_others_all_the_same),
       T(a_right_that_comes_shows_who_holds_it),
       T(a_right_that_goes_is_missed_only_after_a_while),
       T(who_is_refused_after_others_were_seen_does_not_act),
       T(a_refusal_that_is_no_status_is_no_answer),
       T(a_claim_does_not_wait_behind_other_calls))
