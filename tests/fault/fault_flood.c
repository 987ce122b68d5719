/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A watch with more events than its thread can hand on, by HTTP/2: what is seen
 * is old, and does not count as new; the Lease is renewed meanwhile. Time is
 * the test's own, so that it does not matter how fast the machine is: an event
 * takes as long as on_object() says, and is there as soon as it is asked for.
 */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fault.h"
#include "kube/informer.h"
#include "kube/lease.h"

#define A_DAY 86400000ll
#define EVENTS 100
#define SIZE 100000
#define EACH_MS 20   /* so often there is one */
#define COSTS_MS 100 /* so long it takes */
#define LAG_MS 2000
#define RENEWALS 4
#define STEP_MS 250    /* of the loop, while the Lease is not asked for */
#define ANSWER_MS 1500 /* what is answered by then was so at once */
#define ALL_MS 60000   /* in which it is renewed so often */

static int64_t now = A_DAY;
static bool flooding; /* there is more to come */

int64_t __real_clock_ms(void);
int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}

int64_t __wrap_clock_boot_ms(void);
int64_t __wrap_clock_boot_ms(void)
{
	return now;
}

/*
 * Where more is to come it is there by now, however little of the machine the
 * server has got.
 */
CURLMcode __real_curl_multi_poll(CURLM *multi, struct curl_waitfd *extra,
				 unsigned int n, int ms, int *numfds);
CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *extra,
				 unsigned int n, int ms, int *numfds);
CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *extra,
				 unsigned int n, int ms, int *numfds)
{
	const int64_t end = __real_clock_ms() + WAIT_MS;
	int ready = 0;

	while (flooding && !ready && __real_clock_ms() < end)
		__real_curl_multi_poll(multi, extra, n, 100, &ready);
	if (!ready)
		return __real_curl_multi_poll(multi, extra, n, ms, numfds);
	if (numfds)
		*numfds = ready;
	return CURLM_OK;
}

/* --- one who looks */

struct seen {
	struct informer *in;
	int64_t began, last; /* when the events begin; the number of the last */
	int64_t most;	     /* how much newer the view counted than it was */
	bool synced;
};

static void on_synced(void *arg)
{
	((struct seen *)arg)->synced = true;
}

static int64_t stamp_of(const struct seen *s)
{
	return s->began + s->last * EACH_MS;
}

static void note_lag(struct seen *s)
{
	const int64_t lag = informer_fresh_at(s->in) - stamp_of(s);

	s->most = lag > s->most ? lag : s->most;
}

static void on_object(void *arg, json_object *object)
{
	struct seen *s = arg;
	const char *at = jx_str(object, "metadata", "annotations", "at");

	if (s->last < 0)
		s->began = now;
	T_INT(at ? atoll(at) : -1, s->last + 1);
	s->last++;
	flooding = s->last < EVENTS - 1;
	now += COSTS_MS;
	note_lag(s);
}

static void count(void *arg, json_object *object)
{
	(void)object;
	((struct seen *)arg)->last++;
}

static struct fault_link h2_link(void)
{
	struct fault_link l = {.config = fault_config()};

	free(l.config->server);
	l.config->server = str_printf("https://127.0.0.1:%d", fault()->h2_port);
	l.client = fault_client(l.config, NULL);
	return l;
}

static void look(struct seen *s, struct kube_client *c,
		 void (*on)(void *arg, json_object *object))
{
	const struct informer_options opt = {
		.collection = {.api = KUBE_CORE_V1, .resource = "pods"}};
	const struct informer_handler to = {
		.on_object = on, .on_synced = on_synced, .arg = s};

	*s = (struct seen){.last = -1};
	s->in = informer_new(c, &opt, &to);
	if (!s->in)
		abort();
}

/* Until that event is handed on, and then all has been read. */
static bool until(struct seen *s, struct kube_client *c, int64_t n)
{
	const int64_t end = __real_clock_ms() + WAIT_MS;

	while ((s->last < n || kube_client_drained_at(c) < now) &&
	       __real_clock_ms() < end) {
		informer_step(s->in);
		kube_client_step(c, 20);
		if (s->last >= 0)
			note_lag(s);
	}
	return T_INT(s->last, n);
}

static void what_has_waited_does_not_count_as_new(void)
{
	_cleanup_link_ struct fault_link l = {0};
	struct seen s;

	fault_script("'h2':{'flood':{'events':%d,'size':%d,'gets':['list',"
		     "'watch']}}",
		     EVENTS, SIZE);
	l = h2_link();
	look(&s, l.client, on_object);
	T_OK(until(&s, l.client, EVENTS - 1));
	T_OK(now - stamp_of(&s) > 3 * LAG_MS); /* it has lagged behind */
	T_OK(s.most <= LAG_MS);
	/* It has caught up: the next one that comes says so. */
	s.began = now;
	fault_change("'h2_more':true");
	T_OK(until(&s, l.client, EVENTS));
	T_INT(informer_fresh_at(s.in), now - COSTS_MS);
	informer_free(s.in);
}

/* --- one who holds */

/*
 * While the server is asked time stands still for as long as an answer may
 * take; from then on all of it counts.
 */
static void pass(bool asked, int64_t real_ms)
{
	static int64_t unanswered, counted;

	if (!asked) {
		unanswered = counted = 0;
		now += STEP_MS;
		return;
	}
	unanswered += real_ms;
	if (unanswered < ANSWER_MS)
		return;
	now += unanswered - counted;
	counted = unanswered;
}

/* The Lease's state; true while a claim of it is under way. */
static bool step(struct lease *lease, struct seen *s, struct kube_client *c)
{
	const int64_t began = __real_clock_ms();
	const size_t others = s && s->synced ? 1 : 0; /* the watch */
	bool asked;

	if (s)
		informer_step(s->in);
	lease_step(lease);
	asked = kube_client_step(c, 10) > others;
	pass(asked, __real_clock_ms() - began);
	return asked;
}

static void the_lease_is_renewed_while_its_server_floods_a_watch(void)
{
	const struct lease_options opt = {.ns = "ns", .name = "x"};
	const int64_t end = __real_clock_ms() + WAIT_MS;
	_cleanup_link_ struct fault_link l = {0};
	struct lease *lease;
	struct seen s;
	int64_t from;

	fault_script("'h2':{'flood':{'events':1000000,'size':400000,'gets':["
		     "'lease','list','watch']}}");
	l = h2_link();
	lease = lease_new(l.client, &opt);
	while (!lease_held(lease) && __real_clock_ms() < end)
		step(lease, NULL, l.client);
	T_OK(lease_held(lease));
	look(&s, l.client, count);
	while (s.last < 0 && __real_clock_ms() < end) {
		informer_step(s.in);
		kube_client_step(l.client, 10);
	}
	T_OK(s.last >= 0);
	from = fault_count("h2_claims", NULL);
	for (int64_t until = now + ALL_MS; now < until && lease_held(lease);)
		if (!step(lease, &s, l.client) &&
		    fault_count("h2_claims", NULL) >= from + RENEWALS)
			break;
	T_OK(lease_held(lease));
	T_OK(fault_count("h2_claims", NULL) >= from + RENEWALS);
	/* The Lease's connection is its own, and stays. */
	T_INT(fault_count("h2_opened", NULL), 2);
	informer_free(s.in);
	lease_free(lease);
}

T_MAIN("fault_flood", T(what_has_waited_does_not_count_as_new),
       T(the_lease_is_renewed_while_its_server_floods_a_watch))
