/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * After how long a collection is asked for again. The API server and the clock
 * are the test's.
 */
#include <errno.h>

#include "kube/client.h"
#include "kube/informer.h"
#include "t.h"

static int64_t now = 1000000;

int64_t __wrap_clock_ms(void);
int64_t __wrap_clock_boot_ms(void);
int64_t __wrap_clock_ms(void)
{
	return now;
}
int64_t __wrap_clock_boot_ms(void)
{
	return now;
}

/* --- what was asked for last */

static struct kube_list_reply list;
static struct kube_watch_reply watch;
static int lists, watches;
static char a_request; /* stands for each */

struct kube_listing *__wrap_kube_list(struct kube_client *c,
				      const struct kube_ref *ref,
				      const struct kube_select *sel,
				      unsigned int limit,
				      const struct kube_list_reply *to);
struct kube_listing *__wrap_kube_list(struct kube_client *c,
				      const struct kube_ref *ref,
				      const struct kube_select *sel,
				      unsigned int limit,
				      const struct kube_list_reply *to)
{
	(void)c, (void)ref, (void)sel, (void)limit;
	lists++;
	list = *to;
	return (struct kube_listing *)&a_request;
}

void __wrap_kube_list_cancel(struct kube_listing *l);
void __wrap_kube_list_cancel(struct kube_listing *l)
{
	(void)l;
}

struct kube_watch *__wrap_kube_watch_start(struct kube_client *c,
					   const struct kube_ref *ref,
					   const struct kube_select *sel,
					   const char *version,
					   unsigned int timeout_s,
					   const struct kube_watch_reply *to);
struct kube_watch *__wrap_kube_watch_start(struct kube_client *c,
					   const struct kube_ref *ref,
					   const struct kube_select *sel,
					   const char *version,
					   unsigned int timeout_s,
					   const struct kube_watch_reply *to)
{
	(void)c, (void)ref, (void)sel, (void)timeout_s;
	T_STR(version, "7");
	watches++;
	watch = *to;
	return (struct kube_watch *)&a_request;
}

void __wrap_kube_watch_stop(struct kube_watch *w);
void __wrap_kube_watch_stop(struct kube_watch *w)
{
	(void)w;
}

const char *__wrap_kube_watch_version(const struct kube_watch *w);
const char *__wrap_kube_watch_version(const struct kube_watch *w)
{
	(void)w;
	return "7";
}

int64_t __wrap_kube_client_drained_at(const struct kube_client *c);
int64_t __wrap_kube_client_drained_at(const struct kube_client *c)
{
	(void)c;
	return now;
}

/* --- */

static void take(void *arg, json_object *object)
{
	(void)arg, (void)object;
}

static const struct informer_options options = {.retry_max_ms = 600000};
static const struct informer_handler to = {.on_object = take};

static void listed(int rc)
{
	const struct kube_result res = {.rc = rc};

	list.on_done(list.arg, &res, "7");
}

/* The time until the next request, by its counter; ms, to the second. */
static int64_t pause_of(struct informer *f, const int *counter)
{
	const int64_t begin = now;
	const int before = *counter;

	while (*counter == before && now - begin < 1000000) {
		now += 1000;
		informer_step(f);
	}
	return now - begin;
}

/*
 * A server was away for minutes, and answers again: its watch cache is newer
 * than its list, or ends the first watch at once.
 */
static void what_ended_an_outage_is_not_paused_for_as_long_as_a_refusal(void)
{
	static const int ends[] = {-ESTALE, 0};

	for (size_t i = 0; i < T_COUNT(ends); i++) {
		struct informer *f = informer_new(NULL, &options, &to);

		t_row("%zu", i);
		T_NEED(f);
		for (int n = 0; n < 20; n++) {
			listed(-ECONNREFUSED);
			T_OK(pause_of(f, &lists) <= 31000);
		}
		listed(0);
		T_OK(pause_of(f, &watches) <= 1000);
		watch.on_end(watch.arg, ends[i], NULL);
		T_OK(pause_of(f, ends[i] ? &lists : &watches) <= 31000);
		informer_free(f);
	}
}

/* (a right that is missing, say: nobody is to be asked for it all the time) */
static void a_refusal_is_paused_for_by_what_its_owner_says(void)
{
	struct informer *f = informer_new(NULL, &options, &to);
	int64_t pause = 0;

	T_NEED(f);
	for (int n = 0; n < 20; n++) {
		listed(-EACCES);
		pause = pause_of(f, &lists);
	}
	T_OK(pause >= 300000 && pause <= 601000);
	informer_free(f);
}

T_MAIN("informer",
       T(what_ended_an_outage_is_not_paused_for_as_long_as_a_refusal),
       T(a_refusal_is_paused_for_by_what_its_owner_says))
