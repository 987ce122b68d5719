/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done to bridged pods: in which order, how often, and when not. */
#include "fault_bindings.h"

/* The clock stands from here on, but for what a test adds: the seconds that are
 * said must not be those of a busy machine. */
static void stand_still(void)
{
	frozen = clock_ms();
}

static void let_it_run(void)
{
	later += frozen - __real_clock_ms();
	frozen = 0;
}

static void set_right(void)
{
	frozen = later = 0;
}

static void bindings_go_first_and_events_last(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(1);
	const struct pod_patch note = {.job_id = 7};
	const unsigned int n = n_bound();

	fault_script(GOOD);
	bridge_requests_event(w, &two, false, "some", "words");
	T_OK(bridge_requests_note(w, &two, &note));
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	T_OK(bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1"));
	bridge_requests_begin(w, l.client);
	while (kube_client_step(l.client, 50))
		;
	/* its job is on the pod before it is bound */
	T_INT(fault_requests(NULL, "/api/v1/"), 1);
	T_INT(fault_requests("PATCH", PODS "/p1/status"), 1);
	T_INT(n_bound(), n);
	bridge_requests_begin(w, l.client);
	while (kube_client_step(l.client, 50))
		;
	T_INT(fault_requests(NULL, "/api/v1/"), 2);
	T_INT(fault_requests("POST", PODS "/p1/binding"), 1);
	T_INT(n_bound(), n + 1);
	bridge_requests_begin(w, l.client);
	while (kube_client_step(l.client, 50))
		;
	T_INT(fault_requests("PATCH", PODS "/p2/status"), 1);
	T_INT(fault_requests("POST", "/events"), 0);
	do_all(w, l.client);
	/* and where it goes is an Event */
	T_INT(fault_requests("PATCH", "p1/status"), 1);
	T_INT(fault_requests("POST", "/events"), 2);
	T_INT(fault_requests(NULL, "/api/v1/"), 5);
	T_OK(!told);
	bridge_requests_free(w);
}

/* (pods wait for bindings, nobody for Events) */
static void beside_bindings_little_is_told(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(10);

	fault_script("'rules':[{'path':'p1/status','do':'hang','s':60},"
		     "{'path':'events','do':'hang','s':60}]");
	stand_still();
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	for (int i = 0; i < 9; i++)
		bridge_requests_event(w, &two, false, "some", "words");
	bridge_requests_begin(w, l.client);
	T_INT(n_begun(w), 2);
	T_OK(bridge_requests_bind(w, &two, "w-1", 8, true));
	bridge_requests_begin(w, l.client);
	T_INT(n_begun(w), 3);
	bridge_requests_drop(w, l.client);
	for (int i = 0; i < 9; i++)
		bridge_requests_event(w, &two, false, "some", "words");
	bridge_requests_begin(w, l.client);
	T_INT(n_begun(w), 1); /* (more bindings may come) */
	later = 301;
	bridge_requests_begin(w, l.client);
	T_INT(n_begun(w), 9);
	set_right();
	bridge_requests_drop(w, l.client);
	bridge_requests_free(w);
}

static void the_same_again_is_no_second_request(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(10);
	struct pod_patch note = {.job_id = 7, .queue = "a"};

	fault_script(GOOD);
	for (int i = 0; i < 5; i++) {
		note.queue = i < 4 ? "a" : "b";
		T_OK(bridge_requests_note(w, &one, &note));
		T_OK(bridge_requests_bind(w, &two, "w-1", 7, true));
	}
	do_all(w, l.client);
	T_INT(fault_requests("PATCH", "p1/status"), 1);
	T_INT(fault_requests("PATCH", "p2/status"), 1);
	T_INT(fault_requests("POST", "p2/binding"), 1);
	bridge_requests_free(w);
}

/* (what it was told of waiting may be on its way, and come last) */
static void the_last_word_on_a_bound_pod_is_its_job(void)
{
	for (int begun = 0; begun < 2; begun++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(10);
		const struct pod_patch note = {.job_id = 7,
					       .reason = "Unschedulable",
					       .queue = "waits"};

		t_row("%d", begun);
		fault_script(GOOD);
		T_OK(bridge_requests_note(w, &one, &note));
		if (begun)
			bridge_requests_begin(w, l.client);
		T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
		do_all(w, l.client);
		T_INT(fault_requests("PATCH", "p1/status"), 2 + begun);
		T_INT(fault_requests("POST", "p1/binding"), 1);
		bridge_requests_free(w);
	}
}

/* (who asked for it tells the pod again, then) */
static void a_note_that_was_not_taken_is_a_failure(void)
{
	static const struct {
		int code;
		bool told;
	} rows[] = {{422, true}, {403, true}, {404, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(10);
		const struct pod_patch note = {.job_id = 7};
		struct bridge_request_failure f = {0};

		t_row("%d", rows[i].code);
		fault_script("'rules':[{'path':'status','do':'status',"
			     "'code':%d,'times':9}]",
			     rows[i].code);
		T_OK(bridge_requests_note(w, &one, &note));
		do_all(w, l.client);
		T_INT(bridge_requests_take(w, &f), rows[i].told);
		T_INT(f.what == BRIDGE_REQUEST_NOTE, rows[i].told);
		T_STR(f.uid, rows[i].told ? "u1" : "");
		/* nothing is sent while it is forbidden */
		T_OK(rows[i].code != 403 ||
		     bridge_requests_note(w, &one, &note));
		T_INT(bridge_requests_take(w, &f), rows[i].code == 403);
		T_INT(fault_requests("PATCH", "p1/status"), 1);
		bridge_requests_free(w);
	}
}

/* Without proof that it is ours no pod is bound. */
static void a_pod_that_cannot_be_marked_is_not_bound(void)
{
	static const struct {
		int code;
		bool told;
	} rows[] = {{422, true}, {403, true}, {404, false}, {409, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(10);
		struct bridge_request_failure f = {0};

		t_row("%d", rows[i].code);
		fault_script("'rules':[{'path':'status','do':'status',"
			     "'code':%d,'times':9}]",
			     rows[i].code);
		T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
		do_all(w, l.client);
		T_INT(told, rows[i].told);
		T_INT(bridge_requests_take(w, &f), rows[i].told);
		T_INT(f.job_id, rows[i].told ? 7 : 0);
		T_INT(fault_requests("PATCH", "p1/status"), 1);
		T_INT(fault_requests("POST", "binding"), 0);
		T_OK(!bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1"));
		bridge_requests_free(w);
	}
}

/* Nor one whose job ends while it is marked; the next job may have it. */
static void what_is_marked_for_a_job_that_ended_is_not_bound(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(10);

	fault_script(GOOD);
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	T_OK(bridge_requests_bind(w, &two, "w-1", 8, true));
	bridge_requests_begin(w, l.client);
	bridge_requests_unbind(w, 7);
	T_OK(bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1"));
	T_OK(!bridge_requests_bind(w, &one, "w-1", 7, true)); /* ask again */
	do_all(w, l.client);
	T_OK(!bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1"));
	T_INT(fault_requests("PATCH", "p1/status"), 1);
	T_INT(fault_requests("POST", "p1/binding"), 0);
	T_INT(fault_requests("POST", "p2/binding"), 1);
	T_OK(bridge_requests_bind(w, &one, "w-1", 9, true));
	do_all(w, l.client);
	T_INT(fault_requests("PATCH", "p1/status"), 2);
	T_INT(fault_requests("POST", "p1/binding"), 1);
	bridge_requests_free(w);
}

/* The grace period of pod p1, which is being deleted; -1: it is gone. */
static int64_t grace_now(struct kube_client *c)
{
	_cleanup_got_ struct got g = {0};
	_cleanup_json_ json_object *pod = NULL;

	fault_call(c,
		   &(const struct kube_request){.method = "GET",
						.path = PODS "/p1"},
		   &g);
	if (g.rc)
		return -1;
	pod = t_parse(g.body);
	return jx_int(jx_get(pod, "metadata", "deletionGracePeriodSeconds"),
		      -2);
}

/* Its owner deleted it, with a day. (With 0 the API server would forget it.) */
static void a_pod_that_has_too_long_to_end_is_deleted_again(void)
{
	static const struct {
		const char *uid;
		int64_t asked, grace;
	} rows[] = {
		{"u9", 30, 86400}, /* another pod of that name */
		{"u1", 30, 30},	   {"u1", 40, 30}, {"u1", 5, 5},
		{"u1", 0, 1},	   {"u1", -1, 1},
	};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(10);
	_cleanup_got_ struct got g = {0};

	fault_script("'looks':100,'pods':[{'metadata':{'name':'p1','uid':'u1'},"
		     "'spec':{'nodeName':'n1',"
		     "'terminationGracePeriodSeconds':86400}}]");
	fault_call(l.client,
		   &(const struct kube_request){.method = "DELETE",
						.path = PODS "/p1"},
		   &g);
	T_INT(grace_now(l.client), 86400);
	for (size_t i = 0; i < T_COUNT(rows); i++) {
		const struct pod_ref ref = {"ns", "p1", rows[i].uid};

		t_row("%zu", i);
		T_OK(bridge_requests_delete(w, &ref, rows[i].asked, NULL,
					    NULL));
		do_all(w, l.client);
		T_INT(grace_now(l.client), rows[i].grace);
		T_OK(!told);
	}
	T_INT(fault_requests("DELETE", PODS "/p1"), 1 + T_COUNT(rows));
	bridge_requests_free(w);
}

static void without_the_lease_nothing_is_sent(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(10);

	fault_script(GOOD);
	may_act = false;
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	T_OK(bridge_requests_delete(w, &two, 0, NULL, NULL));
	do_all(w, l.client);
	bridge_requests_drop(w, l.client);
	T_OK(!bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1"));
	may_act = true;
	do_all(w, l.client);
	T_INT(fault_requests(NULL, PODS), 0);
	bridge_requests_free(w);
}

static void what_is_under_way_can_be_dropped(void)
{
	static const char *const hangs[] = {"status", "binding"};

	for (size_t i = 0; i < T_COUNT(hangs); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(10);

		t_row("%s", hangs[i]);
		fault_script("'rules':[{'path':'%s','do':'hang','s':60},"
			     "{'path':'status','do':'raw','code':200,"
			     "'body':'{}'}]",
			     hangs[i]);
		T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
		bridge_requests_begin(w, l.client);
		while (i && kube_client_step(l.client, 50))
			;
		bridge_requests_begin(w, l.client);
		T_INT(kube_client_step(l.client, 100), 1);
		bridge_requests_drop(w, l.client);
		T_INT(kube_client_step(l.client, 0), 0);
		bridge_requests_unbind(w, 7);
		bridge_requests_free(w);
	}
}

static bool add(void *arg, const struct sent_binding *s)
{
	char *text = arg;

	snprintf(text + strlen(text), 64 - strlen(text), "%s on %s by %u;",
		 s->uid, s->node, (unsigned)s->job_id);
	return true;
}

static void only_what_matters_is_told(void)
{
	static const struct {
		int code;
		bool told;
	} rows[] = {{422, true}, {403, true}, {404, false}, {409, false}};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(10);
		struct bridge_request_failure f = {0};
		char sent[64] = "";

		t_row("%d", rows[i].code);
		fault_script("'rules':[{'path':'binding','do':'status',"
			     "'code':%d,'times':9},{'path':'status','do':"
			     "'raw','code':200,'body':'{}','times':9}]",
			     rows[i].code);
		T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
		do_all(w, l.client);
		T_INT(told, rows[i].told);
		T_INT(bridge_requests_take(w, &f), rows[i].told);
		T_INT(f.http, rows[i].told ? rows[i].code : 0);
		T_STR(f.uid, rows[i].told ? "u1" : "");
		T_INT(f.job_id, rows[i].told ? 7 : 0);
		T_OK(!bridge_requests_take(w, &f));
		T_INT(fault_requests("PATCH", "p1/status"), 1);
		bridge_requests_each_sent(w, add, sent);
		T_STR(sent, "");
		bridge_requests_free(w);
	}
}

static void bindings_of_a_job_that_ended_are_taken_back(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(1);
	const struct pod_ref three = {"ns", "p3", "u3"};
	char sent[64] = "";

	fault_script(GOOD);
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	T_OK(bridge_requests_bind(w, &two, "w-1", 8, true));
	T_OK(bridge_requests_bind(w, &three, "w-1", 7, true));
	bridge_requests_begin(w, l.client);
	while (kube_client_step(l.client, 50))
		;
	*sent = '\0';
	bridge_requests_each_sent(w, add, sent);
	T_STR(sent, ""); /* (the first is marked, and not sent yet) */
	bridge_requests_begin(w, l.client); /* (the first is under way) */
	bridge_requests_unbind(w, 7);
	T_OK(bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1"));
	T_OK(bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u2"));
	T_OK(!bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u3"));
	bridge_requests_each_sent(w, add, sent);
	T_STR(sent, "u1 on w-1 by 7;");
	while (kube_client_step(l.client, 50))
		;
	do_all(w, l.client);
	*sent = '\0'; /* (nobody has seen them on their nodes) */
	bridge_requests_each_sent(w, add, sent);
	T_STR(sent, "u1 on w-1 by 7;u2 on w-1 by 8;");
	T_INT(fault_requests("POST", "p1/binding"), 1);
	T_INT(fault_requests("POST", "p2/binding"), 1);
	T_INT(fault_requests("POST", "p3/binding"), 0);
	/* it may be asked for again */
	T_OK(bridge_requests_bind(w, &three, "w-1", 9, true));
	do_all(w, l.client);
	T_INT(fault_requests("POST", "p3/binding"), 1);
	bridge_requests_free(w);
}

/* (a namespace that goes is as good as forbidden, and no other is) */
static void what_is_forbidden_is_so_in_one_namespace_for_a_while(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(1);
	const struct pod_patch note = {.job_id = 7};
	const struct pod_ref other = {"other", "p9", "u9"};

	stand_still();
	fault_script("'rules':[{'path':'ns/(pods|events)','do':'status',"
		     "'code':403,'times':2},{'path':'status|events',"
		     "'do':'raw','code':201,'body':'{}','times':1000}]");
	for (int i = 0; i < 3; i++) {
		T_OK(bridge_requests_note(w, &one, &note));
		bridge_requests_event(w, &one, false, "some", "words");
		do_all(w, l.client);
	}
	T_INT(fault_requests("PATCH", "ns/pods/p1/status"), 1);
	T_INT(fault_requests("POST", "ns/events"), 1);
	T_OK(bridge_requests_note(w, &other, &note));
	bridge_requests_event(w, &other, false, "some", "words");
	do_all(w, l.client);
	T_INT(fault_requests("PATCH", "other/pods/p9/status"), 1);
	T_INT(fault_requests("POST", "other/events"), 1);
	/* (an API server that starts refuses for a moment) */
	later = 5001;
	T_OK(bridge_requests_note(w, &one, &note));
	bridge_requests_event(w, &one, false, "some", "words");
	do_all(w, l.client);
	T_INT(fault_requests("PATCH", "ns/pods/p1/status"), 2);
	T_INT(fault_requests("POST", "ns/events"), 2);
	bridge_requests_free(w);
	set_right();
}

static void what_stays_forbidden_is_asked_for_ever_more_seldom(void)
{
	static const int64_t ms[] = {5000,   10000,  20000,  40000, 80000,
				     160000, 320000, 600000, 600000};
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(1);
	const struct pod_patch note = {.job_id = 7};

	stand_still();
	fault_script("'rules':[{'path':'ns/pods','do':'status','code':403,"
		     "'times':1000}]");
	for (size_t i = 0; i < T_COUNT(ms); i++) {
		t_row("%zu", i);
		T_OK(bridge_requests_note(w, &one, &note));
		do_all(w, l.client);
		T_INT(fault_requests("PATCH", "ns/pods/p1/status"), i + 1);
		later += ms[i] - 2000;
		T_OK(bridge_requests_note(w, &one, &note));
		do_all(w, l.client);
		T_INT(fault_requests("PATCH", "ns/pods/p1/status"), i + 1);
		later += 2001;
	}
	bridge_requests_free(w);
	set_right();
}

/* --- after a look */

static void an_ended_pod_goes_only_as_it_was_expected(void)
{
	static const struct {
		const char *pod, *node;
		size_t deletes;
		const char *rule;
		size_t events;
	} rows[] = {
		{POD("u1", "", "'nodeName':'w-1'"), "w-1", 1, "", 1},
		{"'pods':[{'metadata':{'name':'p1','uid':'u1'},'spec':{"
		 "'nodeName':'w-1'},'status':{'phase':'Running','conditions':["
		 "{'type':'slurm-k8s.io/job','status':'True','message':'7'}]}}"
		 "],",
		 "", 1, "", 1},
		{POD("u1", BY_7, "'nodeName':'w-1'"), "", 0, "", 0},
		{POD("u1", "", "'nodeName':'w-1'"), "", 0, "", 0},
		{POD("u1", BY_7, "'nodeName':'w-2'"), "w-1", 0, "", 0},
		{POD("u2", BY_7, "'nodeName':'w-1'"), "w-1", 0, "", 0},
		{POD("u1", BY_7, ""), "", 0, "", 0},
		{POD("u1", BY_7 ",'deletionTimestamp':'2026-01-01T00:00:00Z'",
		     "'nodeName':'w-1'"),
		 "w-1", 0, "", 0},
		{"", "w-1", 0, "", 0},
		/* another one has come in between: its UID keeps it */
		{POD("u1", "", "'nodeName':'w-1'"), "w-1", 1,
		 "{'method':'DELETE','do':'swap'},", 0},
	};
	const struct pod_deletion end = {
		.job_id = 7, .grace_s = 5, .words = "job 7 has ended"};

	for (size_t i = 0; i < T_COUNT(rows); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(1);

		t_row("%zu", i);
		fault_script("%s'rules':[%s" TELLS "]", rows[i].pod,
			     rows[i].rule);
		T_OK(bridge_requests_end(w, &one, rows[i].node, &end));
		do_all(w, l.client);
		T_INT(fault_requests("GET", "pods/p1"), 1);
		T_INT(fault_requests("DELETE", "pods/p1"), rows[i].deletes);
		T_INT(fault_count("deletes", "p1"), rows[i].events);
		T_INT(fault_requests("POST", "/events"), rows[i].events);
		bridge_requests_free(w);
	}
}

static void beyond_the_time_of_the_view_nothing_is_bound(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(10);
	const struct pod_patch note = {.job_id = 7};

	fault_script(GOOD);
	bridge_requests_bind_until(w, clock_ms() - 1);
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	T_OK(bridge_requests_note(w, &two, &note));
	do_all(w, l.client);
	T_INT(fault_requests("POST", "binding"), 0);
	T_INT(fault_requests("PATCH", "p2/status"), 1);
	bridge_requests_bind_until(w, clock_ms() + WAIT_MS);
	do_all(w, l.client);
	T_INT(fault_requests("POST", "p1/binding"), 1);
	bridge_requests_free(w);
}

/* --- nobody answers */

/* By the moved clock, and some steps of the link's thread. */
static void pass(struct bridge_requests *w, struct kube_client *c, int64_t ms)
{
	later += ms;
	for (int i = 0; i < 20; i++) {
		bridge_requests_begin(w, c);
		kube_client_step(c, 10);
	}
}

static void pass_until_sent(struct bridge_requests *w, struct kube_client *c,
			    const char *method, const char *path, size_t n)
{
	for (int i = 0; i < 300 && fault_requests(method, path) < n; i++)
		pass(w, c, 0);
	T_INT(fault_requests(method, path), n);
}

static size_t count(const char *text, const char *words)
{
	size_t n = 0;

	for (; (text = strstr(text, words)); text++)
		n++;
	return n;
}

/* The connection is fine, and others are answered. */
static void bindings_that_nobody_answers_are_said_and_sent_anew(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(2);
	const struct pod_ref three = {"ns", "p3", "u3"};

	stand_still();
	t_log_clear();
	fault_script("'rules':[{'path':'binding','do':'hang','s':600,"
		     "'times':2}," TELLS ",{'path':'binding','do':'raw',"
		     "'code':201,'body':'{}','times':99}]");
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	T_OK(bridge_requests_bind(w, &two, "w-1", 8, true));
	T_OK(bridge_requests_bind(w, &three, "w-1", 9, true));
	pass_until_sent(w, l.client, "POST", "binding", 2);
	pass(w, l.client, BRIDGE_STALL_MS - 2000);
	T_LACKS(t_log(), "no binding");
	pass(w, l.client, 2001);
	T_HAS(t_log(), "cluster c: no binding was answered for 10 s: 3 are to "
		       "be, of which 2 are under way, beside 0 other requests; "
		       "the oldest is of pod ns/p1, sent, not answered");
	let_it_run(); /* requests have deadlines */
	do_all(w, l.client);
	T_INT(fault_requests("POST", "binding"), 5);
	T_OK(!bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1"));
	T_OK(!told);
	T_INT(count(t_log(), "no binding was answered"), 1);
	T_HAS(t_log(), "bindings are answered again, after 1");
	bridge_requests_free(w);
	set_right();
}

/* (a line each ten seconds would be noise) */
static void a_stall_that_stays_is_said_more_and_more_seldom(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(2);
	size_t asked_for = 0;

	stand_still();
	t_log_clear();
	fault_script("'rules':[{'path':'binding','do':'hang','s':600,"
		     "'times':999}," TELLS "]");
	for (int s = 0; s < 300; s += 5) {
		/* (its deadline is 15 s) */
		if (!bridge_requests_has(w, BRIDGE_REQUEST_BIND, "u1") &&
		    ++asked_for)
			T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
		pass(w, l.client, 5000);
	}
	T_OK(asked_for > 2);
	T_OK(count(t_log(), "no binding was answered") >= 3);
	T_OK(count(t_log(), "no binding was answered") <= 6);
	T_HAS(t_log(), "no binding was answered for 10 s");
	bridge_requests_drop(w, l.client);
	bridge_requests_free(w);
	set_right();
}

static void a_pause_between_bindings_is_no_stall(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(2);

	t_log_clear();
	fault_script(GOOD);
	for (int i = 0; i < 3; i++) {
		T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
		do_all(w, l.client);
		later += 3600000;
	}
	/* nor is an old view: that is said by others */
	bridge_requests_bind_until(w, clock_ms() - 1);
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	pass(w, l.client, 60000);
	bridge_requests_bind_until(w, 0);
	do_all(w, l.client);
	T_LACKS(t_log(), "no binding was answered");
	bridge_requests_free(w);
	later = 0;
}

/* The lease was lost meanwhile, and then nobody asked for one for hours. */
static void a_stall_of_long_ago_is_past(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(2);

	fault_script("'rules':[{'path':'binding','do':'hang','s':600,"
		     "'times':2}," TELLS ",{'path':'binding','do':'raw',"
		     "'code':201,'body':'{}','times':99}]");
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	pass_until_sent(w, l.client, "POST", "binding", 1);
	pass(w, l.client, BRIDGE_STALL_MS);
	bridge_requests_drop(w, l.client);
	t_log_clear();
	later += 3600000;
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	do_all(w, l.client);
	T_LACKS(t_log(), "answered");
	bridge_requests_free(w);
	later = 0;
}

/* The one that is under way is another request. */
static void what_was_not_sent_needs_no_new_connection(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(1);

	stand_still();
	t_log_clear();
	fault_script("'rules':[{'method':'DELETE','do':'hang','s':600,"
		     "'times':99}," TELLS "]");
	T_OK(bridge_requests_delete(w, &two, 30, NULL, NULL));
	pass_until_sent(w, l.client, "DELETE", "p2", 1);
	T_OK(bridge_requests_bind(w, &one, "w-1", 7, true));
	pass(w, l.client, BRIDGE_STALL_MS + 1);
	T_HAS(t_log(), "no binding was answered for 10 s: 1 are to be, of "
		       "which 0 are under way, beside 1 other requests");
	T_LACKS(t_log(), "new connections");
	T_INT(fault_requests("DELETE", "p2"), 1);
	bridge_requests_drop(w, l.client);
	bridge_requests_free(w);
	set_right();
}

/* --- PodGroups */

#define GROUPS "/apis/scheduling.k8s.io/v1beta1/namespaces/ns/podgroups"

static bool patch(struct bridge_requests *w, const char *uid, const char *text)
{
	const struct pod_ref ref = {"ns", "g", uid};

	return bridge_requests_group(w, &ref, "v1beta1", t_parse(text));
}

/* (with WorkloadWithJob each Job has one) */
static void a_podgroup_costs_one_request_whatever_becomes_of_it(void)
{
	/* (409: somebody else has written since it was looked at) */
	static const int codes[] = {200, 404, 409, 422};

	for (size_t i = 0; i < T_COUNT(codes); i++) {
		_cleanup_link_ struct fault_link l = fault_link(NULL);
		struct bridge_requests *w = requests_of(10);
		const struct pod_patch note = {.job_id = 7};
		char uid[16];

		t_row("%d", codes[i]);
		fault_script("'rules':[{'path':'podgroups/g/status','do':"
			     "'raw','code':%d,'body':'{}','times':100},"
			     "{'path':'p1/status','do':'status','code':403}]",
			     codes[i]);
		T_OK(bridge_requests_note(w, &one, &note));
		do_all(w, l.client);
		told = false;
		for (int n = 0; n < 80; n++) {
			snprintf(uid, sizeof(uid), "u%d", n);
			T_OK(patch(w, uid, "{}"));
		}
		do_all(w, l.client);
		T_INT(fault_requests("PATCH", GROUPS "/g/status"), 80);
		T_INT(fault_requests("GET", "namespaces/ns/"), 0);
		T_OK(!told);
		/* (and what else is forbidden stays known) */
		T_OK(bridge_requests_note(w, &one, &note));
		do_all(w, l.client);
		T_INT(fault_requests("PATCH", "p1/status"), 1);
		bridge_requests_free(w);
	}
}

static void a_podgroup_is_told_the_newest_words_once(void)
{
	_cleanup_link_ struct fault_link l = fault_link(NULL);
	struct bridge_requests *w = requests_of(10);

	fault_script("'rules':[{'path':'podgroups/g/status','do':'raw',"
		     "'code':200,'body':'{}','times':9}]");
	for (int i = 0; i < 5; i++)
		T_OK(patch(w, "u9", i < 4 ? "{}" : "{\"newest\": 1}"));
	do_all(w, l.client);
	T_INT(fault_requests("PATCH", GROUPS), 1);
	bridge_requests_free(w);
}

T_MAIN("bridge", T(a_stall_of_long_ago_is_past),
       T(a_note_that_was_not_taken_is_a_failure),
       T(what_was_not_sent_needs_no_new_connection),
       T(bindings_that_nobody_answers_are_said_and_sent_anew),
       T(a_stall_that_stays_is_said_more_and_more_seldom),
       T(a_pause_between_bindings_is_no_stall),
       T(an_ended_pod_goes_only_as_it_was_expected),
       T(beyond_the_time_of_the_view_nothing_is_bound),
       T(a_podgroup_costs_one_request_whatever_becomes_of_it),
       T(a_podgroup_is_told_the_newest_words_once),
       T(bindings_go_first_and_events_last), T(beside_bindings_little_is_told),
       T(the_same_again_is_no_second_request),
       T(the_last_word_on_a_bound_pod_is_its_job),
       T(a_pod_that_cannot_be_marked_is_not_bound),
       T(what_is_marked_for_a_job_that_ended_is_not_bound),
       T(a_pod_that_has_too_long_to_end_is_deleted_again),
       T(without_the_lease_nothing_is_sent),
       T(what_is_under_way_can_be_dropped), T(only_what_matters_is_told),
       T(bindings_of_a_job_that_ended_are_taken_back),
       T(what_is_forbidden_is_so_in_one_namespace_for_a_while),
       T(what_stays_forbidden_is_asked_for_ever_more_seldom))
