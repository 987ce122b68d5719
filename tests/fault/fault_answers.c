/* SPDX-License-Identifier: GPL-2.0-or-later */
/* common/kube/client and answers, above all those that are none. */
#include <curl/curl.h>
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "fault.h"

static const struct kube_request get_pods = {.method = "GET", .path = PODS};
static const struct kube_request post_pod = {
	.method = "POST", .path = PODS, .body = "{}"};

static const bool *waited_for; /* NULL: nothing */
static unsigned int waits;     /* for what may come, when it has come */

CURLMcode __real_curl_multi_poll(CURLM *multi, struct curl_waitfd *fds,
				 unsigned int n, int ms, int *ready);
CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *fds,
				 unsigned int n, int ms, int *ready);
CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd *fds,
				 unsigned int n, int ms, int *ready)
{
	waits += waited_for && *waited_for && ms > 0;
	return __real_curl_multi_poll(multi, fds, n, ms, ready);
}

/* VmHWM of this process, in KiB. */
static long peak_kib(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	return kib;
}

static void an_answer_of_100_mib_is_refused_in_bounded_memory(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	long before = peak_kib();

	fault_script("'rules':[{'do':'big','mb':100}]");
	fault_call(l.client, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EMSGSIZE,
	      "GET " PODS ": the answer is larger than 16777216 bytes");
	T_INT(g.attempts, 1);
	T_INT(fault_requests("GET", PODS), 1);
#ifndef __SANITIZE_ADDRESS__ /* it keeps freed memory for a while */
	T_OK(before > 0 && peak_kib() - before < 64 * 1024);
#else
	(void)before;
#endif
	/* the next call is as good as ever */
	fault_script("%s", "");
	fault_call(l.client, &get_pods, &g);
	T_INT(g.rc, 0);
}

/* (json-c would make 1 GiB of it) */
static void an_error_of_many_objects_is_told_in_bounded_memory(void)
{
	_cleanup_free_ char *units = t_repeat("{},", 1400000);
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	long before;

	fault_script("'rules':[{'do':'raw','code':500,'body':'[%s{}]'}]",
		     units);
	before = peak_kib();
	fault_call(l.client, &get_pods, &g);
	T_INT(g.rc, 0);
	T_INT(g.attempts, 2);
	fault_script("'rules':[{'do':'raw','code':403,'body':'[%s{}]'}]",
		     units);
	fault_call(l.client, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EACCES, "403 Forbidden: [{},{},{}");
#ifndef __SANITIZE_ADDRESS__
	T_OK(before > 0 && peak_kib() - before < 64 * 1024);
#else
	(void)before;
#endif
}

static void garbage_in_an_error_can_not_forge_log_lines(void)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);

	fault_script("'rules':[{'do':'raw','code':403,'body':"
		     "'no\\u001b[31m\\nroot: all is lost'}]");
	fault_call(l.client, &get_pods, &g);
	T_ERR(g.rc, &g.err, -EACCES, "403 Forbidden: no");
	for (const char *p = g.err.msg; *p; p++)
		T_OK((unsigned char)*p >= ' ');
}

/* (a pod is marked, and then bound: up to a second passed in between) */
static void who_is_answered_may_send_more_at_once(void)
{
	_cleanup_got_ struct got a = {0}, b = {0};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	const int64_t end = clock_ms() + WAIT_MS;

	fault_script("'rules':[{'method':'POST','do':'hang','s':60}]");
	fault_start(l.client, &post_pod, &b);
	while (!fault_requests("POST", PODS) && clock_ms() < end)
		kube_client_step(l.client, 10);
	fault_start(l.client, &get_pods, &a);
	waited_for = &a.done;
	waits = 0;
	while (!a.done && clock_ms() < end)
		kube_client_step(l.client, 100);
	waited_for = NULL;
	T_OK(a.done && !b.done);
	T_INT(waits, 0);
}

T_MAIN("fault_answers", T(who_is_answered_may_send_more_at_once),
       T(an_answer_of_100_mib_is_refused_in_bounded_memory),
       T(an_error_of_many_objects_is_told_in_bounded_memory),
       T(garbage_in_an_error_can_not_forge_log_lines))
